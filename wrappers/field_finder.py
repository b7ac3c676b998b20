"""FieldFinder: agents name fields, and a locator finds their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.locators import Detection
from ..envs.core.spaces import Observation
from ..envs.core.texts import UnicodeText, truncate
from ..envs.core.tools import Argument, Call, Tool, ToolError, ToolSpace, points_at_page
from .locators import make_locator
from .places import in_units, place_at, point_in_units, takes_fractions, tools_with_points

if TYPE_CHECKING:
    from ..envs.core.env import PaperworkEnv

Scored = tuple[tuple[float, float, float, float], float]
"""Left, top, right and bottom in the units of the tools, and a score."""

AT = "_at"
"""The suffix of tools that take a field's name."""
FIND = "find"
"""The tool that answers with places and changes nothing."""
TARGET = Argument(
    UnicodeText(300, min_length=1),
    'What the field is called on the page. Names above it may follow, parted by " | ", as in "Phone | Dealer".',
)
_ABOUT = {
    "place_text": "Write text into the field of this name. Tick a box by writing x or ✓ in it.",
    "delete_text": "Delete whatever you have written in the middle of the field of this name. What is printed stays.",
    "sign_or_initial": "Sign with a name, or write initials, by hand, in the field of this name.",
}


def find(boxes: Sequence[Scored], target: str) -> str:
    """Look where a field is, and do nothing: the likeliest boxes come back, in the units of x and y."""
    lines = (f"{number}. {_box_text(box)}, score {score:.2f}" for number, (box, score) in enumerate(boxes, start=1))
    return f"{truncate(target, 80)!r} may be at: {'; '.join(lines)}."


def named_tools(tools: ToolSpace, *, points: bool, looks: bool) -> ToolSpace:
    """Add to each tool that takes x and y a tool ``NAME_at`` that takes ``target``.

    Args:
        tools: the environment's.
        points: whether those that take x and y stay.
        looks: whether there is ``find`` as well.

    Raises:
        ValueError: if a tool has the name of a new one already.
    """
    named: list[Tool] = []
    for tool in tools.tools:
        is_pointed = points_at_page(tool)
        named += [tool] if points or not is_pointed else []
        named += [_sibling(tool)] if is_pointed else []
    return ToolSpace([*named, *([Tool(FIND, find, {"target": TARGET})] if looks else [])])


def _sibling(tool: Tool) -> Tool:
    """The tool with a target in place of x and y."""
    rest = {name: argument for name, argument in tool.arguments.items() if name not in ("x", "y")}
    about = _ABOUT.get(tool.name, f"{tool.name} in the middle of the field of this name: {tool.description}")
    return replace(tool, name=f"{tool.name}{AT}", arguments={"target": TARGET, **rest}, about=about)


def _box_text(box: tuple[float, float, float, float]) -> str:
    left, top, right, bottom = (str(edge) if isinstance(edge, int) else f"{edge:.4f}" for edge in box)
    return f"x {left} to {right}, y {top} to {bottom}"


@dataclass(frozen=True)
class _Translated:
    """An action of the agent as the environment receives it.

    Attributes:
        action: the environment's.
        reply: what to say in place of the environment's reply, if anything.
        suffix: what is appended to the environment's reply, if anything.
        is_find: whether it is a ``find`` that found something: valid, though the environment has no such tool.
    """

    action: dict[str, Any]
    reply: str = ""
    suffix: str = ""
    is_find: bool = False


class FieldFinder(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Adds to every tool that takes x and y a sibling that takes a field's name.

    This is FormGym's FieldFinder.

    ``place_text_at(target, text)`` writes where ``place_text(x, y, text)`` would at the centre of the box that the
    locator ranks first, ``click_at(target)`` clicks there, and so on. A field that is not found is an invalid call.
    ``info["actions"]`` lists the actions as they were carried out, with x and y. The locator sees the environment's own
    page at the beginning of the step, without what wrappers such as ``Ruler`` draw on it or around it: put
    FieldFinder inside of ``ActionBatch`` where the actions of a round scroll or change the page, as web forms do.

    >>> env = FieldFinder(gym.make("FormGym/Scans-v0"), locator="oracle", show=1)
    >>> [name for name in env.action_space.names if name == "find" or name.endswith("_at")]
    ['place_text_at', 'delete_text_at', 'sign_or_initial_at', 'find']

    Args:
        env: the environment, ``ActionBatch`` or not; some of its tools take x and y, fractions of the page or pixels.
        locator: one of ``LOCATORS`` in ``wrappers.locators``, or the entry point ``"module:name"`` of one of your own,
            called with ``env`` and the options.
        options: what the locator takes besides, such as ``{"accuracy": 0.9}`` of ``"noisy_oracle"``.
        points: whether the tools that take x and y stay; without them an agent can only name.
        show: how many boxes, with their scores, the feedback of a named tool lists. From 1 on there is also the tool
            ``find(target)``, which lists them and does nothing else; it costs a step like any other.

    Raises:
        ValueError: if there is no such locator, no tool takes x and y, a wrapper inside has changed the tools, or
            ``show`` is negative.
    """

    def __init__(
        self,
        env: gym.Env[Observation, Any],
        locator: str = "oracle",
        options: Mapping[str, Any] | None = None,
        points: bool = True,
        show: int = 0,
    ) -> None:
        options = dict(options or {})
        RecordConstructorArgs.__init__(self, locator=locator, options=options, points=points, show=show)
        super().__init__(env)
        if show < 0:
            raise ValueError(f"show must not be negative; it is {show}")
        self._inner = tools_with_points(env)
        self._locator = make_locator(locator, env, options)
        self._base = cast("PaperworkEnv", env.unwrapped)
        self._outer = named_tools(self._inner, points=points, looks=show > 0)
        self._page_shape = cast(spaces.Dict, self._base.observation_space)["page"].shape or ()
        self._points, self._show = points, show
        self._batched = isinstance(env.action_space, spaces.Sequence)
        taken = env.action_space.feature_space if isinstance(env.action_space, spaces.Sequence) else env.action_space
        if taken != self._inner:
            raise ValueError("a wrapper inside has changed the tools already: one FieldFinder is enough")
        self.action_space = spaces.Sequence(self._outer) if self._batched else self._outer

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take a step, or a round of them."""
        if self._batched and not isinstance(action, list | tuple):
            raise ValueError(f"a round is a list of actions, not {type(action).__name__}")
        translated = self._translated(action if self._batched else [action])
        inner = [one.action for one in translated]
        observation, reward, terminated, truncated, info = self.env.step(inner if self._batched else inner[0])
        feedback = list(info["feedback"]) if self._batched else [info["feedback"]]
        valid = list(info["valid"]) if self._batched else [info["valid"]]
        # Those after the end of an episode, or beyond the limit of a round, were refused.
        for i, one in enumerate(translated[: info.get("carried_out", 1)]):
            feedback[i] = _reply(one, feedback[i])
            valid[i] = valid[i] or one.is_find
        answers = (
            {"feedback": feedback, "valid": valid} if self._batched else {"feedback": feedback[0], "valid": valid[0]}
        )
        info = info | {"actions": info.get("actions", inner)} | answers
        return observation, float(reward), terminated, truncated, info

    def solution(self) -> list[Call]:
        """The environment's solution with fields named, each written in a single call.

        It points where a name would not do: where several fields have one name, and where the page moves as it is
        filled in (tools in pixels).

        Raises:
            ValueError: if it has to point and no tool does.
        """
        calls: list[Call] = self.env.get_wrapper_attr("solution")()
        if takes_fractions(self.env):
            named = ((self._field_at(call), call) for call in calls)
            calls = [_merged(field, [call for _, call in group]) for (field, _), group in groupby(named, _group_key)]
        pointed = next((call["tool"] for call in calls if "x" in call), None)
        if pointed is not None and not self._points:
            raise ValueError(
                f"the solution cannot be written with names alone: it needs {pointed}(x, y); use points=True"
            )
        return calls

    def _translated(self, actions: Sequence[Any]) -> list[_Translated]:
        """The actions of the environment; all targets are located together."""
        parsed = [self._parsed(action) for action in actions]
        targets = [call[1]["target"] for call in parsed if isinstance(call, tuple) and "target" in call[1]]
        places = self._places(list(dict.fromkeys(targets))) if targets else {}
        return [self._translate(action, call, places) for action, call in zip(actions, parsed, strict=True)]

    def _parsed(self, action: Any) -> tuple[Tool, dict[str, Any]] | ToolError:
        try:
            return self._outer.parse(action)
        except ToolError as error:
            return error

    def _places(self, targets: Sequence[str]) -> dict[str, list[Detection]]:
        """The likeliest places of each target on the current page."""
        page, most = self._base.page(), max(self._show, 1)
        if len(targets) == 1:
            return {targets[0]: list(self._locator.locate(page, targets[0])[:most])}
        found = self._locator.locate_all(page, targets)
        return {target: list(places[:most]) for target, places in zip(targets, found, strict=True)}

    def _translate(
        self, action: Any, call: tuple[Tool, dict[str, Any]] | ToolError, places: Mapping[str, list[Detection]]
    ) -> _Translated:
        if isinstance(call, ToolError):
            return self._refused(action, str(call))
        tool, arguments = call
        if "target" not in arguments:
            return _Translated(self._inner.from_call({"tool": tool.name, **arguments}))
        target = arguments.pop("target")
        found = places[target]
        if not found:
            missed = f"No field {truncate(target, 80)!r} was found on the page; name it as it is printed there."
            return self._refused(action, missed)
        detections = [(in_units(box, self._page_shape, self._inner), score) for box, score in found[: self._show]]
        listed = find(detections, target) if detections else ""
        if tool.name == FIND:
            return self._refused(action, listed, is_find=True)
        x, y = point_in_units(found[0][0], self._page_shape, self._inner)
        return _Translated(self._inner.action(tool.name.removesuffix(AT), x=x, y=y, **arguments), suffix=listed)

    def _refused(self, action: Any, reply: str, *, is_find: bool = False) -> _Translated:
        """An action answered here: it costs a step, and the environment does nothing."""
        return _Translated({"tool": None, "call": self._outer.to_call(action)}, reply, is_find=is_find)

    def _field_at(self, call: Call) -> str | None:
        """The unique name of the field that one of the environment's calls points at."""
        if "x" not in call:
            return None
        state = self._base.state
        nearest = place_at(state, call["x"], call["y"])
        alike = sum(place.label == nearest.label for place in state.places)
        return nearest.label if alike == 1 or not self._points else None


def _reply(one: _Translated, reply: str) -> str:
    return one.reply or (f"{reply} {one.suffix}" if one.suffix else reply)


def _group_key(named: tuple[str | None, Call]) -> tuple[Any, ...]:
    """The key by which consecutive calls are merged; calls at points have none."""
    field, call = named
    return (field, call["tool"]) if field is not None else (None, id(call))


def _merged(field: str | None, calls: Sequence[Call]) -> Call:
    """Calls of one tool in one field as a single one."""
    call = calls[0]
    if field is None:
        return dict(call)
    written = {"text": "".join(c["text"] for c in calls)} if "text" in call else {}
    return {"tool": f"{call['tool']}{AT}", "target": field, **written}
