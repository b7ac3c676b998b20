"""Read colours of PowerPoint files: by number, by name, or by a theme.

See ECMA-376-1, 20.1.2.3.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from PIL import ImageColor

from ..scene.elements import Colour
from .xml import FILLS, Node, children, find, number, tag, unhexed

_WHOLE = 100_000
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
    scheme = find(theme, "a:themeElements/a:clrScheme")
    plain = Theme()
    colours = {}
    for entry in children(scheme) if scheme is not None else ():
        if (shade := colour_in(entry, plain)) is not None:
            colours[entry.tag.rpartition("}")[2]] = shade[0]
    fonts = {}
    for key, name in (("+mj", "a:majorFont"), ("+mn", "a:minorFont")):
        latin = find(theme, f"a:themeElements/a:fontScheme/{name}/a:latin")
        fonts[key] = "" if latin is None else latin.get("typeface", "")
    lines = find(theme, "a:themeElements/a:fmtScheme/a:lnStyleLst")
    widths = tuple(number(line, "w", 9525) for line in lines) if lines is not None else ()
    return Theme(colours, {**_MAPPED, **({} if mapping is None else dict(mapping.attrib))}, fonts, widths)


def fill_of(properties: Node, theme: Theme) -> Shade | str | None:
    """The fill in properties: a shade, ``"none"``, or ``None`` if they have no fill."""
    for child in children(properties) if properties is not None else ():
        if child.tag == tag("a:noFill"):
            return "none"
        if child.tag == tag("a:solidFill"):
            return colour_in(child, theme)
        if child.tag == tag("a:gradFill"):
            return _mean([shade for stop in child.iter(tag("a:gs")) if (shade := colour_in(stop, theme))])
        if child.tag == tag("a:pattFill"):
            shades = [colour_in(part, theme) for part in children(child)]
            return _mean([shade for shade in shades if shade])
        if child.tag in {tag(name) for name in FILLS}:
            return (200, 204, 210), 1.0
    return None


def colour_in(parent: Node, theme: Theme) -> Shade | None:
    """The first colour in an element; ``None`` if there is none that is known."""
    for node in children(parent):
        kind = node.tag.rpartition("}")[2]
        base = _READERS[kind](node, theme) if kind in _READERS else None
        if base is not None:
            return _transformed(base, node)
    return None


def _mean(shades: list[Shade]) -> Shade | None:
    if not shades:
        return None
    red, green, blue = (round(sum(colour[k] for colour, _ in shades) / len(shades)) for k in range(3))
    return (red, green, blue), sum(opacity for _, opacity in shades) / len(shades)


def _by_digits(node: Node, theme: Theme) -> Colour | None:
    try:
        return unhexed(node.get("val", ""))
    except ValueError:
        return None


def _by_theme(node: Node, theme: Theme) -> Colour | None:
    name = node.get("val", "")
    return theme.colours.get(theme.mapped.get(name, name))


def _by_system(node: Node, theme: Theme) -> Colour | None:
    try:
        return unhexed(node.get("lastClr", ""))
    except ValueError:
        return (255, 255, 255) if node.get("val") == "window" else (0, 0, 0)


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


def _by_shares(node: Node, theme: Theme) -> Colour | None:
    red, green, blue = (round(number(node, key) / _WHOLE * 255) for key in ("r", "g", "b"))
    return _kept((red, green, blue))


def _by_hue(node: Node, theme: Theme) -> Colour | None:
    hue = number(node, "hue") / 21_600_000
    red, green, blue = colorsys.hls_to_rgb(hue, number(node, "lum") / _WHOLE, number(node, "sat") / _WHOLE)
    return _kept((red * 255, green * 255, blue * 255))


_READERS: dict[str, Callable[[Node, Theme], Colour | None]] = {
    "srgbClr": _by_digits,
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
        share = number(change, "val", _WHOLE) / _WHOLE
        kind = change.tag.rpartition("}")[2]
        if kind == "alpha":
            opacity = min(max(share, 0.0), 1.0)
        elif kind in ("lumMod", "lumOff"):
            hue, light, full = colorsys.rgb_to_hls(*(part / 255 for part in colour))
            light = light * share if kind == "lumMod" else light + share
            red, green, blue = colorsys.hls_to_rgb(hue, min(max(light, 0), 1), full)
            colour = _kept((red * 255, green * 255, blue * 255))
        elif kind in ("tint", "shade"):
            end = 255 if kind == "tint" else 0
            red, green, blue = (end + (part - end) * share for part in colour)
            colour = _kept((red, green, blue))
    return colour, opacity


def _kept(colour: tuple[float, float, float]) -> Colour:
    red, green, blue = (round(min(max(part, 0), 255)) for part in colour)
    return red, green, blue
