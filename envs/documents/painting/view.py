"""Paint the elements of a page, whole or only where an edit changed them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter

import numpy as np

from ...core.asset_cache import CACHE, Keyed, by_identity, derived
from ...core.boxes import Rect, area, intersection, union
from ...core.pages import mapped_array
from ...core.painting import DESK, Frame, Image, Layer, Patch, SolidRect, Sprite, Stamp, composed, reaching
from ..scene.document import Document, Page
from ..scene.elements import Colour, Element
from .canvas import SpriteCanvas
from .charts import draw_chart
from .marks import Corner, corners_of, mark_of, places_of
from .pictures import picture
from .shapes import beyond_box, cut_out, draw_line, draw_shape
from .texts import draw_table, draw_text, overflow

_MAX_OVERFLOW = 480
"""The maximum overflow of text beyond its box, in pixels."""


def layers_of(elements: Sequence[Element]) -> list[Stamp]:
    """A stamp for each element except groups, the lowest first."""
    return [stamp_of(element) for element in elements if element.type != "group"]


def stamp_of(element: Element) -> Stamp:
    """The painted element at its place on the page."""
    return Stamp(_sprite(_looks_of(element)), element.bbox[0], element.bbox[1])


def background(page: Page, number: int) -> Image:
    """The page of a document without its elements: uint8 (height, width, 3), read-only.

    It is cached by page number, so that two successive pages have different arrays.
    """
    return on_canvas(page, number, (page.height, page.width))[0]


def on_canvas(page: Page, number: int, canvas: tuple[int, int]) -> tuple[Image, list[Layer]]:
    """The page without its elements, left at the top of a canvas of (height, width) pixels, and the desk below it."""
    height, width = canvas
    desk: list[Layer] = [SolidRect((0, page.height, width, height), DESK)] if page.height < height else []
    if page.backdrop is None and not page.inherited:
        return _plain(canvas, page.background, page.width, number), desk
    return _pictured(canvas, page.model_copy(update={"elements": (), "notes": ""}), number), desk


@derived
def _plain(canvas: tuple[int, int], colour: Colour, width: int, number: int) -> Image:
    """An empty page in one colour, the desk on its right; all rows are one in memory."""
    row = np.full((1, canvas[1], 3), DESK, np.uint8)
    row[:, :width] = colour
    return np.broadcast_to(row, (*canvas, 3))


@derived
def _pictured(canvas: tuple[int, int], page: Page, number: int) -> Image:
    """A page with its backdrop and what it inherits, the desk on its right."""
    pixels = mapped_array((*canvas, 3))
    pixels[...] = _plain(canvas, page.background, page.width, number)
    elements = page.inherited
    if page.backdrop is not None:
        whole = (0, 0, page.width, page.height)
        elements = (Element(id="backdrop", type="image", bbox=whole, asset=page.backdrop), *elements)
    for stamp in layers_of(elements):
        stamp.draw(pixels[: page.height, : page.width], (0, 0, page.width, page.height))
    pixels.flags.writeable = False
    return pixels


@by_identity
def _looks_of(element: Element) -> Keyed[Element]:
    """An element, known by all of it except identity and position."""
    e, style = element, element.style.__dict__
    key = (
        e.type, e.bbox[2:], e.angle, e.opacity, e.asset, e.crop, e.shape, e.path, e.rises, e.levels, e.cells,
        e.columns, e.rows, e.formats, e.chart, tuple(style.values()),
        tuple(tuple(run.__dict__.values()) for run in e.runs),
    )  # fmt: skip
    return Keyed(key, element)


def _drawn(looks: Keyed[Element]) -> Sprite:
    element = looks.value
    # What is turned needs something clear around it for its edges to be smoothed.
    margin = 2 if element.angle else 0
    margin += min(max(overflow(element), beyond_box(element)), _MAX_OVERFLOW)
    canvas = SpriteCanvas(element.bbox[2], element.bbox[3], margin)
    for draw in _DRAW[element.type]:
        draw(canvas, element)
    return canvas.sprite(element.angle, element.opacity)


_sprite = CACHE.cached(_drawn, size_of=attrgetter("n_bytes"))


def _draw_image(canvas: SpriteCanvas, element: Element) -> None:
    assert element.asset is not None
    _, _, width, height = element.bbox
    canvas.show(picture(element.asset, width, height, element.crop))
    cut_out(canvas, element)


_DRAW: dict[str, tuple[Callable[[SpriteCanvas, Element], None], ...]] = {
    "text": (draw_text,),
    "list": (draw_text,),
    "shape": (draw_shape, draw_text),
    "line": (draw_line,),
    "image": (_draw_image,),
    "table": (draw_table,),
    "chart": (draw_chart,),
}


def painted(document: Document, page: int, marks: bool = False) -> Image:
    """A page of a document, painted from scratch: uint8 (height, width, 3).

    Args:
        document: what is painted.
        page: counted from 0.
        marks: whether the elements have numbered marks.
    """
    current = document.pages[page]
    buffer = np.empty((current.height, current.width, 3), np.uint8)
    stamps = layers_of(current.elements)
    if marks:
        stamps += _marks_of(corners_of(current), current.width, current.height).values()
    Frame(buffer).show(background(current, page), stamps)
    return buffer


@lru_cache(maxsize=256)
def _marks_of(corners: tuple[Corner, ...], width: int, height: int) -> Mapping[str, Stamp]:
    """The painted marks of elements on a page of a size; one in a place is always the same object."""
    return {place[0]: _mark_at(*place) for place in places_of(corners, width, height)}


@lru_cache(maxsize=4096)
def _mark_at(name: str, x: int, y: int) -> Stamp:
    return Stamp(_mark(name), x, y)


@derived
def _mark(element_id: str) -> Sprite:
    return stamp_of(mark_of(element_id)).sprite


def painted_part(document: Document, page: int, rect: Rect) -> Image:
    """A rectangle of a page of a document, painted from scratch: uint8 (height, width, 3)."""
    current = document.pages[page]
    stamps = layers_of([e for e in current.elements if e.opacity > 0])
    return composed(background(current, page), reaching(stamps, rect), rect)


@derived
def _patch(part: Keyed[tuple[Image, Sequence[Stamp], Rect]]) -> Image:
    return composed(*part.value)


class DocumentView:
    """One page of a document that is being edited.

    Args:
        document: as it is at first.
        page: the page, counted from 0.
        canvas: height and width of the picture, in whose left top corner the page is; ``None``: those of the page.
        marks: whether the elements have numbered marks.

    Attributes:
        background: the empty page: uint8 (height, width, 3), another array for another page.
        layers: the elements on it, the lowest first, and over them what the last edit changed, as it is painted; one
            list that changes.
    """

    def __init__(
        self, document: Document, page: int = 0, canvas: tuple[int, int] | None = None, marks: bool = False
    ) -> None:
        self.layers: list[Layer] = []
        self._canvas = canvas
        self._has_marks = marks
        self._corners: tuple[Corner, ...] = ()
        self._marks: Mapping[str, Stamp] = {}
        self._shown: dict[str, tuple[Element, Stamp]] = {}
        self._dirty: list[Rect] = []
        self._page = -1
        self.show(document, page)

    def show(self, document: Document, page: int) -> None:
        """Show the current document, or another page of it."""
        current = document.pages[page]
        is_other = page != self._page
        self._page, before = page, {} if is_other else self._shown
        self.background, desk = on_canvas(current, page, self._canvas or (current.height, current.width))
        self._shown = {
            one.id: old if (old := before.get(one.id)) is not None and old[0] is one else (one, stamp_of(one))
            for one in current.elements
            if one.type != "group"
        }
        dirty = [*_changed(before, self._shown), *(self._changed_marks(current) if self._has_marks else ())]
        stamps = [*(stamp for _, stamp in self._shown.values()), *self._marks.values()]
        patches = () if is_other else self._patches(stamps, dirty)
        self._dirty += dirty
        self.layers[:] = [*desk, *stamps, *patches]

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call."""
        dirty, self._dirty = self._dirty, []
        return dirty

    def _patches(self, stamps: Sequence[Stamp], dirty: Sequence[Rect]) -> Iterator[Patch]:
        """The dirty parts of the page as pictures, which an edit that was seen before need not paint again."""
        height, width = self.background.shape[:2]
        for rect in dirty:
            if clip := intersection(rect, (0, 0, width, height)):
                above = reaching(stamps, clip)
                # What is held keeps its id.
                key = (clip, id(self.background), *((id(one.sprite), one.x, one.y) for one in above))
                yield Patch(_patch(Keyed(key, (self.background, above, clip))), *clip[:2])

    def _changed_marks(self, page: Page) -> Sequence[Rect]:
        """Place the marks again if elements came, went or moved; where these changed."""
        corners = corners_of(page)
        if corners == self._corners:
            return ()
        before, self._corners = self._marks, corners
        self._marks = _marks_of(corners, page.width, page.height)
        pairs = ((before, self._marks), (self._marks, before))
        return [stamp.rect for one, other in pairs for name, stamp in one.items() if other.get(name) is not stamp]


_Shown = dict[str, tuple[Element, Stamp]]


def _changed(before: _Shown, after: _Shown) -> Iterator[Rect]:
    """The rectangles of elements that are new, gone, painted otherwise, or in another order."""
    for name, shown in after.items():
        old, rect = before.get(name), shown[1].rect
        if old is None:
            yield rect
        elif old is not shown:
            both = union([old[1].rect, rect])
            yield from [both] if area(both) <= area(old[1].rect) + area(rect) else [old[1].rect, rect]
    if [*before] == [*after]:
        return
    yield from (stamp.rect for name, (_, stamp) in before.items() if name not in after)
    old_order, order = [name for name in before if name in after], [name for name in after if name in before]
    if old_order != order:
        places = {name: i for i, name in enumerate(old_order)}
        yield from (after[name][1].rect for i, name in enumerate(order) if places[name] != i)
