"""Values to look at, and a reader that says which tags and attributes some HTML really has."""

from collections import Counter
from html.parser import HTMLParser

from wenlan_lab.model.memories import Evidence
from wenlan_lab.model.recall import ArmReport, Dropped, Hit, Trace
from wenlan_lab.model.results import RecallResult
from wenlan_lab.model.sources import PassageOrigin

ALLOWED = {
    "div", "span", "b", "br", "table", "thead", "tbody", "tr", "th", "td", "mark", "details", "summary", "pre",
}  # fmt: skip
ATTRIBUTES = {"style", "dir", "title"}

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</td></tr></table><h1>out</h1>",
    "</summary></details><style>*{display:none}</style>",
    "<!-- comment",
    "<![CDATA[ x ]]>",
    "&lt;b&gt; &amp; &#60;",
    "javascript:alert(1)",
    "nul \x00 and escape \x1b[31mred\x1b[0m and bell \x07",
    "turned \u202eright to left\u202c and \u2066isolated\u2069",
    "lone \ud800 surrogate",
    "hidden \U000e0041\U000e0042 tags",
    "{braces} {{name}} $dollar %percent %(x)s {0}",
    "مرحبا بالعالم שלום",
    "泵在低于四度时停转。日本語",
    "line\nline\r\nline\rline\u2028line",
    "a" * 5000,
    "",
]


class Elements(HTMLParser):
    """Which tags, attributes and texts there are, and whether each element is closed in its turn."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes = Counter[str](), Counter[str]()
        self.texts, self.open, self.marked = list[str](), list[str](), list[str]()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes.update(name for name, _ in attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if "mark" in self.open:
            self.marked.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl):
        raise AssertionError(f"a declaration: {decl}")

    def unknown_decl(self, data):
        raise AssertionError(f"a declaration: {data}")

    def handle_pi(self, data):
        raise AssertionError(f"an instruction: {data}")


def read(html):
    """The elements of some HTML; fails when a tag, an attribute or a control character is there that should not be."""
    found = Elements()
    found.feed(html)
    found.close()
    assert found.open == []
    assert set(found.tags) <= ALLOWED
    assert set(found.attributes) <= ATTRIBUTES
    assert not set(html) & {chr(code) for code in (*range(9), *range(11, 32), *range(0x202A, 0x202F))}
    html.encode()
    return found


def a_hit(text="The pump stalls below 4 °C.", score=0.75, *, kind="memory", marks=(), **changes):
    memory = kind == "memory"
    told = {
        "id": "mem_000001" if memory else "pas_000001",
        "text": text,
        "score": score,
        "kind": kind,
        "type": "gotcha" if memory else "passage",
        "space": "lab",
        "trust": "asserted" if memory else "grounded",
        "status": "live",
        "source": PassageOrigin("memory", "mem_000001", "", None, "person", "2026-01-05T12:00:00+00:00")
        if memory
        else PassageOrigin("chat", "D1:3", "session_1", 2, "Caroline", "2023-05-08T13:56:00+00:00"),
        "factors": {"relevance": score, "trust": 1.0, "freshness": 1.0},
        "evidence": (),
        "found_by": ("lexical", "dense"),
        "parts": {"lexical": score - 0.25, "dense": 0.25},
        "folded": (),
        "marks": tuple(marks),
    }
    return Hit(**{**told, **changes})


def an_evidence(quote="it stalled", *, located=True):
    return Evidence("evi_1", "mem_000001", quote, "pas_1" if located else None, None, 3, 13, "sha256:0", located, True)


def a_trace(**changes):
    told = {
        "arms": (ArmReport("lexical", 12, 3.14), ArmReport("dense", 0, 0.0, "unavailable")),
        "candidates": 41,
        "dropped": (Dropped("mem_9", "folded", "says the same"), Dropped("mem_8", "beyond_k")),
        "notes": ("embedder unavailable, keyword search only",),
        "milliseconds": {"total": 12.3},
        "watermark": 7,
        "scope": "everything",
        "model": "",
    }
    return Trace(**{**told, **changes})


def a_result(*hits, query="why did the pump stop?", message="", **changes):
    return RecallResult(query, tuple(hits), a_trace(**changes), not hits, message)
