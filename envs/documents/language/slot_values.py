"""Parse the words in a slot of a phrasing; words without a value do not fit it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..operations.values import COLOURS, FACES, SHAPE_WORDS, colour_of
from ..painting.pictures import SCENES, icons
from .bank import words_for
from .lexicon import COLOUR_WORDS, LEXICON, NTH
from .referring_expressions import number_of, paged

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_UNITS = r"(px|pt|cm|mm|in|inch|inches|centimetres?|centimeters?|millimetres?|millimeters?)"
_LENGTH = re.compile(rf"(\d+(?:\.\d+)?) ?{_UNITS}")
_BESIDE = re.compile(
    r"(?:in the space |somewhere )?(?:just |directly |right |straight |immediately )?(?:"
    + "|".join(f"(?P<{side}>{words})" for side, words in LEXICON.sides.items())
    + r") (?P<anchor>.+)",
    re.I | re.S,
)
_PART = re.compile(rf"(?:(?:{LEXICON.page_parts}) ?)+")
_ROWS = {"top": r"top|upper", "bottom": r"bottom|lower"}
_COLUMNS = {"left": r"left", "right": r"right"}
_NO_TEXT = re.compile(rf"\b(?:{LEXICON.not_in_texts})\b|[\"]", re.I)
_NEXT_CLAUSE = re.compile(rf"(?:\b(?:and|then|,|;|\.)\s+)(?:then |also )?(?:{LEXICON.clause_verbs})\b", re.I)
_PROPERTY_WORD = re.compile(rf"(?:{LEXICON.property_words})", re.I)
_MAX_WORDS = 16


@dataclass(frozen=True, slots=True)
class Length:
    """A length; ``unit``: px, pt, cm, mm, in, or empty if there is none."""

    number: float
    unit: str


@dataclass(frozen=True, slots=True)
class Place:
    """A place on a page: a part of it, or a side of an element.

    Attributes:
        row: top, bottom, middle, or empty: none.
        column: left, right, middle, or empty.
        side: of the anchor: below, above, left, right or beside; empty: a part of the page.
        anchor: the words for what it is beside.
        page: counted from 0, or from -1 at the end; ``None``: none.
    """

    row: str = ""
    column: str = ""
    side: str = ""
    anchor: str = ""
    page: int | None = None


def value_of(slot: str, words: str) -> Any | None:
    """The value of some words in a slot; ``None`` if they have none.

    Args:
        slot: its name, with any number at its end: ``"pixels"``, ``"colour2"``.
        words: as they are in the request.
    """
    reader = _READERS.get(slot.rstrip("0123456789"), _any)
    return reader(" ".join(words.split()))


def is_literal(text: str) -> bool:
    """Whether words without quotation marks are a new text, not a description."""
    if not re.match(r"[A-Z0-9$€£#&+]", text) or _NO_TEXT.search(text) or _NEXT_CLAUSE.search(text):
        return False
    if text[-1] in ".?!,;:" or re.search(r"\band .*\bto\b", text) or (text[0] in "$€£0123456789" and " and " in text):
        return False
    words = text.split()
    if _measured(text) is not None:
        return False
    if re.match(r"(?:The|A|An|This|That|It|Its|Their)\b", text) and text[1:] == text[1:].lower():
        return False
    return len(words) <= _MAX_WORDS and not all(
        _PROPERTY_WORD.fullmatch(word.strip(",.")) or colour_word(word) for word in words
    )


def colour_word(words: str) -> str | None:
    """A colour by name or as ``#rrggbb``, as ``colour_of`` takes it."""
    name = " ".join(words.lower().replace("gray", "grey").replace("-", " ").split())
    if name in COLOURS:
        return name
    if " " in name:
        return COLOUR_WORDS.get(name)
    if not re.fullmatch(r"[a-z]+|#[0-9a-f]{6}", name):
        return None
    try:
        colour_of(name)
    except ValueError:
        return None
    return name


def _quote(words: str) -> str | None:
    inside = re.fullmatch(r"\"([^\"]*)\"|'([^']+)'", words, re.S)
    return (inside[1] or inside[2]) if inside else None


def _text(words: str) -> str | None:
    quoted = _quote(words)
    return quoted if quoted is not None else words if is_literal(words) else None


def _number(words: str) -> str | None:
    return words if _NUMBER.fullmatch(words) else None


def _whole(words: str) -> int | None:
    number = re.sub(r" ?(?:px|pixels?)$", "", words.lower())
    return int(number) if number.isdecimal() and len(number) < 6 else None


def _length(words: str) -> Length | None:
    found = _LENGTH.fullmatch(re.sub(r"pixels?", "px", re.sub(r"points?|pts", "pt", words.lower().replace("-", " "))))
    if found is None:
        bare = words_for("numbers").get(words.lower(), words)
        return Length(float(bare), "") if _NUMBER.fullmatch(bare) else None
    unit = found[2]
    return Length(float(found[1]), {"c": "cm", "m": "mm", "i": "in"}.get(unit[0], unit))


def _measured(words: str) -> Length | None:
    length = _length(words)
    return length if length is not None and length.unit else None


def _percent(words: str) -> str | None:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(?:%|percent|per cent)", words.lower())
    return found[1] if found else None


def _shape(words: str) -> str | None:
    name = words.lower()
    return name if name in SHAPE_WORDS else None


def _picture(words: str) -> str | None:
    """The picture with exactly this name, such as ``a cup``."""
    name = re.sub(r"^(?:an?|the|one|some) ", "", words.lower())
    singular = (name, name.removesuffix("s"), name.removesuffix("es"))
    known = {icon: f"icon/{icon}" for icon in icons()} | {scene: f"scene/{scene}/0" for scene in SCENES}
    known |= {icon.replace("_", " "): asset for icon, asset in known.items()}
    return next((known[one] for one in singular if one in known), None)


def _place(words: str) -> Place | None:
    beside = _BESIDE.fullmatch(words)
    if beside is not None and not _part_of_page(beside["anchor"].lower()):
        side = next(name for name, text in beside.groupdict().items() if text and name != "anchor")
        return Place(side=side, anchor=beside["anchor"])
    text, page = paged(re.sub(r"\b(?:over|found|shown|up|down|away) (?=(?:on|in|at|to) )", "", words.lower()))
    text = re.sub(r"\b(?:poster|flyer|slide|deck|invoice|document|sheet)\b", "page", text).replace("-", " ")
    text = text.replace("center", "centre").strip()
    if re.fullmatch(r"(?:to|towards) the (?:left|right)", text):
        # A direction rather than a place.
        return None
    if not re.match(r"(?:in|at|on|to|into|towards?|near|dead|the|top|bottom|upper|lower)\b", text):
        return None
    return None if not _part_of_page(text) else _part(text, page)


def _part_of_page(text: str) -> bool:
    return _PART.fullmatch(text.strip()) is not None


def _part(text: str, page: int | None) -> Place | None:
    rows = [name for name, pattern in _ROWS.items() if re.search(rf"\b(?:{pattern})\b", text)]
    columns = [name for name, pattern in _COLUMNS.items() if re.search(rf"\b(?:{pattern})\b", text)]
    is_middle = re.search(r"\b(?:middle|centre)\b", text) is not None
    if len(rows) > 1 or len(columns) > 1 or not (rows or columns or is_middle):
        return None
    row, column = rows[0] if rows else "", columns[0] if columns else ""
    if is_middle:
        row, column = row or "middle", column or "middle"
    if "corner" in text and not (rows and columns):
        return None
    return Place(row, column, page=page)


def _ordinal(words: str) -> int | None:
    word = words.lower()
    if word in ("last", "final", "bottom"):
        return -1
    if word == "top":
        return 1
    return number_of(word) if re.fullmatch(NTH, word) else None


def _of(table: str) -> Callable[[str], str | None]:
    """A reader for the phrases of a table of ``words_for``."""

    def read(words: str) -> str | None:
        return words_for(table).get(" ".join(words.lower().replace("-", " ").replace("center", "centre").split()))

    return read


def _any(words: str) -> str | None:
    return words


_READERS: Mapping[str, Callable[[str], Any]] = {
    "text": _text,
    "quote": _quote,
    "old": _text,
    "new": _text,
    "colour": colour_word,
    "shape": _shape,
    "picture": _picture,
    "face": lambda words: next((face for face in FACES if face.lower() == words.lower().replace("-", " ")), None),
    "pixels": _length,
    "size": _length,
    "amount": _length,
    "measured": _measured,
    "x": _whole,
    "y": _whole,
    "percent": _percent,
    "share": _number,
    "degrees": _number,
    "ordinal": _ordinal,
    "place": _place,
    "direction": _of("directions"),
    "side": _of("sides"),
    "turn": _of("turns"),
    "axis": _of("axes"),
    "where": _of("wheres"),
    "edge": _of("edges"),
    "alignment": _of("alignments"),
}
"""The reader of each slot; a slot without one takes any words, as descriptions."""
