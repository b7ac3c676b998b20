"""Extract quotations, mentions and values from a request without parsing it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..language.lexicon import LEXICON
from ..operations.values import COLOURS, FACES, SHAPE_WORDS, colour_of
from ..painting.pictures import icons
from ..scene.document import Document
from ..scene.elements import Colour

_KIND = rf"(?:{LEXICON.mention_kinds})s?"
_DETERMINER = rf"(?:{LEXICON.mention_determiners})"
_NOT_MODIFYING = r"(?!(?:of|to|with|and|on|in|at|by|for|is|so|from|that|be|should|into|as|or|it)\b)"
_MODIFIERS = rf"(?:{_NOT_MODIFYING}[\w#'-]+ ){{0,4}}"
_EDGE = r"(?:left|right|top|bottom)(?:-hand side| side| edge)?"
_CHOICE = rf"(?:{LEXICON.mention_choices})"
_TAIL = rf"(?:{LEXICON.mention_tails})"
_PAGE = r"(?:on|of|from|in|over on)(?: the)? page(?: number| numbered| no\.?)? \d+(?: (?:of|in) (?:the|this) document)?"
_PLURAL = re.compile(r"^(?:all|each|every|any|both|these|those)\b", re.I)
_NUMBER = re.compile(r"(?<![\w#])-?\d+(?:\.\d+)?")
_QUOTE = re.compile(r"\"([^\"]*)\"|“([^”]*)”")
_MARK = re.compile(r"\{([qnm])(\d+)\}")
_HEX = re.compile(r"#[0-9a-f]{6}\b")


@dataclass(frozen=True, slots=True)
class RequestFeatures:
    """The parts of a request.

    Attributes:
        skeleton: its text in lower case, with marks for quotations, names and mentions: ``{q0}``, ``{n0}``, ``{m1}``.
        quotes: the quotations.
        quote_in_document: for each quotation, whether it occurs in the document.
        mentions: the expressions for elements, in order, as they are written.
        named: for each mention, the name of an element if it is one, else "".
        numbers, colours, shapes, pictures, faces: values outside quotations and mentions.
    """

    skeleton: str
    quotes: tuple[str, ...]
    quote_in_document: tuple[bool, ...]
    mentions: tuple[str, ...]
    named: tuple[str, ...]
    numbers: tuple[float, ...]
    colours: tuple[Colour, ...]
    shapes: tuple[str, ...]
    pictures: tuple[str, ...]
    faces: tuple[str, ...]

    def has(self, words: str) -> bool:
        """Whether one of some words, given as a regular expression, is in the skeleton."""
        return re.search(rf"(?<![\w-])(?:{words})(?!\w)", self.skeleton) is not None

    def has_number(self, number: float, within: float = 0.51) -> bool:
        """Whether the request has a number with this absolute value."""
        return any(abs(abs(number) - abs(one)) <= within for one in self.numbers)

    @property
    def is_plural(self) -> tuple[bool, ...]:
        """For each mention, whether it means several elements."""
        return tuple(_PLURAL.match(mention) is not None for mention in self.mentions)


class _Marking:
    """Text in which pieces are replaced by marks, one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: dict[str, list[str]] = {"q": [], "n": [], "m": []}

    def replace(self, kind: str, pattern: re.Pattern[str], accept: Callable[[str], bool] = lambda piece: True) -> None:
        """Replace all matches of a pattern by marks of a kind."""

        def mark(found: re.Match[str]) -> str:
            if not accept(found[0]):
                return found[0]
            self.pieces[kind].append(self.expanded(found[0]))
            return f"{{{kind}{len(self.pieces[kind]) - 1}}}"

        self.text = pattern.sub(mark, self.text)

    def expanded(self, text: str) -> str:
        """Text with the pieces in the place of their marks."""
        while found := _MARK.search(text):
            text = text[: found.start()] + self.pieces[found[1]][int(found[2])] + text[found.end() :]
        return text


def read_request(text: str, document: Document) -> RequestFeatures:
    """The parts of a request.

    Args:
        text: the request.
        document: before the edit; its names and texts distinguish mentions from new values.
    """
    marking = _Marking(" ".join(text.split()))
    marking.replace("q", _QUOTE)
    quotes = tuple(piece[1:-1] for piece in marking.pieces["q"])
    texts = {" ".join(element.text.split()).lower() for element in document.elements() if element.text}
    quote_in_document = tuple(any(" ".join(quote.split()).lower() in text for text in texts) for quote in quotes)
    names = [element.name for element in document.elements() if len(element.name) > 2]
    for name in sorted(names, key=lambda name: (-len(name), name)):
        marking.replace("n", re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.I))
    _mark_mentions(marking, quote_in_document)
    skeleton = marking.text.lower()
    mentions = [marking.pieces[kind][int(number)] for kind, number in _MARK.findall(skeleton) if kind in "nm"]
    bare = _MARK.sub(" ", skeleton)
    colours = sorted(name for name in COLOURS if re.search(rf"(?<!\w){name}(?!\w)", _without_longer(bare, name)))
    return RequestFeatures(
        skeleton=skeleton,
        quotes=quotes,
        quote_in_document=quote_in_document,
        mentions=tuple(mentions),
        named=tuple(_name_in(mention, names) for mention in mentions),
        numbers=tuple(float(number) for number in _NUMBER.findall(_HEX.sub(" ", bare))),
        colours=(*(COLOURS[name] for name in colours), *(colour_of(code) for code in _HEX.findall(bare))),
        shapes=_named(bare, {word: shape for word, shape in SHAPE_WORDS.items() if word != "box"}),
        pictures=_named(bare, {name: f"icon/{name}" for name in icons()}),
        faces=_named(bare, {face.lower(): face for face in FACES}),
    )


def _mark_mentions(marking: _Marking, quote_in_document: tuple[bool, ...]) -> None:
    known_quote = "|".join(rf"\{{q{i}\}}" for i, is_known in enumerate(quote_in_document) if is_known) or r"(?!)"
    far = rf"(?:furthest|farthest)(?: to the| to)? (?:{_EDGE}|up|down)"
    end = rf"(?:from (?:the )?{_EDGE}|{far}|{known_quote}|\{{n\d+\}}|{_PAGE})"
    tail = rf"(?:(?: {_TAIL}){{0,12}} {end})"
    kinds = rf"{_KIND}(?! (?:colou?r|siz|align|of the text|face|weight|edge|cent))"
    start = rf"(?:(?:counting|counted|going|starting|reading|seen) (?:in )?from (?:the )?{_EDGE},? )?"
    marking.replace("m", re.compile(rf"\b{start}{_DETERMINER} {_MODIFIERS}{kinds}\b{tail}{{0,3}}", re.I), _is_specific)
    marking.replace("m", re.compile(rf"\b{_DETERMINER} {_MODIFIERS}\{{n\d+\}}(?: {_PAGE})?", re.I))
    marking.replace("m", re.compile(rf"\b{_CHOICE}[ -]{kinds}\b{tail}{{0,3}}", re.I))
    marking.replace("m", re.compile(known_quote))


_VAGUE = re.compile(rf"^(?:the|this|that) (?:{_KIND})$", re.I)


def _is_specific(piece: str) -> bool:
    """Whether an expression says more than a kind of element.

    ``the text`` may be a part of something; ``the red line`` may not.
    """
    return _VAGUE.match(piece) is None


def _name_in(mention: str, names: list[str]) -> str:
    """The longest name in a mention, or "".

    Mentions with a quotation or a relation to another element have none.
    """
    if '"' in mention or re.search(rf"\b{_KIND}\b.*\b(?:below|above|under|over|left of|right of)\b", mention, re.I):
        return ""
    found = (name for name in names if re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", mention.lower()))
    return max(found, key=len, default="")


def _without_longer(text: str, name: str) -> str:
    """Text without the colours whose names end with ``name``, as ``dark red`` does."""
    for other in COLOURS:
        if other != name and other.endswith(name):
            text = text.replace(other, " ")
    return text


def _named(text: str, names: dict[str, str]) -> tuple[str, ...]:
    found = {
        value
        for name, value in names.items()
        if re.search(rf"(?<![\w-]){re.escape(name)}(?:s|es|-shaped)?(?!\w)", text)
    }
    return tuple(sorted(found))
