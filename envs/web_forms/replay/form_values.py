"""FormValues: the controls of a captured form, what they hold, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ..forms.form_fields import Value
from .capture import ListOption, Pictures
from .numbers import number_text
from .text_fields import TextArea, TextField
from .validity import email_text, text_problem
from .widgets import Button, ListBox, Tick, Widget

_WIDGETS: dict[str, type[Widget]] = {
    "text": TextField,
    "area": TextArea,
    "tick": Tick,
    "box": ListBox,
    "button": Button,
}
"""Classes by kind of control."""


class FormValues:
    """The controls of one form, the rows that are open, and the values.

    Args:
        pictures: of the form's capture.
        files: the names of the files that its pickers offer.

    Attributes:
        pictures, files: as above.
        widgets: every control of every page, in order.
        page: the number of the current page, from 0.
        rows: how many rows of each block are open.
        edits: how often the values may have changed.
    """

    def __init__(self, pictures: Pictures, files: Sequence[str] = ()) -> None:
        self.pictures = pictures
        self.files = tuple(files)
        self.widgets = [_WIDGETS[control.kind](control, pictures) for control in pictures.capture.controls]
        self.page = 0
        self.rows = [1] * len(pictures.capture.blocks)
        self.edits = 0
        self._unread: set[str] = set()
        self._dependents: dict[str | None, list[ListBox]] = {}
        self._groups: dict[str, list[Widget]] = {}
        for widget in self.widgets:
            if not isinstance(widget, Button):
                self._groups.setdefault(widget.control.name, []).append(widget)
            if isinstance(widget, ListBox):
                self._dependents.setdefault(widget.control.depends, []).append(widget)
        self.reset()

    @property
    def visible(self) -> list[Widget]:
        """The controls that are on the page as it is now, in order."""
        return [widget for widget in self.widgets if widget.place is not None]

    def group(self, name: str) -> list[Widget]:
        """The controls of a name."""
        return self._groups.get(name, [])

    def radios(self, radio: Widget) -> list[Tick]:
        """The visible radio buttons of a group."""
        return [w for w in self.group(radio.control.name) if isinstance(w, Tick) and w.control.radio and w.place]

    def value(self, name: str) -> Value:
        """The value of a field; ``None`` if it is hidden."""
        group = self.group(name)
        if not group or not any(self.is_enabled(widget) for widget in group):
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
        return {name: self.value(name) for name in self._groups if name}

    def take_changes(self) -> dict[str, Value]:
        """The values of the fields whose value may have changed since the last call."""
        names, self._unread = self._unread, set()
        return {name: self.value(name) for name in names if name}

    def first_problem(self) -> tuple[Widget, str] | None:
        """The first visible control whose value the browser refuses, and its message."""
        for widget in self.visible:
            if isinstance(widget, Button) or not widget.control.name:
                continue
            ticks = [one for one in self.group(widget.control.name) if isinstance(one, Tick)]
            if message := problem_of(widget, ticks):
                return widget, message
        return None

    def layout_number(self) -> int:
        """The layout for the page, the conditions that hold on it and its open rows."""
        capture = self.pictures.capture
        conditions = tuple(
            i
            for i, one in enumerate(capture.conditions)
            if one.page == self.page and self._holds(one.field, one.values)
        )
        rows = tuple(n if block.page == self.page else 0 for n, block in zip(self.rows, capture.blocks, strict=True))
        return capture.layout_numbers[self.page, conditions, rows]

    def edited(self, name: str) -> None:
        """Note that the value of a field may have changed."""
        self.edits += 1
        # Whether others are hidden may depend on it.
        self._unread |= self._groups.keys() if self.is_decisive(name) else {name}

    def is_decisive(self, name: str) -> bool:
        """Whether other fields, or their options, depend on a field."""
        return name in self.pictures.capture.decisive

    def offer_dependents(self, name: str) -> Iterator[ListBox]:
        """Update the options that depend on a field; yields the boxes that have new ones."""
        for box in self._dependents.get(name, ()):
            self._offer(box)
            yield box
            yield from self.offer_dependents(box.control.name)

    def change_rows(self, block: int, by: int) -> None:
        """Open another row of a block, or close its last one, whose values are dropped."""
        if by < 0:
            for widget in self.widgets:
                if widget.control.row == (block, self.rows[block]):
                    widget.reset()
        self.rows[block] += by
        self._all_edited()

    def reset(self) -> None:
        """Restore the first value of every control."""
        for widget in self.widgets:
            widget.reset()
            if isinstance(widget, ListBox):
                self._offer(widget)
        self._all_edited()

    def _all_edited(self) -> None:
        self.edits += 1
        self._unread |= self._groups.keys()

    def is_enabled(self, widget: Widget) -> bool:
        """Whether a control takes part: its row is open and its condition holds."""
        control = widget.control
        if control.row and control.row[1] > self.rows[control.row[0]]:
            return False
        if control.condition is None:
            return True
        condition = self.pictures.capture.conditions[control.condition]
        return self._holds(condition.field, condition.values)

    def _holds(self, name: str, values: tuple[str, ...]) -> bool:
        value = self.value(name)
        return ("yes" if value else "no") in values if isinstance(value, bool) else value in values

    def _offer(self, box: ListBox) -> None:
        """Update the options of a box: its files, or those that depend on another field."""
        control = box.control
        if control.file:
            box.offer(_file_options(self.files, control.accept))
        elif control.options_by is not None:
            value = self.value(control.depends or "")
            texts = control.options_by.get(value, ()) if isinstance(value, str) else ()
            prompt = control.options[0].model_copy(update={"selected": True})
            box.offer((prompt, *(ListOption(text=text, value=text) for text in texts)))


@lru_cache(maxsize=1024)
def _file_options(files: tuple[str, ...], accept: str) -> tuple[ListOption, ...]:
    """An option for each file that a picker accepts."""
    endings = tuple(accept.lower().split(","))
    return tuple(ListOption(text=name, value=name) for name in files if name.lower().endswith(endings))


def submitted(widget: TextField) -> str:
    """The submitted value of a text field: without what its type does not accept."""
    text, kind = widget.editor.text, widget.control.type
    if kind == "email":
        return email_text(text.strip(" \t\n\f\r"))
    return number_text(text) if kind == "number" else text


def problem_of(widget: Widget, group: Sequence[Tick]) -> str:
    """The problem of a control; "" if there is none.

    Args:
        widget: the control.
        group: the ticks of its name, if it is one.
    """
    if isinstance(widget, Tick):
        return _tick_problem(widget, group)
    if isinstance(widget, ListBox):
        return _list_problem(widget)
    return text_problem(widget.control, submitted(widget), widget.editor.text) if isinstance(widget, TextField) else ""


def _tick_problem(tick: Tick, group: Sequence[Tick]) -> str:
    control = tick.control
    if control.group_required and tick is group[0] and not any(one.checked for one in group):
        return "Please select at least one option."
    if control.radio:
        required = any(one.control.required for one in group)
        return "Please select one of these options." if required and not any(one.checked for one in group) else ""
    return "Please check this box if you want to proceed." if control.required and not tick.checked else ""


def _list_problem(box: ListBox) -> str:
    first = box.chosen.index(True) if True in box.chosen else -1
    # A first option without a value means that nothing is chosen.
    prompt = not (box.control.several or box.control.file) and first == 0 and not box.options[0].value
    if not box.control.required or (first >= 0 and not prompt):
        return ""
    if not box.control.file:
        return "Please select an item in the list."
    return "Please select one or more files." if box.control.several else "Please select a file."
