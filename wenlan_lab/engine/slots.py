"""What a statement pins down: numbers, dates, negations, names. Compared slot by slot to tell a restatement from a change.

Small and explicit on purpose: it runs at every capture, so dates are read by a few patterns instead of a date parser.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from wenlan_lab.derived.lexical import CJK_RUN, WORD, pairs
from wenlan_lab.derived.stems import STOP_WORDS, stem_hash
from wenlan_lab.engine.sentences import sentences

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero января январь",
            "february feb februar février febrero февраля февраль",
            "march mar märz mars marzo марта март",
            "april apr avril abril апреля апрель",
            "may mai mayo мая май",
            "june jun juni juin junio июня июнь",
            "july jul juli juillet julio июля июль",
            "august aug août agosto августа август",
            "september sep sept septembre septiembre сентября сентябрь",
            "october oct oktober octobre octubre октября октябрь",
            "november nov novembre noviembre ноября ноябрь",
            "december dec dezember décembre diciembre декабря декабрь",
        ),
        1,
    )
    for name in names.split()
}
_NUMBERS = {
    name: value
    for value, names in (
        (0, "zero null nul cero ноль"),
        (1, "one eins une uno один"),
        (2, "two zwei deux dos два две"),
        (3, "three drei trois tres три"),
        (4, "four vier quatre cuatro четыре"),
        (5, "five fünf cinq cinco пять"),
        (6, "six sechs seis шесть"),
        (7, "seven sieben sept siete семь"),
        (8, "eight acht huit ocho восемь"),
        (9, "nine neun neuf nueve девять"),
        (10, "ten zehn dix diez десять"),
        (11, "eleven elf onze once"),
        (12, "twelve zwölf douze doce dozen"),
        (13, "thirteen"),
        (14, "fourteen"),
        (15, "fifteen"),
        (16, "sixteen"),
        (17, "seventeen"),
        (18, "eighteen"),
        (19, "nineteen"),
        (20, "twenty zwanzig vingt veinte двадцать"),
        (30, "thirty dreißig trente treinta"),
        (40, "forty vierzig"),
        (50, "fifty fünfzig"),
        (60, "sixty"),
        (70, "seventy"),
        (80, "eighty"),
        (90, "ninety"),
        (100, "hundred hundert cent cien"),
        (1000, "thousand tausend mille mil"),
    )
    for name in names.split()
}
_CJK_NUMBERS = {letter: value for value, letter in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_CJK_TENS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_CJK_NUMERAL = re.compile("[零一二三四五六七八九两〇十百千万]+")
# "one" is a number in "one of ten" and an article or a pronoun elsewhere: it matches a 1, and nothing is missed without.
ONE = frozenset(("one", "une", "uno", "un", "ein", "eine", "mil"))
HALF = frozenset(("half", "hälfte", "moitié", "mitad"))
_NEGATIONS = frozenset(
    """not no never none neither nor without cannot cant dont doesnt didnt isnt wasnt arent werent wont wouldnt
    shouldnt couldnt hasnt havent hadnt stopped stop stops quit avoid avoids fails failed lacks lack unable refuses refused
    nicht kein keine keinen keiner keinem nie niemals ohne pas jamais sans aucun aucune plus sin nunca ningún ninguna tampoco
    не нет никогда без""".split()
)
_CJK_NEGATIONS = ("不", "没", "沒", "無", "无", "未", "别", "非", "ない", "ません", "なかった", "ず")
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'"})
_CONTRACTION = re.compile(r"\b(\w+)n't\b")
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_CJK_DATE = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号號]")
_DAY_MONTH = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th|\.|er)?\s+(?:of\s+|de\s+)?([^\W\d_]{3,10})\b\.?,?(?:\s+(?:de\s+)?(\d{4}))?"
)
_MONTH_DAY = re.compile(r"\b([^\W\d_]{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?")
_NUMBER = re.compile(
    r"(?<![\d.A-Za-z_])[-−+]?\d+(?:[.,:]\d+)*(?!\w*[a-zA-Z]\d)(?P<percent>\s*(?:%|percent\b|Prozent\b))?"
)
_CODE = re.compile(
    r"\b(?:[A-Za-z]+[_.\-/])*[A-Za-z]*\d+[\w.\-]*[A-Za-z][\w]*|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}[\w\-]*\b|\b[A-Z]+\d+\w*\b"
)
_CAPITALISED = re.compile(r"(?<![\w'])[A-ZÀ-ÖØ-ÞА-Я][\w\-]*")
_UNITS = {
    "second": "s",
    "seconds": "s",
    "minute": "min",
    "minutes": "min",
    "hours": "h",
    "hour": "h",
    "percent": "%",
    "degrees": "°",
    "degree": "°",
    "metres": "m",
    "meters": "m",
    "kilometres": "km",
    "kilometers": "km",
}
_PLACES = frozenset("in at on during with im am an auf bei mit während en dans sur pendant con в на".split())
_DIRECTIONS = frozenset(
    """from to before after than over into against von nach vor als über de à a avant après que desde hasta antes después
    first then zuerst dann сначала потом""".split()
)
_CLAUSE = re.compile(r"[;:]\s|\band\b|\bwhile\b|\bbut\b|\bund\b|,\s")
_PASSIVE = frozenset(("by", "von", "par", "por", "durch", "被"))
_OPPOSITE = re.compile(r"(un|in|im|dis|non|ir)([^\W\d_]{4,})$")
WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag "
    "samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves "
    "viernes sábado domingo".split()
)


@dataclass(frozen=True, slots=True)
class Slots:
    """What a statement pins down. `order` is its content words in order, each once."""

    numbers: frozenset[str]
    dates: frozenset[tuple[int, int, int]]
    weekdays: frozenset[str]
    negations: int
    names: frozenset[str]
    one: bool
    passive: bool
    opposites: frozenset[int]
    letters: str
    words: Counter[int]
    order: tuple[int, ...]
    governed: dict[str, frozenset[int]]
    clauses: tuple[tuple[tuple[int, bool], ...], ...]


def slots_of(text: str) -> Slots:
    """Read a statement. Never fails; what it can't read is no slot."""
    plain = unicodedata.normalize("NFKC", text[:4_000]).translate(_APOSTROPHES)
    dates, rest = _dates(plain)
    lowered = rest.casefold()
    words = WORD.findall(_CONTRACTION.sub(r"\1 not", lowered))
    content = [
        word
        for word in words
        if word not in STOP_WORDS and word not in _NEGATIONS and not word.isdigit() and word not in _NUMBERS
    ]
    units: list[str] = []
    for word in content:
        runs = list(CJK_RUN.finditer(word))
        units.extend(_UNITS.get(word, word) for _ in (0,) if not runs)
        for run in runs:
            units.extend(pairs(run.group()))
    hashed = [stem_hash(unit) for unit in units]
    return Slots(
        numbers=_numbers(rest, words),
        dates=dates,
        weekdays=frozenset(words) & WEEKDAYS,
        negations=sum(word in _NEGATIONS for word in words) + sum(lowered.count(sign) for sign in _CJK_NEGATIONS),
        names=_names(rest),
        one=bool(ONE & set(words)),
        passive=bool(_PASSIVE & set(words)),
        opposites=frozenset(stem_hash(found[2]) for word in content if (found := _OPPOSITE.match(word)) is not None),
        governed=_governed(lowered),
        clauses=_clauses(lowered),
        letters="".join(run.group() for run in CJK_RUN.finditer(plain)),
        words=Counter(hashed),
        order=tuple(dict.fromkeys(hashed)),
    )


def _governed(lowered: str) -> dict[str, frozenset[int]]:
    """The content words right after each word of direction or comparison: "from the lab to the cloud"."""
    words, found = WORD.findall(lowered), dict[str, frozenset[int]]()
    for at, word in enumerate(words):
        if word not in _DIRECTIONS or word in found:
            continue
        after = []
        for follower in words[at + 1 : at + 7]:
            if follower in _DIRECTIONS or follower in ("and", "but", "while", "und", "et", "y"):
                break
            if follower not in STOP_WORDS and not follower.isdigit():
                after.append(stem_hash(follower))
        found[word] = frozenset(after[:1])
    return found


def _clauses(lowered: str) -> tuple[tuple[tuple[int, bool], ...], ...]:
    """The content words of each clause in order, and whether a preposition of place or time stands before each."""
    clauses = []
    pieces = (lowered[span.start : span.end] for span in sentences(lowered))
    for clause in (part for piece in pieces for part in _CLAUSE.split(piece)):
        found, placed = [], False
        for word in WORD.findall(clause):
            if word in _PLACES:
                placed = True
            elif word not in STOP_WORDS and not word.isdigit():
                found.append((stem_hash(word), placed))
                placed = False
        if found:
            clauses.append(tuple(found))
    return tuple(clauses)


def _dates(text: str) -> tuple[frozenset[tuple[int, int, int]], str]:
    """(year or 0, month, day) of every explicit date, and the text without them."""
    found: set[tuple[int, int, int]] = set()

    def take(year: str | None, month: int, day: str) -> str:
        found.add((int(year or 0), month, int(day)))
        return " "

    def named(match: re.Match[str], month: str, day: str, year: str | None) -> str:
        number = _MONTHS.get(month.casefold())
        return match.group() if number is None or not 1 <= int(day) <= 31 else take(year, number, day)

    text = _ISO.sub(lambda m: take(m[1], int(m[2]), m[3]), text)
    text = _DAY_FIRST.sub(lambda m: take(m[3], int(m[2]), m[1]), text)
    text = _CJK_DATE.sub(lambda m: take(m[1], int(m[2]), m[3]), text)
    text = _DAY_MONTH.sub(lambda m: named(m, m[2], m[1], m[3]), text)
    text = _MONTH_DAY.sub(lambda m: named(m, m[1], m[2], m[3]), text)
    return frozenset(found), text


def _numbers(text: str, words: list[str]) -> frozenset[str]:
    found = set()
    for match in _NUMBER.finditer(text):
        number = match.group().removesuffix(match["percent"] or "").replace("−", "-").lstrip("+")
        # "1,500" and "1.500" as thousands; "2,5" and "2.5" as a decimal.
        if re.fullmatch(r"-?\d{1,3}(?:[.,]\d{3})+", number):
            number = re.sub(r"[.,]", "", number)
        number = number.replace(",", ".")
        if match["percent"] and re.fullmatch(r"-?\d+(?:\.\d+)?", number):
            number = f"{float(number) / 100:.6f}"
        found.add(number.rstrip("0").rstrip(".") if "." in number else number)
    found.update(str(_NUMBERS[word]) for word in words if word in _NUMBERS and word not in ONE)
    if HALF & set(words):
        found.add("0.5")
    found.update(str(_cjk_number(run.group())) for run in _CJK_NUMERAL.finditer(text) if run.group() != "一")
    return frozenset(found)


def _cjk_number(numeral: str) -> int:
    """十二 is 12, 二十 is 20, 三百五 reads as 3 hundreds and 5."""
    total, last = 0, 0
    for letter in numeral:
        if letter in _CJK_TENS:
            total += (last or 1) * _CJK_TENS[letter]
            last = 0
        else:
            last = _CJK_NUMBERS[letter]
    return total + last


def _names(text: str) -> frozenset[str]:
    """Names and identifiers: capitalised words that don't open a sentence, codes, words with digits in them."""
    found = {match.group().casefold().rstrip(".-") for match in _CODE.finditer(text)}
    for match in _CAPITALISED.finditer(text):
        before = text[: match.start()].rstrip()
        word = match.group()
        opens = not before or before[-1] in '.!?:\n"“(•-'
        if word.casefold() in _MONTHS or word.casefold() in WEEKDAYS or word.casefold() in STOP_WORDS:
            continue
        if not opens or (len(word) > 1 and word[1:].lower() != word[1:]):
            found.add(word.casefold())
    return frozenset(name for name in found if name not in STOP_WORDS)
