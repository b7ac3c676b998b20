"""Tasks of pointing: a cell as the action, one field after another, the places of all fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.env import MAX_GOAL_LENGTH
from ..envs.core.spaces import Observation, Step, extended
from ..envs.core.texts import PLACES, TICK_BOX, UnicodeText, truncate
from ..envs.core.tools import Call, Tool, ToolSpace, coordinate, spans_page
from .tool_wrapper import (
    ToolWrapper,
    Translated,
    check_goal,
    joined,
    own_tool,
    place_at,
    single_tools,
    tools_with_places,
)

if TYPE_CHECKING:
    from ..envs.core.env import FieldBox, PaperworkEnv


class GridPoint(gym.ActionWrapper[Observation, np.int64, dict[str, Any]], RecordConstructorArgs):
    """Takes the number of a cell, and calls a tool with it.

    Cells are counted row by row from the left top corner of the page. A tool that takes a point, as fractions or
    pixels, is called with the middle of the cell; one that takes a box (left, top, right and bottom), with the cell.

    >>> env = GridPoint(gym.make("FormFactory/Grounding-v0"), rows=10, columns=20)
    >>> env.action_space
    Discrete(200)

    Args:
        env: the environment; it takes one call a step.
        rows: of the grid.
        columns: of the grid.
        tool: the name of the tool: ``point`` (grounding), ``click`` (FormFactory), ``place_text`` (FormGym).
        arguments: what the tool takes besides, the same in every call: ``{"text": "x"}`` ticks boxes with
            ``place_text``.

    Raises:
        ValueError: if the grid has no cells, there is no such tool, it takes no place, or other arguments.
    """

    def __init__(
        self,
        env: gym.Env[Observation, Any],
        rows: int,
        columns: int,
        tool: str = "point",
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        arguments = dict(arguments or {})
        RecordConstructorArgs.__init__(self, rows=rows, columns=columns, tool=tool, arguments=arguments)
        super().__init__(env)
        if min(rows, columns) < 1:
            raise ValueError(f"a grid needs at least one row and one column, not {rows} and {columns}")
        self._tools = single_tools(env)
        self._rows, self._columns = rows, columns
        self._call = {"tool": tool, **arguments}
        used = next((one.arguments for one in self._tools.tools if one.name == tool), {})
        known = _fractions(0, 1, 1)
        self._spaces = {n: one.space for n, one in used.items() if n in known and spans_page(one.space)}
        self._tools.action(**{**self._coordinates(0), **self._call})
        if not self._spaces:
            raise ValueError(f"{tool} takes no place on the page")
        self.action_space = spaces.Discrete(rows * columns)

    def action(self, action: np.int64) -> dict[str, Any]:
        """The call for a cell."""
        return self._tools.from_call({**self._coordinates(int(action)), **self._call})

    def _coordinates(self, cell: int) -> dict[str, float]:
        """The arguments that say where a cell is, in the units of the tool."""
        fractions = _fractions(cell, self._rows, self._columns)
        return {name: coordinate(space, fractions[name]) for name, space in self._spaces.items()}


def _fractions(cell: int, rows: int, columns: int) -> dict[str, float]:
    """The middle and the edges of a cell as fractions of the page."""
    row, column = divmod(cell, columns)
    return {
        "x": (column + 0.5) / columns,
        "y": (row + 0.5) / rows,
        "left": column / columns,
        "top": row / rows,
        "right": (column + 1) / columns,
        "bottom": (row + 1) / rows,
    }


@dataclass(frozen=True)
class _Entry:
    """A field, and how its answer is written."""

    place: FieldBox
    tool: str
    text: str


class FieldQueue(ToolWrapper, RecordConstructorArgs):
    """Asks for fields one by one, and writes the right answer where it is pointed.

    The goal is the name of the next field to which the oracle has an answer; the one tool is ``point(x, y)``. The
    episode ends with the last field. The reward is the environment's. So an agent that only finds fields fills in
    whole forms; as the answers are not its own, its scores do not compare with those of agents that know none.

    Web forms have no such queue: the clicks and keys that enter a value (lists, scrolling, the next page) depend on
    where the clicks before them landed. ``WebGroundingEnv`` asks for their controls.

    >>> env = FieldQueue(gym.make("FormGym/Scans-v0"))
    >>> observation, _ = env.reset(options={"task": "en_equipment_inspection"})
    >>> observation["goal"]
    'Discharge temperature'

    Args:
        env: a FormGym environment whose tools take fractions of the page; it takes one call a step.

    Raises:
        ValueError: if it is another environment, or a wrapper inside has changed the tools or the goal, or padded the
            page.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        check_goal(env)
        inner = tools_with_places(env)
        if single_tools(env) != inner:
            raise ValueError("a wrapper inside has changed the tools; put FieldQueue inside of it")
        writer = next((tool for tool in inner.tools if {"x", "y", "text"} == set(tool.arguments)), None)
        if writer is None:
            raise ValueError(f"none of the tools {', '.join(inner.names)} writes a text at a place")
        point = own_tool("point", _ABOUT_POINT, {name: writer.arguments[name] for name in ("x", "y")})
        super().__init__(env, inner, ToolSpace([point]))
        self._entries: list[_Entry] = []

    def begin(self) -> None:
        """Queue the fields with answers, in the solution's order; the cells of a comb are one."""
        calls = [call for call in self._base.solution() if "text" in call and "x" in call]
        located = ((place_at(self._base.state, call["x"], call["y"]), call) for call in calls)
        groups = groupby(located, key=lambda one: (one[0], one[1]["tool"]))
        self._entries = [
            _Entry(place, tool, joined([call["text"] for _, call in group])) for (place, tool), group in groups
        ]

    def translate(self, action: Any, tool: Tool, arguments: dict[str, Any]) -> Translated:
        """The call that writes the next answer at a point."""
        call: Call = {"tool": "terminate"}
        if self._entries:
            entry = self._entries.pop(0)
            call = {"tool": entry.tool, "text": entry.text, **arguments}
        return Translated(self._inner.from_call(call))

    def observation(self, observation: Observation) -> Observation:
        """The observation with the name of the next field as its goal."""
        return observation | {"goal": self._entries[0].place.label if self._entries else ""}

    def step(self, action: Any) -> Step:
        """Write the answer at a point; the last one ends the episode."""
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated or not self._entries, truncated, info

    def solution(self) -> list[Call]:
        """The points that fill in the rest of the form rightly."""
        height, width = self._base.state.paper
        centres = [entry.place.centre for entry in self._entries]
        return [{"tool": "point", "x": x / width, "y": y / height} for x, y in centres]


_ABOUT_POINT = "Point at the field that the goal names: its answer is written there. The next field follows."
_MAX_LABEL = 200
MAX_COORDINATES_LENGTH = 60_000


class GroundTruthCoordinates(gym.ObservationWrapper[Observation, Any, Observation], RecordConstructorArgs):
    """Adds the exact centre of every field to ``observation["goal"]``, by its name.

    These are FormGym's ground-truth coordinates. It gives places, never answers: fields that must stay empty are
    listed like the others.

    >>> env = GroundTruthCoordinates(gym.make("FormGym/Scans-v0"))
    >>> observation, _ = env.reset(options={"task": "en_equipment_inspection"})
    >>> observation["goal"].splitlines()[-1]
    'Next inspection due: x=0.8017, y=0.7261'

    Args:
        env: the environment.

    Raises:
        ValueError: if the environment's tools take no x and y as fractions of the page, or its goal is no text.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        check_goal(env)
        tools_with_places(env)
        self._base = cast("PaperworkEnv", env.unwrapped)
        self._places_text = ("", "")
        self.observation_space = extended(env, goal=UnicodeText(MAX_GOAL_LENGTH + MAX_COORDINATES_LENGTH))

    def observation(self, observation: Observation) -> Observation:
        """The observation with the places in its goal."""
        if self._places_text[0] != self._base.state.task_id:
            self._places_text = (self._base.state.task_id, self._in_words())
        return observation | {"goal": f"{observation['goal']}\n\n{self._places_text[1]}"}

    def _in_words(self) -> str:
        height, width = self._base.state.paper
        lines = [PLACES]
        for place in self._base.state.places:
            x, y = place.centre[0] / width, place.centre[1] / height
            kind = TICK_BOX if place.ticked else ""
            lines.append(f"{truncate(place.label, _MAX_LABEL)}{kind}: x={x:.4f}, y={y:.4f}")
        return "\n".join(lines)
