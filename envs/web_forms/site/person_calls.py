"""The calls of tools that lead a captured page to where a person's browser was, action by action."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from ...core.files import Data
from ...core.tools import Call
from ..forms.form_fields import Value
from ..replay.captured_page import KEYS, CapturedPage
from ..replay.control_actions import ControlActions
from ..replay.text_fields import TextField
from ..replay.widgets import Widget
from ..tools import HEIGHT, MAX_SCROLL, MAX_TEXT_LENGTH, WIDTH

CALLS = "_calls"
"""The name under which a form's page sends what a person did."""
MAX_CALLS = 300
"""The calls that an episode can have."""
_LEAVING = ("Tab", "Enter", "Escape")
"""The keys that may end what is done in a field."""


class _Action(Data):
    """An action on a person's page, and the page before it.

    Attributes:
        inside: whether a click is in an open list or calendar.
        values: of the fields that have changed since the action before.
        focus: the number of the focused control in captures; -1: none.
        selection: of a text, where it begins and where the caret is, in characters.
        scroll: in pixels.
        list: of an open list, the highlighted row and the pixels that are hidden above.
        open: whether a list or a calendar is open.
    """

    tool: Literal["click", "double_click", "type_text", "press_key"]
    x: Annotated[int, Field(ge=0, lt=WIDTH)] = 0
    y: Annotated[int, Field(ge=0, lt=HEIGHT)] = 0
    inside: bool = False
    text: Annotated[str, Field(max_length=MAX_TEXT_LENGTH)] = ""
    key: str = ""
    values: dict[str, Value]
    focus: int
    selection: tuple[int, int] | None
    scroll: int
    list: tuple[int, int] | None
    open: bool


class _Log(Data):
    size: tuple[int, int]
    seconds: Annotated[float, Field(ge=0, lt=1e9)]
    actions: Annotated[list[_Action], Field(max_length=20_000)]


class PersonCalls(Data):
    """What a person did, as calls.

    Attributes:
        calls: of an environment's tools.
        replays: whether they lead from the empty form to the submitted values.
        lost: what no call expresses, or why there are none.
        seconds: from the opening of the page to its submission.
    """

    calls: tuple[Call, ...] = ()
    replays: bool = False
    lost: tuple[str, ...] = ()
    seconds: float = 0.0


UNRECORDED = PersonCalls()
"""Nothing of what was done."""


def person_calls(page: CapturedPage, sent: str | None, values: Mapping[str, Value]) -> PersonCalls:
    """What a person did on a form, as calls that were tried on a captured page.

    Args:
        page: the empty form; it is changed.
        sent: what the form's page has recorded; nothing of it is trusted. ``None``: it has not.
        values: as they were submitted.
    """
    if sent is None:
        return UNRECORDED
    try:
        log = _Log.model_validate_json(sent)
    except ValidationError:
        return PersonCalls(lost=("what the page recorded cannot be read",))
    if log.size != (WIDTH, HEIGHT):
        lost = f"the page was {log.size[0]} × {log.size[1]} pixels large, not {WIDTH} × {HEIGHT}"
        return PersonCalls(lost=(lost,), seconds=log.seconds)
    follower = _Follower(page)
    follower.follow(log.actions)
    problems = list(follower.problems(values))
    reasons = tuple(dict.fromkeys([*follower.lost.values(), *problems]))
    return PersonCalls(calls=tuple(follower.calls), replays=not problems, lost=reasons, seconds=log.seconds)


class _Follower(ControlActions):
    """Does on a page what was done on another; values that came about otherwise are entered as a whole.

    Attributes:
        lost: what could not be entered, by fields.
    """

    def __init__(self, page: CapturedPage) -> None:
        super().__init__(page)
        self.lost: dict[str, str] = {}
        self._values: dict[str, Value] = {}

    def follow(self, actions: Sequence[_Action]) -> None:
        """Carry out the actions, until the form is submitted or there are too many calls."""
        for action in actions:
            if self.page.submitted is not None or len(self.calls) > MAX_CALLS:
                return
            self._values |= action.values
            is_click = action.tool.endswith("click")
            if not action.inside if is_click else action.key.split("+")[-1] in _LEAVING:
                self._catch_up(action)
            if is_click:
                self._click_as(action)
            else:
                self._type_as(action)

    def problems(self, values: Mapping[str, Value]) -> Iterator[str]:
        """Why the calls do not lead to values that were submitted."""
        if len(self.calls) > MAX_CALLS:
            yield f"it takes more than {MAX_CALLS} calls, the most of an episode"
        elif (reached := self.page.submitted) is None:
            yield "the calls do not submit the form"
        else:
            wrong = [name for name, value in values.items() if (reached.get(name) or None) != (value or None)]
            yield from (f"the calls lead to another value of {name}" for name in wrong)

    def _catch_up(self, action: _Action) -> None:
        """Close what is closed, and enter the values that no call has."""
        wrong = {n: v for n, v in self._values.items() if n not in self.lost and self.page.values.value(n) != v}
        overlays = self.page.overlays
        if (wrong or not action.open) and (overlays.popup is not None or overlays.calendar is not None):
            self.press("Escape")
        for name, value in wrong.items():
            text = str(value or "")
            has_keys = len(text) <= MAX_TEXT_LENGTH and text.replace("\n", "").isprintable()
            for widget in self.page.values.group(name) if has_keys else ():
                if widget.place is not None:
                    self.enter(widget, value)
            if self.page.values.value(name) != value:
                self.lost[name] = f"no call leads to {str(value)[:80]!r} in {name}"

    def _is_in_step(self, action: _Action, row: bool) -> bool:
        """Whether the same is open, with the same row highlighted where that matters."""
        popup, calendar = self.page.overlays.popup, self.page.overlays.calendar
        here = popup and (popup.active if row else 0, popup.top)
        there = action.list and (action.list[0] if row else 0, action.list[1])
        return here == there and (calendar is not None) == (action.open and action.list is None)

    def _click_as(self, action: _Action) -> None:
        if action.inside and not self._is_in_step(action, row=False):
            return
        self._scroll_to(action.scroll)
        # Where the wheel turns something else than the page, the place has moved.
        y = min(max(action.y + action.scroll - self.page.canvas.window.scroll, 0), HEIGHT - 1)
        times = 1 + (action.tool == "double_click")
        self._do(action.tool, lambda x, y: self.page.click(x, y, times), x=action.x, y=y)

    def _scroll_to(self, scroll: int) -> None:
        """Turn the wheel: a text area under the pointer takes it until its own end is reached."""
        window, moved = self.page.canvas.window, 1
        while moved and (before := window.scroll) != scroll:
            dy = min(max(scroll - before, -MAX_SCROLL), MAX_SCROLL)
            if moved := self.page.scroll(dy):
                self.calls.append({"tool": "scroll", "dy": dy})

    def _type_as(self, action: _Action) -> None:
        """Type or press where it was; a text that stands or is selected otherwise is entered later, as it became."""
        widgets = self.page.values.widgets
        widget = widgets[action.focus] if 0 <= action.focus < len(widgets) else None
        if widget is None or widget.place is None:
            return
        self._focus(widget)
        name, is_same = widget.control.name, self._is_in_step(action, row=True)
        if isinstance(widget, TextField):
            is_same &= action.selection in (None, (widget.editor.anchor, widget.editor.caret))
            is_same &= self.page.values.value(name) == self._values.get(name)
        if is_same and action.key in KEYS:
            self.press(action.key)
        elif is_same and action.text:
            last = self.calls[-1] if self.calls else {}
            self._do("type_text", self.page.type_text, text=action.text)
            if last.get("tool") == "type_text" and len(last["text"] + action.text) <= MAX_TEXT_LENGTH:
                self.calls[-2:] = [{"tool": "type_text", "text": last["text"] + action.text}]

    def _focus(self, widget: Widget) -> None:
        if isinstance(widget, TextField) and self.page.focus.widget is not widget:
            self.click(widget)
        for _ in self.page.values.widgets:
            if self.page.focus.widget is not widget:
                self.press("Tab")
