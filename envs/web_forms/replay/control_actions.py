"""Controls of a captured page: their list, and calls that use or fill in controls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...core.env import PageControl
from ...core.tools import Call, ToolError
from ..forms.form_fields import Value
from .captured_page import CapturedPage
from .overlays import MAX_ROWS, ROW
from .text_fields import TextArea, TextField
from .widgets import Button, ListBox, Tick, Widget

_BUTTONS = {
    "next": "Next page",
    "back": "Previous page",
    "submit": "Submit",
    "add": "Add a row",
    "remove": "Remove the last row",
}
_MAX_TURNS = 100
"""Of the wheel, to bring a control into view."""
_TEXT_ROLES = {"number": "spinbutton", "date": "date", "password": "password", "search": "searchbox"}


class ControlActions:
    """Uses the controls of a page by clicks and keys, each carried out on it at once.

    Args:
        page: is changed.

    Attributes:
        page: as above.
        calls: the calls of tools that were made.
    """

    def __init__(self, page: CapturedPage) -> None:
        self.page = page
        self.calls: list[Call] = []

    def close_popups(self) -> None:
        """Close all overlays of the page."""
        if self.page.has_open_parts:
            self.press("Escape")

    def click(self, widget: Widget) -> None:
        """Click the middle of a control, scrolled into view first."""
        left, top, right, bottom = widget.spot.box
        window = self.page.canvas.window
        self._bring_into_view(top, bottom)
        x = min(left + 16, (left + right) / 2) if isinstance(widget, TextField) else (left + right) / 2
        self._do("click", self.page.click, x=int(x), y=int((top + bottom) / 2) - window.scroll)

    def write(self, field: TextField, text: str) -> None:
        """Replace the text of a field."""
        self.click(field)
        if field.editor.text:
            self.press("Control+a")
        if text:
            self._do("type_text", self.page.type_text, text=text)
        else:
            self.press("Delete")

    def choose(self, box: ListBox, rows: Mapping[int, bool]) -> None:
        """Choose or drop rows of a list."""
        self.click(box)
        for row, chosen in rows.items():
            if chosen != box.chosen[row] and (chosen or box.control.several):
                self._choose_row(row)
        if self.page.overlays.popup is not None:
            self.press("Escape")

    def enter(self, widget: Widget, value: Value) -> None:
        """Enter the value of a field into a control of it: write it, choose it, or click where it is not ticked so."""
        chosen = value if isinstance(value, list) else [value]
        if isinstance(widget, TextField):
            self.write(widget, str(value or ""))
        elif isinstance(widget, ListBox):
            self.choose(widget, {row: option.value in chosen for row, option in enumerate(widget.options)})
        elif not isinstance(widget, Tick) or widget.checked != (value is True or widget.control.value in chosen):
            self.click(widget)

    def press(self, key: str) -> None:
        """Press a key."""
        self._do("press_key", self.page.press_key, key=key)

    def _bring_into_view(self, top: float, bottom: float) -> None:
        """Turn the wheel until the page moves: a text area under the pointer takes it until its own end is reached."""
        window = self.page.canvas.window
        middle, before = int((top + bottom - window.height) / 2), window.scroll
        for _ in range(_MAX_TURNS):
            if window.scroll != before or (top >= before and bottom <= before + window.height):
                return
            self._do("scroll", self.page.scroll, dy=middle - before)

    def _choose_row(self, row: int) -> None:
        """Choose a row of the open list, scrolled into view by keys first."""
        popup = self.page.overlays.popup
        assert popup is not None
        while not popup.top <= row * ROW <= popup.top + (MAX_ROWS - 1) * ROW:
            self.press("ArrowDown" if row * ROW > popup.top else "ArrowUp")
        left, top, right, _ = popup.rect
        y = top + 1 + row * ROW - popup.top + ROW // 2 - self.page.canvas.window.scroll
        self._do("click", self.page.click, x=(left + right) // 2, y=y)

    def _do(self, tool: str, act: Callable[..., object], **arguments: Any) -> None:
        act(*arguments.values())
        self.calls.append({"tool": tool, **arguments})


def controls_of(page: CapturedPage, labels: Mapping[str, str]) -> Iterator[PageControl]:
    """The controls of the current page, in its order.

    Args:
        page: as it is now.
        labels: of fields, by the names of their controls.
    """
    scroll = page.canvas.window.scroll
    for widget in page.values.visible:
        left, top, right, bottom = widget.spot.box
        role, value, options = _described(widget)
        yield PageControl(
            widget.control.id,
            role,
            _name(widget, labels),
            value,
            options,
            (left, top - scroll, right, bottom - scroll),
            widget.control.required or widget.control.group_required,
        )


def control_calls(page: CapturedPage, action: str, id: int, text: str = "") -> list[Call]:
    """The clicks and keys that use a control; none if nothing has to be done.

    Args:
        page: to plan on; it is changed.
        action: ``"click_control"``, ``"fill"`` or ``"select_option"``.
        id: of the control.
        text: what to fill in, or the option to select; of a list of several, it is dropped if it was chosen.

    Raises:
        ToolError: if there is no such control on the page, or it cannot be used so.
    """
    widget = next((one for one in page.values.visible if one.control.id == id), None)
    if widget is None:
        raise ToolError(f"There is no control {id} on this page.")
    plan = ControlActions(page)
    plan.close_popups()
    if action == "click_control":
        plan.click(widget)
    elif action == "fill":
        plan.write(_writable(widget, text), text)
    else:
        _select(plan, widget, text)
    return plan.calls


def _writable(widget: Widget, text: str) -> TextField:
    if not isinstance(widget, TextField):
        other = "select_option" if isinstance(widget, ListBox) else "click_control"
        raise ToolError(f"Control {widget.control.id} takes no text; use {other}.")
    if not isinstance(widget, TextArea) and ("\n" in text or "\r" in text):
        raise ToolError(f"Control {widget.control.id} takes one line.")
    if not text.replace("\n", "").replace("\r", "").isprintable():
        raise ToolError("The text holds control characters, which have no keys.")
    return widget


def _select(plan: ControlActions, widget: Widget, option: str) -> None:
    if not isinstance(widget, ListBox):
        raise ToolError(f"Control {widget.control.id} is no list; use click_control or fill.")
    names = [one.text for one in widget.options]
    if option not in names:
        raise ToolError(
            f"Control {widget.control.id} does not offer {option[:80]!r}; it offers {'; '.join(names)[:400]}."
        )
    row = names.index(option)
    plan.choose(widget, {row: not widget.chosen[row] if widget.control.several else True})


def _name(widget: Widget, labels: Mapping[str, str]) -> str:
    control = widget.control
    if isinstance(widget, Button):
        return _BUTTONS.get(control.action, "Button")
    label = labels.get(control.name, control.name)
    return f"{label}: {control.value}" if control.radio or control.listed else label


def _described(widget: Widget) -> tuple[str, str, tuple[str, ...]]:
    """The role of a control, its value and its options."""
    if isinstance(widget, ListBox):
        return ("listbox" if widget.control.several else "combobox"), widget.text, tuple(o.text for o in widget.options)
    if isinstance(widget, Tick):
        return ("radio" if widget.control.radio else "checkbox"), "ticked" if widget.checked else "", ()
    if isinstance(widget, TextField):
        role = "textbox, several lines" if isinstance(widget, TextArea) else "textbox"
        return _TEXT_ROLES.get(widget.control.type, role), widget.visible_text, ()
    return "button", "", ()


_MAX_CALLS = 2_000


def solution(page: CapturedPage, gold: Mapping[str, Value], submit: bool) -> list[Call]:
    """Calls that enter every value of ``gold``, submit the form and terminate.

    Args:
        page: the page to plan on; it is changed.
        gold: the expected value of each field; nothing: its first value. A choice among radio buttons, and a chosen
            file where there is only one, cannot be undone.
        submit: whether the form is submitted in the end.

    Raises:
        ValueError: if a value cannot be entered, naming it.
    """
    plan = OracleSolver(page, gold)
    if page.submitted is None:
        plan.close_popups()
        plan.go_back()
        plan.fix_page()
        while submit and page.submitted is None:
            plan.leave_page()
            plan.fix_page()
    if page.submitted is None or not submit:
        plan.calls.append({"tool": "terminate"})
    return plan.calls


class OracleSolver(ControlActions):
    """Plans calls and carries out each on the page at once."""

    def __init__(self, page: CapturedPage, gold: Mapping[str, Value]) -> None:
        super().__init__(page)
        self._missing_values = {name for name, value in gold.items() if value not in (None, "", [])}
        self._gold = {
            name: value if name in self._missing_values else _initial(page.values.group(name))
            for name, value in gold.items()
        }

    def go_back(self) -> None:
        """Go back to the first page that holds a wrong value."""
        values = self.page.values
        earlier = [one for one in values.widgets if one.control.page < values.page]
        wrong = [one.control.page for one in earlier if self._removes(one) or self._is_wrong(one)]
        while wrong and values.page > min(wrong):
            back = next((w for w in values.visible if w.control.action == "back"), None)
            if back is None:
                return
            self.click(back)

    def fix_page(self) -> None:
        """Enter the values of all fields of the visible page.

        Raises:
            ValueError: if one cannot be entered.
        """
        while (wrong := self._first_wrong()) is not None:
            self._fix(wrong)
            if len(self.calls) > _MAX_CALLS:
                raise ValueError(f"{wrong.control.name!r} cannot be brought to {self._gold.get(wrong.control.name)!r}")

    def leave_page(self) -> None:
        """Go to the next page, or submit the form.

        Raises:
            ValueError: if the page reports a problem.
        """
        button = next((w for w in self.page.values.visible if w.control.action in ("next", "submit")), None)
        if button is None or len(self.calls) > _MAX_CALLS:
            raise ValueError("the page shows no button that submits the form")
        self.click(button)
        if (bubble := self.page.overlays.bubble) is not None:
            owner = bubble.owner.control.name
            raise ValueError(f"{owner!r} is refused with {self._gold.get(owner)!r}: {bubble.message}")

    def _first_wrong(self) -> Widget | None:
        """The first control to change on the page, or the button that removes a surplus row or adds a needed one."""
        visible = self.page.values.visible
        parts = filter(self._removes, visible), filter(self._is_wrong, visible), filter(self._adds, visible)
        return next(itertools.chain(*parts), None)

    def _is_wrong(self, widget: Widget) -> bool:
        name, control = widget.control.name, widget.control
        gold = self._gold.get(name)
        if isinstance(widget, Button) or gold is None or not self.page.values.is_enabled(widget):
            return False
        if name not in self._missing_values and (control.radio or (control.file and not control.several)):
            return False
        if isinstance(widget, TextField) and not gold and widget.editor.text:
            return True
        if isinstance(widget, Tick):
            # A radio button is unticked by ticking another one.
            return widget.checked != self._ticks(widget, gold) and not (control.radio and widget.checked)
        held = self.page.values.value(name)
        return set(held) != set(gold) if isinstance(held, list) and isinstance(gold, list) else held != gold

    def _ticks(self, tick: Tick, gold: Value) -> bool:
        if isinstance(gold, bool):
            return gold
        return tick.control.value in gold if isinstance(gold, list) else tick.control.value == gold

    def _adds(self, widget: Widget) -> bool:
        """Whether a control is a button that adds a row that has a value."""
        block = widget.control.block
        return widget.control.action == "add" and self.page.values.rows[block] < self._rows_needed(block)

    def _removes(self, widget: Widget) -> bool:
        """Whether a control is a button that removes a row that has no value."""
        block = widget.control.block
        return widget.control.action == "remove" and self.page.values.rows[block] > self._rows_needed(block)

    def _rows_needed(self, block: int) -> int:
        controls = [widget.control for widget in self.page.values.widgets]
        rows = [one.row[1] for one in controls if one.row and one.row[0] == block and one.name in self._missing_values]
        return max(rows, default=1)

    def _fix(self, widget: Widget) -> None:
        name = widget.control.name
        gold = self._gold.get(name)
        if isinstance(widget, ListBox):
            offered = [option.value for option in widget.options]
            if unknown := set(gold if isinstance(gold, list) else [gold]) - {*offered}:
                raise ValueError(f"{name!r} does not offer {sorted(map(str, unknown))}; its values: {offered}")
        self.enter(widget, gold)
        if isinstance(widget, TextField) and (held := self.page.values.value(name)) != gold:
            raise ValueError(f"{name!r} holds {held!r} instead of {gold!r}")


def _initial(group: Sequence[Widget]) -> Value:
    """The first value of a field; ``None`` if there is no such field."""
    for first in group:
        if isinstance(first, TextField):
            return first.control.value
        if isinstance(first, ListBox):
            chosen = [option.value for option in first.control.options if option.selected]
            return chosen if first.control.several else next(iter(chosen), "")
        if isinstance(first, Tick):
            return [] if first.control.listed or len(group) > 1 else False
    return None
