"""A captured page as a background and layers, its visible part, and the pointer and the focus on it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...core.boxes import Rect, union
from ...core.painting import Image, Layer
from .capture import PageLayout, Pictures
from .fonts import snapped
from .form_values import FormValues
from .overlays import OVERLAYS, Overlays, Viewport
from .text_fields import TextArea, TextField
from .widgets import ListBox, Tick, Widget, inside

_FEW = 4
"""Up to this many parts of an overlay are painted one by one."""


class PageCanvas:
    """A page's picture, with the looks and texts of its controls over it, and the window onto it.

    Args:
        pictures: of the form's capture.

    Attributes:
        window: the visible part.
        number: which layout of the capture is visible; -1: none yet.
        picture: of the layout.
        layers: the layers over it, the lowest first; one list that changes.
    """

    def __init__(self, pictures: Pictures) -> None:
        self.window = Viewport(*pictures.capture.viewport)
        self.number = -1
        self.picture: Image
        self.layers: list[Layer] = []
        self._pictures = pictures
        self._stale: dict[Widget, None] = {}
        self._drawn: dict[Widget | str, Sequence[Layer]] = {}
        self._opened: dict[str, object] = dict.fromkeys(OVERLAYS)
        self._dirty: list[Rect] = []

    @property
    def layout(self) -> PageLayout:
        """The visible layout."""
        return self._pictures.capture.layouts[self.number]

    def show(self, number: int, widgets: Sequence[Widget]) -> None:
        """Change to a layout: every control gets its place in it, or none."""
        self.number = number
        self.picture = self._pictures.page(self.layout)
        places = {place.id: place for place in self.layout.places}
        for widget in widgets:
            widget.layout, widget.place = number, places.get(widget.control.id)
        self._stale = {widget: None for widget in widgets if widget.place}
        self._drawn = {key: layers for key, layers in self._drawn.items() if isinstance(key, str)}
        self.scroll_to(self.window.scroll)
        self._dirty.append((0, 0, self.window.width, self.layout.height))

    def touch(self, widget: Widget) -> None:
        """Note that the look of a control has changed."""
        self._stale[widget] = None

    def take_dirty(self, overlays: Overlays) -> list[Rect]:
        """Update ``layers``; return the rectangles of the page that changed since the last call."""
        if self._stale:
            for widget in self._stale:
                self._redraw(widget, widget.layers(self.picture) if widget.place else ())
            self._stale = {}
            # What opens over the page stays above the controls.
            for name in self._opened:
                if name in self._drawn:
                    self._drawn[name] = self._drawn.pop(name)
        for name, part in overlays.parts():
            look = None if part is None else (part, part.look())
            if look != self._opened[name]:
                self._opened[name] = look
                self._redraw(name, part.layers() if part else ())
        dirty, self._dirty = self._dirty, []
        if dirty:
            self.layers[:] = itertools.chain.from_iterable(self._drawn.values())
        return dirty

    def scroll_to(self, scroll: int) -> int:
        """Scroll the page, as far as it goes; return how far that is, in pixels."""
        before = self.window.scroll
        self.window.scroll = max(0, min(scroll, self.layout.height - self.window.height))
        return self.window.scroll - before

    def scroll_by(self, share: float) -> None:
        """Scroll down by a share of the window; negative: up."""
        step = snapped(self.window.height * abs(share))
        self.scroll_to(self.window.scroll + (step if share > 0 else -step))

    def resize(self, height: int) -> None:
        """Give the window another height in pixels."""
        self.window.height = height
        self.scroll_to(self.window.scroll)

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

    def _redraw(self, key: Widget | str, layers: Sequence[Layer]) -> None:
        before = self._drawn.pop(key, ())
        if layers:
            self._drawn[key] = layers
        rects = [layer.rect for layer in {*before} ^ {*layers}]
        if len(rects) > (1 if isinstance(key, Widget) else _FEW):
            rects = [union(rects)]
        self._dirty += rects


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
        self._hit_point: tuple[float, float, int] | None = None
        self._hit: tuple[Widget | None, Widget | None, TextField | None] = None, None, None

    def on_page(self) -> tuple[int, int]:
        """The pointer on the page: the corner of a pixel, not its centre."""
        return self.at[0], self.at[1] + self._canvas.window.scroll

    def update(self, overlays: Overlays) -> None:
        """Highlight the part of an overlay, or the control, under the pointer."""
        at = self.on_page()
        direct = label = None
        if not overlays.point(*at):
            direct, label, _ = self.hit_at(*at)
        self._hover(direct, None if isinstance(label, ListBox) else label)

    def hit_at(self, x: float, y: float) -> tuple[Widget | None, Widget | None, TextField | None]:
        """What is at a point of the page, found once for the point and the layout.

        It is the control, without its labels and calendar button; the one whose label is there; and the date whose
        calendar button is there.
        """
        point = x, y, self._canvas.number
        if point != self._hit_point:
            numbers = self._values.pictures.near(self._canvas.number, x, y)
            near = [self._values.widgets[number] for number in numbers]
            dates = [one for one in near if (box := one.spot.calendar_button) and inside(box, x, y)]
            on_it = next((one for one in reversed(near) if one.holds(x, y)), None)
            labelled = (one for one in near if any(inside(box, x, y) for box in one.spot.labels))
            date = next((one for one in dates if isinstance(one, TextField)), None)
            self._hit_point = point
            self._hit = None if on_it in dates else on_it, next(labelled, None), date
        return self._hit

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
        return stop is self.widget or (stop.control.radio and self.widget in self._values.radios(stop))
