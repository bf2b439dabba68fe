"""Which embedder and which vector index a workbench gets when it was only told a name. Nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Callable

from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.ports import Embedder, VectorIndex


def embedder_for(wanted: Embedder | str | None, *, threads: int, say: Callable[[str], None]) -> Embedder | None:
    """The embedder for a name: "default" is all-MiniLM-L6-v2, "hash" needs no model, "none" or None is none at all;
    any other name is a sentence-transformers model. An object of the port is returned as it is.
    """
    if wanted is None or wanted == "none":
        return None
    if not isinstance(wanted, str):
        if not isinstance(wanted, Embedder):
            raise InvalidRequest(
                "embedder must be a name or an object with identity, windows, embed_documents and embed_query."
            )
        return wanted
    if wanted == "hash":
        from wenlan_lab.derived.hash_embedder import HashEmbedder

        return HashEmbedder()
    from wenlan_lab.derived.sentence_embedder import SentenceEmbedder

    return SentenceEmbedder(None if wanted == "default" else wanted, threads=threads, on_load=say)


def vector_index_for(dimensions: int, *, threads: int) -> VectorIndex:
    """An exact FAISS index."""
    from wenlan_lab.derived.faiss_index import FaissIndex

    return FaissIndex(dimensions, threads=threads)
