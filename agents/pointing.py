"""Pointing: an agent that points at what the goal names, where a locator finds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..envs.core.locators import Locator
from .base import Action, TaskInfo


class Pointing:
    """Points at the best place that a locator finds on the page for the goal, a name.

    It answers the goals of the grounding environments, and those of the wrapper ``FieldQueue``, which writes the right
    values where it points. Where the locator finds nothing it points at random.

    Args:
        locator: makes the locator, called with the options; ``None``: it always points at random.
        **options: such as ``path``, the folder of a trained policy.
    """

    def __init__(self, locator: Callable[..., Locator] | None, **options: Any) -> None:
        self._locator = locator(**options) if locator else None

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode.

        Raises:
            ValueError: if the goals are no names, or a round has more than one action.
        """
        if not {"point", "box"} & set(task.tools.names):
            raise ValueError("this agent points: add wrappers=[field_queue], or choose an environment of grounding")
        if task.max_actions != 1:
            raise ValueError("this agent answers one goal a round: choose flow=stepwise")
        self._tools = task.tools
        self._rng = np.random.default_rng(seed)

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """Answer the goal with the middle of a place, or with its box."""
        page = observation["page"]
        height, width = page.shape[:2]
        found = self._locator.locate(page, observation["goal"]) if self._locator else []
        if found:
            box = np.clip(np.divide(found[0].box, (width, height, width, height)), 0, 1)
        else:
            box = np.sort(self._rng.random((2, 2)), axis=0).ravel()
        left, top, right, bottom = box.tolist()
        if "box" in self._tools.names:
            return [self._tools.action("box", left=left, top=top, right=right, bottom=bottom)]
        return [self._tools.action("point", x=(left + right) / 2, y=(top + bottom) / 2)]
