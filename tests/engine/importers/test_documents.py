"""Files and folders of text: what a passage is called, what is left out, and that nothing else is."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab import InvalidRequest, MissingExtra, NotFound
from wenlan_lab.importers import CHUNK_TOKENS, estimate_tokens, read_document, read_folder

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
NOTE = """---
title: Pump log
date: 2024-05-08
tags: [pump]
---
Before any heading.

# Pump

It stalls.

## Cold

Below 4 °C.

## Cold

Twice.
"""


def saved(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def texts(batch):
    return [passage.text for source in batch.sources for passage in source.passages]


def test_a_note_becomes_passages_named_by_their_headings(tmp_path):
    path = saved(tmp_path, "note.md", NOTE)
    batch = read_document(path, space="lab")
    (source,) = batch.sources
    assert (source.kind, source.ref, source.title, source.space) == ("file", path.as_posix(), "Pump log", "lab")
    assert [(p.ref, p.title, p.thread, p.position, p.at, p.text) for p in source.passages] == [
        ("note.md#1", "Pump log", "note.md", 0, "2024-05-08T00:00:00+00:00", "Before any heading."),
        ("Pump#1", "Pump", "note.md", 1, "2024-05-08T00:00:00+00:00", "# Pump\n\nIt stalls."),
        ("Pump > Cold#1", "Pump > Cold", "note.md", 2, "2024-05-08T00:00:00+00:00", "## Cold\n\nBelow 4 °C."),
        ("Pump > Cold#2", "Pump > Cold", "note.md", 3, "2024-05-08T00:00:00+00:00", "## Cold\n\nTwice."),
    ]
    assert batch.quirks == {"front matter fields left out": 1}
    assert batch.format == "document"


def test_a_plain_text_has_no_headings_and_no_front_matter(tmp_path):
    path = saved(tmp_path, "note.txt", "---\ntitle: x\n---\n\n# no heading\r\n\r\nend\rof it")
    (source,) = read_document(path).sources
    assert [(p.ref, p.title, p.text) for p in source.passages] == [
        ("note.txt#1", "note", "---\ntitle: x\n---\n\n# no heading\n\nend\nof it")
    ]


def test_the_title_is_the_front_matters_else_the_first_heading_else_the_files_name(tmp_path):
    heads = {
        "a.md": "---\ntitle: Mine\n---\n# A\nx",
        "b.md": "text\n\n# B *b*\nx",
        "c.md": "text",
        "d.md": "# <b>D</b>\nx",
    }
    titles = [read_document(saved(tmp_path, name, text)).sources[0].title for name, text in heads.items()]
    assert titles == ["Mine", "B b", "c", "<b>D</b>"]


def test_long_text_is_cut_so_that_every_chunk_fits_and_nothing_is_lost(tmp_path):
    text = "# Long\n\n" + "\n\n".join(f"Paragraph {n} says the same thing again. " * 9 for n in range(80))
    batch = read_document(saved(tmp_path, "long.md", text))
    assert all(estimate_tokens(chunk) <= CHUNK_TOKENS for chunk in texts(batch))
    assert "".join("".join(texts(batch)).split()) == "".join(text.split())
    assert [p.ref for p in batch.sources[0].passages] == [f"Long#{n}" for n in range(1, batch.passage_count + 1)]


def test_the_given_count_of_tokens_decides(tmp_path):
    path = saved(tmp_path, "note.txt", "one two\n\nthree four")
    assert texts(read_document(path, count_tokens=lambda text: 128 * len(text.split()))) == ["one two", "three four"]


@given(st.text())
def test_any_text_comes_back_but_for_white_space_and_what_can_not_be_stored(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "any.txt"
    path.write_bytes(("x" * 200 + " " + text).encode("utf-8", "replace"))
    whole = "".join(texts(read_document(path)))
    expected = ("x" * 200 + text).encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    assert "".join(whole.split()) == "".join(expected.split())


def test_a_credential_is_redacted_where_it_stands_and_counted_there(tmp_path):
    note = f"---\ntitle: key {TOKEN}\n---\n# A {TOKEN}\n\ntext\n\n# B\n\nuse {TOKEN} twice: {TOKEN}"
    batch = read_document(saved(tmp_path, "note.md", note))
    assert TOKEN not in repr(batch)
    assert [passage.redactions for passage in batch.sources[0].passages] == [1, 2]
    assert batch.quirks["credentials redacted"] == 4


def test_a_broken_front_matter_stays_in_the_text_and_is_counted(tmp_path):
    batch = read_document(saved(tmp_path, "note.md", "---\ntitle: [x\n---\ntext"))
    assert batch.quirks == {"front matter that can't be read": 1}
    assert "title: [x" in "".join(texts(batch))


def test_a_date_that_is_none_is_dropped_and_counted(tmp_path):
    batch = read_document(saved(tmp_path, "note.md", "---\ndate: some day\n---\ntext"))
    assert batch.sources[0].passages[0].at is None
    assert batch.quirks == {"times that are no complete date": 1}


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty"), (b" \n", "empty"), (b"caf\xe9", "no text"), (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "no text"),
     (b"a\0" * 50, "no text"), ("\n".encode("utf-16"), "no text")],
)  # fmt: skip
def test_what_holds_no_text_is_refused(tmp_path, content, words):
    with pytest.raises(InvalidRequest, match=words):
        read_document(saved(tmp_path, "bad.md", content))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_understood(tmp_path, encoding):
    path = saved(tmp_path, "note.md", "# 日本\n\ntext".encode(encoding))
    assert read_document(path).sources[0].passages[0].ref == "日本#1"


def test_an_odd_nul_is_replaced_and_counted(tmp_path):
    batch = read_document(saved(tmp_path, "note.md", "a\0b" + " word" * 50))
    assert texts(batch)[0].startswith("a\ufffdb")
    assert sum(batch.quirks.values()) == 1


def test_the_same_file_by_another_way_is_the_same_source(tmp_path, monkeypatch):
    path = saved(tmp_path, "sub/note.md", "text")
    (tmp_path / "link.md").symlink_to(path)
    monkeypatch.chdir(tmp_path / "sub")
    ways = ["note.md", "../sub/note.md", tmp_path / "link.md", str(path)]
    assert {read_document(way).sources[0] for way in ways} == {read_document(path).sources[0]}


def test_a_missing_file_a_folder_and_an_impossible_path_are_told_apart(tmp_path):
    with pytest.raises(NotFound, match="nothing at"):
        read_document(tmp_path / "none.md")
    with pytest.raises(InvalidRequest, match="is a folder"):
        read_document(tmp_path)
    with pytest.raises(InvalidRequest, match="can't be a path"):
        read_document("a\0b.md")
    with pytest.raises(InvalidRequest, match="can't be a path"):
        read_document("x" * 5000)
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(InvalidRequest, match="no regular file"):
        read_document(tmp_path / "pipe.md")


# Folders -------------------------------------------------------------------------------------------------------------


def test_a_folder_gives_its_documents_by_path_and_says_what_it_left_out(tmp_path):
    root = tmp_path / "vault"
    for name in ("b.md", "a.txt", "sub/deep/c.MD", ".hidden/d.md", "sub/.git/e.md", ".f.md"):
        saved(root, name, f"text of {name}")
    saved(root, "picture.png", b"\x89PNG")
    saved(root, "bad.md", b"caf\xe9")
    saved(root, "empty.txt", b"")
    saved(root, "lab.wenlan/truth.db", b"SQLite")
    saved(root, "lab.wenlan/pages/p.md", "a page")
    batch = read_folder(root, space="lab")
    assert [source.ref.removeprefix(root.as_posix()) for source in batch.sources] == [
        "/a.txt",
        "/b.md",
        "/sub/deep/c.MD",
    ]
    assert {source.space for source in batch.sources} == {"lab"}
    assert batch.quirks == {"files of other kinds": 1}
    reasons = {skipped.reference: skipped.reason for skipped in batch.skipped}
    assert set(reasons) == {".hidden/", "sub/.git/", ".f.md", "bad.md", "empty.txt", "lab.wenlan/"}
    assert reasons[".hidden/"] == "it is hidden"
    assert reasons["lab.wenlan/"] == "it is a workbench"
    assert batch.format == "folder"


def test_links_are_not_followed_and_those_that_lead_out_are_named(tmp_path):
    root = tmp_path / "vault"
    saved(root, "a.md", "text")
    secret = saved(tmp_path, "outside/secret.md", "secret")
    (root / "out.md").symlink_to(secret)
    (root / "outdir").symlink_to(secret.parent)
    (root / "in.md").symlink_to(root / "a.md")
    (root / "again").symlink_to(root)
    (root / "nowhere.md").symlink_to(tmp_path / "gone.md")
    (root / "loop.md").symlink_to(root / "loop.md")
    batch = read_folder(root)
    assert texts(batch) == ["text"]
    reasons = {skipped.reference: skipped.reason for skipped in batch.skipped}
    assert set(reasons) == {"out.md", "outdir/", "in.md", "again/", "nowhere.md", "loop.md"}
    assert {name for name, reason in reasons.items() if "out of the folder" in reason} >= {"out.md", "outdir/"}
    assert "read where it lies" in reasons["in.md"]


def test_a_folder_that_is_a_link_itself_is_read(tmp_path):
    saved(tmp_path, "real/a.md", "text")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert read_folder(tmp_path / "link").sources == read_folder(tmp_path / "real").sources


def test_a_file_name_that_is_no_unicode_is_stored_all_the_same(tmp_path):
    try:
        saved(tmp_path, os.fsdecode(b"caf\xe9 <b>.md"), "text")
    except OSError:
        pytest.skip("this file system takes only names in Unicode")
    (source,) = read_folder(tmp_path).sources
    assert source.ref.endswith("caf\ufffd <b>.md")
    source.ref.encode()


def test_a_folder_without_a_document_is_refused(tmp_path):
    with pytest.raises(InvalidRequest, match=r"holds no \.md"):
        read_folder(tmp_path)
    saved(tmp_path, "bad.md", b"caf\xe9")
    with pytest.raises(InvalidRequest, match=r"bad\.md: .*no text"):
        read_folder(tmp_path)
    with pytest.raises(InvalidRequest, match="is no folder"):
        read_folder(tmp_path / "bad.md")


# PDF -----------------------------------------------------------------------------------------------------------------


def pdf(*pages):
    """A minimal PDF with one line of text on each page."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for text in pages:
        stream = b"BT /F1 12 Tf 72 720 Td (" + text.encode("latin-1") + b") Tj ET" if text else b""
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>"
            % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(content))
    return content + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table) + tail


def test_a_pdf_gives_its_pages(tmp_path):
    pytest.importorskip("pypdf")
    path = saved(tmp_path, "paper.pdf", pdf("The pump stalls.", "", f"key {TOKEN}"))
    batch = read_document(path)
    assert [(p.ref, p.title, p.text[:16]) for p in batch.sources[0].passages] == [
        ("page 1#1", "page 1", "The pump stalls."),
        ("page 3#1", "page 3", texts(batch)[1][:16]),
    ]
    assert batch.quirks == {"credentials redacted": 1, "pages without text": 1}
    assert TOKEN not in repr(batch)


def test_a_damaged_pdf_is_refused(tmp_path):
    pytest.importorskip("pypdf")
    with pytest.raises(InvalidRequest, match="no PDF that can be read"):
        read_document(saved(tmp_path, "bad.pdf", b"%PDF-1.4\nbroken"))
    with pytest.raises(InvalidRequest, match="holds no text"):
        read_document(saved(tmp_path, "blank.pdf", pdf("")))


def test_without_pypdf_the_error_names_the_command_and_a_folder_goes_on(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pypdf", None)
    path = saved(tmp_path, "paper.pdf", pdf("text"))
    with pytest.raises(MissingExtra, match=r"wenlan-lab\[pdf\]"):
        read_document(path)
    saved(tmp_path, "a.md", "text")
    batch = read_folder(tmp_path)
    assert texts(batch) == ["text"]
    assert "wenlan-lab[pdf]" in batch.skipped[0].reason
