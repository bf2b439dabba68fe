"""An embedder that remembers: a dataset is embedded once for all runs, which then take minutes and not hours.

Implements the Embedder port around another one and changes nothing about its vectors; its identity is the other's.
Questions are never taken from the cache: a recall's latency has to hold what a recall costs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

import wenlan_lab
from wenlan_lab import Embedder, InvalidRequest, Settings
from wenlan_lab.evals.vector_shelf import VectorShelf, digest_of
from wenlan_lab.importers import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Progress = Callable[[int, int], None]

CHUNK = 256  # windows that are embedded before they are written: an interrupt loses at most these


def default_cache() -> Path:
    """Where vectors are kept when nobody says otherwise."""
    return Path.home() / ".cache" / "wenlan_lab" / "vectors"


def named_embedder(name: str, settings: Settings | None = None) -> Embedder | None:
    """The embedder that a workbench would have under this name; its weights load on first need."""
    with (
        tempfile.TemporaryDirectory(prefix="wenlan-lab-") as folder,
        wenlan_lab.open(folder, embedder=name, settings=settings or Settings()) as wb,
    ):
        return wb.embedder


class CachedEmbedder:
    """Implements `Embedder`. `computed` and `taken` count the windows that were embedded and that were remembered."""

    def __init__(self, inner: Embedder, folder: Path | str | None = None) -> None:
        self.inner = inner
        self.computed = 0
        self.taken = 0
        self._root = Path(folder) if folder is not None else default_cache()
        self._opened: VectorShelf | None = None

    @classmethod
    def default(cls, folder: Path | str | None = None) -> Self:
        """The default embedder behind the cache in `folder`."""
        return cls.named("default", folder)

    @classmethod
    def named(cls, name: str, folder: Path | str | None = None, settings: Settings | None = None) -> Self:
        """The embedder of that name behind the cache. Raises InvalidRequest for "none"."""
        inner = named_embedder(name, settings)
        if inner is None:
            raise InvalidRequest(f"embedder {name!r} is no embedder: there is nothing to remember.")
        return cls(inner, folder)

    @property
    def identity(self) -> str:
        """That of the embedder inside."""
        return self.inner.identity

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self.inner.dimensions

    def windows(self, text: str) -> Sequence[str]:
        """As the embedder inside cuts the text."""
        return self.inner.windows(text)

    def count_tokens(self, text: str) -> int:
        """As the embedder inside counts, or an estimate when it doesn't."""
        count = getattr(self.inner, "count_tokens", None)
        return int(count(text)) if count is not None else estimate_tokens(text)

    def embed_query(self, text: str) -> Matrix:
        """float32 (dimensions,), always computed."""
        return self.inner.embed_query(text)

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Matrix:
        """float32 (len(texts), dimensions); `progress` counts the texts that had to be embedded."""
        digests = [digest_of(text) for text in texts]
        result = np.empty((len(texts), self.dimensions), dtype=np.float32)
        missing: dict[bytes, str] = {}
        for at, digest in enumerate(digests):
            row = self._shelf.get(digest)
            if row is None:
                missing[digest] = texts[at]
            else:
                result[at] = row
        self.taken += len(texts) - sum(digest in missing for digest in digests)
        made = self._embed(missing, progress)
        for at, digest in enumerate(digests):
            if digest in made:
                result[at] = made[digest]
        return result

    @property
    def _shelf(self) -> VectorShelf:
        if self._opened is None:
            self._opened = VectorShelf(self._root, self.identity, self.dimensions)
        return self._opened

    def _embed(self, missing: dict[bytes, str], progress: Progress | None) -> dict[bytes, Matrix]:
        made: dict[bytes, Matrix] = {}
        pairs = list(missing.items())
        for start in range(0, len(pairs), CHUNK):
            part = pairs[start : start + CHUNK]
            rows = self.inner.embed_documents([text for _, text in part])
            self._shelf.add([digest for digest, _ in part], rows)
            self.computed += len(part)
            made.update((digest, row) for (digest, _), row in zip(part, rows, strict=True))
            if progress is not None:
                progress(start + len(part), len(pairs))
        return made
