"""GroundTruthCoordinates: the places of all fields in the goal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.env import MAX_GOAL_LENGTH
from ..envs.core.spaces import Observation, UnicodeText
from ..envs.core.texts import PLACES, TICK_BOX, truncate
from .places import tools_with_places
from .ruler import check_page

if TYPE_CHECKING:
    from ..envs.core.env import PaperworkEnv

_MAX_LABEL = 200
MAX_COORDINATES_LENGTH = 60_000


class GroundTruthCoordinates(gym.ObservationWrapper[Observation, Any, Observation], RecordConstructorArgs):
    """Adds the exact centre of every field to ``observation["goal"]``, by its name.

    These are FormGym's ground-truth coordinates. It gives places, never answers: fields that must stay empty are
    listed like the others.

    Args:
        env: the environment.

    Raises:
        ValueError: if the environment's tools take no x and y as fractions of the page.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        check_page(env)
        assert isinstance(env.observation_space, spaces.Dict)
        tools_with_places(env)
        self._base = cast("PaperworkEnv", env.unwrapped)
        self._places_text = ("", "")
        goal = UnicodeText(MAX_GOAL_LENGTH + MAX_COORDINATES_LENGTH)
        self.observation_space = spaces.Dict({**env.observation_space.spaces, "goal": goal})

    def observation(self, observation: Observation) -> Observation:
        """The observation with the places in its goal."""
        if self._places_text[0] != self._base.state.task_id:
            self._places_text = (self._base.state.task_id, self._in_words())
        return observation | {"goal": f"{observation['goal']}\n\n{self._places_text[1]}"}

    def _in_words(self) -> str:
        height, width = self._base.state.background.shape[:2]
        lines = [PLACES]
        for place in self._base.state.places:
            x, y = place.centre[0] / width, place.centre[1] / height
            kind = TICK_BOX if place.ticked else ""
            lines.append(f"{truncate(place.label, _MAX_LABEL)}{kind}: x={x:.4f}, y={y:.4f}")
        return "\n".join(lines)
