"""How text of a slide looks: what it says itself, and what it takes from its shape, its placeholder and its master."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..scene.elements import Colour, Face
from .deck import Found, Slide, placeholder, role_of
from .theme_colours import Shade, colour_in, fill_of
from .units import tag
from .xml import Node, find, number, truth

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
    """How a piece of text looks; sizes in pixels."""

    bold: bool
    italic: bool
    underline: bool
    colour: Colour
    size: int
    face: Face
    opacity: float


@dataclass(frozen=True, eq=False)
class Sources:
    """Where the style of the text of a shape comes from.

    Attributes:
        slide: that it is on.
        own: the list style of the shape.
        others: those it follows, the nearest first.
        ink: the colour that the style of the shape gives to text.
        emu: English metric units in a pixel.
        scale: by how much text is made smaller to fit.
    """

    slide: Slide
    own: Node
    others: tuple[Node, ...]
    ink: Shade | None
    emu: float
    scale: float = 1

    def paragraph(self, paragraph: Node) -> list[Node]:
        """The properties that a paragraph follows, its own first."""
        own = find(paragraph, "a:pPr")
        level = min(max(number(own, "lvl"), 0), 8) + 1
        found = [find(source, f"a:lvl{level}pPr") for source in (self.own, *self.others)]
        return [node for node in (own, *found) if node is not None]

    def look(self, paragraph: Node, properties: Node) -> Look:
        """How text looks in a paragraph that has run properties, or none."""
        below = [find(node, "a:defRPr") for node in self.paragraph(paragraph)]
        nodes = [node for node in (properties, *below) if node is not None]
        size = told(nodes, "sz")
        colour, opacity = self._shade(nodes)
        return Look(
            bold=bool(truth(told(nodes, "b"))),
            italic=bool(truth(told(nodes, "i"))),
            underline=(told(nodes, "u") or "none") != "none",
            colour=colour,
            size=self.pixels(number({} if size is None else {"sz": size}, "sz", _SIZE)),
            face=self._face(nodes),
            opacity=opacity,
        )

    def pixels(self, size: int) -> int:
        """Hundredths of a point in pixels."""
        return max(6, min(round(size * self.scale * _EMU_OF_SIZE / self.emu), 400))

    def points(self, pixels: int) -> int:
        """Pixels in hundredths of a point: a half or a whole one where there is one as near."""
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


def sources_of(found: Found, slide: Slide, body: Node, emu: float) -> Sources:
    """Where the style of the text in a body of a shape comes from."""
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
    """That of our faces which is most like one of a name."""
    told = name.lower()
    return next((face for face, words in _FACES if any(word in told for word in words)), "Arimo")


def is_bulleted(properties: list[Node]) -> bool:
    """Whether a paragraph that follows properties has a bullet or a number."""
    for node in properties:
        for name, has_bullet in (("a:buNone", False), ("a:buChar", True), ("a:buAutoNum", True), ("a:buBlip", True)):
            if find(node, name) is not None:
                return has_bullet
    return False


def line_height(properties: list[Node], size: float) -> float:
    """The height of lines in sizes of the face; ``size``: of the face in hundredths of a point."""
    for node in properties:
        share, exact = find(node, "a:lnSpc/a:spcPct"), find(node, "a:lnSpc/a:spcPts")
        if share is not None:
            return min(max(1.2 * number(share, "val", _WHOLE) / _WHOLE, 0.8), 3.0)
        if exact is not None and size:
            return min(max(number(exact, "val", 1800) / size, 0.8), 3.0)
    return 1.2


def told(nodes: list[Node], name: str) -> str | None:
    """The first value of an attribute that one of several elements has."""
    found: str | None = next((value for node in nodes if (value := node.get(name)) is not None), None)
    return found


def _first_shade(nodes: list[Node], theme: Any) -> Shade | None:
    for node in nodes:
        shade = fill_of(node, theme)
        if isinstance(shade, tuple):
            return shade
    return None
