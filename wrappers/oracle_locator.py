"""The oracle locator: knows where every field is, and finds it by its name."""

from __future__ import annotations

from typing import Any, cast

import gymnasium as gym
from rapidfuzz import fuzz, process, utils

from ..envs.core.env import Observation, PaperworkEnv
from ..envs.core.painting import Image

_AT_LEAST = 60
"""How alike two names are at least, of 100, for one to be taken for the other."""
_MOST = 5


class OracleLocator:
    """Finds fields by what they are called, and gives their exact boxes: the ceiling of every locator (FormGym).

    Args:
        env: the environment whose fields it knows.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        self._env = cast(PaperworkEnv, env.unwrapped)

    def locate(self, page: Image, name: str) -> list[tuple[float, float, float, float]]:
        """The boxes of up to five fields, in pixels of the page, whose name is most like ``name`` first.

        Args:
            page: the page as it is observed.
            name: what the field is called.
        """
        places = self._env.state.places
        labels = [place.label for place in places]
        found = process.extract(
            name, labels, scorer=fuzz.WRatio, processor=utils.default_process, limit=_MOST, score_cutoff=_AT_LEAST
        )
        # WRatio calls a part as good as the whole; of equals, the one of the same length is meant.
        found.sort(key=lambda match: (-match[1], -fuzz.ratio(name, match[0], processor=utils.default_process)))
        exact = [i for i, label in enumerate(labels) if label == name]
        order = dict.fromkeys([*exact, *(index for _, _, index in found)])
        return [_scaled(places[i].box, page, self._env) for i in order][:_MOST]


def _scaled(
    box: tuple[float, float, float, float], page: Image, env: PaperworkEnv
) -> tuple[float, float, float, float]:
    """A box of the background in pixels of a page that may be shown smaller."""
    factor = page.shape[1] / env.state.background.shape[1]
    left, top, right, bottom = box
    return left * factor, top * factor, right * factor, bottom * factor
