"""PageCanvas: the visible part of a captured page, as a background and layers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...core.boxes import Rect
from ...core.painting import Image, Patch
from .capture import Layout, Pictures
from .fonts import snapped
from .overlays import Overlays, Window
from .widgets import TextLayer, Widget


class PageCanvas:
    """A page's picture, scrolled, with the looks and texts of its controls over it.

    Args:
        pictures: of the form's capture.

    Attributes:
        window: the visible part.
        number: which layout of the capture is visible; -1: none yet.
        background: the visible part of the layout's picture; another array when that changes.
        layers: the layers over it, the lowest first; one list that changes.
    """

    def __init__(self, pictures: Pictures) -> None:
        self.window = Window(*pictures.capture.viewport)
        self.number = -1
        self.background: Image
        self.layers: list[Patch | TextLayer] = []
        self._pictures = pictures
        self._picture: Image
        self._stale: dict[Widget, None] = {}
        self._drawn: dict[Widget | str, Sequence[Patch | TextLayer]] = {}
        self._shifted_layers: dict[Patch | TextLayer, tuple[int, Patch | TextLayer]] = {}
        self._opened: dict[str, object] = {}
        self._dirty: list[Rect] = []

    @property
    def layout(self) -> Layout:
        """The visible layout."""
        return self._pictures.capture.layouts[self.number]

    def show(self, number: int, widgets: Sequence[Widget]) -> None:
        """Change to a layout: every control gets its place in it, or none."""
        self.number = number
        self._picture = self._pictures.page(self.layout)
        places = {place.id: place for place in self.layout.places}
        for widget in widgets:
            widget.layout, widget.place = number, places.get(widget.control.id)
        self._stale = {widget: None for widget in widgets if widget.place}
        self._drawn = {key: layers for key, layers in self._drawn.items() if isinstance(key, str)}
        self._shifted_layers = {}
        self._set_scroll(self.window.scroll)

    def touch(self, widget: Widget) -> None:
        """Note that the look of a control has changed."""
        self._stale[widget] = None

    def take_dirty(self, overlays: Overlays) -> list[Rect]:
        """Update ``layers``; return the rectangles that changed since the last call."""
        for widget in self._stale:
            self._redraw(widget, tuple(widget.layers(self._picture)) if widget.place else ())
        self._stale = {}
        for name, part in (("popup", overlays.popup), ("calendar", overlays.calendar), ("bubble", overlays.bubble)):
            look = None if part is None else (part, part.look())
            if look != self._opened.get(name):
                self._opened[name] = look
                self._redraw(name, (part.layer(),) if part else ())
        dirty, self._dirty = dict.fromkeys(self._dirty), []
        scroll = self.window.scroll
        if dirty:
            drawn = itertools.chain.from_iterable(self._drawn.values())
            self.layers[:] = map(self._shifted, drawn) if scroll else drawn
        return [(left, top - scroll, right, bottom - scroll) for left, top, right, bottom in dirty]

    def scroll_to(self, scroll: int) -> None:
        """Scroll the page, as far as it goes."""
        scroll = self._nearest_scroll(scroll)
        if scroll != self.window.scroll:
            self._set_scroll(scroll)

    def resize(self, height: int) -> None:
        """Give the window another height in pixels."""
        self.window.height = height
        self._set_scroll(self.window.scroll)

    def reveal(self, widget: Widget) -> None:
        """Scroll a control to the middle of the window, unless all of it is visible."""
        _, top, _, bottom = widget.spot.box
        if not self._is_visible(top, bottom):
            self.scroll_to(snapped(top - (self.window.height - (bottom - top)) / 2))

    def reveal_edge(self, widget: Widget) -> None:
        """Scroll just far enough to bring a control into view."""
        _, top, _, bottom = widget.spot.box
        if not self._is_visible(top, bottom):
            self.scroll_to(snapped(top if top < self.window.scroll else bottom - self.window.height))

    def _is_visible(self, top: float, bottom: float) -> bool:
        return top >= self.window.scroll and bottom <= self.window.scroll + self.window.height

    def _nearest_scroll(self, scroll: int) -> int:
        return max(0, min(scroll, self.layout.height - self.window.height))

    def _set_scroll(self, scroll: int) -> None:
        """Scroll as far as it goes, and show all of the window again."""
        top, window = self._nearest_scroll(scroll), self.window
        window.scroll = top
        self.background = self._picture[top : top + window.height]
        self._dirty.append((0, top, window.width, top + window.height))

    def _shifted(self, layer: Patch | TextLayer) -> Patch | TextLayer:
        """A layer of the page in the window, made once for each scroll."""
        scroll = self.window.scroll
        shifted = self._shifted_layers.get(layer)
        if shifted is None or shifted[0] != scroll:
            moved = Patch(layer.pixels, layer.x, layer.y - scroll) if isinstance(layer, Patch) else layer.moved(scroll)
            shifted = self._shifted_layers[layer] = scroll, moved
        return shifted[1]

    def _redraw(self, key: Widget | str, layers: Sequence[Patch | TextLayer]) -> None:
        before = self._drawn.pop(key, ())
        for layer in before:
            if layer not in layers:
                self._dirty.append(layer.rect)
                self._shifted_layers.pop(layer, None)
        if layers:
            self._drawn[key] = layers
            self._dirty += [layer.rect for layer in layers if layer not in before]
        if isinstance(key, Widget):
            # What opens over the page stays above the controls.
            for name in ("popup", "calendar", "bubble"):
                if name in self._drawn:
                    self._drawn[name] = self._drawn.pop(name)
