"""Pointer and focus: the control under the mouse, and the one that keys go to."""

from __future__ import annotations

from .form_values import FormValues
from .overlays import Overlays
from .page_canvas import PageCanvas
from .text_fields import TextArea, TextField
from .widgets import ListBox, Tick, Widget, inside


class Pointer:
    """The mouse pointer, and the control that it hovers over.

    Args:
        values: the controls.
        canvas: where they are.

    Attributes:
        at: the pixel of the window; ``None``: outside of it.
    """

    def __init__(self, values: FormValues, canvas: PageCanvas) -> None:
        self.at: tuple[int, int] | None = (0, 0)
        self._values, self._canvas = values, canvas
        self._hovered: Widget | None = None
        self._over_label: Widget | None = None
        self._is_direct = False
        self._hover_layout = -1
        self._near_point: tuple[float, float, int] | None = None
        self._near_widgets: list[Widget] = []

    def on_page(self) -> tuple[float, float] | None:
        """The pointer on the page: the corner of a pixel, not its centre."""
        return None if self.at is None else (self.at[0], self.at[1] + self._canvas.window.scroll)

    def update(self, overlays: Overlays) -> None:
        """Highlight the part of an overlay, or the control, under the pointer."""
        at = self.on_page()
        direct = label = None
        if at is not None and not overlays.point(*at):
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
