"""Find and put elements in the XML of PowerPoint files, and convert units.

See ECMA-376-1, 20 and 21.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

EMU = 9525
"""English metric units in a pixel."""
_POINTS = 75
"""Hundredths of a point in a pixel."""
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
ALIGNS_BY_CODE = {code: align for align, code in ALIGNS.items()}
ANCHORS_BY_CODE = {code: anchor for anchor, code in ANCHORS.items()}


def points(pixels: int) -> int:
    """Hundredths of a point of a size in pixels."""
    return pixels * _POINTS


def hexed(colour: tuple[int, int, int]) -> str:
    """A colour as six digits."""
    return "{:02X}{:02X}{:02X}".format(*colour)


def unhexed(digits: str) -> tuple[int, int, int]:
    """A colour of six digits."""
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def missing_library() -> RuntimeError:
    """The error where python-pptx is not installed."""
    return RuntimeError("PowerPoint files need python-pptx: pip install 'formgym[office]'")


@lru_cache(maxsize=1024)
def tag(name: str) -> Any:
    """The qualified name of an element of the drawing language, such as ``a:pPr``."""
    from pptx.oxml.ns import qn

    return qn(name)


Node: TypeAlias = Any
"""An element of lxml; those that python-pptx makes have no types."""

ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
FILLS = ("a:noFill", "a:solidFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill")
_ORDERS: dict[str, tuple[str, ...]] = {
    "a:rPr": ("a:ln", *FILLS, "a:effectLst", "a:effectDag", "a:highlight", "a:uLnTx", "a:uLn", "a:uFillTx", "a:uFill",
              "a:latin", "a:ea", "a:cs", "a:sym", "a:hlinkClick"),
    "a:pPr": ("a:lnSpc", "a:spcBef"),
    "p:spPr": ("a:xfrm", "a:custGeom", "a:prstGeom", *FILLS, "a:ln", "a:effectLst"),
    "p:grpSpPr": ("a:xfrm", *FILLS),
    "a:ln": (*FILLS, "a:prstDash"),
    "a:tcPr": ("a:lnL", "a:lnR", "a:lnT", "a:lnB", "a:lnTlToBr", "a:lnBlToTr", "a:cell3D", *FILLS),
}  # fmt: skip
"""The first children of an element, in order; all others come after them."""


def find(node: Node, path: str) -> Node:
    """The first element along a path such as ``"p:spPr/a:xfrm"``, or ``None``."""
    return None if node is None else node.find(_qualified(path))


@lru_cache(maxsize=1024)
def _qualified(path: str) -> str:
    """A path of qualified names."""
    return "/".join(tag(step) for step in path.split("/"))


def made(name: str, /, **attributes: str) -> Node:
    """A new element."""
    from pptx.oxml.xmlchemy import OxmlElement

    node = OxmlElement(name)
    for key, value in attributes.items():
        node.set(key, value)
    return node


def put(parent: Node, kind: str, child: Node) -> None:
    """Put a child where the schema wants it, replacing others of its tag.

    Args:
        parent: where it goes.
        kind: the tag by which ``parent`` is ordered, as ``a:rPr`` is the kind of an ``a:endParaRPr``.
        child: what goes there.
    """
    for old in parent.findall(child.tag):
        parent.remove(old)
    order = [tag(name) for name in _ORDERS[kind]]
    before = set(order[: order.index(child.tag)])
    at = max((i + 1 for i, one in enumerate(parent) if one.tag in before), default=0)
    parent.insert(at, child)


def drop(parent: Node, names: tuple[str, ...]) -> None:
    """Remove the children of some tags from a parent."""
    for name in names:
        for child in parent.findall(tag(name)):
            parent.remove(child)


def children(node: Node) -> Iterator[Node]:
    """The elements in an element, without comments."""
    return (child for child in node if isinstance(child.tag, str))


def number(node: Node, name: str, otherwise: int = 0) -> int:
    """A whole number in an attribute; percents like ``"40%"`` in thousandths of one."""
    text = None if node is None else node.get(name)
    if text is None:
        return otherwise
    try:
        return round(float(text[:-1]) * 1000) if text.endswith("%") else round(float(text))
    except (ValueError, OverflowError):
        return otherwise


def truth(text: str | None) -> bool | None:
    """A boolean of XML; ``None`` if there is none."""
    return None if text is None else text in ("1", "true", "on")
