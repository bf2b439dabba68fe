"""LoCoMo as three protocols see it: by a small file with every fault, then by the facts of the real one."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from tests.evals.samples import OTHER_SHA, SHA, dialog, locomo_sample, qa, real_file
from wenlan_lab import InvalidRequest
from wenlan_lab.evals import locomo


def questions_of(benchmark, conversation=0):
    return {question.text: question for question in benchmark.cases[conversation].questions}


@pytest.mark.parametrize(
    ("shipped", "ids", "fault"),
    [
        ("D1:3", ("D1:3",), None),
        ("D8:6; D9:17", ("D8:6", "D9:17"), "evidence strings naming several turns"),
        ("D9:1 D4:4 D4:6", ("D9:1", "D4:4", "D4:6"), "evidence strings naming several turns"),
        ("D:11:26", ("D11:26",), "evidence strings misspelt"),
        ("D30:05", ("D30:5",), "evidence strings misspelt"),
        (" D1:3 ", ("D1:3",), "evidence strings misspelt"),
        ("D", (), "evidence strings without a turn id"),
        ("", (), "evidence strings without a turn id"),
        ("no idea\x00<b>", (), "evidence strings without a turn id"),
        (None, (), "evidence strings without a turn id"),
        (["D1:3"], (), "evidence strings without a turn id"),
        ("D" + "9" * 5000 + ":1", (), "evidence strings without a turn id"),
    ],
)
def test_an_evidence_string_is_read_and_its_fault_named(shipped, ids, fault):
    found = locomo.normalise_evidence(shipped)
    assert (found.ids, found.fault) == (ids, fault)


def test_every_turn_is_a_passage_with_its_caption_speaker_place_and_time():
    turns = {turn.ref: turn for turn in locomo.parse(locomo_sample(), SHA).cases[0].turns}
    assert list(turns) == ["D1:1", "D1:2", "D1:4", "D2:1", "D2:2", "D10:1"]  # sessions by number, not by spelling
    assert turns["D1:2"].text == "Look at this [image: a red bicycle]"
    assert turns["D1:4"].text == "[image: a lake]"
    assert (turns["D1:4"].position, turns["D1:4"].thread, turns["D1:4"].speaker) == (3, "session_1", "Bo")
    assert turns["D2:2"].time == datetime(2024, 1, 1, 0, 5, tzinfo=UTC)


def test_a_turn_without_words_is_kept_out_and_counted():
    benchmark = locomo.parse(locomo_sample(), SHA)
    assert "D1:3" not in {turn.ref for turn in benchmark.cases[0].turns}
    assert benchmark.quirks["empty turns"] == 1


def test_a_question_is_asked_a_day_after_the_last_session_that_took_place():
    case = locomo.parse(locomo_sample(), SHA).cases[0]
    assert {question.at for question in case.questions} == {datetime(2024, 2, 4, 12, 30, tzinfo=UTC)}
    assert max(turn.time for turn in case.turns) + timedelta(days=1) == case.questions[0].at


def test_turns_grades_what_has_valid_evidence_and_is_answerable():
    asked = questions_of(locomo.parse(locomo_sample(), SHA, "turns"))
    assert asked["What did both say?"].gold == {"D1:1", "D2:1", "D1:2"}
    assert asked["When?"].gold == {"D2:1"}
    graded = {text for text, question in asked.items() if question.graded}
    assert graded == {"Where did Bo move?", "What did both say?", "When?"}


def test_category_5_stands_apart():
    asked = questions_of(locomo.parse(locomo_sample(), SHA, "turns"))
    apart = {text for text, question in asked.items() if question.abstention}
    assert apart == {"What did Ann buy in Oslo?", "And Bo?"}
    assert {asked[text].kind for text in apart} == {"adversarial"}


def test_official_grades_everything_against_the_strings_as_they_are():
    benchmark = locomo.parse(locomo_sample(), SHA, "official")
    asked = questions_of(benchmark)
    assert all(question.graded for question in asked.values())
    assert asked["What did both say?"].evidence == ("D1:1; D2:1", "D:1:2")
    assert asked["What did both say?"].gold == {"D1:1; D2:1", "D:1:2"}
    assert asked["Why?"].gold == frozenset()
    assert benchmark.cases[0].turns == locomo.parse(locomo_sample(), SHA, "turns").cases[0].turns


def test_wenlan_searches_observations_and_the_last_of_a_turn_is_gold():
    case = locomo.parse(locomo_sample(), SHA, "wenlan").cases[0]
    assert [(turn.ref, turn.text, turn.speaker) for turn in case.turns] == [
        ("obs_0", "Ann greets Bo.", "Ann"),
        ("obs_1", "Bo is in Oslo.", "Bo"),
        ("obs_2", "Bo moved.", "Bo"),
        ("obs_3", "Two.", "Bo"),
    ]
    asked = {question.text: question for question in case.questions}
    assert asked["Where did Bo move?"].gold == {"obs_2"}
    assert not asked["What did both say?"].graded  # its malformed strings map to nothing
    assert not asked["What did Ann buy in Oslo?"].graded


def test_every_fault_is_counted():
    quirks = locomo.parse(locomo_sample(), SHA).quirks
    assert {quirk.name: quirk.count for quirk in quirks.found} == {
        "empty turns": 1,
        "session dates without a session": 1,
        "evidence strings naming several turns": 1,
        "evidence strings misspelt": 2,
        "evidence strings without a turn id": 1,
        "evidence ids of turns that don't exist": 1,
        "evidence ids repeated in one question": 1,
        "questions without evidence": 1,
        "questions of categories 1-4 without a valid evidence id": 3,
        "answers that are no text": 1,
        "category 5 questions with a plain answer": 1,
        "observations whose dialog id is a list": 1,
        "observations whose dialog id is several ids in one string": 1,
        "observations hidden by a later one of the same turn": 1,
    }


def test_the_protocol_changes_no_count_of_faults():
    counted = [locomo.parse(locomo_sample(), SHA, protocol).quirks.found for protocol in locomo.PROTOCOLS]
    assert counted[0] == counted[1] == counted[2]


def test_a_case_is_named_by_its_file_too():
    ids = [[case.id for case in locomo.parse(locomo_sample(), sha).cases] for sha in (SHA, OTHER_SHA)]
    assert ids[0] == ["conv-1@abababababab", "conv-2@abababababab"]
    assert set(ids[0]).isdisjoint(ids[1])
    assert locomo.conversation_of(locomo.parse(locomo_sample(), SHA).cases[0]) == "conv-1"


def test_an_answer_that_is_a_number_is_read_as_text():
    assert questions_of(locomo.parse(locomo_sample(), SHA))["What did both say?"].answer == "3"


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "a\x00b", "\ud800", "שלום", "你好" * 5000, 'NEAR("* OR -']
)
def test_hostile_text_stays_as_it_is_but_for_what_can_not_be_stored(text):
    raw = locomo_sample()[1:]
    raw[0]["conversation"]["session_1"][0]["text"] = text
    stored = text.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    assert locomo.parse(raw, SHA).cases[0].turns[0].text == stored


def test_the_quirk_report_shows_itself_and_escapes():
    quirks = locomo.parse(locomo_sample(), SHA, dataset="<i>locomo</i>").quirks
    assert "evidence strings misspelt" in repr(quirks)
    assert "<i>locomo" not in quirks._repr_html_()
    assert "&lt;i&gt;locomo" in quirks._repr_html_()
    with pytest.raises(KeyError):
        quirks["no such fault"]


def test_an_unknown_protocol_is_refused_with_the_ones_there_are():
    with pytest.raises(InvalidRequest, match="turns, official, wenlan"):
        locomo.parse(locomo_sample(), SHA, "turn")


def broken(change):
    raw = locomo_sample()[1:]
    change(raw[0])
    return raw


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ({}, "is no list"),
        ([1], "sample_id"),
        ([{"sample_id": 3}], "no text"),
        (broken(lambda c: c.pop("qa")), "'qa'"),
        (broken(lambda c: c.update(conversation=[])), "no object"),
        (broken(lambda c: c["conversation"].pop("session_1_date_time")), "session_1 of conv-2 has no date_time"),
        (broken(lambda c: c["conversation"]["session_1"].append(dialog("D1:1", "again"))), "twice"),
        (broken(lambda c: c["conversation"]["session_1"].append("no turn")), "no turn"),
        (broken(lambda c: c["conversation"]["session_1"][0].pop("speaker")), "'speaker'"),
        (broken(lambda c: c["qa"].append(qa("?", 6, []))), "category 6"),
        (broken(lambda c: c["qa"].append(qa("?", 1, "D1:1"))), "is no list"),
        (locomo_sample()[1:] * 2, "one conversation twice"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_the_place(raw, says):
    with pytest.raises(InvalidRequest, match=says):
        locomo.parse(raw, SHA)


@pytest.fixture(scope="module")
def real():
    content = real_file("locomo10.json").read_bytes()
    return json.loads(content), sha256(content).hexdigest()


def test_the_real_file_has_the_published_counts(real):
    counts = {protocol: locomo.parse(real[0], real[1], protocol).counts for protocol in locomo.PROTOCOLS}
    assert counts["turns"] == {"cases": 10, "turns": 5882, "questions": 1986, "graded": 1536, "abstention": 446}
    assert counts["official"] == {"cases": 10, "turns": 5882, "questions": 1986, "graded": 1986, "abstention": 446}
    assert counts["wenlan"] == {"cases": 10, "turns": 2531, "questions": 1986, "graded": 1291, "abstention": 446}


def test_the_real_file_has_the_published_kinds_under_wenlan(real):
    asked = [q for case in locomo.parse(real[0], real[1], "wenlan").cases for q in case.questions if q.graded]
    kinds = Counter(question.kind for question in asked)
    assert kinds == {"single-hop": 660, "temporal": 283, "multi-hop": 272, "open-domain": 76}
    assert sum(len(question.gold) > 1 for question in asked) == 307


def test_the_real_file_has_the_known_faults(real):
    quirks = locomo.parse(*real).quirks
    assert quirks["questions of categories 1-4 without a valid evidence id"] == 4
    assert quirks["observations hidden by a later one of the same turn"] == 173
    assert quirks["observations whose dialog id is a list"] == 10
    assert quirks["evidence strings naming several turns"] == 4
    assert quirks["evidence strings misspelt"] == 2


def test_dev_conversations_are_half_of_the_real_ones(real):
    names = {locomo.conversation_of(case) for case in locomo.parse(*real).cases}
    assert len(names) == 10
    assert set(locomo.DEV_CONVERSATIONS) < names
    assert len(locomo.DEV_CONVERSATIONS) == 5


@pytest.mark.parametrize("protocol", ["turns", "wenlan"])
def test_gold_is_in_the_corpus_of_the_real_file(real, protocol):
    for case in locomo.parse(real[0], real[1], protocol).cases:
        refs = [turn.ref for turn in case.turns]
        assert len(set(refs)) == len(refs)
        assert all(question.gold <= set(refs) for question in case.questions)
