"""The gate: is this text a statement worth keeping? First match wins; every refusal says why and what to do.

Length, then secrets, then noise. Pure and quick; the reasons that need an embedder or the store are added by capture.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from wenlan_lab.derived.lexical import CJK_RUN, WORD
from wenlan_lab.engine.credentials import find_credentials, redact
from wenlan_lab.engine.normalise import excerpt, replace_unstorable
from wenlan_lab.model.outcomes import Rejection

_PREAMBLES = (
    "you are a ",
    "you are an ",
    "your role is ",
    "as an ai",
    "as a helpful assistant",
    "ignore previous",
    "ignore all previous",
)
_MARKERS = ("<<sys>>", "[/inst]", "[inst]", "### instruction", "<|im_start|>", "<|system|>")
_KEYWORDS = re.compile(r"\b(?:must|always|never|ensure|shall|do not)\b")
_HEARTBEAT = re.compile(
    r"^(?:heartbeat|health check|keep-?alive|ping|pong|status: ok|alive)\b[\s\d:.,\-tz]*(?:ok|alive|healthy|up)?[\s.!]*$"
)
_ACKNOWLEDGEMENT = frozenset(
    "ok okay done ack received noted yes no confirmed acknowledged roger copy thanks thank you got it understood sure "
    "fine great perfect right will do sounds good cool nice".split()
)
_TIMESTAMP = re.compile(
    r"^(?:\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+\-]\d{2}:?\d{2})?)?|\d{1,2}:\d{2}(?::\d{2})?|[\d\-:tz.+]{4,})$"
)
DENSITY_LOOKED_AT = 200
CJK_CHARACTERS_A_WORD = 4
KEYWORDS_IN_SYSTEM, KEYWORDS_DENSE = 3, 4


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How strict the gate is. `min_words` meaningful words, or `min_cjk_characters` characters of Chinese, Japanese or
    Korean.
    """

    enabled: bool = True
    min_words: int = 3
    min_cjk_characters: int = 6


def judge(text: str, *, settings: GateSettings) -> Rejection | None:
    """Why this text is not kept, or None. Looks at the text alone."""
    leak = judge_credentials(text)  # a secret is never admitted, whatever the settings say
    if not settings.enabled:
        return leak
    return _too_short(text, settings) or leak or _noise(text)


def _too_short(text: str, settings: GateSettings) -> Rejection | None:
    words, characters = meaningful(text)
    if words >= settings.min_words or characters >= settings.min_cjk_characters:
        return None
    return Rejection(
        "too_short",
        f"only {words} meaningful words",
        f"say it as one whole statement of {settings.min_words} words or more.",
    )


def meaningful(text: str) -> tuple[int, int]:
    """(words that carry something, CJK characters). A run of CJK counts as one word, however long."""
    words = [word for word in WORD.findall(text) if len(word) > 1 or word.isalnum()]
    characters = sum(len(match.group()) for match in CJK_RUN.finditer(text))
    return len(words), characters


def judge_credentials(text: str) -> Rejection | None:
    """The refusal for a text that holds a secret, or None."""
    found = find_credentials(text)
    if not found:
        return None
    kinds = ", ".join(dict.fromkeys(item.kind for item in found))
    return Rejection(
        "credential_leak",
        f"contains a credential ({kinds})",
        "take it out and capture the rest; if it was pasted anywhere, rotate it.",
    )


def _noise(text: str) -> Rejection | None:
    pattern = noise_pattern(text)
    if pattern is None:
        return None
    return Rejection(
        "noise_pattern",
        f"looks like {pattern.replace('_', ' ')}",
        "if it is knowledge after all, say in a sentence what was learned.",
    )


def noise_pattern(text: str) -> str | None:
    """The name of the noise a text looks like, None when it looks like none."""
    lowered = " ".join(text.casefold().split())
    head = lowered[:DENSITY_LOOKED_AT]
    if lowered.startswith(_PREAMBLES):
        return "system_prompt_preamble"
    distinct = set(_KEYWORDS.findall(lowered)) if lowered.startswith("system:") else set()
    if any(marker in lowered for marker in _MARKERS) or len(distinct) >= KEYWORDS_IN_SYSTEM:
        return "system_prompt_markers"
    if len(set(_KEYWORDS.findall(head))) >= KEYWORDS_DENSE:
        return "instruction_density"
    if _HEARTBEAT.match(lowered):
        return "heartbeat"
    words = WORD.findall(lowered)
    if words and len(words) <= 6 and all(word in _ACKNOWLEDGEMENT for word in words):
        return "bare_acknowledgement"
    told = sum(1 for piece in lowered.split() if not _TIMESTAMP.match(piece.strip("[](),;")))
    told += meaningful(text)[1] // CJK_CHARACTERS_A_WORD  # a Chinese sentence has no spaces: it is more than one piece
    if told < 2 and any(c.isdigit() for c in lowered):
        return "timestamp_only"
    return None


def digest(text: str) -> str:
    """The digest under which a refused text is remembered."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def rejected_excerpt(text: str) -> str:
    """The beginning of a refused text without its secrets, for the log. Redacted before it is cut."""
    return excerpt(redact(replace_unstorable(text)[0]).text)


def safe_reason(reason: str) -> str:
    """A reason as it is kept: secrets redacted in place, what can't be stored replaced. A reason is never refused."""
    return redact(replace_unstorable(reason)[0]).text
