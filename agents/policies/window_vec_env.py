"""Windows of a pool of targets as a vector environment of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from gymnasium import Wrapper, spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from ...envs.core.grounding import combined

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TargetPool(Protocol):
    """Targets on pages by their index.

    A target is seen in a window, which begins at an origin; an action is a cell of it. ``index`` has one target a row.
    """

    @property
    def observation_space(self) -> spaces.Dict:
        """Of one target."""
        ...

    @property
    def action_space(self) -> spaces.Discrete:
        """The cells of a window."""
        ...

    def __len__(self) -> int: ...

    def origins(self, index: Ints, rng: np.random.Generator | None = None) -> Ints:
        """Where the windows of targets begin, moved at random if ``rng`` is given: (n, 2)."""
        ...

    def observe(self, index: Ints, origins: Ints) -> dict[str, NDArray[Any]]:
        """The observations of targets in windows."""
        ...

    def right_cells(self, index: Ints, origins: Ints) -> NDArray[np.bool_]:
        """Which cells of windows are right: (n, cells)."""
        ...

    def points(self, index: Ints, cells: Ints, origins: Ints) -> Floats:
        """The middles of cells as fractions of the targets' pages: x and y, (n, 2)."""
        ...

    def boxes(self, index: Ints) -> Floats:
        """The boxes that points must lie in, as fractions of the targets' pages: (n, 4)."""
        ...


PointReward = Callable[[Ints, Floats], Floats]
"""``reward(index, points)``: the rewards (n,) of points (n, 2) in fractions of the targets' pages."""


class WindowVecEnv(VecEnv):
    """Steps many targets in one call, without processes; Python loops over their crops alone.

    Every episode has one step: the window of the next target is the observation that ends the last one.

    >>> from formgym.envs.paper_forms.made_pages.page_generator import page
    >>> from formgym.fieldfinder_model.windows.window_pool import WindowPool, window_page
    >>> env = WindowVecEnv(WindowPool([window_page(page(0))]), num_envs=2)
    >>> env.reset()["picture"].shape
    (2, 4, 40, 144)

    Args:
        pool: the targets, drawn at random.
        num_envs: how many are seen at once.
        reward: the name of a reward in ``core.grounding.REWARDS``, weights by name, or a function of the points,
            such as an environment's own score.
        seed: of the targets and of the jitter of their windows.
    """

    render_mode = None

    def __init__(
        self, pool: TargetPool, num_envs: int, reward: str | Mapping[str, float] | PointReward = "hit", seed: int = 0
    ) -> None:
        self._pool = pool
        self._reward = reward if callable(reward) else _of_boxes(pool, reward)
        self._rng = np.random.default_rng(seed)
        self._index, self._origins = np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
        self._actions: Ints = np.zeros(0, np.int64)
        super().__init__(num_envs, pool.observation_space, pool.action_space)

    def reset(self) -> VecEnvObs:
        """The observations of new targets."""
        if self._seeds[0] is not None:
            self._rng = np.random.default_rng(self._seeds[0])
            self._reset_seeds()
        return self._draw()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the cells that are chosen."""
        self._actions = np.asarray(actions, np.int64)

    def step_wait(self) -> VecEnvStepReturn:
        """The observations of the next targets, and the rewards of the chosen cells."""
        points = self._pool.points(self._index, self._actions, self._origins)
        rewards = np.asarray(self._reward(self._index, points), np.float32)
        infos: list[dict[str, Any]] = [{"episode": {"r": reward, "l": 1}} for reward in rewards.tolist()]
        return self._draw(), rewards, np.ones(self.num_envs, bool), infos

    def _draw(self) -> dict[str, NDArray[Any]]:
        self._index = self._rng.integers(len(self._pool), size=self.num_envs)
        self._origins = self._pool.origins(self._index, self._rng)
        return self._pool.observe(self._index, self._origins)

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute, the same for each of the environments."""
        return [getattr(self, attr_name) for _ in self._numbers(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all environments, which are one."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """There are no single environments whose methods could be called.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"a WindowVecEnv has no single environments: {method_name} cannot be called")

    def env_is_wrapped(
        self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """No environment is wrapped."""
        return [False for _ in self._numbers(indices)]

    def _numbers(self, indices: VecEnvIndices) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return list(indices) if isinstance(indices, Iterable) else [indices]


def _of_boxes(pool: TargetPool, reward: str | Mapping[str, float]) -> PointReward:
    """A reward by its name, of points as boxes without width and height."""
    by_box = combined(reward)
    return lambda index, points: by_box(np.tile(points, 2), pool.boxes(index))
