"""Draw a workspace in the window, and update what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.boxes import Rect, expand, intersection, union
from ...core.painting import Image, Layer, Patch, SolidRect, outline, reaching
from ..state import Mark
from . import chrome
from .database_pane import query_patch
from .layout import BUTTONS, CANVAS, SCROLLBAR
from .page_view import View, page_at, scrollbars, stamp_at
from .text_box import TextBox, place_of, text_stamp
from .workspace import Workspace


@dataclass(slots=True, eq=False)
class ClippedLayers:
    """Layers that are clipped to ``rect``."""

    rect: Rect
    layers: Sequence[Layer] = ()
    opaque_rect: None = None

    def draw(self, target: Image, clip: Rect) -> None:
        """Draw the part inside ``clip``."""
        both = intersection(self.rect, clip)
        if both is None:
            return
        part = target[both[1] - clip[1] : both[3] - clip[1], both[0] - clip[0] : both[2] - clip[0]]
        for layer in reaching(self.layers, both):
            layer.draw(part, both)


_NOWHERE: Rect = (0, 0, 0, 0)


class Screen:
    """The layers of the window for a workspace; ``update`` keeps them up to date.

    Args:
        space: the workspace to draw.

    Attributes:
        layers: the layers over the empty window, the lowest first; always the same list.
    """

    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._shown: object = None
        self._edited: Mark | None = None
        self._stamps: dict[Mark, Layer] = {}
        self._over_key: object = None
        self._page, self._over = ClippedLayers(_NOWHERE), ClippedLayers(_NOWHERE)
        self._paper: list[Layer] = []
        self._edge: list[Layer] = []
        self._frame: list[Layer] = []
        self._bars: list[Layer] = []
        self.layers: list[Layer] = []
        self.update()

    def update(self) -> list[Rect]:
        """Update the layers; return the rectangles of the window that changed."""
        space = self._space
        shown = space.tab, space.view, space.result
        moved = self._shown != shown
        if moved:
            self._shown = shown
            self._show(space.view)
        dirty = [*self._update_marks(moved), *self._update_over()]
        old, self._bars = self._bars, [*self._frame, *_bars(space)]
        self.layers[:] = [self._page, self._over, *self._bars]
        return _merged([*([CANVAS] if moved else dirty), *_difference(old, self._bars)])

    def _show(self, view: View) -> None:
        """Show the document of the tab in a view."""
        self._stamps = {}
        self._page.rect = intersection(expand(view.page, 1), view.viewport) or _NOWHERE
        self._paper = self._drawn_document()
        self._edge = outline(expand(view.page, 1), chrome.DESK_EDGE)
        title = chrome.title_patch(tuple(self._space.titles.items()), self._space.tab)
        self._frame = [*_scrollbars(view), title]

    def _drawn_document(self) -> list[Layer]:
        space = self._space
        if space.tab == "database":
            return space.result.layers(*space.view.origin, space.view.viewport)
        picture, paper = space.page.background, space.page.paper
        if space.tab == "source":
            picture, paper = space.source, space.source.shape[:2]
        return [Patch(page_at(picture, paper, space.view.percent), *space.view.origin)]

    def _update_marks(self, redraw: bool) -> list[Rect]:
        edited = self._space.box.mark if self._space.box is not None else None
        if not self._space.page.take_dirty() and edited is self._edited and not redraw:
            return []
        self._edited = edited
        self._stamps = {
            mark: self._stamps.get(mark) or stamp_at(mark.stamp.sprite, mark.stamp.x, mark.stamp.y, self._space.view)
            for mark in self._space.page.marks
            if self._space.tab == "form"
        }
        visible = [stamp for mark, stamp in self._stamps.items() if mark is not edited]
        old, self._page.layers = self._page.layers, [*self._paper, *visible, *self._edge]
        return _cut(_difference(old, self._page.layers), self._page.rect)

    def _update_over(self) -> list[Rect]:
        """Update the layers over the page: the selection or the open text box."""
        box, selected = self._space.box, self._space.selected
        typed = (box.x, box.y, box.signed, box.text, box.caret, box.all_selected) if box is not None else None
        key = (self._space.view, selected.box if selected is not None else None, typed)
        if key == self._over_key:
            return []
        self._over_key = key
        layers = _selection(selected, self._space.view) if selected is not None else []
        layers += _text_box(box, self._space) if box is not None else []
        before, self._over.layers = self._over.rect, layers
        visible = _cut([layer.rect for layer in layers], self._space.view.viewport)
        self._over.rect = union(visible) if visible else _NOWHERE
        return [rect for rect in (before, self._over.rect) if rect != _NOWHERE]


def _selection(mark: Mark, view: View) -> list[Layer]:
    return outline(expand(view.around(mark.box), 3), chrome.ACCENT, 2)


def _text_box(box: TextBox, space: Workspace) -> list[Layer]:
    place, text = place_of(box, space.page, space.view), text_stamp(box, space.page, space.view)
    chosen = [SolidRect(place.frame, chrome.PALE_ACCENT)] if box.all_selected else []
    return [*chosen, text, *outline(place.frame, chrome.ACCENT), SolidRect(place.caret, chrome.ACCENT)]


def _scrollbars(view: View) -> list[Layer]:
    layers: list[Layer] = [SolidRect((CANVAS[2] - SCROLLBAR, CANVAS[1], *CANVAS[2:]), chrome.TRACK)]
    for bar in scrollbars(view):
        layers.append(SolidRect(bar.track, chrome.TRACK))
        if bar.thumb is not None:
            layers.append(SolidRect(bar.thumb, chrome.THUMB))
    return layers


def _bars(space: Workspace) -> list[Layer]:
    """The query, and what differs from the empty window in the toolbar and the status bar."""
    query = space.query
    queries = [query_patch(query.text, query.caret, query.all_selected)] if space.tab == "database" else []
    pointed = [] if space.pointed is None else [chrome.pointed_patch(space.pointed)]
    return [*queries, *_buttons(space), chrome.status_patch(space.status), *pointed]


def _buttons(space: Workspace) -> list[Layer]:
    idle = dict.fromkeys(BUTTONS, True) | {
        "undo": bool(space.past) and space.box is None,
        "redo": bool(space.future) and space.box is None,
        "delete": space.selected is not None or space.box is not None,
        "confirm": space.box is not None,
        "cancel": space.box is not None,
        "zoom_in": space.view.next_zoom(True) is not None,
        "zoom_out": space.view.next_zoom(False) is not None,
    }
    faint = [chrome.button_patch(n, "faint") for n, can in idle.items() if n != "zoom" and not (can and space.has(n))]
    pressed = [chrome.button_patch(space.mode, "pressed")] if space.tab == "form" else []
    return [*pressed, *faint, chrome.button_patch("zoom", "idle", f"{space.view.percent} %")]


def _cut(rects: Sequence[Rect], edge: Rect) -> list[Rect]:
    """The rectangles clipped to ``edge``."""
    return [both for rect in rects if (both := intersection(rect, edge)) is not None]


def _difference(old: Sequence[Layer], new: Sequence[Layer]) -> list[Rect]:
    """The rectangles of the layers in only one of the two lists."""
    return [layer.rect for layer in set(old) ^ set(new)]


def _merged(rects: Sequence[Rect]) -> list[Rect]:
    """Rectangles without overlap that cover all of ``rects``."""
    merged: list[Rect] = []
    for rect in rects:
        while touching := [other for other in merged if intersection(rect, other)]:
            rect = union([rect, *touching])
            merged = [other for other in merged if other not in touching]
        merged.append(rect)
    return merged
