"""What is behind everything on a slide."""

from __future__ import annotations

from ..scene.elements import Colour
from .deck import Deck, Slide
from .theme_colours import Shade, Theme, colour_in, fill_of
from .units import tag
from .xml import Node, find, number

_FULL = 0.9
"""The share of a slide from which on a shape of its layout is its ground."""


def background_of(slide: Slide, deck: Deck) -> Colour:
    """The colour of a slide: of itself, or else of the layout or master that has one."""
    for root in (slide.root, slide.layout, slide.master):
        ground = find(root, "p:cSld/p:bg")
        told = _ground(ground, slide.theme)
        full = None if root is slide.root else _full(root, slide.theme, deck)
        if full is not None or told is not None:
            return (full or told or ((255, 255, 255), 1.0))[0]
    return slide.theme.colours.get(slide.theme.mapped.get("bg1", "lt1"), (255, 255, 255))


def _ground(ground: Node, theme: Theme) -> Shade | None:
    if ground is None:
        return None
    reference = find(ground, "p:bgRef")
    shade = fill_of(find(ground, "p:bgPr"), theme) if reference is None else colour_in(reference, theme)
    return shade if isinstance(shade, tuple) else None


def _full(root: Node, theme: Theme, deck: Deck) -> Shade | None:
    """The colour of the last shape that fills a layout."""
    found = None
    for shape in root.iterfind("/".join(map(tag, ("p:cSld", "p:spTree", "p:sp")))):
        extent, shade = find(shape, "p:spPr/a:xfrm/a:ext"), fill_of(find(shape, "p:spPr"), theme)
        share = number(extent, "cx") * number(extent, "cy") / (deck.size[0] * deck.size[1] * deck.emu**2)
        if isinstance(shade, tuple) and share >= _FULL:
            found = shade
    return found
