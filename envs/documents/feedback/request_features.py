"""Reading: what the words of a request tell, taken apart without understanding them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..operations.values import COLOURS, FACES, SHAPE_WORDS, colour_of
from ..painting.pictures import icons
from ..scene.document import Document
from ..scene.elements import Colour

_KIND = (
    r"(?:text(?: box(?:es)?| element)?|label|list|table|line|rule|icon|picture|image|photo|circle|oval|ellipse|"
    r"rectangle|box(?:es)?|triangle|diamond|star|arrow|hexagon|chevron|shape|element|one)s?"
)
_DETERMINER = (
    r"(?:(?:all|each|every|any|both|every one|each one)(?: of)?(?: the| these| those)?|the|this|that|these|those)"
)
_NOT_MODIFYING = r"(?!(?:of|to|with|and|on|in|at|by|for|is|so|from|that|be|should|into|as|or|it)\b)"
_MODIFIERS = rf"(?:{_NOT_MODIFYING}[\w#'-]+ ){{0,4}}"
_EDGE = r"(?:left|right|top|bottom)(?:-hand side| side| edge)?"
_CHOSEN = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)|largest|biggest|smallest|"
    r"topmost|uppermost|highest|bottommost|lowest|leftmost|rightmost)"
)
_TAIL_WORDS = (
    r"(?:to the (?:left|right)(?: side)? of|on the (?:left|right)(?: side)? of|that|which|whose|where|is|are|in|the|"
    r"with(?= \{q| the (?:words?|text|wording) \{q)|wording|words?|word|text|position|place|spot|"
    r"slot|row|line|counted|counting|going|starting|beginning|begins?|"
    r"starts?|opens?|opening|out|off|from|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|sits?|sitting|"
    r"placed|found|located|standing|stands?|lying|lies|shown|directly|right|just|immediately|nearest|closest|saying|"
    r"says?|reads?|reading|contain(?:s|ing)?|includ(?:es?|ing)|featuring|having|has|have|among|its|their|at|by|it|"
    r"positioned|situated|straight|hanging|resting|labelled|marked|called|named|known|as|existing|current|this|you|"
    r"see|we|there|somewhere|anywhere|below|above|under|"
    r"underneath|beneath|over|left of|right of|number|element|document)"
)
_PAGE = r"(?:on|of|from|in|over on)(?: the)? page(?: number| numbered| no\.?)? \d+(?: (?:of|in) (?:the|this) document)?"
_PLURAL = re.compile(r"^(?:all|each|every|any|both|these|those)\b", re.I)
_NUMBER = re.compile(r"(?<![\w#])-?\d+(?:\.\d+)?")
_QUOTE = re.compile(r"\"([^\"]*)\"|“([^”]*)”")
_MARK = re.compile(r"\{([qnm])(\d+)\}")
_HEX = re.compile(r"#[0-9a-f]{6}\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a request tells.

    Attributes:
        skeleton: its words in lower case; what is quoted and what means elements is left out: ``{q0}``, ``{m1}``.
        quotes: what it quotes.
        is_said: for each quotation, whether the document says that.
        mentions: the expressions that mean elements, in order, as they are written.
        named: for each mention, the name of an element if it is one.
        numbers: those outside quotations and mentions.
        colours: the colours told outside of them.
        shapes, pictures, faces: what is named of these outside of them.
    """

    skeleton: str
    quotes: tuple[str, ...]
    is_said: tuple[bool, ...]
    mentions: tuple[str, ...]
    named: tuple[str, ...]
    numbers: tuple[float, ...]
    colours: tuple[Colour, ...]
    shapes: tuple[str, ...]
    pictures: tuple[str, ...]
    faces: tuple[str, ...]

    def has(self, words: str) -> bool:
        """Whether the skeleton holds one of some words, told as a regular expression."""
        return re.search(rf"(?<![\w-])(?:{words})(?!\w)", self.skeleton) is not None

    def tells(self, number: float, within: float = 0.51) -> bool:
        """Whether a number is told."""
        return any(abs(abs(number) - abs(told)) <= within for told in self.numbers)

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
        """Put marks of a kind for what a pattern finds."""

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


def read_request(text: str, document: Document) -> Reading:
    """Take a request apart.

    Args:
        text: the request.
        document: before it is edited; its names and texts tell mentions from what is new.
    """
    marking = _Marking(" ".join(text.split()))
    marking.replace("q", _QUOTE)
    quotes = tuple(piece[1:-1] for piece in marking.pieces["q"])
    said = {" ".join(element.text.split()).lower() for element in document.elements() if element.text}
    is_said = tuple(any(" ".join(q.split()).lower() in one for one in said) for q in quotes)
    names = [element.name for element in document.elements() if len(element.name) > 2]
    for name in sorted(names, key=lambda name: (-len(name), name)):
        marking.replace("n", re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.I))
    _mark_mentions(marking, is_said)
    skeleton = marking.text.lower()
    mentions = [marking.pieces[kind][int(number)] for kind, number in _MARK.findall(skeleton) if kind in "nm"]
    bare = _MARK.sub(" ", skeleton)
    told = sorted(name for name in COLOURS if re.search(rf"(?<!\w){name}(?!\w)", _without_longer(bare, name)))
    return Reading(
        skeleton=skeleton,
        quotes=quotes,
        is_said=is_said,
        mentions=tuple(mentions),
        named=tuple(_name_in(mention, names) for mention in mentions),
        numbers=tuple(float(number) for number in _NUMBER.findall(_HEX.sub(" ", bare))),
        colours=(*(COLOURS[name] for name in told), *(colour_of(code) for code in _HEX.findall(bare))),
        shapes=_named(bare, {word: shape for word, shape in SHAPE_WORDS.items() if word != "box"}),
        pictures=_named(bare, {name: f"icon/{name}" for name in icons()}),
        faces=_named(bare, {face.lower(): face for face in FACES}),
    )


def _mark_mentions(marking: _Marking, is_said: tuple[bool, ...]) -> None:
    said = "|".join(rf"\{{q{i}\}}" for i, there in enumerate(is_said) if there) or r"(?!)"
    far = rf"(?:furthest|farthest)(?: to the| to)? (?:{_EDGE}|up|down)"
    end = rf"(?:from (?:the )?{_EDGE}|{far}|{said}|\{{n\d+\}}|{_PAGE})"
    tail = rf"(?:(?: {_TAIL_WORDS}){{0,12}} {end})"
    kinds = rf"{_KIND}(?! (?:colou?r|siz|align|of the text|face|weight|edge|cent))"
    start = rf"(?:(?:counting|counted|going|starting|reading|seen) (?:in )?from (?:the )?{_EDGE},? )?"
    marking.replace("m", re.compile(rf"\b{start}{_DETERMINER} {_MODIFIERS}{kinds}\b{tail}{{0,3}}", re.I), _is_telling)
    marking.replace("m", re.compile(rf"\b{_DETERMINER} {_MODIFIERS}\{{n\d+\}}(?: {_PAGE})?", re.I))
    marking.replace("m", re.compile(rf"\b{_CHOSEN}[ -]{kinds}\b{tail}{{0,3}}", re.I))
    marking.replace("m", re.compile(said))


_VAGUE = re.compile(rf"^(?:the|this|that) (?:{_KIND})$", re.I)


def _is_telling(piece: str) -> bool:
    """Whether an expression says more than a kind: ``the text`` may be a part of something, ``the red line`` is not."""
    return _VAGUE.match(piece) is None


def _name_in(mention: str, names: list[str]) -> str:
    """The name with which a mention ends, if it holds no quotation and speaks of nothing else."""
    if '"' in mention or re.search(rf"\b{_KIND}\b.*\b(?:below|above|under|over|left of|right of)\b", mention, re.I):
        return ""
    said = mention.lower()
    return max(
        (name for name in names if re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", said)), key=len, default=""
    )


def _without_longer(text: str, name: str) -> str:
    """Text without the colours whose names end with another one's: ``dark red`` holds no ``red``."""
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
