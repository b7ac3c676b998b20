"""Set texts in styles by role, and shrink them until they fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from ..painting.texts import text_height, too_wide
from ..scene.elements import Colour, Element, Run, Shape, Style
from .placed_parts import Part, Theme
from .schema import content

SIZES = (8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 22, 24, 26, 29, 32, 36, 40, 45, 50, 56, 63, 70, 78, 87, 97, 108)
"""The sizes of faces in pixels: few, because each is loaded separately."""


def size_near(pixels: float) -> int:
    """The largest size that is not above ``pixels``; at least the smallest."""
    return max((size for size in SIZES if size <= pixels + 0.5), default=SIZES[0])


def style_of(role: str, theme: Theme, **changes: object) -> Style:
    """The style of a role, with some fields of ``Style`` changed."""
    style, pairing = content().styles[role], theme.pairing
    size = style.units * theme.unit if style.face != "head" else style.units * pairing.head_size * theme.unit
    fields: dict[str, object] = {
        "face": getattr(pairing, style.face),
        "size": size_near(size),
        "bold": style.bold == "always" or (style.bold == "pairing" and pairing.bold),
        "colour": theme.tint("accent") if style.ink == "accent" else getattr(theme, style.ink),
        "align": theme.align,
        "line_height": style.line_height,
    }
    return _style(tuple((fields | changes).items()))


@lru_cache(maxsize=512)
def _style(fields: tuple[tuple[str, object], ...]) -> Style:
    return Style.model_validate(dict(fields))


def set_text(name: str, text: str, role: str, theme: Theme, width: int, lines: int = 0, **changes: object) -> Part:
    """A text in a role's style that fits a width; see ``style_of``, ``text_part``."""
    return text_part(name, plain(text), style_of(role, theme, **changes), width, lines)


def plain(text: str) -> tuple[Run, ...]:
    """The one run of a text in one style."""
    return (Run(text=text),)


@lru_cache(maxsize=2048)
def text_part(name: str, runs: tuple[Run, ...], style: Style, width: int, lines: int = 0) -> Part:
    """A text shrunk until it fits a width.

    Args:
        name: of the element.
        runs: its text.
        style: its style, with the maximum size.
        width: in pixels.
        lines: how many there may be; 0: any number.
    """
    part = Part("text", name, (0, 0, max(width, 20), 2048), style, runs)

    def fits(tried: Element) -> bool:
        limit = (lines + 0.5) * tried.style.size * tried.style.line_height
        return not any(too_wide(tried)) and (not lines or text_height(tried) <= limit)

    part = shrunk(part, fits)
    return replace(part, box=(0, 0, part.box[2], text_height(part.drawn()) + 2))


def shape_part(
    name: str,
    shape: Shape,
    sides: tuple[int, int],
    fill: Colour | None,
    theme: Theme,
    runs: tuple[Run, ...] = (),
    **style: object,
) -> Part:
    """A shape with a text in its middle, shrunk until it fits.

    Args:
        name: of the element.
        shape: which.
        sides: width and height in pixels.
        fill: its colour.
        theme: gives its colours.
        runs: its text.
        style: fields of ``Style`` that differ from a label's.
    """
    base = {"fill": fill, "align": "center", "anchor": "middle"}
    words = style_of("label", theme.on(fill) if fill else theme, **(base | style))
    part = Part("shape", name, (0, 0, *sides), words, runs, shape=shape)
    if not runs:
        return part
    usable = {"rectangle": 1.0, "hexagon": 0.7, "ellipse": 0.72, "star": 0.5, "diamond": 0.5, "triangle": 0.4}.get(
        shape, 0.7
    )

    def fits(tried: Element) -> bool:
        inner = tried.model_copy(update={"bbox": (0, 0, round(sides[0] * usable), sides[1])})
        return not any(too_wide(inner)) and text_height(inner) <= sides[1] * usable

    return shrunk(part, fits)


def shrunk(part: Part, fits: Callable[[Element], bool]) -> Part:
    """The part at its largest size that fits, at most its own; else the smallest."""
    sizes = [size for size in SIZES if size <= part.style.size] or [SIZES[0]]
    for size in reversed(sizes):
        tried = part if size == part.style.size else _at_size(part, size)
        if fits(tried.drawn()):
            return tried
    return _at_size(part, sizes[0])


def _at_size(part: Part, size: int) -> Part:
    """The part at another size, with sizes of its runs in proportion."""
    ratio = size / part.style.size
    runs = tuple(
        run if run.size is None else run.model_copy(update={"size": max(SIZES[0], round(run.size * ratio))})
        for run in part.runs
    )
    return replace(part, style=part.style.model_copy(update={"size": size}), runs=runs)
