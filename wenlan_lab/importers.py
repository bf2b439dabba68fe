"""Readers of what is outside, as values: what `wb.sources.import_file` imports, before anything is stored.

    from wenlan_lab.importers import read_locomo
    batch = read_locomo("locomo10.json", conversation="conv-26")
    batch.sources[0].passages[2].text

Each reader takes a path and returns an ImportBatch; `wb.sources.import_batch(batch)` stores it. The parse functions
take the decoded JSON of the same files. Nothing here needs or touches a workbench.
"""

from __future__ import annotations

from wenlan_lab.engine.importers.batches import ImportBatch, ImportedSource, Skipped
from wenlan_lab.engine.importers.chunks import CHUNK_TOKENS, estimate_tokens
from wenlan_lab.engine.importers.detect import FORMATS, detect_format, read
from wenlan_lab.engine.importers.documents import read_document, read_folder
from wenlan_lab.engine.importers.locomo import parse_locomo, read_locomo
from wenlan_lab.engine.importers.longmemeval import parse_longmemeval, read_longmemeval, session_threads
from wenlan_lab.engine.importers.moments import haystack_moment
from wenlan_lab.engine.importers.turns import read_turns

__all__ = [
    "CHUNK_TOKENS",
    "FORMATS",
    "ImportBatch",
    "ImportedSource",
    "Skipped",
    "detect_format",
    "estimate_tokens",
    "haystack_moment",
    "parse_locomo",
    "parse_longmemeval",
    "read",
    "read_document",
    "read_folder",
    "read_locomo",
    "read_longmemeval",
    "read_turns",
    "session_threads",
]
