"""Read colours of PowerPoint files: by number, by name, or by a theme.

See ECMA-376-1, 20.1.2.3.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from PIL import ImageColor

from ..scene.elements import Colour
from .xml import FILLS, Node, children, find, kind_of, number, share, tag

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
    """

    colours: Mapping[str, Colour] = field(default_factory=dict)
    mapped: Mapping[str, str] = field(default_factory=_MAPPED.copy)
    fonts: Mapping[str, str] = field(default_factory=dict)
    widths: tuple[int, ...] = ()


def read_theme(theme: Node, mapping: Node) -> Theme:
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
    return Theme(colours, {**_MAPPED, **({} if mapping is None else dict(mapping.attrib))}, fonts, widths)


def fill_of(properties: Node, theme: Theme) -> Shade | str | None:
    """The fill in properties: a shade, ``"none"``, or ``None`` if they have no fill."""
    for child in children(properties) if properties is not None else ():
        kind = kind_of(child)
        if kind == "noFill":
            return "none"
        if kind == "solidFill":
            return colour_in(child, theme)
        if kind in ("gradFill", "pattFill"):
            parts = child.iter(tag("a:gs")) if kind == "gradFill" else children(child)
            return _mean([shade for part in parts if (shade := colour_in(part, theme))])
        if f"a:{kind}" in FILLS:
            return (200, 204, 210), 1.0
    return None


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
