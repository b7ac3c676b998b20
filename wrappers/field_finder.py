"""FieldFinder: fields are named, and a locator finds their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Protocol, cast

import gymnasium as gym
from gymnasium import spaces
from gymnasium.envs.registration import load_env_creator
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.env import Observation, PaperworkEnv
from ..envs.core.painting import Image
from ..envs.core.spaces import UnicodeText
from ..envs.core.texts import shortened
from ..envs.core.tools import Argument, Call, Tool, ToolError, ToolSpace
from .oracle_locator import OracleLocator
from .places import tools_with_places

_FIELD = Argument(UnicodeText(300, min_length=1), "What the field is called on the page, with its section if need be.")
_ABOUT = {
    "place_text": "Write text into the field of this name. Tick a box by writing x or ✓ in it.",
    "delete_text": "Delete whatever you have written in the field of this name. What is printed stays.",
    "sign_or_initial": "Sign with a name, or write initials, by hand, in the field of this name.",
}


class Locator(Protocol):
    """Finds the place of a field on a page."""

    def locate(self, page: Image, name: str) -> Sequence[tuple[float, float, float, float]]:
        """Boxes (left, top, right, bottom) in pixels of ``page``, the likeliest first; empty if nothing is found."""
        ...


LOCATORS: dict[str, Callable[[gym.Env[Observation, Any]], Locator]] = {"oracle": OracleLocator}
"""What makes each of the shipped locators for an environment."""


class FieldFinder(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Tools name a ``field`` in place of x and y; a locator finds it on the page as it stands (FormGym).

    ``place_text(field, text)``, ``sign_or_initial(field, text)`` and ``delete_text(field)`` act at the centre of the
    box that the locator ranks first; other tools stay as they are. A field that is not found is an invalid call.
    ``info["actions"]`` lists the actions as they were carried out, with x and y. The locator sees the environment's own
    page, without what wrappers such as ``Ruler`` draw on it or around it.

    Args:
        env: the environment, ``ActionBatch`` or not; its tools take x and y as fractions of the page.
        locator: one of ``LOCATORS``, or the entry point ``"module:name"`` of one of your own, called with ``env``.

    Raises:
        ValueError: if there is no such locator, the tools take no x and y, or a wrapper inside has changed them.
    """

    def __init__(self, env: gym.Env[Observation, Any], locator: str = "oracle") -> None:
        RecordConstructorArgs.__init__(self, locator=locator)
        super().__init__(env)
        self._locator = _maker(locator)(env)
        self._base = cast(PaperworkEnv, env.unwrapped)
        self._inner = tools_with_places(env)
        self._outer = ToolSpace([_by_name(tool) for tool in self._inner.tools])
        self._batched = isinstance(env.action_space, spaces.Sequence)
        taken = env.action_space.feature_space if isinstance(env.action_space, spaces.Sequence) else env.action_space
        if taken != self._inner:
            raise ValueError("a wrapper inside has changed the tools already: one FieldFinder is enough")
        self.action_space = spaces.Sequence(self._outer) if self._batched else self._outer

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take a step, or a round of them."""
        if self._batched and not isinstance(action, list | tuple):
            raise ValueError(f"a round is a list of actions, not {type(action).__name__}")
        batch = action if self._batched else [action]
        found = [self._translated(one) for one in batch]
        inner = [call for call, _ in found]
        observation, reward, terminated, truncated, info = self.env.step(inner if self._batched else inner[0])
        told = info["feedback"] if self._batched else [info["feedback"]]
        carried_out = info.get("carried_out", 1)
        feedback = [
            note if note and i < carried_out else reply
            for i, ((_, note), reply) in enumerate(zip(found, told, strict=True))
        ]
        info = info | {"feedback": feedback if self._batched else feedback[0], "actions": info.get("actions", inner)}
        return observation, float(reward), terminated, truncated, info

    def solution(self) -> list[Call]:
        """The environment's solution with fields named; what is written cell by cell is written at once."""
        calls = self.env.get_wrapper_attr("solution")()
        named = ((self._field_at(call), call) for call in calls)
        return [_joined(field, [call for _, call in group]) for (field, _), group in groupby(named, _field_and_tool)]

    def _translated(self, action: Any) -> tuple[dict[str, Any], str]:
        """The action of the environment, and what to say if it cannot be one."""
        try:
            tool, arguments = self._outer.parse(action)
            if "field" not in arguments:
                return self._inner.from_call({"tool": tool.name, **arguments}), ""
            x, y = self._place_of(arguments.pop("field"))
            return self._inner.action(tool.name, x=x, y=y, **arguments), ""
        except ToolError as error:
            return {"tool": None, "call": self._outer.to_call(action)}, str(error)

    def _place_of(self, field: str) -> tuple[float, float]:
        """X and y of the centre of a field, fractions of the page.

        Raises:
            ToolError: if it is not found.
        """
        page = self._base.page()
        boxes = self._locator.locate(page, field)
        if not len(boxes):
            raise ToolError(f"No field {shortened(field, 80)!r} was found on the page; name it as it is printed there.")
        left, top, right, bottom = boxes[0]
        height, width = page.shape[:2]
        return min(max((left + right) / 2 / width, 0.0), 1.0), min(max((top + bottom) / 2 / height, 0.0), 1.0)

    def _field_at(self, call: Call) -> str | None:
        """The name of the field that a call of the environment's points at."""
        if "x" not in call:
            return None
        state = self._base.state
        height, width = state.background.shape[:2]
        x, y = call["x"] * width, call["y"] * height
        nearest = min(state.places, key=lambda p: (not _holds(p.box, x, y), _distance(p.centre, (x, y))))
        return nearest.label


def _maker(locator: str) -> Callable[[gym.Env[Observation, Any]], Locator]:
    if locator in LOCATORS:
        return LOCATORS[locator]
    if ":" not in str(locator):
        raise ValueError(f"no locator {locator!r}; there are {', '.join(LOCATORS)}, or entry points 'module:name'")
    try:
        return cast("Callable[[gym.Env[Observation, Any]], Locator]", load_env_creator(locator))
    except (ImportError, AttributeError) as error:
        raise ValueError(f"locator {locator!r} cannot be had: {error}") from error


def _by_name(tool: Tool) -> Tool:
    """A tool with its place named rather than pointed at."""
    if not {"x", "y"} <= tool.arguments.keys():
        return tool
    rest = {name: argument for name, argument in tool.arguments.items() if name not in ("x", "y")}
    return replace(tool, arguments={"field": _FIELD, **rest}, about=_ABOUT.get(tool.name, tool.description))


def _field_and_tool(named: tuple[str | None, Call]) -> tuple[str | None, str]:
    return named[0], named[1]["tool"]


def _joined(field: str | None, calls: Sequence[Call]) -> Call:
    """Calls of one tool in one field as a single one."""
    call = calls[0]
    if field is None:
        return dict(call)
    written = {"text": "".join(c["text"] for c in calls)} if "text" in call else {}
    return {"tool": call["tool"], "field": field, **written}


def _holds(box: tuple[float, float, float, float], x: float, y: float) -> bool:
    return box[0] - 0.5 <= x <= box[2] + 0.5 and box[1] - 0.5 <= y <= box[3] + 0.5


def _distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
