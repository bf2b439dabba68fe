"""What recall returns is the same whatever a dataset's labels say, and however its evidence sessions are called.

LongMemEval names its evidence sessions answer_…, and that name becomes thread and ref of every turn in it. Nothing may
search it, weigh it or break a tie by it: under other names, which sort in another order, the same turns come back.
"""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.evals.samples import real_file
from tests.evals.small_sets import small_locomo, small_longmemeval
from wenlan_lab import Settings
from wenlan_lab.evals import asking, locomo, longmemeval
from wenlan_lab.testing import HashEmbedder

SHA = "ab" * 32
FEW = settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
labels = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8))


def rankings(benchmark, fusion="learned"):
    """For each question the places, in its corpus, of the turns that came back: places have no name."""
    how = asking.HowAsked(benchmark.protocol, 10, HashEmbedder(), Settings(fusion=fusion))
    found = {}
    for case in benchmark.cases:
        place = {turn.ref: at for at, turn in enumerate(case.turns)}
        for row in asking.rows_of(case, how):
            assert row.error is None
            found[row.question] = [place[ref] for ref in row.retrieved]
    return found


def renamed(raw, rename):
    """The entries with every session under another name, the same one wherever it occurs."""
    other = copy.deepcopy(raw)
    for entry in other:
        names = {name: rename(name, at) for at, name in enumerate(dict.fromkeys(entry["haystack_session_ids"]))}
        entry["haystack_session_ids"] = [names[name] for name in entry["haystack_session_ids"]]
        entry["answer_session_ids"] = [names.get(name, name) for name in entry["answer_session_ids"]]
    return other


def scrambled(raw, draw):
    """The entries with labels that say something else."""
    other = copy.deepcopy(raw)
    for entry in other:
        entry["question_type"] = draw(st.text(max_size=8))
        entry["answer"] = draw(labels)
        entry["answer_session_ids"] = draw(st.lists(st.text(max_size=4), max_size=3))
        for session in entry["haystack_sessions"]:
            for turn in session:
                turn.pop("has_answer", None)
                if draw(st.booleans()):
                    turn["has_answer"] = draw(st.booleans())
    return other


RENAMINGS = {
    "plain": lambda name, at: f"session_{at}",
    "backwards": lambda name, at: f"s{999 - at}",
    "the other way round": lambda name, at: f"noise_{at}" if name.startswith("answer") else f"answer_{at}",
    "evidence last": lambda name, at: f"zzz_{at}" if name.startswith("answer") else f"aaa_{at}",
}


@pytest.mark.parametrize("protocol", ["turns", "official-turn", "official-session"])
@pytest.mark.parametrize("renaming", RENAMINGS)
def test_other_session_names_give_the_same_rankings(protocol, renaming):
    raw = [small_longmemeval()[at] for at in (0, 3, 4, 5)]  # the first holds one session twice: there are ties
    parsed = [longmemeval.parse(x, SHA, protocol) for x in (raw, renamed(raw, RENAMINGS[renaming]))]
    assert rankings(parsed[0]) == rankings(parsed[1])


@FEW
@given(data=st.data())
def test_scrambled_labels_and_names_give_the_same_rankings(data):
    raw = [small_longmemeval()[at] for at in (0, 3, 4)]
    suffix = data.draw(st.permutations(range(12)))
    other = renamed(scrambled(raw, data.draw), lambda name, at: f"{suffix[at % 12]}-{at}")
    parsed = [longmemeval.parse(x, SHA, "turns") for x in (raw, other)]
    assert rankings(parsed[0]) == rankings(parsed[1])


@FEW
@given(data=st.data())
def test_scrambled_labels_of_locomo_give_the_same_rankings(data):
    raw = small_locomo()[:1]
    other = copy.deepcopy(raw)
    for conversation in other:
        for question in conversation["qa"]:
            question["category"] = data.draw(st.integers(1, 5))
            question["evidence"] = data.draw(st.lists(st.sampled_from(["D1:1", "D2:2", "D9:9", ""]), max_size=3))
            question["answer"] = data.draw(labels)
    parsed = [locomo.parse(x, SHA, "turns") for x in (raw, other)]
    assert rankings(parsed[0]) == rankings(parsed[1])


def test_the_fallback_fusion_is_as_blind():
    raw = small_longmemeval()
    parsed = [longmemeval.parse(x, SHA, "turns") for x in (raw, renamed(raw, RENAMINGS["evidence last"]))]
    assert rankings(parsed[0], "weighted") == rankings(parsed[1], "weighted")


def test_a_ranking_that_did_look_at_names_would_be_noticed():
    """The positive control: names that stand in the text do change what comes back."""
    raw = small_longmemeval()
    told = copy.deepcopy(raw)
    for entry in told:
        for name, session in zip(entry["haystack_session_ids"], entry["haystack_sessions"], strict=True):
            for turn in session:
                turn["content"] += f" {entry['question']}" if name.startswith("noise") and turn["content"] else ""
    parsed = [longmemeval.parse(x, SHA, "turns") for x in (raw, told)]
    assert rankings(parsed[0]) != rankings(parsed[1])


@pytest.mark.slow
def test_real_haystacks_under_other_names_and_labels_give_the_same_rankings():
    raw = json.loads(real_file("longmemeval_s_dev64.json").read_bytes())[:2]
    other = renamed(raw, RENAMINGS["evidence last"])
    for entry in other:
        entry["question_type"], entry["answer"] = "another", 0
        for session in entry["haystack_sessions"]:
            for at, turn in enumerate(session):
                turn["has_answer"] = at % 2 == 0
    parsed = [longmemeval.parse(x, SHA, "turns") for x in (raw, other)]
    assert rankings(parsed[0]) == rankings(parsed[1])
