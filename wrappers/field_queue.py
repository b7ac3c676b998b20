"""FieldQueue: a whole form filled in by pointing alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.spaces import Observation
from ..envs.core.tools import Call, Tool, ToolError, ToolSpace
from .places import place_at, single_tools, tools_with_places

if TYPE_CHECKING:
    from ..envs.core.env import FieldBox, PaperworkEnv

Step = tuple[Observation, float, bool, bool, dict[str, Any]]


@dataclass(frozen=True)
class _Entry:
    """A field, and how its answer is written."""

    place: FieldBox
    tool: str
    text: str


class FieldQueue(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Asks for fields one by one, and writes the right answer where it is pointed.

    The goal is the name of the next field to which the oracle has an answer; the one tool is ``point(x, y)``. The
    episode ends with the last field. The reward is the environment's. So an agent that only finds fields fills in
    whole forms; as the answers are not its own, its scores do not compare with those of agents that know none.

    Web forms have no such queue: the clicks and keys that enter a value (lists, scrolling, the next page) depend on
    where the clicks before them landed. ``WebGroundingEnv`` asks for their controls.

    Args:
        env: a FormGym environment whose tools take fractions of the page; it takes one call a step.

    Raises:
        ValueError: if it is another environment, or a wrapper inside has changed the tools or padded the page.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._inner = tools_with_places(env)
        if single_tools(env) != self._inner:
            raise ValueError("a wrapper inside has changed the tools; put FieldQueue inside of it")
        writer = next((tool for tool in self._inner.tools if {"x", "y", "text"} == set(tool.arguments)), None)
        if writer is None:
            raise ValueError(f"none of the tools {', '.join(self._inner.names)} writes a text at a place")
        self._base = cast("PaperworkEnv", env.unwrapped)
        self._outer = ToolSpace([Tool("point", point, {name: writer.arguments[name] for name in ("x", "y")})])
        self.action_space = self._outer
        self._entries: list[_Entry] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._entries = self._remaining()
        return self._with_goal(observation), info

    def step(self, action: Any) -> Step:
        """Write the answer at a point; the last one ends the episode."""
        try:
            _, arguments = self._outer.parse(action)
        except ToolError as error:
            refused = {"tool": None, "call": self._outer.to_call(action)}
            observation, reward, terminated, truncated, info = self.env.step(refused)
            info = info | {"feedback": str(error), "actions": [refused]}
            return self._with_goal(observation), float(reward), terminated, truncated, info
        call: Call = {"tool": "terminate"}
        if self._entries:
            entry = self._entries.pop(0)
            call = {"tool": entry.tool, "text": entry.text, **arguments}
        carried_out = self._inner.from_call(call)
        observation, reward, terminated, truncated, info = self.env.step(carried_out)
        info = info | {"actions": [carried_out]}
        return self._with_goal(observation), float(reward), terminated or not self._entries, truncated, info

    def solution(self) -> list[Call]:
        """The points that fill in the rest of the form rightly."""
        height, width = self._base.state.background.shape[:2]
        centres = [entry.place.centre for entry in self._entries]
        return [{"tool": "point", "x": x / width, "y": y / height} for x, y in centres]

    def _remaining(self) -> list[_Entry]:
        """The fields with answers, in the solution's order; the cells of a comb as one."""
        calls = [call for call in self._base.solution() if "text" in call and "x" in call]
        located = ((place_at(self._base.state, call["x"], call["y"]), call) for call in calls)
        groups = groupby(located, key=lambda one: (one[0], one[1]["tool"]))
        return [_Entry(place, tool, "".join(call["text"] for _, call in group)) for (place, tool), group in groups]

    def _with_goal(self, observation: Observation) -> Observation:
        return observation | {"goal": self._entries[0].place.label if self._entries else ""}


def point(x: float, y: float) -> str:
    """Point at the field that the goal names: its answer is written there. The next field follows."""
    return f"Pointed at ({x:.3f}, {y:.3f})."
