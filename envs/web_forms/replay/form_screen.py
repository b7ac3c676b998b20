"""Screen: the visible part of a captured page, with values, focus and pointer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ...core.painting import Image, Patch, Rect
from ..forms.form_fields import Value
from .capture import Layout, Option, Pictures
from .overlays import Bubble, Calendar, Popup, Window
from .text_fields import TextArea, TextField
from .text_layout import snapped
from .validity import submitted
from .widgets import Button, ListBox, TextLayer, Tick, Widget, inside

_WIDGETS: dict[str, type[Widget]] = {
    "text": TextField,
    "area": TextArea,
    "tick": Tick,
    "box": ListBox,
    "button": Button,
}
"""Classes by kind of control."""


class Screen:
    """The look of one form, without what clicks and keys do; see ``CapturedPage``."""

    def __init__(self, pictures: Pictures, files: Sequence[str] = ()) -> None:
        capture = pictures.capture
        self.pictures = pictures
        self.files = tuple(files)
        self.widgets: list[Widget] = [_WIDGETS[control.kind](control, pictures) for control in capture.controls]
        self.window = Window(*capture.viewport)
        self.page = 0
        self.rows = [1] * len(capture.blocks)
        self.focus: Widget | None = None
        self.pointer: tuple[int, int] | None = (0, 0)
        self.hovered: Widget | None = None
        self._over_label: Widget | None = None
        self._is_direct = False
        self._hover_layout: Layout | None = None
        self.popup: Popup | None = None
        self.calendar: Calendar | None = None
        self.bubble: Bubble | None = None
        self.typed = ""
        self.submitted: dict[str, Value] | None = None
        self.had_open_parts = False
        self.layers: list[Patch | TextLayer] = []
        self.choices: list[tuple[str, str]] = []
        self.edits = 0
        self.clicks: list[str] = []
        self._draft: dict[str, Value] | None = None
        self._unread: set[str] = set()
        self._drawn: dict[Widget | str, Sequence[Patch | TextLayer]] = {}
        self._shifted_layers: dict[Patch | TextLayer, tuple[int, Patch | TextLayer]] = {}
        self._at: tuple[float, float, Layout] | None = None
        self._found: list[Widget] = []
        self._opened: dict[str, Any] = {}
        self._dirty: list[Rect] = []
        self._stale: dict[Widget, None] = {}
        self._groups: dict[str, list[Widget]] = {}
        for widget in self.widgets:
            if not isinstance(widget, Button):
                self._groups.setdefault(widget.control.name, []).append(widget)
            widget.reset()
            if isinstance(widget, ListBox):
                self._offer(widget)
        self._relayout()
        self.take_dirty()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled screen, with a new layout.

        Drawn layers are compared by identity with shared pictures.
        """
        self.__dict__.update(state)
        layout = self.__dict__.pop("_layout")
        self._relayout()
        self._at = None
        self._hover_layout = self._layout if self._hover_layout is layout else None

    # Drawing.

    def take_dirty(self) -> list[Rect]:
        """Update ``layers``; return the rectangles that changed since the last call."""
        for widget in self._stale:
            self._redraw(widget, tuple(widget.layers(self._picture)) if widget.place else ())
        self._stale = {}
        for name, part in (("popup", self.popup), ("calendar", self.calendar), ("bubble", self.bubble)):
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

    def touch(self, widget: Widget | None) -> None:
        """Note that the look of a control has changed."""
        if widget is not None:
            self._stale[widget] = None

    # Layout.

    def _relayout(self) -> None:
        """Change to the layout that follows from the values."""
        capture = self.pictures.capture
        conditions = tuple(
            i
            for i, one in enumerate(capture.conditions)
            if one.page == self.page and self._holds(one.field, one.values)
        )
        rows = tuple(n if block.page == self.page else 0 for n, block in zip(self.rows, capture.blocks, strict=True))
        layout = capture.layout[self.page, conditions, rows]
        if getattr(self, "_layout", None) is layout:
            return
        self._layout = layout
        self._picture: Image = self.pictures.page(layout)
        places = {place.id: place for place in layout.places}
        for widget in self.widgets:
            widget.place = places.get(widget.control.id)
        if self.focus is not None and self.focus.place is None:
            self.set_focus(None)
        self._stale = {widget: None for widget in self.widgets if widget.place}
        self._drawn = {key: layers for key, layers in self._drawn.items() if isinstance(key, str)}
        self._shifted_layers = {}
        self.scroll_to(self.window.scroll, again=True)

    def _holds(self, name: str, values: tuple[str, ...]) -> bool:
        value = self.value(name)
        return ("yes" if value else "no") in values if isinstance(value, bool) else value in values

    def scroll_to(self, scroll: int, again: bool = False) -> None:
        """Scroll the page, as far as it goes."""
        height = self.window.height
        scroll = max(0, min(scroll, self._layout.height - height))
        if scroll == self.window.scroll and not again:
            return
        self.window.scroll = scroll
        self.background = _view(self._picture, scroll, height)
        self._dirty.append((0, scroll, self.window.width, scroll + height))

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

    # Values.

    def group(self, name: str) -> list[Widget]:
        """The controls of a name."""
        return self._groups.get(name, [])

    def enabled(self, widget: Widget) -> bool:
        """Whether a control takes part: its row is open and its condition holds."""
        control = widget.control
        if control.row and control.row[1] > self.rows[control.row[0]]:
            return False
        if control.condition is None:
            return True
        condition = self.pictures.capture.conditions[control.condition]
        return self._holds(condition.field, condition.values)

    def value(self, name: str) -> Value:
        """The value of a field; ``None`` if it is hidden."""
        group = self.group(name)
        if not group or not any(self.enabled(widget) for widget in group):
            return None
        first = group[0]
        if isinstance(first, ListBox):
            return list(first.values) if first.control.several else next(iter(first.values), "")
        if isinstance(first, TextField):
            return submitted(first)
        ticks = [tick for tick in group if isinstance(tick, Tick)]
        if first.control.radio:
            return next((tick.control.value for tick in ticks if tick.checked), "")
        if len(ticks) == 1 and not first.control.listed:
            return ticks[0].checked
        return [tick.control.value for tick in ticks if tick.checked]

    def draft(self) -> dict[str, Value]:
        """The current value of every field."""
        if self._draft is None:
            self._draft = {name: self.value(name) for name in self._groups if name}
        else:
            self._draft.update({name: self.value(name) for name in self._unread if name})
        self._unread.clear()
        return dict(self._draft)

    def edited(self, widget: Widget) -> None:
        """Update the page after a control's value may have changed."""
        self.edits += 1
        self._unread.add(widget.control.name)
        if widget.control.name in self.pictures.capture.decisive:
            self._draft = None
        self.touch(widget)

    def changed(self, widget: Widget) -> None:
        """Update the page after a choice changed: dependent options and layout."""
        self.edited(widget)
        self._offer_dependents(widget.control.name)
        self._relayout()

    def _offer(self, box: ListBox) -> None:
        """Update the options of a box: its files, or those that depend on another field."""
        control = box.control
        if control.file:
            box.offer(tuple(Option(text=name, value=name) for name in self.files if _accepted(name, control.accept)))
        elif control.options_by is not None:
            value = self.value(control.depends or "")
            texts = control.options_by.get(value, ()) if isinstance(value, str) else ()
            prompt = control.options[0].model_copy(update={"selected": True})
            box.offer((prompt, *(Option(text=text, value=text) for text in texts)))

    def _offer_dependents(self, name: str) -> None:
        for box in self.widgets:
            if isinstance(box, ListBox) and box.control.depends == name:
                self._offer(box)
                self.touch(box)
                self._offer_dependents(box.control.name)

    # Focus and pointer.

    def set_focus(self, widget: Widget | None, by_key: bool = False) -> None:
        """Move the focus, without scrolling."""
        if self.focus is not None and self.focus is not widget:
            self.focus.focused = False
            if isinstance(self.focus, TextField) and not isinstance(self.focus, TextArea):
                self.focus.scroll = 0
            self.touch(self.focus)
        if widget is not None and widget is not self.focus:
            widget.focused, widget.by_key = True, by_key
            self.touch(widget)
        self.focus = widget

    def focus_on(self, widget: Widget) -> None:
        """Focus a control as the script does: it is scrolled into view."""
        self.set_focus(widget, by_key=True)
        self.reveal(widget)

    def focus_whole(self, widget: Widget) -> None:
        """Focus a control without a click.

        All of a line is selected; in an area the caret goes to the end.
        """
        self.focus_on(widget)
        self.touch(widget)
        if isinstance(widget, TextArea):
            widget.editor.move(len(widget.editor.text), extend=False)
        elif isinstance(widget, TextField):
            widget.editor.select(0, len(widget.editor.text))

    def stops(self) -> list[Widget]:
        """The controls at which Tab stops, in order; a group of radio buttons once."""
        found: list[Widget] = []
        for widget in self.widgets:
            if widget.place is None:
                continue
            if isinstance(widget, Tick) and widget.control.radio:
                group = self.radios(widget)
                if widget is not next((one for one in group if one.checked), group[0]):
                    continue
            found.append(widget)
        return found

    def radios(self, radio: Widget) -> list[Tick]:
        """The visible radio buttons of a group."""
        return [w for w in self.group(radio.control.name) if isinstance(w, Tick) and w.control.radio and w.place]

    def pointer_on_page(self) -> tuple[float, float] | None:
        """The pointer on the page: the corner of a pixel, not its centre."""
        return None if self.pointer is None else (self.pointer[0], self.pointer[1] + self.window.scroll)

    def point(self) -> None:
        """Update the hovered controls from the pointer."""
        at = self.pointer_on_page()
        direct = label = None
        if at is not None:
            if self.popup is not None and inside(self.popup.rect, *at):
                self.popup.point(*at)
            elif self.calendar is not None and inside(self.calendar.rect, *at):
                self.calendar.point(*at)
            else:
                self._move_pointer_off_popups(*at)
                direct, label = self._under(*at)
        self._hover(direct, label)

    def _hover(self, direct: Widget | None, label: Widget | None) -> None:
        """Set the control under the pointer, and the one whose label is there.

        A control is hovered as soon as the pointer comes to its label. When the pointer leaves the control itself for
        a label
        around it, where it was before, the control is not hovered any more, unless the page has moved under the
        pointer.
        """
        hovered = direct
        if direct is None and label is not None:
            came = label is not self._over_label
            stays = self.hovered is label and not (self._is_direct and self._hover_layout is self._layout)
            hovered = label if came or stays else None
        self._over_label, self._is_direct, self._hover_layout = label, direct is not None, self._layout
        if hovered is not self.hovered:
            for widget, over in ((self.hovered, False), (hovered, True)):
                if widget is not None:
                    widget.hovered = over
                    self.touch(widget)
            self.hovered = hovered

    def _under(self, x: float, y: float) -> tuple[Widget | None, Widget | None]:
        """The control at a point of the page, and the one whose label is there."""
        label = self.labelled_at(x, y)
        return self.widget_at(x, y), None if isinstance(label, ListBox) else label

    def _move_pointer_off_popups(self, x: float, y: float) -> None:
        if self.popup is not None:
            self.popup.point(x, y)
        if self.calendar is not None:
            self.calendar.point(x, y)

    def widget_at(self, x: float, y: float) -> Widget | None:
        """The control at a point of the page, without labels and calendar buttons."""
        for widget in reversed(self._near(x, y)):
            if widget.holds(x, y):
                button = widget.spot.calendar_button
                return None if button and inside(button, x, y) else widget
        return None

    def _near(self, x: float, y: float) -> list[Widget]:
        """The controls that may be at a point of the page, with their labels, in order."""
        if self._at != (x, y, self._layout):
            found = self.pictures.near(self._layout, x, y)
            self._at, self._found = (x, y, self._layout), [self.widgets[number] for number in found]
        return self._found

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


def _accepted(name: str, accept: str) -> bool:
    kinds = [kind.strip().lower() for kind in accept.split(",")] if accept else []
    return not kinds or any(kind == "*" or "/" in kind or name.lower().endswith(kind) for kind in kinds)


def _view(picture: Image, scroll: int, height: int) -> Image:
    """The visible part of a scrolled page, as the same array for the same arguments."""
    return picture[scroll : scroll + height]
