"""Read what is behind the shapes of a slide: its background, and the shapes of its layout and master."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..scene.elements import Colour
from .deck import Slide, SlideShape, placeholder, shapes_of
from .graphics import picture_of
from .theme_colours import Theme, fill_in, fill_node, gradient_of, referred_fill
from .xml import Node, find, kind_of, truth


def inherited_shapes(slide: Slide) -> list[SlideShape]:
    """The shapes of a slide's master and layout that are shown on it: those that are no placeholders."""
    sheets = [replace(slide, part=part, root=root) for part, root in _sheets(slide)[1:] if _is_shown(slide, root)]
    return [found for sheet in reversed(sheets) for found in shapes_of(sheet) if placeholder(found.shape) is None]


def _sheets(slide: Slide) -> list[tuple[Any, Node]]:
    """The parts and roots of a slide, its layout and its master."""
    from pptx.opc.constants import RELATIONSHIP_TYPE

    layout = slide.part.part_related_by(RELATIONSHIP_TYPE.SLIDE_LAYOUT)
    master = layout.part_related_by(RELATIONSHIP_TYPE.SLIDE_MASTER)
    return [(slide.part, slide.root), (layout, slide.layout), (master, slide.master)]


def _is_shown(slide: Slide, root: Node) -> bool:
    hiding = [slide.root] if root is slide.layout else [slide.root, slide.layout]
    return all(truth(sheet.get("showMasterSp")) is not False for sheet in hiding)


def background_of(slide: Slide) -> tuple[Colour, str | None]:
    """The colour of a slide's background, and its picture if it has one: its own, its layout's or its master's."""
    paper = slide.theme.colours.get(slide.theme.mapped.get("bg1", "lt1"), (255, 255, 255))
    return next(_backgrounds(slide), (paper, None))


def _backgrounds(slide: Slide) -> Iterator[tuple[Colour, str | None]]:
    for part, root in _sheets(slide):
        ground = find(root, "p:cSld/p:bg")
        fill, theme = fill_node(find(ground, "p:bgPr")), slide.theme
        if (reference := find(ground, "p:bgRef")) is not None:
            (fill, theme), part = referred_fill(reference, theme), theme.part
        shade = fill_in(fill, theme)
        if isinstance(shade, tuple):
            yield shade[0], _picture(fill, theme, part)


def _picture(fill: Node, theme: Theme, part: Any) -> str | None:
    """The picture that a fill is, if any."""
    if kind_of(fill) == "gradFill":
        return gradient_of(fill, theme)
    asset: str = picture_of(fill, part)["asset"] if kind_of(fill) == "blipFill" else "panel/picture"
    return None if asset.startswith("panel/") else asset
