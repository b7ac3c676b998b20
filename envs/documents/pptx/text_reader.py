"""Read text of slides as styled runs, with inherited styles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from ..painting.faces import typeface
from ..scene.elements import Colour, Run, Style
from .deck import Slide, SlideShape, placeholder, role_of
from .theme_colours import Shade, colour_in, fill_of
from .xml import (
    ALIGNS,
    ANCHORS,
    EMU_OF_POINT,
    LINE,
    WHOLE,
    Node,
    children,
    find,
    find_in,
    number,
    serialized,
    share,
    tag,
    truth,
)

_SIZE = 1800
"""The size of text without one, in hundredths of a point."""


class Look(NamedTuple):
    """The look of a piece of text; sizes in pixels."""

    bold: bool
    italic: bool
    underline: bool
    strike: bool
    colour: Colour
    size: int
    face: str
    opacity: float


@dataclass(frozen=True, eq=False)
class Sources:
    """The sources of the style of a shape's text.

    Attributes:
        slide: that it is on.
        own: the list style of the shape.
        others: the inherited list styles, the nearest first.
        ink: the colour that the style of the shape gives to text.
        scale: the factor by which text is shrunk to fit.
        known: looks by the properties of paragraph and run.
    """

    slide: Slide
    own: Node
    others: tuple[Node, ...]
    ink: Shade | None
    scale: float = 1
    known: dict[tuple[bytes, bytes], Look] = field(default_factory=dict)

    def paragraph(self, paragraph: Node) -> list[Node]:
        """The properties that apply to a paragraph, its own first."""
        own = find(paragraph, "a:pPr")
        inherited = find_in((self.own, *self.others), f"a:lvl{level_in(paragraph) + 1}pPr")
        return inherited if own is None else [own, *inherited]

    def looks(self, paragraph: Node) -> Callable[[Node], Look]:
        """What gives the look of text in a paragraph by its run properties, if any."""
        below = find_in(self.paragraph(paragraph), "a:defRPr")
        inherited = serialized(find(paragraph, "a:pPr"))

        def look(properties: Node) -> Look:
            key = inherited, serialized(properties)
            if key not in self.known:
                self.known[key] = self._look(below if properties is None else [properties, *below])
            return self.known[key]

        return look

    def _look(self, nodes: list[Node]) -> Look:
        colour, opacity = self._shade(nodes)
        return Look(
            bold=bool(truth(first_attribute(nodes, "b"))),
            italic=bool(truth(first_attribute(nodes, "i"))),
            underline=(first_attribute(nodes, "u") or "none") != "none",
            strike=(first_attribute(nodes, "strike") or "noStrike") != "noStrike",
            colour=colour,
            size=self.pixels(first_number(nodes, "sz", _SIZE)),
            face=self._face(nodes),
            opacity=opacity,
        )

    def pixels(self, size: int) -> int:
        """Hundredths of a point in pixels."""
        return max(6, min(round(size * self.scale * EMU_OF_POINT / self.slide.emu), 400))

    def points(self, pixels: int) -> int:
        """Pixels in hundredths of a point, in whole half points if that is exact enough."""
        exact = pixels * self.slide.emu / EMU_OF_POINT / self.scale
        coarse = round(exact / 50) * 50
        return coarse if self.pixels(coarse) == pixels else round(exact)

    def _shade(self, nodes: list[Node]) -> Shade:
        theme = self.slide.theme
        own = find(self.own, "a:lvl1pPr/a:defRPr")
        near = [node for node in nodes if node.tag == tag("a:rPr") or node is own]
        for shade in (*(fill_of(node, theme) for node in near), self.ink, *(fill_of(node, theme) for node in nodes)):
            if isinstance(shade, tuple):
                return shade
        return theme.colours.get("dk1", (0, 0, 0)), 1.0

    def _face(self, nodes: list[Node]) -> str:
        name = next((latin.get("typeface", "") for latin in find_in(nodes, "a:latin")), "+mn-lt")
        name = self.slide.theme.fonts.get(name[:3], "") if name.startswith("+") else name
        return name.strip()[:80] or Style().face


def sources_of(found: SlideShape, body: Node) -> Sources:
    """The sources of the style of the text in a body of a shape."""
    slide, ph = found.slide, placeholder(found.shape)
    kind = "otherStyle" if ph is None else {"title": "titleStyle", "body": "bodyStyle"}.get(role_of(ph), "otherStyle")
    deck, master = slide.defaults, find(slide.master, f"p:txStyles/p:{kind}")
    others = [*find_in(found.bases, "p:txBody/a:lstStyle"), *((deck, master) if ph is None else (master, deck))]
    reference = find(found.shape, "p:style/a:fontRef")
    ink = None if reference is None else colour_in(reference, slide.theme)
    scale = share(find(body, "a:bodyPr/a:normAutofit"), "fontScale")
    known = tuple(node for node in others if node is not None)
    return Sources(slide, find(body, "a:lstStyle"), known, ink, scale if scale > 0 else 1)


def is_bulleted(properties: list[Node]) -> bool:
    """Whether a paragraph with these properties has a bullet or a number."""
    for node in properties:
        for name, has_bullet in (("a:buNone", False), ("a:buChar", True), ("a:buAutoNum", True), ("a:buBlip", True)):
            if find(node, name) is not None:
                return has_bullet
    return False


def line_height(properties: list[Node], size: float, face: str) -> float:
    """The line height as a multiple of ``size``, the face's in hundredths of a point."""
    usual = typeface(face).line
    for node in properties:
        portion, exact = find(node, "a:lnSpc/a:spcPct"), find(node, "a:lnSpc/a:spcPts")
        if portion is not None:
            return min(max(round(usual * number(portion, "val", WHOLE) / WHOLE, 4), 0.8), 3.0)
        if exact is not None and size:
            return min(max(number(exact, "val", 1800) / size, 0.8), 3.0)
    return min(max(usual, 0.8), 3.0)


def spacing(properties: list[Node], size: float) -> float:
    """The room between paragraphs in hundredths of a point, for a face of a size."""
    room = 0.0
    for name in ("a:spcBef", "a:spcAft"):
        spaces = next(iter(find_in(properties, name)), None)
        portion, exact = find(spaces, "a:spcPct"), find(spaces, "a:spcPts")
        room += number(exact, "val") if portion is None else size * LINE * number(portion, "val") / WHOLE
    return room


def first_attribute(nodes: list[Node], name: str) -> str | None:
    """The first value of an attribute that one of several elements has."""
    found: str | None = next((value for node in nodes if (value := node.get(name)) is not None), None)
    return found


def first_number(nodes: list[Node], name: str, otherwise: int) -> int:
    """The whole number in the first attribute of a name."""
    return number({name: first_attribute(nodes, name)}, name, otherwise)


_MAX_RUN = 4000
_SEPARATORS = dict.fromkeys(map(ord, "\n\r\t\v\f\u00a0\u2028"), " ")
"""Characters within a paragraph that documents write as spaces."""
_IN_RUNS = ("bold", "italic", "underline", "strike", "colour", "size")


@dataclass(frozen=True, eq=False)
class Piece:
    """Text of one paragraph in one piece of XML.

    Attributes:
        text: as it is in a document: each character stands for one in the XML, line breaks and ends of paragraphs
            are line feeds.
        node: an ``a:r``, ``a:fld`` or ``a:br``; ``None``: the end of a paragraph.
        paragraph: the ``a:p`` that it is in.
    """

    text: str
    node: Node
    paragraph: Node


def pieces_of(body: Node) -> list[Piece]:
    """The pieces of a text body, with the end of each paragraph but the last one."""
    pieces: list[Piece] = []
    paragraphs = body.findall(tag("a:p"))
    for i, paragraph in enumerate(paragraphs):
        if i:
            pieces.append(Piece("\n", None, paragraphs[i - 1]))
        for node in children(paragraph):
            if node.tag == tag("a:br"):
                pieces.append(Piece("\n", node, paragraph))
            elif node.tag in (tag("a:r"), tag("a:fld")) and (text := raw_text(node)):
                pieces.append(Piece(text.translate(_SEPARATORS), node, paragraph))
    return pieces


def raw_text(node: Node) -> str:
    """The text in an ``a:r`` or an ``a:fld``."""
    text = find(node, "a:t")
    return "" if text is None or text.text is None else str(text.text)


def text_fields(body: Node, sources: Sources) -> dict[str, Any]:
    """The fields of an element from a text body: ``style``, ``runs`` and ``opacity``."""
    looked = list(_looked(body, sources))
    looks = Counter[Look]()
    for piece, look in looked:
        looks[look] += len(piece.text.strip())
    paragraphs = body.findall(tag("a:p"))
    end = find(paragraphs[0], "a:endParaRPr") if paragraphs else None
    plain = sources.looks(paragraphs[0] if paragraphs else None)(end)
    main = Look(*(_most_frequent(looks, k, plain[k]) for k in range(len(plain))))
    longest = max(paragraphs, key=_length, default=None)
    followed = sources.paragraph(longest)
    points = main.size * sources.slide.emu / EMU_OF_POINT
    style = {name: getattr(main, name) for name in (*_IN_RUNS, "face")}
    style |= {
        "align": _name_in(ALIGNS, first_attribute(followed, "algn")) or "left",
        "line_height": line_height(followed, points, main.face),
        "spacing": max(0, min(round(spacing(followed, points) * EMU_OF_POINT / sources.slide.emu), 400)),
    }
    return {"style": style, "runs": _runs(looked, main), "opacity": main.opacity}


def is_list(body: Node, sources: Sources) -> bool:
    """Whether most paragraphs of a text body have bullets; of one without text, whether they would have."""
    paragraphs = body.findall(tag("a:p"))
    written = [p for p in paragraphs if _length(p)] or paragraphs
    bulleted = sum(is_bulleted(sources.paragraph(paragraph)) for paragraph in written)
    return bulleted * 2 > len(written)


def levels_of(body: Node) -> tuple[int, ...]:
    """How deep each line of a text body is; empty: all are at 0."""
    levels: list[int] = []
    for paragraph in body.findall(tag("a:p")):
        levels += [level_in(paragraph)] * line_count(paragraph)
    return tuple(levels) if any(levels) else ()


def line_count(paragraph: Node) -> int:
    """The number of lines of a paragraph, which line breaks end."""
    return 1 + len(paragraph.findall(tag("a:br")))


def level_in(paragraph: Node) -> int:
    """How deep a paragraph is, from 0 to 8."""
    return min(max(number(find(paragraph, "a:pPr"), "lvl"), 0), 8)


def anchor_of(found: SlideShape) -> str:
    """The vertical alignment of the text of a shape."""
    return _name_in(ANCHORS, first_attribute(found.frames, "anchor")) or "top"


def _name_in(codes: Mapping[str, str], code: str | None) -> str | None:
    """Our name of a code in the XML."""
    return next((name for name, known in codes.items() if known == code), None)


def insets_of(found: SlideShape) -> list[int]:
    """The distances of text from the left, top, right and bottom edge of a shape, in EMU."""
    usual = {"lIns": 91_440, "tIns": 45_720, "rIns": 91_440, "bIns": 45_720}
    return [first_number(found.frames, name, inset) for name, inset in usual.items()]


def look_of(style: Style) -> Look:
    """The look of text in a style, except the opacity."""
    return Look(**{name: getattr(style, name) for name in (*_IN_RUNS, "face")}, opacity=1)


def looks_of(runs: tuple[Run, ...], style: Style) -> Iterator[tuple[str, Look]]:
    """Each letter of an element with its look, except the opacity."""
    for run in runs:
        look = look_of(style)._replace(**{name: own for name in _IN_RUNS if (own := getattr(run, name)) is not None})
        for letter in run.text:
            yield letter, look


def _looked(body: Node, sources: Sources) -> Iterator[tuple[Piece, Look]]:
    last: Look | None = None
    for paragraph, pieces in groupby(pieces_of(body), key=lambda piece: piece.paragraph):
        look = sources.looks(paragraph)
        for piece in pieces:
            # The end of a paragraph looks as what it ends: it makes no run of its own.
            if piece.node is not None or last is None:
                last = look(None if piece.node is None else find(piece.node, "a:rPr"))
            yield piece, last


def _length(paragraph: Node) -> int:
    """The number of letters in a paragraph."""
    return sum(len(raw_text(node)) for node in paragraph.iter(tag("a:r")))


def _most_frequent(looks: Counter[Look], place: int, otherwise: Any) -> Any:
    """The most frequent value of a field of the look, weighted by letters."""
    counted = Counter[Any]()
    for look, letters in looks.items():
        counted[look[place]] += letters
    return counted.most_common(1)[0][0] if counted.total() else otherwise


def _runs(looked: list[tuple[Piece, Look]], main: Look) -> list[dict[str, Any]]:
    """Runs that state only how they differ from most of the text."""
    runs: list[dict[str, Any]] = []
    for look, group in groupby(looked, key=lambda pair: pair[1][: len(_IN_RUNS)]):
        text = "".join(piece.text for piece, _ in group)
        own = {name: look[k] for k, name in enumerate(_IN_RUNS) if look[k] != main[k]}
        runs += [{"text": text[i : i + _MAX_RUN], **own} for i in range(0, len(text), _MAX_RUN)]
    return runs
