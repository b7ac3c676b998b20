"""Paint the elements of a page, whole or only where an edit changed them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ...core.asset_cache import CACHE, derived
from ...core.boxes import Rect
from ...core.pages import DESK, mapped_array
from ...core.painting import Frame, Image, Layer, SolidRect, Sprite, Stamp
from ..scene.document import Document, Page
from ..scene.elements import Colour, Element
from .canvas import SpriteCanvas
from .charts import draw_chart
from .marks import mark_of, places_of
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
    return Stamp(_sprite(_key_of(element)), element.bbox[0], element.bbox[1])


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


class _SpriteKey:
    """The key of an element's sprite: all of it except identity and position."""

    __slots__ = ("_hash", "_key", "element")

    def __init__(self, element: Element) -> None:
        self.element = element
        e = element
        style = e.style.__dict__
        self._key = (
            e.type, e.bbox[2:], e.angle, e.opacity, e.asset, e.crop, e.shape, e.path, e.rises, e.levels, e.cells,
            e.columns, e.rows, e.formats, e.chart, tuple(style.values()),
            tuple(tuple(run.__dict__.values()) for run in e.runs),
        )  # fmt: skip
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SpriteKey) and self._key == other._key


_MAX_KEYS = 4096
_keys: dict[int, _SpriteKey] = {}
"""The keys of elements seen last, by ``id``: an element never changes, and its key keeps it alive."""


def _key_of(element: Element) -> _SpriteKey:
    key = _keys.get(id(element))
    if key is None or key.element is not element:
        if len(_keys) >= _MAX_KEYS:
            _keys.clear()
        key = _keys[id(element)] = _SpriteKey(element)
    return key


def _drawn(looks: _SpriteKey) -> Sprite:
    element = looks.element
    # What is turned needs something clear around it for its edges to be smoothed.
    margin = 2 if element.angle else 0
    margin += min(max(overflow(element), beyond_box(element)), _MAX_OVERFLOW)
    canvas = SpriteCanvas(element.bbox[2], element.bbox[3], margin)
    for draw in _DRAW[element.type]:
        draw(canvas, element)
    return canvas.sprite(element.angle, element.opacity)


def _bytes_of(sprite: Sprite) -> int:
    """The memory of a sprite; an array that repeats one number takes none."""
    arrays = (sprite.inverse_alpha, sprite.premultiplied, sprite.opaque_pixels)
    return 1024 + sum(array.nbytes for array in arrays if array is not None and array.strides[0])


_sprite = CACHE.cached(_drawn, size_of=_bytes_of)


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
        stamps += _marks_of(current).values()
    Frame(buffer).show(background(current, page), stamps)
    return buffer


def _marks_of(page: Page, before: Mapping[str, Stamp] = MappingProxyType({})) -> dict[str, Stamp]:
    """The painted mark of each element of a page; those that stay in place are the ones before."""
    marks = {}
    for name, x, y in places_of(page):
        old = before.get(name)
        if old is None or (old.x, old.y) != (x, y):
            old = Stamp(_mark(name), x, y)
        marks[name] = old
    return marks


@derived
def _mark(element_id: str) -> Sprite:
    return stamp_of(mark_of(element_id)).sprite


def painted_part(document: Document, page: int, rect: Rect) -> Image:
    """A rectangle of a page of a document, painted from scratch: uint8 (height, width, 3)."""
    left, top, right, bottom = rect
    current = document.pages[page]
    pixels = background(current, page)[top:bottom, left:right].copy()
    for stamp in layers_of([e for e in current.elements if e.opacity > 0]):
        stamp.draw(pixels, rect)
    return pixels


class DocumentView:
    """One page of a document that is being edited.

    Args:
        document: as it is at first.
        page: the page, counted from 0.
        canvas: height and width of the picture, in whose left top corner the page is; ``None``: those of the page.
        marks: whether the elements have numbered marks.

    Attributes:
        background: the empty page: uint8 (height, width, 3), another array for another page.
        layers: the elements on it, the lowest first; one list that changes.
    """

    def __init__(
        self, document: Document, page: int = 0, canvas: tuple[int, int] | None = None, marks: bool = False
    ) -> None:
        self.layers: list[Layer] = []
        self._canvas = canvas
        self._has_marks = marks
        self._corners: list[tuple[str, int, int]] = []
        self._marks: dict[str, Stamp] = {}
        self._shown: dict[str, tuple[Element, Stamp]] = {}
        self._dirty: list[Rect] = []
        self._page = -1
        self.show(document, page)

    def show(self, document: Document, page: int) -> None:
        """Show the current document, or another page of it."""
        current = document.pages[page]
        if page != self._page:
            self._page, self._shown = page, {}
        self.background, desk = on_canvas(current, page, self._canvas or (current.height, current.width))
        before, self._shown = self._shown, {}
        for element in current.elements:
            if element.type != "group":
                self._shown[element.id] = self._stamp(element, before.get(element.id))
        self._note_order(list(before), list(self._shown))
        self._dirty += [stamp.rect for name, (_, stamp) in before.items() if name not in self._shown]
        if self._has_marks:
            self._show_marks(current)
        self.layers[:] = [*desk, *(stamp for _, stamp in self._shown.values()), *self._marks.values()]

    def _show_marks(self, page: Page) -> None:
        """Place the marks again if elements came, went or moved."""
        corners = [(one.id, one.bbox[0], one.bbox[1]) for one in page.elements if one.type != "group"]
        if corners == self._corners:
            return
        before, self._corners = self._marks, corners
        self._marks = _marks_of(page, before)
        rects = [{name: stamp.rect for name, stamp in marks.items()} for marks in (before, self._marks)]
        self._dirty += [
            rect for one, other in (rects, rects[::-1]) for name, rect in one.items() if other.get(name) != rect
        ]

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call."""
        dirty, self._dirty = self._dirty, []
        return dirty

    def _stamp(self, element: Element, before: tuple[Element, Stamp] | None) -> tuple[Element, Stamp]:
        """The stamp of an element, reused if it is the same object."""
        if before is not None and before[0] is element:
            return before
        stamp = stamp_of(element)
        self._dirty += [stamp.rect] if before is None else [before[1].rect, stamp.rect]
        return element, stamp

    def _note_order(self, before: list[str], after: list[str]) -> None:
        """Mark the elements whose z-order changed as dirty."""
        kept = set(before) & set(after)
        old, new = [name for name in before if name in kept], [name for name in after if name in kept]
        if old != new:
            places = {name: i for i, name in enumerate(old)}
            self._dirty += [self._shown[name][1].rect for i, name in enumerate(new) if places[name] != i]
