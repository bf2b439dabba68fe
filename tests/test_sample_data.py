"""The sample data that others build on: complete, well-formed, balanced, and split so that no pair is on both sides."""

import json
import re
from collections import Counter
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest

from tests.evals.samples import data_folder
from wenlan_lab.evals import datasets
from wenlan_lab.model.types import MEMORY_TYPES, TYPE_RULES, missing_fields, unknown_fields

DATA = Path(__file__).parent.parent / "data"
SPACES = {"glacier-melt", "sensor-lab", "thesis"}
SPEAKERS = {"Mara Lindqvist", "Petter Solvang", "Gao Yuewen"}
QUESTION_KINDS = {"single", "multi", "temporal", "preference", "update", "abstain"}
RESTATED = {
    "clause_order", "synonym", "punctuation_case", "voice", "contraction", "numeral", "date_format", "politeness"
}  # fmt: skip
DIFFERS = {"order", "negation", "number", "date", "name"}
UNSUPPORTED = {"negated", "number", "date", "subject_swapped", "order", "unrelated"}
OTHER_LANGUAGES = {"de", "fr", "es", "ru", "zh", "ja"}
PAIR_FILES = ("restatements", "minimal_pairs", "support")
REGISTERED = (
    "locomo10", "longmemeval_oracle", "longmemeval_s", "longmemeval_s_dev64", "longmemeval_s_published84",
    "wenlan_lme_s_90_rows",
)  # fmt: skip


def lines(name):
    """The objects of a JSONL file; every line is one, and the file ends with a newline."""
    text = (DATA / name).read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return [json.loads(line) for line in text[:-1].split("\n")]


def pairs(name):
    return lines(f"pairs/{name}.jsonl")


def kind(row):
    return row.get("differs") or row["how"]


DIARY = lines("diary.jsonl")
QUESTIONS = lines("diary_questions.jsonl")
REGISTRY = {row["name"]: row for row in json.loads((DATA / "registry.json").read_text(encoding="utf-8"))["datasets"]}


def at(row, key="time"):
    return datetime.fromisoformat(row[key])


# The diary


def test_the_diary_is_some_120_entries_numbered_in_order():
    assert 115 <= len(DIARY) <= 135
    assert [row["id"] for row in DIARY] == [f"d{number:03d}" for number in range(1, len(DIARY) + 1)]


def test_the_diary_goes_forward_in_time_through_seven_months_with_an_offset_on_each_entry():
    assert all(at(row).utcoffset() is not None for row in DIARY)
    assert all(at(earlier) < at(later) for earlier, later in pairwise(DIARY))
    assert {row["time"][:7] for row in DIARY} == {f"2026-0{month}" for month in range(1, 8)}


def test_every_month_has_six_chat_turns_or_more_between_two_people():
    chat = [row for row in DIARY if row["thread"].startswith("chat/")]
    assert all(count >= 6 for count in Counter(row["time"][:7] for row in chat).values())
    assert len({row["time"][:7] for row in chat}) == 7
    for thread in {row["thread"] for row in chat}:
        assert len({row["speaker"] for row in chat if row["thread"] == thread}) == 2


def test_types_spaces_and_speakers_are_the_known_ones_and_all_occur():
    assert {row["type"] for row in DIARY} == set(MEMORY_TYPES)
    assert {row["space"] for row in DIARY} == SPACES
    assert {row["speaker"] for row in DIARY} == SPEAKERS
    assert all(row["text"].strip() == row["text"] != "" for row in DIARY)
    assert len({row["text"] for row in DIARY}) == len(DIARY)


def test_where_fields_are_given_they_are_those_of_the_type():
    given = [row for row in DIARY if "fields" in row]
    assert {row["type"] for row in given} == set(TYPE_RULES)
    for row in given:
        text = {name: json.dumps(value) for name, value in row["fields"].items()}
        assert not missing_fields(row["type"], text), row["id"]
        assert not unknown_fields(row["type"], text), row["id"]


def test_dates_in_fields_parse_and_an_event_does_not_end_before_it_begins():
    for row in DIARY:
        fields = row.get("fields", {})
        dates = [datetime.fromisoformat(fields[name]) for name in ("date", "event_date", "event_end") if name in fields]
        assert dates == sorted(dates), row["id"]


def test_the_stated_date_of_some_entries_is_not_the_day_of_writing():
    other = [row for row in DIARY if row.get("fields", {}).get("event_date", row["time"][:10]) != row["time"][:10]]
    assert len(other) >= 15


def test_the_sensor_decision_goes_there_and_back():
    chosen = [
        (row["fields"]["date"], row["fields"]["decision"])
        for row in DIARY
        if row["type"] == "decision" and "MS5837-02BA" in json.dumps(row["fields"]) and row["space"] == "sensor-lab"
    ]
    assert [date for date, _ in chosen] == ["2026-01-09", "2026-03-12", "2026-05-22"]
    assert ["HydroBit" in decision for _, decision in chosen] == [False, True, False]


# The questions


def test_there_are_forty_questions_of_every_kind():
    assert [row["id"] for row in QUESTIONS] == [f"q{number:02d}" for number in range(1, 41)]
    assert len({row["question"] for row in QUESTIONS}) == 40
    counted = Counter(row["kind"] for row in QUESTIONS)
    assert set(counted) == QUESTION_KINDS
    assert min(counted.values()) >= 4


def test_gold_entries_exist_and_their_number_fits_the_kind():
    known = {row["id"] for row in DIARY}
    for row in QUESTIONS:
        gold = row["gold"]
        assert set(gold) <= known
        assert gold == sorted(set(gold))
        assert len(gold) == 0 if row["kind"] == "abstain" else len(gold) > 0
        if row["kind"] == "single":
            assert len(gold) == 1
        if row["kind"] == "multi":
            assert len(gold) > 1


def test_a_question_as_of_a_moment_is_answered_by_what_stood_there_before():
    written = {row["id"]: at(row) for row in DIARY}
    asked = [row for row in QUESTIONS if "as_of" in row]
    assert len(asked) >= 4
    for row in asked:
        assert all(written[gold] < at(row, "as_of") for gold in row["gold"])


# The pairs


@pytest.mark.parametrize(
    ("name", "kinds", "count"),
    [("restatements", RESTATED, 60), ("minimal_pairs", DIFFERS, 60), ("support", {"restatement", *UNSUPPORTED}, 120)],
)
def test_pairs_are_complete_and_each_kind_is_halved(name, kinds, count):
    rows = pairs(name)
    assert len(rows) == count
    assert len({row["id"] for row in rows}) == count
    assert {kind(row) for row in rows} == kinds
    halves = Counter((kind(row), row["split"]) for row in rows)
    for each in kinds:
        assert halves[each, "dev"] == halves[each, "report"] > 0, each


def test_minimal_pairs_have_ten_or_more_of_each_kind():
    assert min(Counter(row["differs"] for row in pairs("minimal_pairs")).values()) >= 10


@pytest.mark.parametrize("name", ["restatements", "minimal_pairs"])
def test_pairs_are_two_different_texts_and_in_several_languages(name):
    rows = pairs(name)
    assert all(row["a"] != row["b"] and row["a"].strip() and row["b"].strip() for row in rows)
    foreign = [row for row in rows if row["lang"] != "en"]
    assert {row["lang"] for row in foreign} == OTHER_LANGUAGES
    assert len(foreign) >= 10
    assert {row["split"] for row in foreign} == {"dev", "report"}


def test_minimal_pairs_that_differ_in_order_hold_the_same_words():
    for row in pairs("minimal_pairs"):
        if row["differs"] == "order" and row["lang"] != "zh":
            words = [sorted(re.findall(r"\w+", row[side].lower())) for side in ("a", "b")]
            assert words[0] == words[1], row["id"]


def test_every_quote_has_a_true_and_a_false_claim_in_the_same_half():
    rows = pairs("support")
    by_quote: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        assert row["supports"] is (row["how"] == "restatement")
        assert row["quote"] != row["claim"]
        by_quote.setdefault(row["quote"], []).append(row)
    assert len(by_quote) == 60
    for true, false in by_quote.values():
        assert (true["supports"], false["supports"]) == (True, False)
        assert true["split"] == false["split"]
    assert min(Counter(row["how"] for row in rows).values()) >= 10


def test_no_text_stands_on_both_sides_of_the_split():
    sides: dict[str, set[str]] = {"dev": set(), "report": set()}
    for name in PAIR_FILES:
        for row in pairs(name):
            sides[row["split"]] |= {row[key].casefold() for key in ("a", "b", "quote", "claim") if key in row}
    assert not sides["dev"] & sides["report"]


# The registry


def test_the_registry_names_the_six_datasets_and_the_package_reads_it():
    assert tuple(REGISTRY) == REGISTERED
    assert tuple(datasets.registry(DATA / "registry.json")) == REGISTERED


@pytest.mark.parametrize("name", REGISTERED)
def test_a_registered_dataset_has_a_digest_a_size_a_licence_and_a_way_to_get_it(name):
    row = REGISTRY[name]
    assert re.fullmatch(r"[0-9a-f]{64}", row["sha256"])
    assert row["bytes"] > 1000
    assert row["licence"]
    assert row["citation"]
    assert row["role"] == row["use"]
    assert row["role"] in ("dev", "report")
    assert row["splits"]
    assert set(row["splits"]) <= {"dev", "report"}
    assert row["how"] if row["url"] is None else row["url"].startswith("https://")


def test_locomo_is_split_into_five_and_five_conversations():
    splits = REGISTRY["locomo10"]["splits"]
    assert splits["dev"] == [f"conv-{number}" for number in (26, 30, 41, 42, 43)]
    assert len(splits["report"]) == 5
    assert not set(splits["dev"]) & set(splits["report"])


def test_the_two_subsets_share_no_question():
    dev, report = (REGISTRY[f"longmemeval_s_{name}"]["question_ids"] for name in ("dev64", "published84"))
    assert (len(set(dev)), len(set(report))) == (64, 84)
    assert not set(dev) & set(report)


@pytest.mark.parametrize("name", REGISTERED)
def test_a_file_that_is_here_has_the_registered_digest_and_size(name):
    path = data_folder() / REGISTRY[name]["file"]
    if not path.is_file():
        pytest.skip(f"{path.name} isn't there")
    found = datasets.find(name, path.parent, datasets.registry(DATA / "registry.json"))
    assert found.path.stat().st_size == REGISTRY[name]["bytes"]
