"""GridPoint: the action is a cell of a grid over the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.coordinates import coordinate, spans_page
from ..envs.core.spaces import Observation
from .places import single_tools


class GridPoint(gym.ActionWrapper[Observation, np.int64, dict[str, Any]], RecordConstructorArgs):
    """Takes the number of a cell, and calls a tool with it.

    Cells are counted row by row from the left top corner of the page. A tool that takes a point, as fractions or
    pixels, is called with the middle of the cell; one that takes a box (left, top, right and bottom), with the cell.

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
