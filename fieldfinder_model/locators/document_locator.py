"""DocumentLocator: the things on a page of a document, ranked by the words that mean one of them."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from math import exp, sqrt
from threading import RLock
from typing import NamedTuple

from rapidfuzz import fuzz

from ...envs.core.boxes import area, centre, overlap_height, overlap_width
from ...envs.core.locators import Detection
from ...envs.core.painting import Image
from ...envs.documents.operations.values import COLOURS, colour_name
from ..reading.proposals import Proposal, proposals_of
from .page_reader import page_key

_PAGES_KEPT = 16
_MAX_PLACES = 10
_SHARPNESS = 1.6
"""The inverse temperature of the scores."""
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|‘([^’]+)’|(?<!\w)\'(.+?)\'(?!\w)')
_SMALL = frozenset(
    "a about all an and are as at be been bit by can do does did for from has have he her here his how in into is it "
    "its just line of on only or our out page s said say saying says sentence she slide some text that the their them "
    "there they thing things this those these to up was we what when where which who whom with word words you "
    "your".split()
)
"""Words that say nothing about what is written."""
_AREAS = ("rectangle", "circle", "triangle", "diamond", "star", "other")
_KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        "picture photo image illustration portrait landscape drawing face view skyline scene".split(), ("picture",)
    ),
    **dict.fromkeys("icon symbol logo tag".split(), ("picture", *_AREAS)),
    **dict.fromkeys("line rule dash divider stroke".split(), ("line",)),
    **dict.fromkeys("bar strip stripe band".split(), ("rectangle", "line")),
    **dict.fromkeys(
        "box panel block banner rectangle background frame card square button".split(), ("rectangle", "other")
    ),
    **dict.fromkeys("circle dot disc ball sticker round bubble ellipse oval".split(), ("circle",)),
    **dict.fromkeys("star badge".split(), ("star",)),
    **{kind: (kind,) for kind in ("triangle", "diamond", "table")},
    **dict.fromkeys("arrow chevron heart hexagon shape".split(), _AREAS),
    **dict.fromkeys(
        "text sentence words heading headline title paragraph slogan caption label note quote name price address date "
        "number figure phone email footer print remark subtitle tip writing handwriting".split(),
        ("text",),
    ),
}
"""The kinds of proposals that a noun may mean."""
_PATTERNS: Mapping[str, str] = {
    "price cost costs pay charge fee": r"[$€£]|\bkr\b|\b(?:USD|EUR)\b|\d+[.,]\d\d\b",
    "date day when": r"(?i)\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b",
    "time start starts begins hour hours open opening when": r"\d{1,2}[:.]\d\d",
    "phone number telephone": r"\d{3}[- ]?\d{3,}",
    "email mail e-mail": r"@",
    "website web site url": r"www\.|\.(?:org|com|net)\b",
    "address street where place town location": r"\b\d{2,5} [A-Z][a-z]+ |, [A-Z][a-z]+",
    "number figure many much": r"^\W*\d[\d,.]*\W*$",
    "quote quotation": r"^[“\"]",
    "capitals caps": r"^[^a-z]*[A-Z][^a-z]*$",
}
"""What is written in a text that some words mean."""
_KNOWN = _SMALL | _KINDS.keys() | COLOURS.keys()
_TEXTS = ("text", "table")
_SAYS = re.compile(r"\bline (?:that|saying|about|with|of|which|when|where|who|what)\b|(?:['’]s|[^\W\d]s) line\b")
_ALIKE = 78
"""The minimum similarity of two words, of 100, that are forms of one."""
_OWN, _LONG, _FITS, _MISFITS, _BESIDE = 1.0, 0.3, 1.2, -0.3, 0.9
_FIRST, _OTHER, _NO_KIND, _UNNAMED, _UNWRITTEN = 2.4, 0.6, -1.0, 0.5, 1.2
_TITLES = frozenset("headline title heading main big biggest large largest huge".split())
_SMALLER = frozenset("small smaller smallest tiny little thin fine".split())
_LARGER = frozenset("big bigger biggest large larger largest huge tall wide main thick".split())
_SHADES = frozenset("dark light pale bright".split())
_SYNONYMS = {
    "gray": "grey", "golden": "gold", "mustard": "gold", "beige": "light grey", "cream": "yellow", "salmon": "orange",
    "violet": "purple", "lilac": "purple", "navy": "dark blue", "turquoise": "teal", "maroon": "dark red",
    "brownish": "brown", "bluish": "blue", "greenish": "green", "reddish": "red", "pinkish": "pink", "tan": "brown",
}  # fmt: skip
_RELATION = re.compile(
    r"\b(?:under|below|beneath|underneath|over|above|on top of|left of|right of|next to|beside|by|near)\b (?=\w)"
)
"""What follows is about something else."""


class Query(NamedTuple):
    """What words say of the thing that they mean.

    Attributes:
        quote: what it says, word for word; "": nothing is quoted.
        words: its words in lower case, without those for what it stands beside.
    """

    quote: str
    words: tuple[str, ...]


def query_of(target: str) -> Query:
    """Read an expression; any text is one.

    >>> query_of("the thin line under the headline")
    Query(quote='', words=('the', 'thin', 'line'))
    """
    quoted = _QUOTED.search(target)
    quote = next((part for part in quoted.groups() if part), "") if quoted else ""
    text = _QUOTED.sub(" ", target).lower()
    relation = _RELATION.search(text)
    head = text[: relation.start()] if relation else text
    return Query(quote, _words(head) or _words(text))


def _words(text: str) -> tuple[str, ...]:
    words = (re.sub(r"'s$", "", word) for word in re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text))
    return tuple(_SYNONYMS.get(word, word) for word in words)


class DocumentLocator:
    """Finds texts, shapes and pictures of a document by what people call them.

    It sees the picture alone: what OCR reads, areas of one colour and pictures, each with its colour, shape, size and
    place. Words are compared with these by rules that were tuned on expressions for documents that no test uses.

    Raises:
        ImportError: if RapidOCR is not installed, at the first page.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._pages: OrderedDict[bytes, list[Proposal]] = OrderedDict()

    def locate(self, page: Image, target: str) -> list[Detection]:
        """The likeliest things, the best first; see ``Locator``."""
        proposals = self._read(page)
        points = _points(proposals, query_of(target), (page.shape[1], page.shape[0]))
        best = sorted(range(len(proposals)), key=lambda i: -points[i])[:_MAX_PLACES]
        weights = [exp(_SHARPNESS * (points[i] - points[best[0]])) for i in best]
        return [Detection(proposals[i].box, weight / sum(weights)) for i, weight in zip(best, weights, strict=True)]

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The things that many expressions mean, each by itself; see ``Locator``."""
        return [self.locate(page, target) for target in targets]

    def _read(self, page: Image) -> list[Proposal]:
        key = page_key(page)
        with self._lock:
            if key not in self._pages:
                self._pages[key] = proposals_of(page)
            self._pages.move_to_end(key)
            while len(self._pages) > _PAGES_KEPT:
                self._pages.popitem(last=False)
            return self._pages[key]


def _points(proposals: Sequence[Proposal], query: Query, size: tuple[int, int]) -> list[float]:
    """How well each proposal is what a query says."""
    largest = max((one.letter for one in proposals), default=0.0) or 1.0
    written = [frozenset(re.findall(r"[^\W_]+", one.text.lower())) for one in proposals]
    page_words = frozenset().union(*written)
    meant = [word for word in query.words if word not in _KNOWN]
    found = {word: {other for other in page_words if fuzz.ratio(word, other) > _ALIKE} for word in meant}
    points = []
    for one, own in zip(proposals, written, strict=True):
        around = frozenset().union(
            *(words for other, words in zip(proposals, written, strict=True) if _adjoins(one, other))
        )
        points.append(
            _by_text(one, query, own, around, found)
            + _by_kind(one, query.words, bool(found) and not any(found.values()))
            + _by_colour(one, query.words)
            + _by_place(one, query.words, size)
            + _by_size(one, query.words, size, largest)
        )
    return points


def _by_text(
    one: Proposal, query: Query, own: frozenset[str], around: frozenset[str], found: Mapping[str, set[str]]
) -> float:
    """Points for words of the expression that are written there or beside it, and for what they say is written."""
    share = 1.0 if one.kind in _TEXTS else 0.4
    points = 0.0
    if query.quote and one.text:
        points += 5.0 * share * fuzz.ratio(query.quote.lower(), one.text.lower()) / 100
    matched = sum(bool(words & own) for words in found.values())
    points += share * (_OWN * min(matched, 3) - _LONG * (matched > 0) * max(0.0, len(own) / 8 - 1))
    asked = [pattern for words, pattern in _PATTERNS.items() if set(words.split()) & set(query.words)]
    if one.kind in _TEXTS and asked:
        fits = any(re.search(pattern, one.text) for pattern in asked)
        beside = sum(bool(words & around) and not words & own for words in found.values())
        points += _FITS + _BESIDE * min(beside, 2) if fits else _MISFITS
    return points


def _adjoins(one: Proposal, other: Proposal) -> bool:
    """Whether another text stands in the same row, or right above or below."""
    if one.kind != "text" or other.kind != "text" or one is other:
        return False
    height = max(one.letter, other.letter)
    level = overlap_height(one.box, other.box) > 0.5 * min(one.letter, other.letter)
    gap = max(one.box[1] - other.box[3], other.box[1] - one.box[3])
    return level or (gap < 1.2 * height and overlap_width(one.box, other.box) > 0)


def _by_kind(one: Proposal, words: Sequence[str], is_unwritten: bool) -> float:
    """Points for the kind that the first nouns name; without one, what is written nowhere is seen in a picture."""
    text = " ".join(words)
    nouns = [noun for word in words if (noun := _noun(word)) is not None]
    named = [("text",) if noun == "line" and _SAYS.search(text) else _KINDS[noun] for noun in nouns]
    if not named:
        is_seen = one.kind not in _TEXTS
        return (_UNWRITTEN if is_seen else 0.0) if is_unwritten else (0.0 if is_seen else _UNNAMED)
    if one.kind in named[0]:
        return _FIRST - 0.4 * named[0].index(one.kind)
    return _OTHER if any(one.kind in kinds for kinds in named) else _NO_KIND


def _noun(word: str) -> str | None:
    return next((form for form in (word, word.removesuffix("s")) if form in _KINDS), None)


def _by_colour(one: Proposal, words: Sequence[str]) -> float:
    named = [word for text in words for word in text.split("-") if word in COLOURS]
    named = [word.split()[-1] for text in words for word in [text] if text in COLOURS] or named
    if not named:
        return 0.0
    is_named = named[0] in colour_name(one.colour).split()
    shade = next((word for word in words if word in _SHADES), None)
    brightness = sum(one.colour) / 765
    shaded = 0.0 if shade is None else (0.5 - brightness if shade == "dark" else brightness - 0.5)
    return (1.8 if is_named else -0.8) + shaded


def _by_place(one: Proposal, words: Sequence[str], size: tuple[int, int]) -> float:
    """Points for where it stands on the page."""
    x, y = centre(one.box)
    across, down = x / size[0], y / size[1]
    named = set(words)
    points = 0.0
    points += 1.6 * (0.5 - down) if named & {"top", "upper", "header"} else 0.0
    points += 1.6 * (down - 0.5) if named & {"bottom", "foot", "footer", "lower", "last", "end"} else 0.0
    points += 1.6 * (0.5 - across) if "left" in named or "leftmost" in named else 0.0
    points += 1.6 * (across - 0.5) if "right" in named or "rightmost" in named else 0.0
    points += 1.2 * (0.5 - abs(across - 0.5) - abs(down - 0.5)) if named & {"middle", "centre", "center"} else 0.0
    if named & {"corner"}:
        points += 1.2 * (abs(across - 0.5) + abs(down - 0.5)) - 0.6
    return points


def _by_size(one: Proposal, words: Sequence[str], size: tuple[int, int], largest: float) -> float:
    named = set(words)
    share = sqrt(area(one.box) / (size[0] * size[1]))
    if one.kind == "picture" and any(_KINDS.get(word) == ("picture",) for word in words):
        return 1.5 * share
    if one.letter:
        relative = one.letter / largest
        points = 1.5 * relative if named & _TITLES else 0.0
        return points - (0.8 * relative if named & (_SMALLER | {"footer", "print"}) else 0.0)
    return 1.5 * share if named & _LARGER else -1.5 * share if named & _SMALLER else 0.0
