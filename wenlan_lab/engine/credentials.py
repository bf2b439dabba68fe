"""Finding secrets in text: provider keys, tokens, private keys, passwords in assignments and addresses.

detect-secrets has detectors for some of these, made for lines of code files: its import costs more than a capture may,
its keyword detector misses prose and its entropy detectors flag it. So the patterns are our own; the tests cross-check
them against its provider detectors. Every pattern is linear: no nested repeats, bounded where it could matter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("private_key", re.compile(
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,16000}-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|[\s\S]{0,16000})"
    )),
    ("anthropic_key", re.compile(r"\bsk-ant-[A-Za-z0-9_\-]{16,200}")),
    ("openai_key", re.compile(r"\bsk-(?:proj-|svcacct-|admin-)?(?=[A-Za-z0-9_\-]{0,60}[0-9])[A-Za-z0-9_\-]{20,200}")),
    ("stripe_key", re.compile(r"\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,200}")),
    ("github_token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{30,255}|\bgithub_pat_[A-Za-z0-9_]{30,255}")),
    ("gitlab_token", re.compile(r"\bglpat-[A-Za-z0-9_\-]{18,100}")),
    ("slack_token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9\-]{10,200}")),
    ("slack_webhook", re.compile(r"hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,}")),
    ("aws_key", re.compile(r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b")),
    ("google_key", re.compile(r"\bAIza[A-Za-z0-9_\-]{35}")),
    ("google_oauth", re.compile(r"\bya29\.[A-Za-z0-9_\-]{20,}|\bGOCSPX-[A-Za-z0-9_\-]{20,}")),
    ("huggingface_token", re.compile(r"\bhf_[A-Za-z0-9]{30,}")),
    ("npm_token", re.compile(r"\bnpm_[A-Za-z0-9]{30,}")),
    ("pypi_token", re.compile(r"\bpypi-[A-Za-z0-9_\-]{40,}")),
    ("sendgrid_key", re.compile(r"\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}")),
    ("twilio_key", re.compile(r"\bSK[0-9a-f]{32}\b")),
    ("jwt", re.compile(r"\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}")),
    ("bearer_token", re.compile(r"\bbearer[ \t]{1,8}(?=[A-Za-z0-9_\-.~+/]{0,60}[0-9_\-.~+/=])[A-Za-z0-9_\-.~+/]{20,4096}=*", re.IGNORECASE)),
    ("basic_auth", re.compile(r"\bbasic[ \t]{1,8}(?=[A-Za-z0-9+/]{0,60}[0-9+/=])[A-Za-z0-9+/]{16,1024}={1,2}", re.IGNORECASE)),
    ("url_password", re.compile(r"\b[a-z][a-z0-9+.\-]{1,20}://[^\s:/@]{1,100}:(?P<value>(?!\[redacted|password@|passwd@|pass@|secret@)[^\s/@]{3,200})@", re.IGNORECASE)),
    ("assignment", re.compile(
        r"(?:pass(?:word|wd|phrase)|pwd|secret(?:[_\-]?(?:access)?[_\-]?key)?|api[_\- ]?key|access[_\-]?(?:key|token)|auth[_\-]?token|client[_\-]?secret|private[_\-]?key|(?:refresh|session|id)[_\-]token|(?<![A-Za-z])token)"
        r"[\"'`]?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}(?P<quote>[\"'`]?)(?P<value>[^\s\"'`,;<>{}()\[\]]{6,512})", re.IGNORECASE
    )),
)  # fmt: skip
# "req.body.accessToken", "cookieStore", "Column": names in code, letters and dots alone.
_EXPRESSION = re.compile(r"^[A-Za-z_]+(?:\.[A-Za-z_]+)+$|^[a-z]+(?:[A-Z][a-z]+)+$|^[A-Z][a-z]+$")
# Every pattern above needs one of these; most texts hold none, and every capture comes through here.
_HINT = re.compile(
    r"PRIVATE KEY|sk-|[rsp]k_|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|hooks\.slack|A[KSBC][IC]A|AIza|ya29\.|GOCSPX-|hf_"
    r"|npm_|pypi-|SG\.|SK[0-9a-f]|eyJ|://"
    r"|(?i:bearer[ \t]|basic[ \t]|pass(?:word|wd|phrase)|pwd|secret|api[_\- ]?key|access[_\-]?key|private[_\-]?key|token)"
)
_PLACEHOLDER = re.compile(
    r"^(?:x+|\*+|\.+|<.*|\$\{?.*|%.*|your[_\-].*|example.*|changeme|redacted.*|none|null|true|false|required|optional|missing|string)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Credential:
    """A secret in a text: what kind, and where. Never the secret itself."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with its secrets replaced by `[redacted:KIND]`, how many those were, and of which kinds."""

    text: str
    count: int
    kinds: tuple[str, ...]


def find_credentials(text: str) -> tuple[Credential, ...]:
    """All secrets in a text, in order, none overlapping."""
    if _HINT.search(text) is None:
        return ()
    found: list[Credential] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span("value") if "value" in pattern.groupindex else match.span()
            if kind != "assignment" or _looks_secret(match.group("value"), quoted=bool(match.group("quote"))):
                found.append(Credential(kind, start, end))
    found.sort(key=lambda item: (item.start, -item.end))
    kept: list[Credential] = []
    for item in found:
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
        elif item.end > kept[-1].end:
            kept[-1] = Credential(kept[-1].kind, kept[-1].start, item.end)
    return tuple(kept)


def _looks_secret(value: str, *, quoted: bool) -> bool:
    """A value assigned to a password counts, unless it is a placeholder, a word of prose, or an expression of code."""
    bare = value.rstrip(".!?:")
    if _PLACEHOLDER.match(value) or _EXPRESSION.match(bare):
        return False
    digit, lower = any(c.isdigit() for c in bare), any(c.islower() for c in bare)
    upper = any(c.isupper() for c in bare[1:])  # a capital at the beginning is how a sentence starts
    other = any(not c.isalnum() for c in bare)
    return digit + lower + upper + other >= 2 or (quoted and " " not in value)


def redact(text: str) -> Redacted:
    """Replace every secret in place."""
    found = find_credentials(text)
    if not found:
        return Redacted(text, 0, ())
    parts, at = [], 0
    for item in found:
        parts.append(text[at : item.start] + f"[redacted:{item.kind}]")
        at = item.end
    return Redacted("".join(parts) + text[at:], len(found), tuple(dict.fromkeys(item.kind for item in found)))
