"""The one port through which a sweep spreads its work: a pool of processes today, a cluster when somebody names one.

Work is a module-level function and its items are plain values, so that they can be sent elsewhere; what can't be sent
doesn't belong in them. Results come back in the order in which they are ready, each with the number of its item. An
item that raises ends the sweep: work that may fail returns its failure as a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from wenlan_lab import InvalidRequest

Item = TypeVar("Item")
Result = TypeVar("Result")


class FanOut(Protocol):
    """Does `work` on every item, somewhere."""

    def results(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """(number of the item, result), as they become ready."""
        ...


@dataclass(frozen=True, slots=True)
class OneByOne:
    """In this process, one after the other."""

    def results(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """(number of the item, result), in the order of the items."""
        for number, item in enumerate(items):
            yield number, work(item)


@dataclass(frozen=True, slots=True)
class ProcessPool:
    """In `workers` fresh processes. They are spawned, not forked: a forked one would share the parent's threads."""

    workers: int = 2

    def __post_init__(self) -> None:
        if isinstance(self.workers, bool) or not isinstance(self.workers, int) or self.workers < 1:
            raise InvalidRequest(f"workers must be a whole number from 1, not {self.workers!r}.")

    def results(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """(number of the item, result), as they become ready; what hasn't begun is called off when the caller stops."""
        from concurrent.futures import ProcessPoolExecutor, as_completed
        from multiprocessing import get_context

        with ProcessPoolExecutor(min(self.workers, max(1, len(items))), mp_context=get_context("spawn")) as pool:
            numbers = {pool.submit(work, item): number for number, item in enumerate(items)}
            try:
                for future in as_completed(numbers):
                    yield numbers[future], future.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
