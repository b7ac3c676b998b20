"""Observation spaces: page images."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, concatenate
from numpy.typing import NDArray

from .asset_cache import by_identity

Observation = dict[str, Any]
"""An environment's observation: the page, and texts such as the goal."""

Step = tuple[Observation, float, bool, bool, dict[str, Any]]
"""What ``step`` returns."""


class PageSpace(spaces.Box):
    """Page images: uint8 RGB of shape (height, width, 3), or a batch of them.

    A ``Box`` whose bounds take no memory, whose checks take no time, and whose batches are painted in place: a vector
    environment need not copy pages that are in its batch already.

    Args:
        height: in pixels.
        width: in pixels.
        batch: the number of pages; ``None``: a single page.
        seed: the seed of ``sample``.
    """

    def __init__(
        self, height: int, width: int, batch: int | None = None, seed: int | np.random.Generator | None = None
    ) -> None:
        super().__init__(0, 255, (), np.uint8, seed)
        self._shape = (height, width, 3) if batch is None else (batch, height, width, 3)
        for name in ("low", "high", "bounded_below", "bounded_above"):
            setattr(self, name, np.broadcast_to(getattr(self, name), self._shape))

    def sample(self, mask: None = None, probability: None = None) -> NDArray[np.uint8]:
        """A page of random noise."""
        return self.np_random.integers(0, 256, self._shape, np.uint8)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a uint8 array of this shape."""
        return isinstance(x, np.ndarray) and x.dtype == np.uint8 and x.shape == self._shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PageSpace) and self._shape == other._shape

    def __reduce__(self) -> tuple[Any, ...]:
        height, width, _ = self._shape[-3:]
        batch = self._shape[0] if len(self._shape) == 4 else None
        return PageSpace, (height, width, batch, self._np_random)

    def __repr__(self) -> str:
        return f"PageSpace{self._shape}"


@batch_space.register(PageSpace)
def _batch_pages(space: PageSpace, n: int = 1) -> PageSpace:
    height, width, _ = space.shape
    return PageSpace(height, width, n, deepcopy(space.np_random))


@concatenate.register(PageSpace)
def _concatenate_pages(
    space: PageSpace, items: Iterable[NDArray[np.uint8]], out: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    for row, page in zip(out, items, strict=True):
        if not np.may_share_memory(row, page):
            np.copyto(row, page)
    return out


def blank(space: spaces.Space[Any]) -> Any:
    """A fixed, harmless element of ``space``, for arguments a tool does not use."""
    if isinstance(space, spaces.Text):
        return "" if space.min_length == 0 else " " * space.min_length
    if isinstance(space, spaces.Discrete):
        return space.start
    assert isinstance(space, spaces.Box)
    return _nearest_to_zero(space).copy()


@by_identity
def _nearest_to_zero(space: spaces.Box) -> NDArray[Any]:
    return np.asarray(np.clip(np.zeros(space.shape, space.dtype), space.low, space.high))


def extended(env: gym.Env[Observation, Any], **more: spaces.Space[Any]) -> spaces.Dict:
    """The observation space of an environment with other or more entries.

    Raises:
        ValueError: if it is no ``Dict``.
    """
    if not isinstance(env.observation_space, spaces.Dict):
        raise ValueError(f"observations must be a Dict, not {env.observation_space}")
    return spaces.Dict(env.observation_space.spaces | more)
