"""Controls of a captured page: their list, and the clicks and keys that use one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...core.controls import PageControl
from ...core.tools import Call, ToolError
from .captured_page import CapturedPage
from .overlays import MAX_ROWS, ROW
from .text_fields import TextArea, TextField
from .widgets import Button, ListBox, Tick, Widget

_BUTTONS = {
    **{"next": "Next page", "back": "Previous page", "submit": "Submit", "add": "Add a row"},
    **{"remove": "Remove the last row", "reset": "Reset"},
}
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
        window = self.page.window
        if top < window.scroll or bottom > window.scroll + window.height:
            middle = int((top + bottom - window.height) / 2)
            self._do("scroll", self.page.scroll, dy=middle - window.scroll)
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
        if self.page.popup is not None:
            self.press("Escape")

    def press(self, key: str) -> None:
        """Press a key."""
        self._do("press_key", self.page.press_key, key=key)

    def _choose_row(self, row: int) -> None:
        """Choose a row of the open list, scrolled into view by keys first."""
        popup = self.page.popup
        assert popup is not None
        while not popup.top <= row * ROW <= popup.top + (MAX_ROWS - 1) * ROW:
            self.press("ArrowDown" if row * ROW > popup.top else "ArrowUp")
        left, top, right, _ = popup.rect
        y = top + 1 + row * ROW - popup.top + ROW // 2 - self.page.window.scroll
        self._do("click", self.page.click, x=(left + right) // 2, y=y)

    def _do(self, tool: str, act: Callable[..., None], **arguments: Any) -> None:
        act(*arguments.values())
        self.calls.append({"tool": tool, **arguments})


def controls_of(page: CapturedPage, labels: Mapping[str, str]) -> Iterator[PageControl]:
    """The controls of the current page, in its order.

    Args:
        page: as it is now.
        labels: of fields, by the names of their controls.
    """
    scroll = page.window.scroll
    for widget in page.widgets:
        if widget.place is not None:
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
                widget.control.read_only,
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
    widget = next((one for one in page.widgets if one.control.id == id and one.place is not None), None)
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
