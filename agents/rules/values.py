"""Values: what a request tells besides elements: amounts, colours, coordinates, pictures, as marks in its text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ...envs.documents.operations.values import picture_in
from .lexicon import COLOUR, NUMBERS, ORDINAL, PICTURE, SAYING, SHAPE, SHAPES, STOP, TEXT
from .noun_phrases import Held

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_PX = r"(?:[ -]?(?:px|pixels?|pts?|points?))"
_NOUN = rf"(?:(?!(?:{STOP})\b)[a-z][\w-]*)(?: (?!(?:{STOP})\b)[a-z][\w-]*){{0,2}}"
_SHOWING = r"(?:of|that shows?|which shows?|showing|depicting|representing|that depicts?|which depicts?|with|for)"
_X, _Y = r"x(?:[- ](?:coordinate|position|value))?", r"y(?:[- ](?:coordinate|position|value))?"
_IS = r" ?(?:=|:|is|of|at|to|being)? ?"
_FROM = r"(?: (?:from|off|away from) the)"


@dataclass
class Told:
    """A text with marks for all that it tells, and what they stand for.

    Attributes:
        skeleton: the text with marks such as ``<pixels 0>``.
        values: by their kind, in order.
    """

    skeleton: str
    values: dict[str, list[str]] = field(default_factory=dict)

    def take(self, kind: str, pattern: str, read: Callable[[re.Match[str]], str | None]) -> None:
        """Put marks in the place of what a pattern finds, as far as it can be read."""

        def marked(found: re.Match[str]) -> str:
            value = read(found)
            if value is None:
                return found[0]
            held = self.values.setdefault(kind, [])
            held.append(value)
            return f"<{kind} {len(held) - 1}>"

        self.skeleton = re.sub(pattern, marked, self.skeleton, flags=re.I)

    def value(self, kind: str, number: int = 0) -> str:
        """A value of a kind; empty if there is none."""
        held = self.values.get(kind, [])
        return held[number] if number < len(held) else ""

    def count(self, kind: str) -> int:
        """How many values of a kind there are."""
        return len(self.values.get(kind, []))


def values_in(text: str, held: Held) -> Told:
    """What a text tells. Elements in it are marks already, as are quoted texts and typefaces."""
    told = Told(text)
    _take_texts(told, held)
    told.take("typeface", r"«f\d+»", lambda found: held.restored(found[0]))
    _take_pictures(told)
    _take_numbers(told)
    told.take("colour", rf"(?<![\w<])({COLOUR})\b", lambda found: found[1].lower().replace("-", " "))
    told.take("shape", rf"\b({SHAPE})s?\b", lambda found: SHAPES[found[1].lower()])
    return told


def _take_texts(told: Told, held: Held) -> None:
    article = r"(?:\b(?:an?|one|the|this|another) )?(?:(?:new|short|single|extra|plain|simple|following|additional) )*"
    told.take(
        "new text",
        rf"{article}\b(?:{TEXT})(?: {TEXT})?,? (?:{SAYING} )?(«q\d+»)",
        lambda found: held.quoted(found[1]),
    )
    told.take(
        "new text",
        rf"(«q\d+») (?:as|in) an? (?:new |separate |extra )*{TEXT}\b",
        lambda found: held.quoted(found[1]),
    )
    told.take("quote", r"«q\d+»", lambda found: held.quoted(found[0]))


def _take_pictures(told: Told) -> None:
    told.take(
        "picture",
        rf"(?:\b(?:an?|one|the|another) )?(?:\b(?:new|small|single|extra|simple|little|nice) "
        rf")*\b({PICTURE})\b {_SHOWING} "
        rf"((?:an? |the |some |one )?{_NOUN})",
        _picture_of,
    )
    told.take("picture", rf"\ban? (?:new |small )?({_NOUN}?) ({PICTURE})\b", lambda found: _known_picture(found[1]))
    told.take(
        "picture",
        (
            r"(?:(?<=\bshow )|(?<=\bshows )|(?<=\bdepict )|(?<=\bdisplay )|(?<=\bbe )|(?<=\bbecome )|(?<=\bby "
            r")|(?<=\bwith )|(?<=\binto )|(?<=\bfor )|(?<=\bto ))(an? [\w-]+)\b(?! (?:text|shape|line|list|"
            r"table)\b)"
        ),
        lambda found: None if re.search(rf"\b(?:{SHAPE})\b", found[1], re.I) else _known_picture(found[1]),
    )


def with_pictures(told: Told) -> Told:
    """What a text tells, with any ``a cup`` in it taken for a picture."""
    other = Told(told.skeleton, {kind: list(values) for kind, values in told.values.items()})
    other.take(
        "picture",
        r"\b(?:an?|one|some) (?:(?:new|small|little|nice|simple|single) )?((?!text\b|shape\b|line\b)[a-z-]+)\b",
        lambda found: _known_picture(found[1]),
    )
    return other


def _picture_of(found: re.Match[str]) -> str | None:
    return found[2] if _known_picture(found[2]) else None


def _known_picture(words: str) -> str | None:
    """Words that name a picture that there is."""
    return words if picture_in(words) else None


def _take_numbers(told: Told) -> None:
    told.take(
        "page",
        (
            r"\b(?:on|to|of|from|in) (?:the )?page (?:number |no\.? |numbered )?(\d+)\b(?: (?:of|in) (?:the|"
            r"this) (?:document|file))?"
        ),
        lambda found: found[1],
    )
    told.take("page", rf"\b(?:on|of) the ({ORDINAL}) page\b", lambda found: _ordinal(found[1]))
    units = rf"(?={_PX}|[ -]?(?:percent|per cent|degrees?))"
    told.skeleton = re.sub(
        rf"\b({'|'.join(NUMBERS)}){units}", lambda f: NUMBERS[f[1].lower()], told.skeleton, flags=re.I
    )
    for pattern in _POINTS:
        told.take("point", pattern, lambda found: f"{found['x']} {found['y']}")
    told.take("degrees", rf"{_NUMBER}[ -]?(?:degrees?|deg\b|°)", lambda found: found[1])
    told.take("percent", rf"{_NUMBER} ?(?:%|percent\b|per cent\b)", lambda found: found[1])
    told.take(
        "percent",
        r"\bhalf (?=of )?(?:its|the|their)? ?(?:present |current |original )?(?=size|opacity)",
        lambda found: "50",
    )
    told.take(
        "percent", r"\b(?:twice|double) (?:its|the|their) (?:present |current |original )?(?=size)", lambda found: "200"
    )
    told.take("pixels", rf"(?<![<\w#]){_NUMBER}{_PX}?(?![\w>])", lambda found: found[1])


_BETWEEN = r"(?:[ ,;]+(?:and|with|the|left|top|upper|edge|corner|lies|at|its|their|for|is|of|a|an|value))*?[ ,;]*"
_EDGE = r"(?: edge| side)?(?: of the page)?"
_WORDS = r"[^\d<>.;]{0,40}"
_ACROSS = r"(?:left|x|abscissa|column|horizontal\w*|across)"
_DOWN = r"(?:top|upper|y|ordinate|row|vertical\w*)"
_POINTS = (
    rf"[(\[](?:x{_IS})?(?P<x>-?\d+){_PX}? ?[,;|/] ?(?:y{_IS})?(?P<y>-?\d+){_PX}?[)\]]",
    rf"\b{_X}\b{_IS}(?P<x>-?\d+){_PX}?{_BETWEEN}\b{_Y}\b{_IS}(?P<y>-?\d+){_PX}?(?: for the top edge)?",
    rf"\b(?P<x>\d+){_PX}?{_FROM} left{_EDGE},? (?:and |with )?(?P<y>\d+){_PX}?{_FROM} (?:top|upper){_EDGE}",
    rf"\b(?P<y>\d+){_PX}?{_FROM} top{_EDGE},? (?:and |with )?(?P<x>\d+){_PX}?{_FROM} left{_EDGE}",
    rf"\bleft (?:edge|side|border)\b[^.;]{{0,40}}?\b(?:at|to) (?P<x>\d+){_PX}?,? and (?:its |the "
    rf")?(?:top|upper)(?: edge| side| border)?(?: is| lies)?"
    rf"(?: at| to)? (?P<y>\d+){_PX}?",
    rf"\b(?P<x>\d+){_PX}?{_WORDS}\b{_ACROSS}\b{_WORDS}?\b(?P<y>\d+){_PX}?{_WORDS}\b{_DOWN}\b{_EDGE}",
    rf"\b(?P<y>\d+){_PX}?{_WORDS}\b{_DOWN}\b{_WORDS}?\b(?P<x>\d+){_PX}?{_WORDS}\b{_ACROSS}\b{_EDGE}",
    rf"\b{_ACROSS}\b{_WORDS}(?:<target \d+>{_WORDS})?\b(?P<x>\d+){_PX}?{_WORDS}\b{_DOWN}\b{_WORDS}\b(?P<y>\d+){_PX}?",
    rf"\b{_DOWN}\b{_WORDS}(?:<target \d+>{_WORDS})?\b(?P<y>\d+){_PX}?{_WORDS}\b{_ACROSS}\b{_WORDS}\b(?P<x>\d+){_PX}?",
    rf"(?<!by )\b(?P<x>\d+){_PX}?(?: ?[,;/|] ?| and | by | x )(?P<y>\d+){_PX}?(?![\d%°]| ?(?:%|deg|per))",
    (
        rf"\b(?P<x>\d+){_PX}?{_WORDS}\b(?:right|in|over|"
        rf"inwards?)\b{_WORDS}\b(?P<y>\d+){_PX}?{_WORDS}\b(?:down|below|deep|downwards?)\b"
    ),
    rf"\b(?P<x>\d+){_PX}? (?:px )?(?:across|horizontally|over)(?: and|,)? (?P<y>\d+){_PX}? (?:down|vertically)\b",
    rf"\b(?P<x>\d+){_PX}? across(?: and|,)? (?P<y>\d+){_PX}? down\b",
    rf"(?<=\b(?:ates|tion|. to|. at) )(?P<x>-?\d+){_PX}? ?[,;/] ?(?P<y>-?\d+){_PX}?",
)
"""How a point is told: x and y in pixels of its page."""


def _ordinal(word: str) -> str | None:
    words = ORDINAL.split("|")
    found = re.match(r"\d+", word)
    return found[0] if found else str(words.index(word.lower()) + 1) if word.lower() in words[:10] else None
