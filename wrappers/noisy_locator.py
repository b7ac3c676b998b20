"""The noisy oracle: a locator that is right with a given probability."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import gymnasium as gym
import numpy as np

from ..envs.core.boxes import Box, centre, contains_pixel, shift
from ..envs.core.locators import Detection
from ..envs.core.painting import Image
from ..envs.core.spaces import Observation
from .oracle_locator import OracleLocator


class NoisyLocator:
    """The oracle locator with errors: shows the value of locating at each accuracy.

    Whether a target is found is drawn for each task and target: to ask again gives the same answer. Where it is not,
    half of the answers are another field's box, and half a box of the right size beside the right one.

    Args:
        env: the environment whose fields it knows.
        accuracy: how likely the right box is, from 0 to 1.
        seed: another number gives other mistakes.

    Raises:
        ValueError: if the accuracy is not from 0 to 1.
    """

    def __init__(self, env: gym.Env[Observation, Any], accuracy: float = 0.8, seed: int = 0) -> None:
        if not 0 <= accuracy <= 1:
            raise ValueError(f"accuracy must lie between 0 and 1; it is {accuracy}")
        self._oracle = OracleLocator(env)
        self.accuracy, self.seed = accuracy, seed

    def locate(self, page: Image, target: str) -> list[Detection]:
        """The oracle's boxes, or a single wrong one if this target is missed."""
        found = self._oracle.locate(page, target)
        rng = self._generator(target)
        if not found or rng.random() < self.accuracy:
            return found
        return [Detection(self._wrong_box(page, found[0].box, rng), found[0].score)]

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The places of many targets; see ``Locator``."""
        return [self.locate(page, target) for target in targets]

    def _generator(self, target: str) -> np.random.Generator:
        """A random generator seeded by task, target and seed alone."""
        named = f"{self.seed}\n{self._oracle.task_id}\n{target}".encode("utf-8", "replace")
        return np.random.default_rng(int.from_bytes(sha256(named).digest()[:8], "big"))

    def _wrong_box(self, page: Image, right: Box, rng: np.random.Generator) -> Box:
        boxes = [self._oracle.box_on(page, place) for place in self._oracle.places]
        others = [box for box in boxes if box != right]
        if others and rng.random() < 0.5:
            return others[int(rng.integers(len(others)))]
        return _beside(right, page, rng)


def _beside(box: Box, page: Image, rng: np.random.Generator) -> Box:
    """A box of the same size next to ``box``, on a side where the page has room."""
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    steps = [(width, 0.0), (-width, 0.0), (0.0, height), (0.0, -height)]
    moved = [shift(box, x, y) for x, y in steps]
    fitting = [corners for corners in moved if _middle_on(page, corners)]
    return fitting[int(rng.integers(len(fitting)))] if fitting else moved[0]


def _middle_on(page: Image, box: Box) -> bool:
    height, width = page.shape[:2]
    return contains_pixel((0, 0, width, height), *centre(box))
