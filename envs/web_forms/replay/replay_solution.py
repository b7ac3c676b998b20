"""Solutions: clicks and keys that fill in a form correctly, planned on a copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...core.tools import Call
from ..forms.form_fields import Value
from .captured_page import CapturedPage
from .control_actions import ControlActions
from .text_fields import TextField
from .widgets import Button, ListBox, Tick, Widget

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
            name: value if name in self._missing_values else _initial(page.group(name)) for name, value in gold.items()
        }

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
        buttons = [w for w in self.page.widgets if isinstance(w, Button) and w.place]
        button = next((b for b in buttons if b.control.action in ("next", "submit")), None)
        if button is None or len(self.calls) > _MAX_CALLS:
            raise ValueError("the page shows no button that submits the form")
        self.click(button)
        if self.page.bubble is not None:
            owner = self.page.bubble.owner.control.name
            raise ValueError(f"{owner!r} is refused with {self._gold.get(owner)!r}: {self.page.bubble.message}")

    def _first_wrong(self) -> Widget | None:
        """The first control to change on the page, or the button that adds a needed row."""
        for widget in self.page.widgets:
            if widget.place is not None and not isinstance(widget, Button) and self._is_wrong(widget):
                return widget
        return next((w for w in self.page.widgets if isinstance(w, Button) and w.place and self._adds(w)), None)

    def _is_wrong(self, widget: Widget) -> bool:
        name, control = widget.control.name, widget.control
        gold = self._gold.get(name)
        if gold is None or (
            name not in self._missing_values and (control.radio or (control.file and not control.several))
        ):
            return False
        if isinstance(widget, TextField) and not gold and widget.editor.text:
            return True
        if isinstance(widget, Tick):
            # A radio button is unticked by ticking another one.
            return widget.checked != self._ticks(widget, gold) and not (control.radio and widget.checked)
        held = self.page.value(name)
        return set(held) != set(gold) if isinstance(held, list) and isinstance(gold, list) else held != gold

    def _ticks(self, tick: Tick, gold: Value) -> bool:
        if isinstance(gold, bool):
            return gold
        return tick.control.value in gold if isinstance(gold, list) else tick.control.value == gold

    def _adds(self, button: Button) -> bool:
        """Whether a button adds a row that has a value."""
        block = button.control.block
        if button.control.action != "add":
            return False
        rows = {
            w.control.name: w.control.row[1] for w in self.page.widgets if w.control.row and w.control.row[0] == block
        }
        return any(row > self.page.rows[block] and name in self._missing_values for name, row in rows.items())

    def _fix(self, widget: Widget) -> None:
        if isinstance(widget, ListBox):
            self._choose(widget)
        elif isinstance(widget, TextField):
            self._enter(widget)
        else:
            self.click(widget)

    def _enter(self, field: TextField) -> None:
        gold = self._gold[field.control.name]
        self.write(field, str(gold) if gold else "")
        if self.page.value(field.control.name) != gold:
            raise ValueError(
                f"{field.control.name!r} holds {self.page.value(field.control.name)!r} instead of {gold!r}"
            )

    def _choose(self, box: ListBox) -> None:
        gold = self._gold[box.control.name]
        expected = set(gold) if isinstance(gold, list) else {gold}
        offered = [option.value for option in box.options]
        if unknown := expected - set(offered):
            raise ValueError(f"{box.control.name!r} does not offer {sorted(map(str, unknown))}; its values: {offered}")
        self.choose(box, {row: option.value in expected for row, option in enumerate(box.options)})


def _initial(group: Sequence[Widget]) -> Value:
    """The first value of a field; ``None`` if there is no such field."""
    for first in group:
        if isinstance(first, TextField):
            return first.control.value
        if isinstance(first, ListBox):
            chosen = [option.value for option in first.control.options if option.selected]
            return chosen if first.control.several else next(iter(chosen), "")
        if isinstance(first, Tick):
            ticked = [tick.control.value for tick in group if tick.control.checked]
            return ticked if first.control.listed or len(group) > 1 else bool(ticked)
    return None
