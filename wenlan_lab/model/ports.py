"""The ports: what a Workbench is given from outside. Five small protocols; fakes ship in `wenlan_lab.testing`.

A provider that breaks its contract raises ProviderContractError. One that can't work now raises ProviderUnavailable,
and whoever called it goes on without it and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatMatrix = NDArray[np.float32]
    FloatVector = NDArray[np.float32]
    IntArray = NDArray[np.int64]

Clock = Callable[[], datetime]
"""Now, as an aware datetime in UTC."""

NewId = Callable[[str], str]
"""A fresh, sortable id with the given prefix: `new_id("mem")` -> "mem_01J…"."""

Progress = Callable[[int, int], None]
"""Called as work goes on with (done, total)."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors.

    `identity` names model, revision, dimensions and prefix rule; vectors of two identities are never compared.
    """

    @property
    def identity(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def windows(self, text: str) -> Sequence[str]:
        """The pieces of `text` that each fit the model whole, in order, overlapping; at least one."""
        ...

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> FloatMatrix:
        """float32 (len(texts), dimensions), rows of length 1. Each text should be one window."""
        ...

    def embed_query(self, text: str) -> FloatVector:
        """float32 (dimensions,), of length 1."""
        ...


@runtime_checkable
class VectorIndex(Protocol):
    """Inner-product search over int64 keys. Holds nothing of its own: it can always be built again."""

    def __len__(self) -> int: ...

    def replace(self, keys: IntArray, vectors: FloatMatrix) -> None:
        """Add rows or replace those whose key is there already. keys (n,), vectors (n, dimensions)."""
        ...

    def remove(self, keys: IntArray) -> None:
        """Drop rows; unknown keys are ignored."""
        ...

    def vectors(self, keys: IntArray) -> FloatMatrix:
        """The vectors of these keys, in order (len(keys), dimensions). All of them must be there."""
        ...

    def search(self, vector: FloatVector, k: int, allowed: IntArray | None = None) -> tuple[IntArray, FloatVector]:
        """The k best keys and their inner products, best first, ties by key.

        `allowed` restricts the search to those keys *before* the top k are taken.
        """
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores texts against a query; optional, off by default."""

    @property
    def identity(self) -> str: ...

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One finite score in [0, 1] for each text."""
        ...
