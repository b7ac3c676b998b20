"""Find, make and write elements in the XML of PowerPoint files.

See ECMA-376-1, 20 and 21.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from ..painting.faces import typeface
from ..scene.elements import Colour, Element, Style

WHOLE = 100_000
"""What shares are written in parts of."""
EMU_OF_POINT = 127
"""English metric units in a hundredth of a point."""
LINE = 1.2
"""A line of 100 % is as high as so many sizes of its face."""
SHAPES = {
    "rectangle": "rect",
    "ellipse": "ellipse",
    "triangle": "triangle",
    "diamond": "diamond",
    "star": "star5",
    "arrow": "rightArrow",
    "hexagon": "hexagon",
    "chevron": "chevron",
}
"""Preset geometries by our shapes; a rectangle with round corners is ``roundRect``."""
ALIGNS = {"left": "l", "center": "ctr", "right": "r"}
ANCHORS = {"top": "t", "middle": "ctr", "bottom": "b"}


@lru_cache(maxsize=1024)
def tag(name: str) -> Any:
    """The qualified name of an element of the drawing language, such as ``a:pPr``."""
    from pptx.oxml.ns import qn

    return qn(name)


Node: TypeAlias = Any
"""An element of lxml; those that python-pptx makes have no types."""

ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
FILLS = ("a:noFill", "a:solidFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill")
_RUN = ("a:ln", *FILLS, "a:effectLst", "a:effectDag", "a:highlight", "a:uLnTx", "a:uLn", "a:uFillTx", "a:uFill",
        "a:latin", "a:ea", "a:cs", "a:sym", "a:hlinkClick")  # fmt: skip
_ORDERS: dict[str, tuple[str, ...]] = {
    "a:rPr": _RUN,
    "a:endParaRPr": _RUN,
    "a:defRPr": _RUN,
    "a:pPr": ("a:lnSpc", "a:spcBef"),
    "p:spPr": ("a:xfrm", "a:custGeom", "a:prstGeom", *FILLS, "a:ln", "a:effectLst"),
    "a:ln": (*FILLS, "a:prstDash"),
    "a:tcPr": ("a:lnL", "a:lnR", "a:lnT", "a:lnB", "a:lnTlToBr", "a:lnBlToTr", "a:cell3D", *FILLS),
} | dict.fromkeys(("a:lnL", "a:lnR", "a:lnT", "a:lnB"), (*FILLS, "a:prstDash"))
"""The first children of an element, in order; all others come after them."""


def find(node: Node, path: str) -> Node:
    """The first element along a path such as ``"p:spPr/a:xfrm"``, or ``None``."""
    return None if node is None else node.find(_qualified(path))


def find_in(nodes: Iterable[Node], path: str) -> list[Node]:
    """What ``find`` finds in each of some elements that has it."""
    return [found for node in nodes if (found := find(node, path)) is not None]


@lru_cache(maxsize=1024)
def _qualified(path: str) -> str:
    """A path of qualified names."""
    return "/".join(tag(step) for step in path.split("/"))


def made(name: str, /, *inside: Node, **attributes: str) -> Node:
    """A new element with the elements that are inside it."""
    from pptx.oxml.xmlchemy import OxmlElement

    node = OxmlElement(name)
    for key, value in attributes.items():
        node.set(key, value)
    node.extend(inside)
    return node


def empty_body(name: str) -> Node:
    """A text body with the given tag and one empty paragraph."""
    return made(name, made("a:bodyPr"), made("a:lstStyle"), made("a:p"))


def put(parent: Node, child: Node) -> Node:
    """Put a child where the schema wants it, replacing others of its tag; return it."""
    for old in parent.findall(child.tag):
        parent.remove(old)
    order = _order(parent.tag)
    before = set(order[: order.index(child.tag)])
    at = max((i + 1 for i, one in enumerate(parent) if one.tag in before), default=0)
    parent.insert(at, child)
    return child


@lru_cache(maxsize=64)
def _order(parent: str) -> list[str]:
    return next([tag(name) for name in order] for kind, order in _ORDERS.items() if tag(kind) == parent)


def ensured(parent: Node, name: str, at: int = 0) -> Node:
    """The first child of a tag, which is inserted at an index if there is none."""
    if (child := find(parent, name)) is None:
        child = made(name)
        parent.insert(at, child)
    return child


def drop(parent: Node, *names: str) -> None:
    """Remove the children of some tags from a parent."""
    for name in names:
        for child in parent.findall(tag(name)):
            parent.remove(child)


def children(node: Node) -> Iterator[Node]:
    """The elements in an element, without comments."""
    return (child for child in node if isinstance(child.tag, str))


def serialized(node: Node) -> bytes:
    """The bytes of an element alone; none of ``None``."""
    if node is None:
        return b""
    from lxml import etree

    return bytes(etree.tostring(node, with_tail=False))


def part_content(root: Node) -> bytes:
    """The content of a part of a package, by its root."""
    from lxml import etree

    return bytes(etree.tostring(root, encoding="UTF-8", standalone=True))


def kind_of(node: Node) -> str:
    """The tag of a node without its namespace."""
    return str(node.tag).rpartition("}")[2]


def number(node: Node, name: str, otherwise: int = 0) -> int:
    """A whole number in an attribute; percents like ``"40%"`` in thousandths of one."""
    text = None if node is None else node.get(name)
    if text is None:
        return otherwise
    try:
        return round(float(text[:-1]) * 1000) if text.endswith("%") else round(float(text))
    except (ValueError, OverflowError):
        return otherwise


def share(node: Node, name: str, otherwise: float = 1.0) -> float:
    """A share in an attribute, which counts in hundred-thousandths."""
    return number(node, name, round(otherwise * WHOLE)) / WHOLE


def truth(text: str | None) -> bool | None:
    """A boolean of XML; ``None`` if there is none."""
    return None if text is None else text in ("1", "true", "on")


def set_fill(properties: Node, colour: Colour | None, opacity: float = 1) -> None:
    """Give properties a fill of one colour, or none."""
    drop(properties, *FILLS)
    put(properties, made("a:noFill") if colour is None else solid(colour, opacity))


def solid(colour: Colour, opacity: float = 1) -> Node:
    """A fill of one colour."""
    alpha = [made("a:alpha", val=str(round(opacity * WHOLE)))] if opacity < 1 else []
    return made("a:solidFill", made("a:srgbClr", *alpha, val="{:02X}{:02X}{:02X}".format(*colour)))


def set_outline(properties: Node, colour: Colour | None, opacity: float, width: int | None = None) -> None:
    """Give properties an outline of one colour, or none; without a width it keeps its own."""
    line = find(properties, "a:ln")
    line = put(properties, made("a:ln")) if line is None else line
    if width is not None and colour is not None:
        line.set("w", str(width))
    set_fill(line, colour, opacity)


def set_geometry(properties: Node, element: Element) -> None:
    """Give the properties of a shape the geometry of an element."""
    drop(properties, "a:custGeom", "a:prstGeom")
    radius = element.style.radius if element.shape == "rectangle" else 0
    guides = []
    if radius:
        portion = round(min(0.5, radius / min(element.bbox[2:])) * WHOLE)
        guides.append(made("a:gd", name="adj", fmla=f"val {portion}"))
    name = "roundRect" if radius else SHAPES[element.shape or "rectangle"]
    put(properties, made("a:prstGeom", made("a:avLst", *guides), prst=name))


def set_rules(cell: Node, element: Element, emu: float, opacity: float = 1) -> None:
    """Give a cell the rules of a table; ``emu``: English metric units in a pixel."""
    style = element.style
    for side in ("a:lnL", "a:lnR", "a:lnT", "a:lnB"):
        edge = made(side, w=str(round(max(style.stroke_width, 1) * emu)))
        set_fill(edge, style.stroke if style.stroke_width else None, opacity)
        put(ensured(cell, "a:tcPr", 1), edge)


def set_look(properties: Node, look: Mapping[str, Any], points: Callable[[int], int]) -> None:
    """Write the style of text into run properties.

    Args:
        properties: an ``a:rPr``, or one of its kind.
        look: the new values, by the names of ``text_reader.Look``; a missing one, or ``None``, changes nothing.
        points: converts a size in pixels to hundredths of a point.
    """
    written = {
        "b": None if look.get("bold") is None else str(int(look["bold"])),
        "i": None if look.get("italic") is None else str(int(look["italic"])),
        "u": None if look.get("underline") is None else "sng" if look["underline"] else "none",
        "strike": None if look.get("strike") is None else "sngStrike" if look["strike"] else "noStrike",
        "sz": None if look.get("size") is None else str(points(look["size"])),
    }
    for key, value in written.items():
        if value is not None:
            properties.set(key, value)
    if look.get("colour") is not None:
        set_fill(properties, look["colour"], look.get("opacity", 1))
    if look.get("face") is not None:
        put(properties, made("a:latin", typeface=look["face"]))


def spacing_of(style: Style) -> Node:
    """The spacing of lines in a style."""
    return made("a:lnSpc", made("a:spcPct", val=str(round(style.line_height / typeface(style.face).line * WHOLE))))
