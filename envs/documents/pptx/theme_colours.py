"""Read colours of PowerPoint files: by number, by name, or by a theme.

See ECMA-376-1, 20.1.2.3.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

from PIL import ImageColor

from ..scene.colours import mixed
from ..scene.elements import Colour
from .xml import FILLS, WHOLE, Node, children, find, kind_of, number, share, tag

_MAPPED = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
Shade = tuple[Colour, float]
"""A colour and its opacity, from 0 to 1."""


@dataclass(frozen=True)
class Theme:
    """The theme of a master.

    Attributes:
        colours: by their places in the theme, such as ``"accent1"``.
        mapped: the places by the names that slides use for them, such as ``"tx1"``.
        fonts: ``"+mj"`` of headings and ``"+mn"`` of bodies.
        widths: of lines by their place in the theme, counted from 1, in EMU.
        fills: of shapes, by their place in the theme, counted from 1; of slides from 1001.
        part: that it is in, of python-pptx.
    """

    colours: Mapping[str, Colour] = field(default_factory=dict)
    mapped: Mapping[str, str] = field(default_factory=_MAPPED.copy)
    fonts: Mapping[str, str] = field(default_factory=dict)
    widths: tuple[int, ...] = ()
    fills: Mapping[int, Node] = field(default_factory=dict)
    part: Any = None


def read_theme(theme: Node, mapping: Node, part: Any = None) -> Theme:
    """The theme in a theme part, with a master's or a slide's ``clrMap``."""
    elements, plain = find(theme, "a:themeElements"), Theme()
    scheme = find(elements, "a:clrScheme")
    shades = {kind_of(entry): colour_in(entry, plain) for entry in (children(scheme) if scheme is not None else ())}
    fonts = {}
    for key, name in (("+mj", "a:majorFont"), ("+mn", "a:minorFont")):
        latin = find(elements, f"a:fontScheme/{name}/a:latin")
        fonts[key] = "" if latin is None else latin.get("typeface", "")
    lines = find(elements, "a:fmtScheme/a:lnStyleLst")
    widths = tuple(number(line, "w", 9525) for line in lines) if lines is not None else ()
    colours = {name: shade[0] for name, shade in shades.items() if shade is not None}
    fills: dict[int, Node] = {}
    for first, name in ((1, "a:fillStyleLst"), (1001, "a:bgFillStyleLst")):
        styles = find(elements, f"a:fmtScheme/{name}")
        fills |= dict(enumerate(children(styles) if styles is not None else (), first))
    return Theme(colours, {**_MAPPED, **({} if mapping is None else dict(mapping.attrib))}, fonts, widths, fills, part)


def fill_of(properties: Node, theme: Theme) -> Shade | str | None:
    """The fill in properties: a shade, ``"none"``, or ``None`` if they have no fill."""
    return fill_in(fill_node(properties), theme)


def fill_node(properties: Node) -> Node:
    """The XML element of a fill in properties, or ``None``."""
    inside = () if properties is None else children(properties)
    return next((child for child in inside if f"a:{kind_of(child)}" in FILLS), None)


def fill_in(fill: Node, theme: Theme) -> Shade | str | None:
    """What an XML element fills with: a shade, the mean one of several, ``"none"``, or ``None`` without an element."""
    kind = "" if fill is None else kind_of(fill)
    if kind == "noFill":
        return "none"
    if kind == "solidFill":
        return colour_in(fill, theme)
    if kind in ("gradFill", "pattFill"):
        parts = fill.iter(tag("a:gs")) if kind == "gradFill" else children(fill)
        return _mean([shade for part in parts if (shade := colour_in(part, theme))])
    return ((200, 204, 210), 1.0) if kind else None


def referred_fill(reference: Node, theme: Theme) -> tuple[Node, Theme]:
    """The fill of a theme that a reference names, and the theme with the reference's colour for it."""
    shade = None if reference is None else colour_in(reference, theme)
    own = theme if shade is None else replace(theme, colours={**theme.colours, "phClr": shade[0]})
    return theme.fills.get(number(reference, "idx")), own


_STOPS = 5


def gradient_of(fill: Node, theme: Theme) -> str | None:
    """The name of the picture of a gradient; ``None``: it has fewer than two colours."""
    stops = [(number(stop, "pos"), colour_in(stop, theme)) for stop in fill.iter(tag("a:gs"))]
    known = sorted((at / WHOLE, shade[0]) for at, shade in stops if shade is not None)
    if len(known) < 2:
        return None
    angle = find(fill, "a:lin")
    colours = ["".join(f"{part:02x}" for part in _between(known, k / (_STOPS - 1))) for k in range(_STOPS)]
    turn = "r" if angle is None and find(fill, "a:path") is not None else round(number(angle, "ang") / 60_000) % 360
    return f"gradient/{turn}/{'/'.join(colours)}"


def _between(stops: list[tuple[float, Colour]], at: float) -> Colour:
    """The colour of a gradient at a share of its way."""
    low = max((stop for stop in stops if stop[0] <= at), default=stops[0], key=itemgetter(0))
    high = min((stop for stop in stops if stop[0] >= at), default=stops[-1], key=itemgetter(0))
    share = (at - low[0]) / (high[0] - low[0]) if high[0] > low[0] else 0.0
    return mixed(low[1], high[1], share)


def colour_in(parent: Node, theme: Theme) -> Shade | None:
    """The first colour in an element; ``None`` if there is none that is known."""
    for node in children(parent):
        base = read(node, theme) if (read := _READERS.get(kind_of(node))) else None
        if base is not None:
            return _transformed(base, node)
    return None


def _mean(shades: list[Shade]) -> Shade | None:
    if not shades:
        return None
    red, green, blue = (round(sum(colour[k] for colour, _ in shades) / len(shades)) for k in range(3))
    return (red, green, blue), sum(opacity for _, opacity in shades) / len(shades)


def _digits(text: str) -> Colour | None:
    """A colour of six digits."""
    try:
        return int(text[:2], 16), int(text[2:4], 16), int(text[4:6], 16)
    except ValueError:
        return None


def _by_theme(node: Node, theme: Theme) -> Colour | None:
    name = node.get("val", "")
    return theme.colours.get(theme.mapped.get(name, name))


def _by_system(node: Node, theme: Theme) -> Colour:
    return _digits(node.get("lastClr", "")) or ((255, 255, 255) if node.get("val") == "window" else (0, 0, 0))


def _by_name(node: Node, theme: Theme) -> Colour | None:
    name = node.get("val", "").lower()
    for short, whole in (("dk", "dark"), ("lt", "light"), ("med", "medium")):
        if name.startswith(short):
            name = whole + name[len(short) :]
    try:
        red, green, blue = ImageColor.getrgb(name)[:3]
    except ValueError:
        return None
    return red, green, blue


def _by_shares(node: Node, theme: Theme) -> Colour:
    return _in_bytes([share(node, key, 0) * 255 for key in ("r", "g", "b")])


def _by_hue(node: Node, theme: Theme) -> Colour:
    return _from_hue(number(node, "hue") / 21_600_000, share(node, "lum", 0), share(node, "sat", 0))


_READERS: dict[str, Callable[[Node, Theme], Colour | None]] = {
    "srgbClr": lambda node, theme: _digits(node.get("val", "")),
    "schemeClr": _by_theme,
    "sysClr": _by_system,
    "prstClr": _by_name,
    "scrgbClr": _by_shares,
    "hslClr": _by_hue,
}


def _transformed(colour: Colour, node: Node) -> Shade:
    """A colour with its transformations applied in order."""
    opacity = 1.0
    for change in children(node):
        portion, kind = share(change, "val"), kind_of(change)
        if kind == "alpha":
            opacity = min(max(portion, 0.0), 1.0)
        elif kind in ("lumMod", "lumOff"):
            hue, light, full = colorsys.rgb_to_hls(*(part / 255 for part in colour))
            light = light * portion if kind == "lumMod" else light + portion
            colour = _from_hue(hue, min(max(light, 0), 1), full)
        elif kind in ("tint", "shade"):
            end = 255 if kind == "tint" else 0
            colour = _in_bytes([end + (part - end) * portion for part in colour])
    return colour, opacity


def _from_hue(hue: float, light: float, full: float) -> Colour:
    return _in_bytes([part * 255 for part in colorsys.hls_to_rgb(hue, light, full)])


def _in_bytes(parts: Sequence[float]) -> Colour:
    red, green, blue = (round(min(max(part, 0), 255)) for part in parts)
    return red, green, blue
