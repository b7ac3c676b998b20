"""The state of an episode on a page of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.env import PageControl
from ...core.tools import Call, ToolError
from ..forms.form_fields import Value
from ..state import WebFormState, WebTask
from .live_page import LivePage
from .oracle import CannotEnter, PageSolver, TaskSolver

_ROLES = {
    "textarea": "textbox, several lines",
    "select": "combobox",
    "multi_select": "listbox",
    "range": "slider",
    "number": "spinbutton",
}

_AS_THEY_ARE = ("checkbox", "radio", "date", "time", "month", "week", "datetime-local", "color", "file", "password")


class LiveFormState(WebFormState):
    """A page of others that is being filled in.

    Args:
        task: the task.
        page: the page.
        unscored: values that the solution enters besides, by field.
    """

    page: LivePage  # type: ignore[assignment]

    def __init__(self, task: WebTask, page: LivePage, unscored: Mapping[str, Value] | None = None) -> None:
        super().__init__(task, page)  # type: ignore[arg-type]
        self._unscored = unscored or {}
        self._ids: dict[str, int] = {}

    def controls(self) -> list[PageControl]:
        """The controls of the page that are visible, wherever it is scrolled to."""
        controls = [self._control(one) for one in self.page.live.call("controls") if one["visible"]]
        buttons = [
            PageControl(self._id(one["selector"]), "button", one["text"], box=tuple(one["box"][:4]))
            for one in self.page.live.call("buttons")
        ]
        return controls + buttons

    def control_calls(self, action: str, id: int, text: str = "") -> list[Call]:
        """The clicks and keys that use a control, tried on a copy of the page; see ``control_actions.control_calls``.

        Raises:
            ToolError: if there is no such control on the page, or it cannot be used so.
        """
        control = next((one for one in self.controls() if one.id == id), None)
        if control is None:
            raise ToolError(f"There is no control {id} on this page.")
        selector = next(path for path, number in self._ids.items() if number == id)
        twin = self.page.clone()
        try:
            plan = PageSolver(twin)
            if action == "click_control":
                plan.click(lambda: twin.live.call("place", selector))
            else:
                plan.enter({"name": "", "selector": selector, "control": ""}, text)
            return plan.calls
        except CannotEnter as error:
            raise ToolError(f"Control {id} cannot be used so: {error}.") from None
        finally:
            twin.close()

    def solution(self) -> list[Call]:
        """Clicks and keys that enter all answers and submit them, found on a copy of the page.

        Raises:
            CannotEnter: if one cannot be entered; the message names the task, the field and the reason.
        """
        twin = self.page.clone()
        try:
            return TaskSolver(twin, self.task.fields, self._unscored).solve(self.task.must_submit)
        except CannotEnter as error:
            raise CannotEnter(f"{self.page.pages.folder}: task {self.task_id!r}: {error}") from None
        finally:
            twin.close()

    def _control(self, found: Mapping[str, Any]) -> PageControl:
        kind, value = found["control"], found["value"]
        name = " | ".join(part for part in (found["group"], found["label"]) if part)
        if isinstance(value, dict):
            value = "; ".join(text for _, text in value["chosen"])
        held = "ticked" if value is True or (kind == "radio" and value) else value or ""
        options, flags = tuple(text for _, text in found["options"]), (found["required"], found["readonly"])
        role = _ROLES.get(kind, kind if kind in _AS_THEY_ARE else "textbox")
        return PageControl(self._id(found["selector"]), role, name, held, options, tuple(found["box"][:4]), *flags)

    def _id(self, selector: str) -> int:
        return self._ids.setdefault(selector, len(self._ids))
