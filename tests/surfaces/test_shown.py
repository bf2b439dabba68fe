"""What a person sees: the same in text and HTML, escaped, marked, counted, never cut in silence."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.surfaces.samples import HOSTILE, a_hit, a_result, an_evidence, read
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model import shown
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.memories import Memory, Origin
from wenlan_lab.model.outcomes import NearDuplicate, Place, Receipt, Rejection
from wenlan_lab.model.results import Forgetting, Listing
from wenlan_lab.model.shown_text import excerpt, segments, sound_marks, width, wrapped
from wenlan_lab.model.sources import PassageOrigin, Source
from wenlan_lab.model.spaces import Space

# The faces ------------------------------------------------------------------------------------------------------------

RECALL = """\
recall: why did the pump stop?
2 of 41 shown · in everything · 12 ms

 1. 0.750 · gotcha · lab · asserted · 2026-01-05 · person
    The «pump» «stalls» below 4 °C.
    score 0.750 = relevance 0.750 × trust 1.000 × freshness 1.000
    relevance 0.750 = lexical 0.500 + dense 0.250
    mem_000001 · found by lexical, dense
    rests on “it stalled” (pas_1)

 2. 0.500 · passage · lab · grounded · 2023-05-08 · Caroline · session_1 · D1:3
    I fixed the pump.
    score 0.500 = relevance 0.500 × trust 1.000 × freshness 1.000
    relevance 0.500 = dense 0.250 + lexical 0.250
    pas_000001 · found by lexical, dense · says the same: pas_000007

lexical found 12 in 3.1 ms; dense found 0 in 0.0 ms (unavailable)
left out: 1 folded
note: embedder unavailable, keyword search only"""


def two_hits():
    return a_result(
        a_hit(marks=((4, 8), (9, 15)), evidence=(an_evidence(),)),
        a_hit("I fixed the pump.", 0.5, kind="passage", folded=("pas_000007",)),
    )


def test_a_recall_as_text():
    assert repr(two_hits()) == RECALL


def test_a_recall_as_html_says_the_same():
    found = read(two_hits()._repr_html_())
    text = " ".join(found.texts)
    for told in re.findall(r"[\w.:°“”]+", RECALL.replace("«", "").replace("»", "").replace("recall:", "")):
        if told not in ("1.", "2."):
            assert told in text, told
    assert found.marked == ["pump", "stalls"]
    assert found.tags["tr"] == 3
    assert found.tags["details"] == 2


def test_both_faces_count_the_same():
    hits = [a_hit(f"The pump number {n}.") for n in range(3)]
    result = a_result(*hits, candidates=1234)
    assert "3 of 1,234 shown" in repr(result)
    assert "3 of 1,234 shown" in result._repr_html_()


def test_no_hit_shows_the_message_and_no_table():
    result = a_result(message="Nothing is in lab yet: capture something into it.", candidates=0)
    assert "Nothing is in lab yet" in repr(result)
    assert "0 of 0 shown" in repr(result)
    found = read(result._repr_html_())
    assert "Nothing is in lab yet: capture something into it." in found.texts
    assert found.tags["table"] == 0


def test_a_superseded_hit_is_labelled():
    result = a_result(a_hit(status="superseded", space=None))
    for face in (repr(result), result._repr_html_()):
        assert "asserted, superseded" in face
        assert "uncategorized" in face


def test_the_score_bar_stays_within_its_frame():
    for score, share in ((-1.0, "0%"), (0.5, "50%"), (7.0, "100%"), (float("nan"), "0%")):
        assert f"width:{share};" in a_result(a_hit(score=score))._repr_html_()


def test_one_hit_explains_itself():
    hit = a_hit(marks=((4, 8),), parts={"dense": -0.05, "lexical": 0.8})
    assert "relevance 0.750 = lexical 0.800 − dense 0.050" in repr(hit)
    found = read(hit._repr_html_())
    assert {"score", "the product of", "trust", "relevance", "the sum of", "lexical", "−0.050"} <= set(found.texts)


def test_a_learned_relevance_is_told_as_the_logistic_of_its_parts():
    hit = a_hit(score=0.25, parts={"lexical": 1.0, "rank": -2.0986})
    assert "relevance 0.250 = logistic of −1.099 = − rank 2.099 + lexical 1.000" in repr(hit)
    assert "logistic of −1.099" in hit._repr_html_()


def test_a_long_text_is_shown_around_its_marks_with_the_whole_behind_a_fold():
    text = "before " * 300 + "the pump stalls " + "after " * 300
    at = text.index("pump")
    result = a_result(a_hit(text, marks=((at, at + 4),)))
    shown_text = next(line for line in repr(result).split("\n") if "«pump»" in line)
    assert "«pump» stalls" in shown_text
    assert f"({len(text):,} characters)" in repr(result)
    assert len(repr(result)) < 1500
    found = read(result._repr_html_())
    assert found.marked == ["pump"]
    assert f"all {len(text):,} characters" in found.texts
    assert any(text.strip() in piece for piece in found.texts)


def test_a_huge_text_says_how_much_is_left_out():
    text = "x" * 1_000_000
    html = a_result(a_hit(text))._repr_html_()
    assert len(html) < 30_000
    assert "980,000 more characters" in html


def test_marks_that_make_no_sense_do_no_harm():
    result = a_result(a_hit("The pump stalls", marks=((9, 99), (4, 8), (5, 6), (-3, 2), (12, 12), (40, 50))))
    assert "«Th»e «pump» «stalls»" in repr(result)
    assert read(result._repr_html_()).marked == ["Th", "pump", "stalls"]


# Hostile text ---------------------------------------------------------------------------------------------------------


def everything_with(text):
    """Every value that is shown, with a hostile text wherever a person or a file can put one."""
    origin = PassageOrigin("chat", text, text, 1, text, text)
    hit = a_hit(
        text, source=origin, space=text, folded=(text,), marks=((0, 3),), evidence=(an_evidence(text),),
        factors={text: 0.5}, parts={"lexical": 0.5},
    )  # fmt: skip
    memory = Memory(
        "mem_1", text, "fact", "spa_1", text, {text: text}, text, (text,), "asserted", "live", True, None, "hide",
        "2026-01-01", None, "capture", Actor("agent", f"x{text}"), Origin(True, True, "request"), "2026-01-01",
        "2026-01-01", "2026-01-01", 0, 1, (an_evidence(text, located=False),),
    )  # fmt: skip
    receipt = Receipt(
        1,
        "Rejected",
        text,
        text,
        "request",
        NearDuplicate(text, text, 0.9),
        (text,),
        Rejection("too_short", text, text),
    )
    result = a_result(hit, query=text, message=text, scope=text, notes=(text,))
    spaces = (Space("spa_1", text, text, "2026-01-01", 1, 2, 3),)
    sources = (Source("src_1", "chat", text, text, "spa_1", "sha256:0", "2026-01-01", 1),)
    return [
        result, hit, memory, receipt, Forgetting(text, (Place(text, text, text),), (text,)),
        Listing((memory,), shown.memories_table((memory,), title=text, notes=(text,))),
        Listing(spaces, shown.spaces_table(spaces)),
        Listing(sources, shown.sources_table(sources, {"spa_1": text})),
        Listing((receipt,), shown.receipts_table((receipt,))),
    ]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_gets_out_of_its_place(text):
    for value in everything_with(text):
        found = read(value._repr_html_())
        face = repr(value)
        assert "\x1b" not in face
        assert "\x00" not in face
        assert "\r" not in face
        assert "\u202e" not in face
        face.encode()
        if 0 < len(text) < 100 and text.isascii() and text.isprintable():
            assert any(text in piece for piece in found.texts), text


@given(st.text(st.characters(), max_size=200))
def test_any_text_at_all_can_be_shown(text):
    for value in everything_with(text):
        read(value._repr_html_())
        repr(value).encode()


def test_lines_of_text_keep_to_their_width():
    for text in HOSTILE:
        for value in everything_with(text):
            assert max(width(line) for line in repr(value).split("\n")) <= 100
    assert max(width(line) for line in repr(a_result(a_hit("word " * 500), a_hit("泵" * 500))).split("\n")) <= 100


def test_what_is_hidden_is_made_visible():
    assert shown.visible("a\x00b\x1b\u202e\x7f\x9f\ud800") == "a␀b␛⟨U+202E⟩␡⟨U+009F⟩⟨U+D800⟩"
    assert shown.visible("tab\tand\nline, émoji 👩‍🔬, עברית") == "tab\tand\nline, émoji 👩‍🔬, עברית"


def test_escape_holds_in_an_attribute():
    assert shown.escape("""<a href="x" title='y'>&""") == "&lt;a href=&quot;x&quot; title=&#x27;y&#x27;&gt;&amp;"


# Pieces ---------------------------------------------------------------------------------------------------------------


@given(st.text(max_size=2000), st.lists(st.tuples(st.integers(-5, 2100), st.integers(-5, 2100)), max_size=8))
def test_the_pieces_of_an_excerpt_are_the_excerpt(text, marks):
    start, end = excerpt(text, marks)
    assert "".join(piece for piece, _ in segments(text, marks, (start, end))) == text[start:end]
    assert end - start <= 375
    if sound_marks(marks, len(text)) and len(text) > 375:
        assert end - start > 200


@given(st.text(max_size=300), st.integers(2, 40))
def test_wrapped_lines_fit_and_lose_nothing_but_blanks(text, most):
    lines = wrapped(text, most)
    assert max(width(line) for line in lines) <= most
    kept = "".join("".join(lines).split())
    assert kept == "".join(shown.visible(text).split())


def test_wide_characters_take_two_columns():
    assert (width("泵a"), width("e\u0301"), width("👩")) == (3, 1, 2)


def test_a_table_as_text():
    table = shown.Table(
        "spaces", ("name", "memories", "share", "about"), (("lab", 1234, 0.5, "pumps"), ("泵", 2, None, "x " * 60)),
        total=9, notes=("seven more",),
    )  # fmt: skip
    assert shown.text_table(table, most=60).split("\n") == [
        "spaces · 2 of 9 shown",
        "name  memories  share  about",
        "────  ────────  ─────  ─────────────────────────────────────",
        "lab      1,234  0.500  pumps",
        "泵           2         x x x x x x x x x x x x x x x x x x x",
        *["                       x x x x x x x x x x x x x x x x x x x"] * 2,
        "                       x x x",
        "note: seven more",
    ]


def test_an_empty_table_says_so():
    assert "no spaces yet: create one." in repr(Listing((), shown.spaces_table(())))
    assert "no spaces yet" in Listing((), shown.spaces_table(()))._repr_html_()


# Plain values ---------------------------------------------------------------------------------------------------------


def test_plain_has_the_names_of_the_attributes():
    told = shown.plain(a_hit(evidence=(an_evidence(),)))
    assert {"id", "text", "score", "kind", "type", "space", "trust", "status", "source", "factors", "evidence"} <= set(
        told
    )
    assert set(told["source"]) == {"kind", "ref", "thread", "position", "speaker", "at"}
    assert told["evidence"][0]["quote"] == "it stalled"
    receipt = shown.plain(Receipt(3, "Captured", "mem_1", "lab", "request"))
    assert {"seq", "outcome", "id", "space", "space_source", "near_duplicate", "warnings", "reason"} <= set(receipt)


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_is_json_that_can_be_written(text):
    for value in everything_with(text):
        items = value if isinstance(value, Listing) else (value,)
        for item in items:
            told = json.dumps(shown.plain(item), ensure_ascii=False, allow_nan=False)
            told.encode()


def test_plain_keeps_what_json_lacks_out_and_erased_texts_in_their_process():
    assert shown.plain(a_hit(score=float("nan")))["score"] is None
    assert "texts" not in shown.plain(Forgetting("mem_1", (), ("a secret",)))
    assert "a secret" not in repr(Forgetting("mem_1", (), ("a secret",)))
    with pytest.raises(TypeError, match="takes one of"):
        shown.plain("text")


def test_a_recall_becomes_a_frame_whatever_is_missing():
    result = a_result(*[a_hit(space=None)] * 120, a_hit(kind="passage"))
    frame = result.to_polars()
    assert frame.height == 121
    assert frame["rank"].to_list()[-1] == 121
    assert frame["space"].to_list()[-1] == "lab"


def test_a_listing_is_a_sequence_and_a_frame():
    spaces = tuple(Space(f"spa_{n}", f"s{n}", "", "2026-01-01", 1, n, 0) for n in range(3))
    listing = Listing(spaces, shown.spaces_table(spaces))
    assert (len(listing), listing[0], listing[1:]) == (3, spaces[0], spaces[1:])
    assert listing == spaces
    assert listing != spaces[:2]
    assert spaces[1] in listing
    assert listing.to_polars()["name"].to_list() == ["s0", "s1", "s2"]


# Receipts -------------------------------------------------------------------------------------------------------------


def test_a_receipt_says_what_happened_and_what_to_do():
    refused = Receipt(None, "Rejected", None, reason=Rejection("too_short", "2 words", "say it in a whole sentence."))
    assert repr(refused) == "not stored\n  too_short: 2 words\n  say it in a whole sentence."
    assert read(refused._repr_html_()).texts == ["not stored", "too_short: 2 words", "say it in a whole sentence."]
    near = Receipt(4, "Captured", "mem_2", "lab", "request", NearDuplicate("mem_1", "It\nstalls.", 0.91))
    assert repr(near) == "captured mem_2 in lab\n  close to mem_1 (0.91): It stalls.\n  journal 4"


def test_many_receipts_are_counted_first():
    receipts = (
        Receipt(1, "Captured", "mem_1"), Receipt(2, "Captured", "mem_2"), Receipt(None, "AlreadyKnown", "mem_1"),
        Receipt(None, "Rejected", None, reason=Rejection("too_short", "2 words", "say more.")),
    )  # fmt: skip
    told = repr(Listing(receipts, shown.receipts_table(receipts)))
    assert told.startswith("2 captured, 1 already known, 1 not stored\n")
    assert "too_short: 2 words" in told


def test_errors_are_values_of_another_kind():
    assert not isinstance(InvalidRequest("x"), Receipt)
