"""Read text of slides as styled runs, with inherited styles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from ..scene.elements import Colour, Face, Run, Style
from .deck import Slide, SlideShape, placeholder, role_of
from .theme_colours import Shade, colour_in, fill_of
from .xml import ALIGNS_BY_CODE, ANCHORS_BY_CODE, Node, children, find, number, tag, truth

_SIZE = 1800
_EMU_OF_SIZE = 127
"""English metric units in a hundredth of a point."""
_WHOLE = 100_000
_FACES: tuple[tuple[Face, tuple[str, ...]], ...] = (
    ("Source Code Pro", ("mono", "code", "courier", "consol", "menlo", "typewriter")),
    ("Caveat", ("comic", "hand", "marker", "kalam", "segoe print", "chalk", "bradley")),
    ("Dancing Script", ("script", "brush", "zapfino", "vladimir", "lucida calligraphy", "pacifico", "lobster")),
    ("Arimo", ("sans", "gothic")),
    ("Noto Serif", (
        "serif", "times", "georgia", "garamond", "cambria", "palatino", "book", "baskerville", "roman", "minion",
        "didot", "bodoni", "century", "merriweather", "playfair", "constantia", "rockwell", "lora", "song", "ming",
    )),
    ("Inter", ("inter", "segoe ui", "roboto", "san francisco")),
)  # fmt: skip
"""Our faces by what the names of those like them hold; the first that fits."""


class Look(NamedTuple):
    """The look of a piece of text; sizes in pixels."""

    bold: bool
    italic: bool
    underline: bool
    colour: Colour
    size: int
    face: Face
    opacity: float


@dataclass(frozen=True, eq=False)
class Sources:
    """The sources of the style of a shape's text.

    Attributes:
        slide: that it is on.
        own: the list style of the shape.
        others: the inherited list styles, the nearest first.
        ink: the colour that the style of the shape gives to text.
        emu: English metric units in a pixel.
        scale: the factor by which text is shrunk to fit.
    """

    slide: Slide
    own: Node
    others: tuple[Node, ...]
    ink: Shade | None
    emu: float
    scale: float = 1

    def paragraph(self, paragraph: Node) -> list[Node]:
        """The properties that apply to a paragraph, its own first."""
        own = find(paragraph, "a:pPr")
        level = min(max(number(own, "lvl"), 0), 8) + 1
        found = [find(source, f"a:lvl{level}pPr") for source in (self.own, *self.others)]
        return [node for node in (own, *found) if node is not None]

    def look(self, paragraph: Node, properties: Node) -> Look:
        """The look of text in a paragraph with run properties, if any."""
        below = [find(node, "a:defRPr") for node in self.paragraph(paragraph)]
        nodes = [node for node in (properties, *below) if node is not None]
        size = first_attribute(nodes, "sz")
        colour, opacity = self._shade(nodes)
        return Look(
            bold=bool(truth(first_attribute(nodes, "b"))),
            italic=bool(truth(first_attribute(nodes, "i"))),
            underline=(first_attribute(nodes, "u") or "none") != "none",
            colour=colour,
            size=self.pixels(number({} if size is None else {"sz": size}, "sz", _SIZE)),
            face=self._face(nodes),
            opacity=opacity,
        )

    def pixels(self, size: int) -> int:
        """Hundredths of a point in pixels."""
        return max(6, min(round(size * self.scale * _EMU_OF_SIZE / self.emu), 400))

    def points(self, pixels: int) -> int:
        """Pixels in hundredths of a point, in whole half points if that is exact enough."""
        exact = pixels * self.emu / _EMU_OF_SIZE / self.scale
        coarse = round(exact / 50) * 50
        return coarse if self.pixels(coarse) == pixels else round(exact)

    def _shade(self, nodes: list[Node]) -> Shade:
        theme = self.slide.theme
        own = find(self.own, "a:lvl1pPr/a:defRPr")
        near = [node for node in nodes if node.tag == tag("a:rPr") or node is own]
        for shade in (_first_shade(near, theme), self.ink, _first_shade(nodes, theme)):
            if shade is not None:
                return shade
        return theme.colours.get("dk1", (0, 0, 0)), 1.0

    def _face(self, nodes: list[Node]) -> Face:
        found = (find(node, "a:latin") for node in nodes)
        name = next((latin.get("typeface", "") for latin in found if latin is not None), "+mn-lt")
        name = self.slide.theme.fonts.get(name[:3], "") if name.startswith("+") else name
        return face_like(name)


def sources_of(found: SlideShape, slide: Slide, body: Node, emu: float) -> Sources:
    """The sources of the style of the text in a body of a shape."""
    others = [find(base, "p:txBody/a:lstStyle") for base in found.bases]
    ph = placeholder(found.shape)
    kind = "otherStyle" if ph is None else {"title": "titleStyle", "body": "bodyStyle"}.get(role_of(ph), "otherStyle")
    deck, master = slide.defaults, find(slide.master, f"p:txStyles/p:{kind}")
    others += [deck, master] if ph is None else [master, deck]
    reference = find(found.shape, "p:style/a:fontRef")
    ink = None if reference is None else colour_in(reference, slide.theme)
    fitted = find(body, "a:bodyPr/a:normAutofit")
    scale = number(fitted, "fontScale", _WHOLE) / _WHOLE
    known = tuple(node for node in others if node is not None)
    return Sources(slide, find(body, "a:lstStyle"), known, ink, emu, scale if scale > 0 else 1)


def face_like(name: str) -> Face:
    """The most similar of our faces."""
    lowered = name.lower()
    return next((face for face, words in _FACES if any(word in lowered for word in words)), "Arimo")


def is_bulleted(properties: list[Node]) -> bool:
    """Whether a paragraph with these properties has a bullet or a number."""
    for node in properties:
        for name, has_bullet in (("a:buNone", False), ("a:buChar", True), ("a:buAutoNum", True), ("a:buBlip", True)):
            if find(node, name) is not None:
                return has_bullet
    return False


def line_height(properties: list[Node], size: float) -> float:
    """The line height as a multiple of ``size``, the face's in hundredths of a point."""
    for node in properties:
        share, exact = find(node, "a:lnSpc/a:spcPct"), find(node, "a:lnSpc/a:spcPts")
        if share is not None:
            return min(max(1.2 * number(share, "val", _WHOLE) / _WHOLE, 0.8), 3.0)
        if exact is not None and size:
            return min(max(number(exact, "val", 1800) / size, 0.8), 3.0)
    return 1.2


def first_attribute(nodes: list[Node], name: str) -> str | None:
    """The first value of an attribute that one of several elements has."""
    found: str | None = next((value for node in nodes if (value := node.get(name)) is not None), None)
    return found


def _first_shade(nodes: list[Node], theme: Any) -> Shade | None:
    for node in nodes:
        shade = fill_of(node, theme)
        if isinstance(shade, tuple):
            return shade
    return None


_MAX_RUN = 4000
_IN_RUNS = ("bold", "italic", "underline", "colour", "size")


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
                pieces.append(Piece("".join(map(_plain_letter, text)), node, paragraph))
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
    plain = sources.look(paragraphs[0] if paragraphs else None, end)
    main = Look(*(_most_frequent(looks, k, plain[k]) for k in range(len(plain))))
    first = next((p for p in paragraphs if _is_written(p)), paragraphs[0] if paragraphs else None)
    followed = sources.paragraph(first)
    style = {name: getattr(main, name) for name in (*_IN_RUNS, "face")}
    style |= {
        "align": ALIGNS_BY_CODE.get(first_attribute(followed, "algn") or "l", "left"),
        "line_height": line_height(followed, main.size * sources.emu / 127),
    }
    return {"style": style, "runs": _runs(looked, main), "opacity": main.opacity}


def is_list(body: Node, sources: Sources) -> bool:
    """Whether most paragraphs of a text body have bullets."""
    written = [p for p in body.findall(tag("a:p")) if _is_written(p)]
    bulleted = sum(is_bulleted(sources.paragraph(paragraph)) for paragraph in written)
    return bulleted * 2 > len(written)


def anchor_of(bodies: list[Node]) -> str:
    """The vertical alignment of text, by the bodies of a shape and its placeholders."""
    codes = (properties.get("anchor") for body in bodies if (properties := find(body, "a:bodyPr")) is not None)
    return ANCHORS_BY_CODE.get(next((code for code in codes if code is not None), "t"), "top")


def insets_of(bodies: list[Node]) -> tuple[int, int, int, int]:
    """The distances of text from the left, top, right and bottom edge, in EMU."""
    nodes = [properties for body in bodies if (properties := find(body, "a:bodyPr")) is not None]
    sides = (("lIns", 91_440), ("tIns", 45_720), ("rIns", 91_440), ("bIns", 45_720))
    left, top, right, bottom = (
        number(next((node for node in nodes if node.get(name) is not None), None), name, usual) for name, usual in sides
    )
    return left, top, right, bottom


def looks_of(runs: tuple[Run, ...], style: Style) -> Iterator[tuple[str, Look]]:
    """Each letter of an element with its look, except the opacity."""
    for run in runs:
        look_of_run = {
            name: getattr(run, name) if getattr(run, name) is not None else getattr(style, name) for name in _IN_RUNS
        }
        look = Look(**look_of_run, face=style.face, opacity=1)
        for letter in run.text:
            yield letter, look


def _plain_letter(letter: str) -> str:
    """A character as it is in a document: a line separator becomes a space."""
    return " " if letter in "\n\r\t\v\f\u00a0\u2028" else letter


def _looked(body: Node, sources: Sources) -> Iterator[tuple[Piece, Look]]:
    last: Look | None = None
    for piece in pieces_of(body):
        if piece.node is None and last is not None:
            # The end of a paragraph looks as what it ends: it makes no run of its own.
            yield piece, last
            continue
        last = sources.look(piece.paragraph, None if piece.node is None else find(piece.node, "a:rPr"))
        yield piece, last


def _is_written(paragraph: Node) -> bool:
    return any(map(raw_text, paragraph.iter(tag("a:r"))))


def _most_frequent(looks: Counter[Look], place: int, otherwise: Any) -> Any:
    """The most frequent value of a field of the look, weighted by letters."""
    counted = Counter[Any]()
    for look, letters in looks.items():
        counted[look[place]] += letters
    return max(counted, key=lambda value: counted[value]) if any(counted.values()) else otherwise


def _runs(looked: list[tuple[Piece, Look]], main: Look) -> list[dict[str, Any]]:
    """Runs that state only how they differ from most of the text."""
    runs: list[dict[str, Any]] = []
    for look, group in groupby(looked, key=lambda pair: pair[1][:5]):
        text = "".join(piece.text for piece, _ in group)
        own = {name: look[k] for k, name in enumerate(_IN_RUNS) if look[k] != main[k]}
        runs += [{"text": text[i : i + _MAX_RUN], **own} for i in range(0, len(text), _MAX_RUN)]
    return runs
