"""Results that people look at: values with a plain face (`repr`), a rich one (`_repr_html_`) and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, overload

from wenlan_lab.model import shown
from wenlan_lab.model.outcomes import Place
from wenlan_lab.model.recall import Emptiness, Hit, Trace

if TYPE_CHECKING:
    import polars

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RecallResult:
    """What a recall returned. Iterates over its hits, best first; `message` is there when there are none."""

    query: str
    hits: tuple[Hit, ...]
    trace: Trace
    nothing_relevant: bool
    message: str
    emptiness: Emptiness = ""

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, at: int) -> Hit:
        return self.hits[at]

    def explain(self, at: int = 0) -> Hit:
        """The hit at that place; its `factors` multiply to its score, its `parts` add up to the relevance."""
        return self.hits[at]

    def to_polars(self) -> polars.DataFrame:
        """One row for each hit."""
        import polars as pl

        rows = [shown.hit_row(rank, hit) for rank, hit in enumerate(self.hits, 1)]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as `--json` prints them."""
        return shown.plain(self)

    def __repr__(self) -> str:
        return shown.recall_text(self)

    def _repr_html_(self) -> str:
        return shown.recall_html(self)


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What `forget(dry_run=True)` would erase. `texts` never leave this value's own process."""

    id: str
    places: tuple[Place, ...]
    texts: tuple[str, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return shown.forgetting_text(self)

    def _repr_html_(self) -> str:
        return shown.forgetting_html(self)


@dataclass(frozen=True, slots=True, eq=False)
class Listing(Sequence[T]):
    """Several values of one kind, in order: a sequence that is shown as `table`. Equals any sequence of the same items."""

    items: tuple[T, ...]
    table: shown.Table

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...
    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        return self.items[at]

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.items == tuple(other)

    def __hash__(self) -> int:
        return hash(self.items)

    def to_polars(self) -> polars.DataFrame:
        """One row for each item; what is nested in it is written as JSON."""
        import polars as pl

        return pl.DataFrame([shown.flat_row(item) for item in self.items], infer_schema_length=None)

    def to_list(self) -> list[dict[str, Any]]:
        """Plain values, as `--json` prints them."""
        return [shown.plain(item) for item in self.items]

    def __repr__(self) -> str:
        return shown.text_table(self.table)

    def _repr_html_(self) -> str:
        return shown.html_table(self.table)
