"""Numbered marks: small tags that show the ids of elements on the picture of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..scene.document import Page
from ..scene.elements import Element, Run, Style

WIDTH, HEIGHT = 22, 13
"""Of a mark, in pixels."""
_STYLE = Style(
    face="Inter", size=10, bold=True, colour=(120, 0, 0), align="center", anchor="middle", line_height=1.0,
    fill=(255, 236, 90), stroke=(170, 40, 20), stroke_width=1, radius=3,
)  # fmt: skip
_OPACITY = 0.85
_CELL, _BITS = 12, 0b111
"""Marks keep apart by cells of so many pixels; each touches three at most in two rows."""
_NEAR = ((-1, 0), (-1, -1), (-1, 1), (-2, 0), (0, -1), (0, 0))
_FAR = ((across, down) for down in range(40) for across in range(1, 9))
_SHIFTS = [(across * WIDTH, down * HEIGHT) for across, down in (*_NEAR, *_FAR)]
"""From the corner of an element to its mark, in pixels to the right and down: the best first."""


Corner = tuple[str, int, int]
"""The id of an element, and left and top of it or its mark."""


def corners_of(page: Page) -> tuple[Corner, ...]:
    """The corners of a page's elements but groups."""
    return tuple([(one.id, one.bbox[0], one.bbox[1]) for one in page.elements if one.type != "group"])


def label_of(element_id: str) -> str:
    """What a mark shows of an id: ``12`` of ``e12``, and ``n1`` of the new element ``n1``."""
    return element_id.removeprefix("e")


def mark_of(element_id: str) -> Element:
    """The mark of an element as an element, for painting, at the page's corner."""
    box, runs = (0, 0, WIDTH, HEIGHT), (Run(text=label_of(element_id)),)
    return Element(id="mark", type="shape", shape="rectangle", bbox=box, opacity=_OPACITY, style=_STYLE, runs=runs)


def places_of(corners: Iterable[Corner], width: int, height: int) -> Iterator[Corner]:
    """The ids of elements, and left and top of their marks on a page of a size, no two of which touch.

    A mark is left of its element's top left corner, where it hides least, or else near it.
    """
    right, bottom = width - WIDTH, height - HEIGHT
    # A bit for each column of cells that marks touch, row by row.
    rows = [0] * (height // _CELL + 2)
    for name, left, top in corners:
        for across, down in _SHIFTS:
            x, y = max(0, min(left + across, right)), max(0, min(top + down, bottom))
            row, bits = y // _CELL, _BITS << x // _CELL
            if not (rows[row] | rows[row + 1]) & bits:
                break
        rows[row] |= bits
        rows[row + 1] |= bits
        yield name, x, y
