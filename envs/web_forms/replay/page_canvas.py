"""The visible part of a captured page, as a background and layers, with the pointer and the focus on it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...core.boxes import Rect
from ...core.painting import Image, Patch
from .capture import PageLayout, Pictures
from .fonts import snapped
from .form_values import FormValues
from .overlays import Overlays, Viewport
from .text_fields import TextArea, TextField
from .widgets import ListBox, TextLayer, Tick, Widget, inside


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
        self.window = Viewport(*pictures.capture.viewport)
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
    def layout(self) -> PageLayout:
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
        for name, part in overlays.parts().items():
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

    def scroll_by(self, share: float) -> None:
        """Scroll down by a share of the window; negative: up."""
        step = snapped(self.window.height * abs(share))
        self.scroll_to(self.window.scroll + (step if share > 0 else -step))

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


class Pointer:
    """The mouse pointer, and the control that it hovers over.

    Args:
        values: the controls.
        canvas: where they are.

    Attributes:
        at: the pixel of the window.
    """

    def __init__(self, values: FormValues, canvas: PageCanvas) -> None:
        self.at = 0, 0
        self._values, self._canvas = values, canvas
        self._hovered: Widget | None = None
        self._over_label: Widget | None = None
        self._is_direct = False
        self._hover_layout = -1
        self._near_point: tuple[float, float, int] | None = None
        self._near_widgets: list[Widget] = []

    def on_page(self) -> tuple[int, int]:
        """The pointer on the page: the corner of a pixel, not its centre."""
        return self.at[0], self.at[1] + self._canvas.window.scroll

    def update(self, overlays: Overlays) -> None:
        """Highlight the part of an overlay, or the control, under the pointer."""
        at = self.on_page()
        direct = label = None
        if not overlays.point(*at):
            direct, label = self.widget_at(*at), self.labelled_at(*at)
        self._hover(direct, None if isinstance(label, ListBox) else label)

    def widget_at(self, x: float, y: float) -> Widget | None:
        """The control at a point of the page, without labels and calendar buttons."""
        for widget in reversed(self._near(x, y)):
            if widget.holds(x, y):
                button = widget.spot.calendar_button
                return None if button and inside(button, x, y) else widget
        return None

    def labelled_at(self, x: float, y: float) -> Widget | None:
        """The control whose label is at a point of the page."""
        for widget in self._near(x, y):
            for box in widget.spot.labels:
                if inside(box, x, y):
                    return widget
        return None

    def date_at(self, x: float, y: float) -> TextField | None:
        """The date whose calendar button is at a point of the page."""
        for widget in self._near(x, y):
            button = widget.spot.calendar_button
            if button and inside(button, x, y) and isinstance(widget, TextField):
                return widget
        return None

    def _near(self, x: float, y: float) -> list[Widget]:
        """The controls that may be at a point of the page, with their labels, in order."""
        if self._near_point != (x, y, self._canvas.number):
            numbers = self._values.pictures.near(self._canvas.number, x, y)
            self._near_point = x, y, self._canvas.number
            self._near_widgets = [self._values.widgets[number] for number in numbers]
        return self._near_widgets

    def _hover(self, direct: Widget | None, label: Widget | None) -> None:
        """Set the control under the pointer, and the one whose label is there.

        A control is hovered as soon as the pointer comes to its label. When the pointer leaves the control itself for
        a label around it, where it was before, the control is not hovered any more, unless the page has moved under
        the pointer.
        """
        hovered = direct
        if direct is None and label is not None:
            came = label is not self._over_label
            stays = self._hovered is label and not (self._is_direct and self._hover_layout == self._canvas.number)
            hovered = label if came or stays else None
        self._over_label, self._is_direct, self._hover_layout = label, direct is not None, self._canvas.number
        if hovered is not self._hovered:
            for widget, over in ((self._hovered, False), (hovered, True)):
                if widget is not None:
                    widget.hovered = over
                    self._canvas.touch(widget)
            self._hovered = hovered


class Focus:
    """The focused control, and the characters typed on it to find an option.

    Args:
        values: the controls.
        canvas: where they are.

    Attributes:
        widget: the focused control, if any.
        typed: what was typed on a list since it was last used otherwise, in lower case.
    """

    def __init__(self, values: FormValues, canvas: PageCanvas) -> None:
        self.widget: Widget | None = None
        self.typed = ""
        self._values, self._canvas = values, canvas

    def set(self, widget: Widget | None, by_key: bool = False) -> None:
        """Move the focus, without scrolling."""
        before = self.widget
        if before is not None and before is not widget:
            before.focused = False
            if isinstance(before, TextField) and not isinstance(before, TextArea):
                before.scroll = 0
            self._canvas.touch(before)
        if widget is not None and widget is not before:
            widget.focused, widget.by_key = True, by_key
            self._canvas.touch(widget)
        self.widget = widget

    def show_ring(self) -> None:
        """Draw the focus as after a key."""
        if self.widget is not None and not self.widget.by_key:
            self.widget.by_key = True
            self._canvas.touch(self.widget)

    def move_to(self, widget: Widget) -> None:
        """Focus a control as a script does: it is scrolled into view."""
        self.set(widget, by_key=True)
        self._canvas.reveal(widget)

    def select_all(self, widget: Widget) -> None:
        """Focus a control without a click.

        All of a line is selected; in an area the caret goes to the end.
        """
        self.move_to(widget)
        self._canvas.touch(widget)
        if isinstance(widget, TextArea):
            widget.editor.move(len(widget.editor.text), extend=False)
        elif isinstance(widget, TextField):
            widget.editor.select(0, len(widget.editor.text))

    def advance(self, by: int) -> None:
        """Go to the next stop of Tab, or to the one before."""
        stops = self._stops()
        if not stops:
            return
        at = next((i for i, stop in enumerate(stops) if self._is_here(stop)), None)
        to = (0 if by > 0 else len(stops) - 1) if at is None else (at + by) % len(stops)
        self.select_all(stops[to])

    def _stops(self) -> list[Widget]:
        """The controls at which Tab stops, in order; a group of radio buttons once."""
        stops: list[Widget] = []
        for widget in self._values.widgets:
            if widget.place is None:
                continue
            if isinstance(widget, Tick) and widget.control.radio:
                group = self._values.radios(widget)
                if widget is not next((radio for radio in group if radio.checked), group[0]):
                    continue
            stops.append(widget)
        return stops

    def _is_here(self, stop: Widget) -> bool:
        """Whether a stop is the focused control, or stands for its group of radio buttons."""
        here = self.widget
        if stop is here:
            return True
        both = isinstance(here, Tick) and isinstance(stop, Tick) and here.control.radio and stop.control.radio
        return bool(both and here and stop.control.name == here.control.name)
