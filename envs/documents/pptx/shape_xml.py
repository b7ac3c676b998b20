"""XML for the writer and the patchers: fills, geometries, rules, text style."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..scene.elements import Colour, Element
from .xml import FILLS, SHAPES, Node, drop, find, hexed, made, put


def solid(colour: Colour, opacity: float = 1) -> Node:
    """A fill of one colour."""
    fill, digits = made("a:solidFill"), made("a:srgbClr", val=hexed(colour))
    if opacity < 1:
        digits.append(made("a:alpha", val=str(round(opacity * 100_000))))
    fill.append(digits)
    return fill


def set_geometry(properties: Node, element: Element) -> None:
    """Give the properties of a shape the geometry of an element."""
    drop(properties, ("a:custGeom", "a:prstGeom"))
    radius = element.style.radius if element.shape == "rectangle" else 0
    name = "roundRect" if radius else SHAPES[element.shape or "rectangle"]
    geometry, guides = made("a:prstGeom", prst=name), made("a:avLst")
    if radius:
        share = round(min(0.5, radius / min(element.bbox[2:])) * 100_000)
        guides.append(made("a:gd", name="adj", fmla=f"val {share}"))
    geometry.append(guides)
    put(properties, "p:spPr", geometry)


def set_rules(cell: Node, element: Element, emu: float, opacity: float = 1) -> None:
    """Give a cell the rules of a table; ``emu``: English metric units in a pixel."""
    style = element.style
    for side in ("a:lnL", "a:lnR", "a:lnT", "a:lnB"):
        edge = made(side, w=str(round(max(style.stroke_width, 1) * emu)))
        is_drawn = style.stroke is not None and style.stroke_width
        edge.append(solid(style.stroke, opacity) if is_drawn and style.stroke is not None else made("a:noFill"))
        put(cell_properties(cell), "a:tcPr", edge)


def cell_properties(cell: Node) -> Node:
    """The ``tcPr`` of a cell, which is made if there is none."""
    properties = find(cell, "a:tcPr")
    if properties is None:
        properties = made("a:tcPr")
        find(cell, "a:txBody").addnext(properties)
    return properties


def set_look(properties: Node, look: Mapping[str, Any], points: Callable[[int], int]) -> None:
    """Write the style of text into run properties.

    Args:
        properties: an ``a:rPr``, or one of its kind.
        look: the new values, by the names of ``text_reader.Look``; a missing one, or ``None``, changes nothing.
        points: converts a size in pixels to hundredths of a point.
    """
    for name, key in (("bold", "b"), ("italic", "i")):
        if look.get(name) is not None:
            properties.set(key, str(int(look[name])))
    if look.get("underline") is not None:
        properties.set("u", "sng" if look["underline"] else "none")
    if look.get("size") is not None:
        properties.set("sz", str(points(look["size"])))
    if look.get("colour") is not None:
        drop(properties, FILLS)
        put(properties, "a:rPr", solid(look["colour"], look.get("opacity", 1)))
    if look.get("face") is not None:
        put(properties, "a:rPr", made("a:latin", typeface=look["face"]))


def empty_body(name: str) -> Node:
    """A text body of a tag that holds an empty paragraph."""
    body = made(name)
    body.extend([made("a:bodyPr"), made("a:lstStyle"), made("a:p")])
    return body
