"""The readers are public, cost nothing until they are used, and fit what a workbench stores."""

import json

import wenlan_lab
from tests.evals.samples import locomo_sample
from tests.test_lazy_imports import loaded_after
from wenlan_lab import importers
from wenlan_lab.store.sources import text_digest


def test_importing_the_readers_loads_no_parser():
    parsers = {"dateparser", "markdown_it", "frontmatter", "yaml", "pypdf", "numpy"}
    assert loaded_after("import wenlan_lab.importers") & parsers == set()


def test_every_name_that_is_public_is_there_and_says_what_it_is():
    for name in importers.__all__:
        value = getattr(importers, name)
        assert not callable(value) or value.__doc__


def test_a_second_import_adds_nothing_and_a_changed_file_only_what_changed(tmp_path):
    conversations = locomo_sample()
    path = tmp_path / "two.json"
    path.write_text(json.dumps(conversations))
    note = tmp_path / "note.md"
    note.write_text("# A\n\nfirst\n\n# B\n\nsecond")
    with wenlan_lab.open(tmp_path / "lab.wenlan", embedder="hash") as wb:
        first = wb.sources.import_file(path)
        assert (first.format, first.sources, first.added, first.spaces) == ("locomo", 2, 7, ("conv-1", "conv-2"))
        assert first.skipped[0].reason == "it is empty"
        again = wb.sources.import_file(path)
        assert (again.added, again.known, again.gone) == (0, 7, 0)
        conversations[1]["conversation"]["session_1"].append({"dia_id": "D1:2", "speaker": "Bo", "text": "me too"})
        path.write_text(json.dumps(conversations))
        grown = wb.sources.import_file(path)
        assert (grown.added, grown.known, grown.gone) == (1, 7, 0)
        assert wb.sources.import_file(note).added == 2
        note.write_text("# A\n\nfirst\n\n# B\n\nchanged")
        changed = wb.sources.import_file(note)
        assert (changed.added, changed.known, changed.gone) == (1, 1, 1)
        assert wb.verify() == ()


def test_every_hostile_line_that_is_read_can_be_stored(tmp_path):
    hostile = ["\0", "\ud800", "<b>", 'NEAR(" OR *', "\u202e", "{{x}} $y", "x" * 100_000, "日本語"]
    lines = [json.dumps({"content": f"{text} end", "speaker": text, "thread": text, "id": text}) for text in hostile]
    batch = importers.read_turns(lines)
    with wenlan_lab.open(tmp_path / "lab.wenlan", embedder="hash") as wb:
        assert wb.sources.import_batch(batch).added == len(hostile)
        (source,) = wb.sources.list()
        stored = sorted(passage.digest for passage in wb.sources.passages(source.id))
        assert stored == sorted(text_digest(passage.text) for passage in batch.sources[0].passages)
        assert wb.verify() == ()
