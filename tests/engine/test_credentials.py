"""Secrets are found wherever they stand, and what only looks like one is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.secrets_made_up import EVERY, SECRETS, key
from wenlan_lab.engine.credentials import find_credentials, redact

HARMLESS = [
    "the bearer token is required for every call", "Bearer authenticationrequiredhereforeveryone", "a bearer of bad news came by",
    "bearer token is required", "commit 3f2a9c1d7e8b4a6f90c1d2e3f4a5b6c7d8e9f0a1 fixed it", "git show 3f2a9c1 -- src/pump.py",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "id 123e4567-e89b-12d3-a456-426614174000",
    "token bucket, uuid 00000000-0000-4000-8000-000000000000", "2026-05-03T12:34:56.789012+00:00 was the time",
    "unix time 1718900000 and order 4111111111111111", "the api key: see the vault", "the API key is in the vault",
    "my password is important to me", "1Password: Another manager", "Password: required", "token = cookieStore.get(",
    "accessToken: req.body.accessToken", "a task-force of sk-ilful people", "the risk-averse disk-based desk-bound clerks",
    "the secret: everyone knows it already", "the secret is patience", "ghost_writer wrote ghp_ as a prefix", "AKIA is a prefix",
    "ASIA is a continent with 48 countries", "the JWT starts with eyJ", "https://example.org/path?x=1", "ssh://git@example.org/a.git",
    "user:password@localhost is the example", "password: ********", "password=<your password>", "api_key=${API_KEY}",
    "api_key: your-key-here", "token: null", "token=None", "secret: redacted", "password: [redacted:assignment]",
    "the token bucket holds 12 tokens", "passports and passwords are different things", "hashed_password = Column(String)",
    "basic income for all of us", "Basic research needs funding", "SG.1 is a station", "SK123 is a flight", "hf_hub is a module",
    "npm_config is a prefix", "pypi-server is a package", "-----BEGIN CERTIFICATE-----", "PUBLIC KEY of the city",
    "AIza is how they start", "see mem_000001 and psg_000002", "a.b.c.d.e.f", "机器学习的密码学很有趣", "xoxo, with love",
]  # fmt: skip


def test_there_are_enough_of_both() -> None:
    assert len(SECRETS) >= 20
    assert len(EVERY) >= 60
    assert len(HARMLESS) >= 40


@pytest.mark.parametrize(("kind", "secret"), EVERY)
def test_a_secret_is_found_and_redacted_wherever_it_stands(kind: str, secret: str) -> None:
    for text in (
        secret,
        f"Yesterday I pasted {secret} into the chat",
        f"数据\n{secret}",
        f"({secret})",
        f"<b>{secret}</b>",
    ):
        assert find_credentials(text), text
        cleaned = redact(text)
        assert cleaned.count >= 1
        assert key(9) not in cleaned.text
        assert redact(cleaned.text).count == 0


@pytest.mark.parametrize("kind", SECRETS)
def test_the_kind_is_named(kind: str) -> None:
    assert kind in redact(SECRETS[kind][0]).kinds


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert redact(text).text == text


def test_every_occurrence_is_found_not_only_the_first() -> None:
    text = f"the bearer token is required; curl -H 'Authorization: Bearer {key(30)}' and Bearer {key(40)}"
    assert redact(text).count == 2


def test_a_credential_says_where_and_never_what() -> None:
    secret = SECRETS["github_token"][0]
    (found,) = find_credentials(f"it was {secret}.")
    assert (found.start, found.end) == (7, 7 + len(secret))
    assert secret not in repr(found)


@pytest.mark.parametrize(
    "piece",
    ["sk-", "-----BEGIN PRIVATE KEY-----", "eyJ", "password=", "bearer ", "a://", "xoxb-", "token:", "a://b:", "SG."],
)
def test_a_megabyte_of_beginnings_is_read_to_its_end(piece: str) -> None:
    find_credentials(piece * (1_000_000 // len(piece)))


@given(st.text(st.characters(), max_size=300), st.sampled_from(EVERY), st.text(st.characters(), max_size=100))
def test_redacting_loses_nothing_but_the_secrets(before: str, secret: tuple[str, str], after: str) -> None:
    text = f"{before} {secret[1]} {after}"
    kept = text
    for span in reversed(find_credentials(text)):
        kept = kept[: span.start] + f"[redacted:{span.kind}]" + kept[span.end :]
    assert redact(text).text == kept
    assert key(9) not in kept
