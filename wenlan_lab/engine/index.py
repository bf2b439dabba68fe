"""The derived data of one open workbench: keyword index, vectors and their snapshot, brought up to date before a read.

Opened on first need. Whatever goes wrong with an embedder here is noted and returned; keyword recall goes on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from wenlan_lab.derived import catalog, catch_up, embeddings, lexical, vectors
from wenlan_lab.derived.snapshot import Snapshot
from wenlan_lab.errors import ProviderUnavailable
from wenlan_lab.model.ports import Embedder, Progress, VectorIndex


@dataclass(slots=True)
class Index:
    """The open connections and the snapshot. `notes` collects what has to be told in the next trace."""

    folder: Path
    truth: sqlite3.Connection
    embedder: Embedder | None
    make_index: Callable[[], VectorIndex]
    connection: sqlite3.Connection = field(init=False)
    cache: sqlite3.Connection = field(init=False)
    snapshot: Snapshot = field(init=False)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._open()

    def _open(self) -> None:
        self.connection, notes = catalog.open_index(self.folder)
        self.cache, more = embeddings.open_vectors(self.folder)
        self.notes.extend((*notes, *more))
        self.snapshot = Snapshot(self.make_index)

    def catch_up(self, *, embed_at_most: int | None, progress: Progress | None = None) -> tuple[str, ...]:
        """Follow the journal, embed what waits (None: all of it), take it into memory. Returns notes for the trace."""
        notes, self.notes[:] = list(self.notes), []
        catch_up.follow(self.truth, self.connection)
        notes.extend(self._embed(embed_at_most, progress))
        self.snapshot.refresh(self.connection, self.cache if self.embedder is not None else None)
        return tuple(notes)

    def _embed(self, most: int | None, progress: Progress | None) -> list[str]:
        if self.embedder is None:
            return ["no embedder: keyword search only"]
        try:  # the identity of a hub model is known only when it is loaded
            if vectors.use_identity(self.connection, self.embedder.identity):
                self.notes.append("the embedder changed: all texts are embedded again")
            count = vectors.waiting(self.connection)
            if most is not None and count > most:
                return [f"{count} entries wait for their vectors: run `rebuild` (keyword search covers them meanwhile)"]
            if count:
                vectors.embed_waiting(self.connection, self.cache, self.embedder, progress=progress)
        except ProviderUnavailable as error:
            return [f"embedder unavailable, keyword search only: {error}"]
        return []

    def erase(self, texts: Collection[str]) -> None:
        """Take forgotten texts out of every derived file: their vectors, the keyword segments, the write-ahead logs."""
        catch_up.follow(self.truth, self.connection)
        windows = {piece for text in texts for piece in (self.embedder.windows(text) if self.embedder else (text,))}
        embeddings.forget_vectors(self.cache, [embeddings.text_digest(piece) for piece in windows | set(texts)])
        with catalog.transaction(self.connection):
            lexical.optimize(self.connection)  # deleted words stay in old segments until they are merged
        self.snapshot.refresh(self.connection, self.cache if self.embedder is not None else None)
        for connection in (self.truth, self.connection, self.cache):
            catalog.truncate_log(connection)

    @property
    def watermark(self) -> int:
        """The journal entry the index has followed to."""
        return catalog.number(self.connection, catch_up.WATERMARK)

    def discard(self) -> None:
        """Delete the keyword index (vectors are kept: they are keyed by text) and start anew."""
        self.connection.close()
        catalog.discard(self.folder)
        self.cache.close()
        self._open()

    def close(self) -> None:
        """Close both files."""
        self.connection.close()
        self.cache.close()
