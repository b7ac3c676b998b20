"""Computer use: an agent with the tool computer, whose actions become clicks and keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..envs.core.texts import truncate
from ..envs.core.tools import Call, ToolError
from .base import Action, TaskInfo
from .coordinate_space import PictureView
from .model_agent import ModelAgent
from .model_view import ModelView
from .models.model import Block, ImageBlock, Model, Reply, Schema, TextBlock, ToolCall
from .replies import ParsedReply, parse_reply

Point = tuple[float, float]

GUI = ("click", "double_click", "type_text", "press_key", "scroll", "drag")
"""The tools of environments that actions are made of."""
SCROLL_STEP = 100
"""How far a click of the wheel scrolls, in pixels."""
MAX_REPEAT = 100
MAX_ACTIONS = 100
_ABSENT = (
    *("hold_key", "left_mouse_down", "left_mouse_up", "right_click", "middle_click", "back_click", "forward_click"),
    *("open_web_browser", "navigate"),
)
_CLICKS = {"left_click": "click", "double_click": "double_click"}
ACTIONS = (
    *("key", "type", "mouse_move", "cursor_position", *_CLICKS, "triple_click", "left_click_drag", "scroll"),
    *("wait", "screenshot", "zoom", *_ABSENT),
)
_KEYS = {
    **{"return": "Enter", "kp_enter": "Enter", "backspace": "Backspace", "prior": "PageUp", "next": "PageDown"},
    **{"page_up": "PageUp", "page_down": "PageDown", "left": "ArrowLeft", "right": "ArrowRight", "up": "ArrowUp"},
    **{"down": "ArrowDown", "ctrl": "Control", "control_l": "Control", "shift": "Shift", "shift_l": "Shift"},
    **{"iso_left_tab": "Tab", "space": "Space", "cmd": "Control", "super": "Control"},
}
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_INTEGERS = {"type": "array", "items": {"type": "integer"}}
_PROPERTIES: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "action": ({"type": "string", "enum": list(ACTIONS)}, "What to do."),
    "coordinate": (_INTEGERS, "Where, [x, y] in pixels of the screenshot."),
    "duration": ({"type": "integer"}, "How long to wait, in seconds."),
    "region": (_INTEGERS, "What zoom enlarges, [x0, y0, x1, y1]."),
    "scroll_amount": ({"type": "integer"}, "By how many clicks of the wheel to scroll."),
    "scroll_direction": ({"type": "string", "enum": list(_DIRECTIONS)}, "Where to scroll."),
    "start_coordinate": (_INTEGERS, "Where a drag begins, [x, y]."),
    "text": ({"type": "string"}, "The text to type, or the key to press, such as ctrl+a."),
    "repeat": ({"type": "integer"}, "How many times to press the key."),
    "press_enter": ({"type": "boolean"}, "Whether Enter is pressed after typing."),
    "actions": ({"type": "array", "items": {"type": "object"}}, "Several actions, one after another."),
}
"""The parameters of the tool: their types and descriptions."""
SCHEMA: Mapping[str, Any] = {
    "name": "computer",
    "description": "Work with mouse and keyboard in the window that the screenshots show.",
    "parameters": {
        "type": "object",
        "properties": {name: {**kind, "description": words} for name, (kind, words) in _PROPERTIES.items()},
        "required": [],
        "additionalProperties": False,
    },
}
"""The parameters are those of ``inspect_ai.tool.computer``, by which providers know their native computer tools."""


@dataclass
class ComputerSteps:
    """What an action comes to.

    Attributes:
        calls: of the environment's tools, with coordinates of the screenshot.
        words: what is answered without the environment.
        region: what is to be enlarged: left, top, right and bottom.
        pointer: where the mouse is afterwards.
    """

    calls: list[Call] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    region: tuple[float, float, float, float] | None = None
    pointer: Point = (0, 0)


def steps_of(arguments: Any, tools: Sequence[str], pointer: Point) -> ComputerSteps:
    """What a call of ``computer`` comes to; what is wrong with it is among the words.

    >>> steps_of({"action": "key", "text": "ctrl+a"}, ["press_key"], (0, 0)).calls
    [{'tool': 'press_key', 'key': 'Control+a'}]

    Args:
        arguments: whatever a model has put there.
        tools: the names of the environment's tools.
        pointer: where the mouse is.
    """
    steps = ComputerSteps(pointer=pointer)
    try:
        for action in _actions(arguments):
            _add(steps, action, tools)
    except ToolError as error:
        steps.words.append(str(error))
    return steps


def _actions(arguments: Any) -> list[Any]:
    if not isinstance(arguments, Mapping):
        raise ToolError(f"Arguments are an object of names and values, not {type(arguments).__name__}.")
    actions = arguments.get("actions") or [arguments]
    if not isinstance(actions, list) or len(actions) > MAX_ACTIONS:
        raise ToolError(f"actions is a list of at most {MAX_ACTIONS} objects.")
    return actions


def _add(steps: ComputerSteps, action: Any, tools: Sequence[str]) -> None:
    """Add one action to the steps."""
    name = action.get("action") if isinstance(action, Mapping) else None
    if name not in ACTIONS:
        raise ToolError(f"There is no action {truncate(repr(name), 40)}; there are {', '.join(ACTIONS)}.")
    if (point := _numbers(action, "coordinate", 2)) is not None:
        steps.pointer = point[0], point[1]
    if name in ("mouse_move", "cursor_position"):
        steps.words.append(f"The pointer is at ({steps.pointer[0]:g}, {steps.pointer[1]:g}).")
    elif name in ("wait", "screenshot"):
        steps.words.append("This is the window now.")
    elif name == "zoom":
        left, top, right, bottom = _needed(action, name, "region", 4)
        steps.region = min(left, right), min(top, bottom), max(left, right), max(top, bottom)
    else:
        calls = list(_calls(name, action, steps.pointer, point is not None))
        lacking = [call["tool"] for call in calls if call["tool"] not in tools]
        if name in _ABSENT or lacking:
            raise ToolError(f"There is no {name} in this window.")
        steps.calls += calls


def _calls(name: str, action: Mapping[str, Any], pointer: Point, has_point: bool) -> Iterator[Call]:
    """The calls of the environment's tools that an action consists of."""
    at = {"x": pointer[0], "y": pointer[1]}
    if name in _CLICKS:
        yield {"tool": _CLICKS[name], **at}
    elif name == "triple_click":
        yield from ({"tool": "click", **at}, {"tool": "press_key", "key": "Control+a"})
    elif name == "key":
        times = _whole(action, "repeat", 1, MAX_REPEAT, 1)
        yield from [{"tool": "press_key", "key": key_named(_text(action, name))}] * times
    elif name == "type":
        if has_point:
            yield {"tool": "click", **at}
        yield {"tool": "type_text", "text": _text(action, name)}
        if action.get("press_enter") is True:
            yield {"tool": "press_key", "key": "Enter"}
    elif name == "left_click_drag":
        start = _needed(action, name, "start_coordinate", 2)
        yield {"tool": "drag", "x0": start[0], "y0": start[1], "x1": pointer[0], "y1": pointer[1]}
    elif name == "scroll":
        yield _scroll(action)


def _scroll(action: Mapping[str, Any]) -> Call:
    direction = action.get("scroll_direction")
    if not isinstance(direction, str) or direction not in _DIRECTIONS:
        raise ToolError(f"scroll needs scroll_direction, one of {', '.join(_DIRECTIONS)}.")
    amount = SCROLL_STEP * _whole(action, "scroll_amount", 0, 20, 5)
    dx, dy = (amount * sign for sign in _DIRECTIONS[direction])
    return {"tool": "scroll", "dx": dx, "dy": dy}


def key_named(key: str) -> str:
    """A key of xdotool by the environments' name: ``Control+a`` for ``ctrl+a``."""
    return "+".join(_KEYS.get(part.lower(), part) for part in key.split("+")) if len(key) > 1 else key


def _text(action: Mapping[str, Any], name: str) -> str:
    text = action.get("text")
    if not isinstance(text, str) or not text:
        raise ToolError(f"{name} needs a text.")
    return text


def _whole(action: Mapping[str, Any], name: str, least: int, most: int, default: int) -> int:
    value = action.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ToolError(f"{name} must be a whole number from {least} to {most}.")
    return value


def _needed(action: Mapping[str, Any], name: str, argument: str, count: int) -> tuple[float, ...]:
    """So many numbers of an argument that an action needs."""
    numbers = _numbers(action, argument, count)
    if numbers is None:
        raise ToolError(f"{name} needs {argument}.")
    return numbers


def _numbers(action: Mapping[str, Any], name: str, count: int) -> tuple[float, ...] | None:
    """So many numbers of an argument; ``None`` if it is not given."""
    value = action.get(name)
    if value is None:
        return None
    good = isinstance(value, list | tuple) and len(value) == count
    if not good or not all(isinstance(n, int | float) and not isinstance(n, bool) and abs(n) < 1e6 for n in value):
        raise ToolError(f"{name} must be a list of {count} numbers.")
    return tuple(map(float, value))


DISPLAY = (1366, 768)
"""Width and height that providers declare for their native computer tools."""


class ComputerUse(ModelAgent):
    """Lets a model use the photo editor or a web form as it would use a computer.

    The model has the tool ``computer`` with the parameters of Inspect's, so that providers put their native tool in its
    place, and the environment's tools that are no mouse or keyboard, such as ``terminate``. Screenshots come back
    after every reply. Looking (screenshot, wait, zoom, the pointer's place) is answered without a step of the
    environment; so is an action that it has no tool for.

    Args:
        model, prompts, history: see ``ModelAgent``.
        display: width and height of the screenshots: the window is shrunk to fit and lies in their left top corner;
            ``None``: screenshots are the window.
        max_repairs: how often in a row the model may answer without a step; then the task ends.

    Raises:
        ValueError: if there is no model or a number is out of range; from ``reset``, if the environment has no mouse.
    """

    def __init__(
        self,
        model: Model | None,
        prompts: str | Path | None = None,
        display: tuple[int, int] | None = DISPLAY,
        history: int | None = None,
        max_repairs: int = 5,
    ) -> None:
        super().__init__(model, prompts, history, max_repairs)
        if display is not None and (len(display) != 2 or min(display) < 1):
            raise ValueError(f"display is a width and a height in pixels, or null; it is {display}")
        self._display = None if display is None else (int(display[1]), int(display[0]))

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode; see ``ModelAgent.reset``.

        Raises:
            ValueError: if the environment has no tool that clicks.
        """
        if "click" not in task.tools.names:
            raise ValueError(f"{task.env_id} has no mouse and keyboard; use agent=vlm there")
        super().reset(task, seed)
        self._pointer: Point = (0.0, 0.0)
        self._answers: list[tuple[int, list[Block]]] = []
        self._problems: Sequence[str] = ()

    def next_actions(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the next reply that needs a step."""
        if not self._is_open:
            self._open(observation)
        else:
            self._report(self._screenshot(observation))
        for _ in range(self._max_repairs + 1):
            parsed, _ = self._conversation.ask(self._parsed, self._tools)
            self._problems = parsed.problems
            carried_out = [self._carried_out(call, observation) for call in parsed.calls]
            self._answers = [(len(actions), blocks) for actions, blocks in carried_out]
            if actions := [action for some, _ in carried_out for action in some]:
                return actions
            if not parsed.calls:
                self._conversation.answer(
                    [*map(TextBlock, parsed.problems), TextBlock("Go on, or call terminate if everything is done.")]
                )
            else:
                self._report(self._screenshot(observation))
        return [self._task.tools.from_call({"tool": "terminate"})]

    def _open(self, observation: Mapping[str, Any]) -> None:
        task, size = self._task, observation["page"].shape[:2]
        view = PictureView.whole(size) if self._display is None else PictureView.inside(size, self._display)
        self._view = ModelView(task.tools, {"page": view}, task.page_size, task.page_corner, unit="pixel")
        others = [schema for schema in self._view.tools.schemas if schema["name"] not in GUI]
        self._tools: list[Schema] = [SCHEMA, *others]
        height, width = view.sent_size
        names = [schema["name"] for schema in others]
        limits = {"max_rounds": self.max_rounds, "max_steps": task.max_steps}
        rules = self._prompts.render("computer", width=width, height=height, names=names, **limits)
        self.begin(rules, *self._view.changes(observation))

    def _screenshot(self, observation: Mapping[str, Any]) -> list[Block]:
        """The texts that are new, and the window."""
        texts, _ = self._view.changes(observation)
        return [*map(TextBlock, texts.values()), ImageBlock(self._view.views["page"].image(observation["page"]))]

    def _report(self, screenshot: list[Block]) -> None:
        """Answer the calls of the last reply, the last of them with a screenshot."""
        results, answers = list(self._results), []
        for count, blocks in self._answers:
            feedback = [TextBlock(result) for result in results[:count]]
            answers.append([*feedback, *blocks])
            del results[:count]
        answers[-1] += [*map(TextBlock, self._problems), *screenshot]
        self._conversation.answer(*answers)

    def _parsed(self, reply: Reply) -> ParsedReply:
        """The calls in a reply; an action without the tool's name is one of ``computer``."""
        parsed = parse_reply(reply, self._tools)
        calls = [
            ToolCall(call.id, "computer", {**call.arguments, "action": call.name})
            if call.name in ACTIONS and isinstance(call.arguments, Mapping)
            else call
            for call in parsed.calls
        ]
        return ParsedReply(calls, parsed.problems)

    def _carried_out(self, call: ToolCall, observation: Mapping[str, Any]) -> tuple[list[Action], list[Block]]:
        """The environment's actions for one call, and what is answered without it."""
        if call.name != "computer":
            return [self._view.action(call.name, call.arguments)], []
        steps = steps_of(call.arguments, self._task.tools.names, self._pointer)
        self._pointer = steps.pointer
        blocks: list[Block] = [TextBlock(words) for words in steps.words]
        if steps.region is not None:
            blocks.append(self._enlarged(steps.region, observation))
        return [self._action(dict(one)) for one in steps.calls], blocks

    def _action(self, call: dict[str, Any]) -> Action:
        name = call.pop("tool")
        known = next(tool for tool in self._task.tools.tools if tool.name == name).arguments
        # Some windows scroll in one direction only.
        lost = [argument for argument in call if argument not in known and call[argument]]
        if lost:
            return self._view.refused({"tool": name, **call}, "The window does not scroll sideways.")
        return self._view.action(name, {argument: value for argument, value in call.items() if argument in known})

    def _enlarged(self, region: tuple[float, float, float, float], observation: Mapping[str, Any]) -> Block:
        """A part of the window as large as a screenshot."""
        page, whole = observation["page"], self._view.views["page"]
        height, width = page.shape[:2]
        across, down = whole.size[1] / width, whole.size[0] / height
        left, top = min(max(region[0] / across, 0), width - 8), min(max(region[1] / down, 0), height - 8)
        right, bottom = min(max(region[2] / across, left + 8), width), min(max(region[3] / down, top + 8), height)
        view = PictureView.inside((bottom - top, right - left), whole.sent_size, (left, top), enlarge=True)
        return ImageBlock(view.image(page), "zoom")
