"""The pure decisions about text: keys, secrets, the gate, sentences, minimal pairs, support, contradiction."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab.engine import gate
from wenlan_lab.engine.contradiction import Consistent, Contradicts, Statement, Supersedes, contradicts, overlap
from wenlan_lab.engine.credentials import find_credentials, redact
from wenlan_lab.engine.gate import GateSettings, judge
from wenlan_lab.engine.normalise import check_storable, replace_unstorable, text_key
from wenlan_lab.engine.sentences import sentences
from wenlan_lab.engine.statements import MinimalPair, Same, compare
from wenlan_lab.engine.support import Located, NotLocated, locate, supports
from wenlan_lab.errors import InvalidRequest

PAIRS = Path(__file__).parents[2] / "data" / "pairs"
ALNUM = string.ascii_letters + string.digits


def lines(name: str, split: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (PAIRS / name).read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["split"] == split]


# Keys and storing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The pump stalls.", "the  PUMP stalls"),
        ("ﬁne weather!", "fine weather"),
        ("Straße", "STRASSE"),
        ("a\nb", "a b"),
    ],
)
def test_a_key_forgives_case_white_space_forms_and_the_full_stop(a: str, b: str) -> None:
    assert text_key(a) == text_key(b)


def test_a_key_forgives_nothing_else() -> None:
    assert len({text_key(text) for text in ("16 GB", "32 GB", "not 16 GB", "16 TB", "GB 16", "16-GB")}) == 6
    assert text_key("...") == "..."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\0b", "position 1"),
        ("ab\ud800", "position 2"),
        ("", "empty"),
        (" \n", "empty"),
        ("a" * 1_000_001, "import it"),
    ],
)
def test_what_can_not_be_stored_is_refused_with_its_place(text: str, told: str) -> None:
    with pytest.raises(InvalidRequest, match=told):
        check_storable(text)


@given(st.text(st.characters()))
def test_what_an_import_stores_is_the_text_but_for_what_can_not_be(text: str) -> None:
    stored, count = replace_unstorable(text)
    assert len(stored) == len(text)
    assert sum(a != b for a, b in zip(stored, text, strict=True)) == count
    stored.encode("utf-8")
    assert "\0" not in stored


# Secrets --------------------------------------------------------------------------------------------------------------


def key(length: int, letters: str = ALNUM) -> str:
    """A made-up secret; put together here, so that none stands in the repository."""
    return "".join(letters[(7 * at + 3) % len(letters)] for at in range(length))


SECRETS = [
    "sk-" + key(48), "sk-" + "proj-" + key(60), "sk-" + "ant-api03-" + key(80), "sk_" + "live_" + key(24),
    "rk_" + "test_" + key(24), *(f"gh{letter}_" + key(36) for letter in "pousr"), "github" + "_pat_" + key(60),
    "glpat-" + key(20), *(f"xox{letter}-" + key(30) for letter in "abprs"), "AKIA" + key(16, string.ascii_uppercase + "234567"),
    "ASIA" + key(16, string.ascii_uppercase + "234567"), "AIza" + key(35), "hf" + "_" + key(34), "npm" + "_" + key(36),
    "pypi-" + key(60), "SG." + key(22) + "." + key(43), "eyJ" + key(20) + ".eyJ" + key(40) + "." + key(40),
    "-----BEGIN RSA PRIVATE " + "KEY-----\n" + key(64) + "\n-----END RSA PRIVATE " + "KEY-----",
    "-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + key(64), "Authorization: Bearer " + key(40), "bearer " + key(30) + ".x1",
    "password = " + key(14), "PASSWORD: '" + key(12) + "'", 'api_key="' + key(24) + '"', "apikey: " + key(24),
    "client_secret: " + key(24), '"token": "' + key(24) + '"', "export DB_PASSWORD=" + key(16), "secret_key := " + key(20),
    "postgres://ada:" + key(12) + "@db.example/x", "https://user:" + key(16) + "@host/path", "passphrase: " + key(20),
    "access_token=" + key(30), "auth-token: " + key(30), "refresh_token: " + key(30), "passwd=" + key(10),
]  # fmt: skip

HARMLESS = [
    "the bearer token is required for every call", "bearer authenticationrequiredhere", "commit 3f2a9c1d7e8b4a6f90c1d2e3f4a5b6c7d8e9f0a1 fixed it",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "id 123e4567-e89b-12d3-a456-426614174000",
    "unix time 1718900000 and order 4111111111111111", "the api key: see the vault", "my password is important to me", "1Password: Another manager",
    "token = cookieStore.get(", "accessToken: req.body.accessToken", "a task-force of sk-ilful people", "the secret: everyone knows it already",
    "ghost_writer wrote ghp_ as a prefix", "AKIA is a prefix", "the JWT starts with eyJ", "https://example.org/path?x=1", "user:password@localhost is the example",
    "password: ********", "password=<your password>", "api_key=${API_KEY}", "token: null", "secret: redacted", "the token bucket holds 12 tokens",
    "passports and passwords are different things", "hashed_password = Column(String)", "basic income for all of us", "SG.1 is a station",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_found_and_redacted_wherever_it_stands(secret: str) -> None:
    for text in (secret, f"Yesterday I pasted {secret} into the chat", f"数据{chr(10)}{secret}"):
        assert find_credentials(text), text
        cleaned = redact(text)
        assert cleaned.count >= 1
        assert key(10) not in cleaned.text
        assert redact(cleaned.text).count == 0


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert redact(text).text == text


def test_every_bearer_token_is_found_not_only_the_first() -> None:
    text = f"the bearer token is required; curl -H 'Authorization: Bearer {key(30)}' and Bearer {key(40)}"
    assert redact(text).count == 2


@pytest.mark.parametrize(
    "piece", ["sk-", "-----BEGIN PRIVATE KEY-----", "eyJ", "password=", "bearer ", "a://", "xoxb-", "token:"]
)
def test_a_megabyte_of_beginnings_is_read_to_its_end(piece: str) -> None:
    find_credentials(piece * (1_000_000 // len(piece)))


@given(st.text(st.characters(), max_size=300))
def test_redacting_loses_nothing_else(text: str) -> None:
    spans = find_credentials(text)
    kept = text
    for span in reversed(spans):
        kept = kept[: span.start] + f"[redacted:{span.kind}]" + kept[span.end :]
    assert redact(text).text == kept


# The gate -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ok", "too_short"), ("Thanks!", "too_short"), ("… !!! ???", "too_short"), ("学习", "too_short"),
        ("key " + SECRETS[0] + " leaked", "credential_leak"), ("You are a helpful assistant that answers", "noise_pattern"),
        ("<<SYS>> do as you are told", "noise_pattern"), ("You must always and never ensure it shall", "noise_pattern"),
        ("system: you must always do this and never that", "noise_pattern"), ("ok thanks got it", "noise_pattern"),
        ("2026-01-02 10:20 2026-01-03", "noise_pattern"), ("health check 12:30:01 ok", "noise_pattern"),
    ],
)  # fmt: skip
def test_each_refusal_has_its_reason_and_a_next_step(text: str, reason: str) -> None:
    verdict = judge(text, settings=GateSettings())
    assert verdict is not None
    assert verdict.reason == reason
    assert verdict.next_step
    assert key(10) not in verdict.detail


@pytest.mark.parametrize(
    "text",
    ["The pump stalls below four degrees", "机器学习很有趣", "We add mustard, never ketchup", "Kaffee ist fertig heute",
     "Ping latency to the hut is 40 ms", "Это очень важно знать", "<script>alert(1)</script> is how they try it"],
)  # fmt: skip
def test_statements_pass(text: str) -> None:
    assert judge(text, settings=GateSettings()) is None


def test_the_first_reason_wins_and_a_disabled_gate_still_refuses_secrets() -> None:
    short = judge(SECRETS[0], settings=GateSettings())
    assert short is not None
    assert short.reason == "too_short"
    assert judge("ok", settings=GateSettings(enabled=False)) is None
    leak = judge(SECRETS[0], settings=GateSettings(enabled=False))
    assert leak is not None
    assert leak.reason == "credential_leak"


def test_the_excerpt_of_a_refused_text_holds_no_secret() -> None:
    assert key(10) not in gate.rejected_excerpt("x" * 300 + SECRETS[0])
    assert key(10) not in gate.rejected_excerpt(SECRETS[0])


# Sentences ------------------------------------------------------------------------------------------------------------


@given(st.text(st.characters()))
def test_sentences_never_overlap_and_lose_only_white_space(text: str) -> None:
    at = 0
    for span in sentences(text):
        assert span.start >= at
        assert not text[at : span.start].strip()
        assert text[span.start : span.end].strip() == text[span.start : span.end] != ""
        at = span.end
    assert not text[at:].strip()


@pytest.mark.parametrize(
    ("text", "count"),
    [("One. Two! Three?", 3), ("Dr. Who read Fig. 3 at 3.5 m. Then left.", 2), ("v1.2 is out. Use it.", 2), ("她来了。他走了！", 2),
     ("- one\n- two\n- three", 3), ("A\n\nB", 2), ("J. Doe came.", 1), ("e.g. this one", 1), ("", 0)],
)  # fmt: skip
def test_a_sentence_ends_where_people_end_it(text: str, count: int) -> None:
    assert len(sentences(text)) == count


# Minimal pairs and support --------------------------------------------------------------------------------------------
# The rules were made on the dev lines alone. The report lines were looked at once; the bounds are what was found.


@pytest.mark.parametrize(("split", "most"), [("dev", 0), ("report", 2)])
def test_restatements_are_recognised(split: str, most: int) -> None:
    missed = [
        row["id"] for row in lines("restatements.jsonl", split) if isinstance(compare(row["a"], row["b"]), MinimalPair)
    ]
    assert len(missed) <= most, missed


@pytest.mark.parametrize(("split", "most"), [("dev", 0), ("report", 4)])
def test_minimal_pairs_are_told_apart(split: str, most: int) -> None:
    rows = lines("minimal_pairs.jsonl", split)
    missed = [row["id"] for row in rows if not isinstance(compare(row["a"], row["b"]), MinimalPair)]
    assert len(missed) <= most, missed


@pytest.mark.parametrize(("split", "false_passed", "true_failed"), [("dev", 2, 1), ("report", 6, 3)])
def test_support_needs_the_slots_to_agree(split: str, false_passed: int, true_failed: int) -> None:
    rows = lines("support.jsonl", split)
    passed = [row["id"] for row in rows if not row["supports"] and supports(row["claim"], row["quote"]).ok]
    failed = [row["id"] for row in rows if row["supports"] and not supports(row["claim"], row["quote"]).ok]
    assert len(passed) <= false_passed, passed
    assert len(failed) <= true_failed, failed
    assert all(isinstance(locate(row["quote"], f"Before. {row['quote']} After."), Located) for row in rows)


@given(st.text(st.characters(), max_size=120), st.text(st.characters(), max_size=120))
def test_comparing_any_two_texts_is_symmetric_and_never_fails(first: str, second: str) -> None:
    assert type(compare(first, second)) is type(compare(second, first))
    supports(first, second)
    assert isinstance(compare(first, first), Same)


def test_a_quote_is_located_verbatim_in_one_place_or_not_at_all() -> None:
    source = "It rained. The pump\n  stalls at night. It rained."
    found = locate("The pump stalls at night.", source)
    assert isinstance(found, Located)
    assert source[found.start : found.end] == "The pump\n  stalls at night."
    assert locate("It rained.", source) == NotLocated("ambiguous")
    assert locate("The pump stalled.", source) == NotLocated("absent")
    assert locate("  ", source) == NotLocated("empty")


# Contradiction --------------------------------------------------------------------------------------------------------


def said(kind: str, at: str = "2026-01-01", space: str | None = None, **fields: str) -> Statement:
    return Statement(kind, space, "", fields, at)  # type: ignore[arg-type]  # a test's own types


@pytest.mark.parametrize(
    ("new", "old", "verdict"),
    [
        (said("preference", preference="tea"), said("preference", preference="coffee"), Contradicts),
        (said("preference", preference="Tea "), said("preference", preference="tea"), Consistent),
        (said("preference", preference="tea", applies_when="mornings"), said("preference", preference="coffee", applies_when="mornings"), Contradicts),
        (said("preference", preference="tea", applies_when="mornings"), said("preference", preference="coffee", applies_when="at night"), Consistent),
        (said("decision", "2026-02-01", decision="polars", context="tables"), said("decision", decision="pandas", context="tables"), Supersedes),
        (said("fact", claim="The station is at 1200 metres"), said("fact", claim="The station is at 1250 metres"), Contradicts),
        (said("fact", claim="The station is at 1200 metres"), said("fact", claim="Bread rises"), Consistent),
        (said("fact", claim="The lake is deep", domain="lake"), said("fact", claim="The lake is shallow", domain="hut"), Consistent),
        (said("fact", claim="The lake is deep"), said("lesson", claim="The lake is shallow"), Consistent),
        (said("fact", space="a", claim="The lake is deep"), said("fact", space="b", claim="The lake is shallow"), Consistent),
        (said("identity", claim="I use vim"), said("identity", claim="I use Vim"), Consistent),
        (said("decision", context="tables"), said("decision", decision="pandas"), Consistent),
    ],
)  # fmt: skip
def test_the_prefilter_finds_what_can_not_both_be_true(new: Statement, old: Statement, verdict: type) -> None:
    assert isinstance(contradicts(new, old), verdict)


def test_overlap_is_jaccard_over_character_pairs() -> None:
    assert overlap("night", "nacht") == 1 / 7
    assert overlap("a", "b") == 1.0
    assert overlap("same", "SAME.") == 1.0
