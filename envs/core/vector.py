"""BatchVectorEnv: N environments that paint into one batch of pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat, cast

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit

from .env import PaperworkEnv, black
from .painting import read_only
from .spaces import Observation

_PAGES = ("page", "source_page")
_CHANGED = "a wrapper changes the pages, which are painted in place here; take gymnasium.vector.SyncVectorEnv"


class BatchVectorEnv(SyncVectorEnv):
    """A synchronous vector environment whose pages are patched in place, never copied.

    It agrees with ``gymnasium.vector.SyncVectorEnv`` step by step, text observations included. With ``copy=False``, the
    default, ``observations["page"]`` is the same read-only array (N, H, W, 3) each time and changes with the next step:
    copy what you keep. So is ``"source_page"``, where there is one, and arrays that wrappers add change as well. Final
    observations (``AutoresetMode.SAME_STEP``) are copies always.

    Args:
        make_env: makes one environment, in wrappers if they leave the pages as they are.
        num_envs: how many.
        max_episode_steps: after how many steps an episode is truncated; ``None``: never.
        autoreset_mode: when an ended episode is reset (``gymnasium.vector.AutoresetMode`` or its value).
        copy: whether observations are copies.
        **kwargs: what ``make_env`` is called with.

    Raises:
        ValueError: if there are no environments, or (from ``reset`` at the latest) a wrapper changes the pages.
    """

    def __init__(
        self,
        make_env: Callable[..., gym.Env[Any, Any]],
        num_envs: int,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = False,
        **kwargs: Any,
    ) -> None:
        def make_one() -> gym.Env[Observation, Any]:
            env = make_env(**kwargs)
            return _CopyLastObservation(env if max_episode_steps is None else TimeLimit(env, max_episode_steps))

        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, not {num_envs}")
        super().__init__([make_one] * num_envs, copy=copy, autoreset_mode=autoreset_mode)
        if not all(map(_shows_own_pages, self.envs)):
            raise ValueError(_CHANGED)
        batch = cast(Observation, self._observations)
        if (sources := batch.get("source_page")) is not None:
            # Of most environments never written; numpy's memory comes in parts that are larger than a page.
            batch["source_page"] = black(sources.shape)
        self._pages = {name: read_only(batch[name]) for name in _PAGES if name in batch}
        for env, *buffers in zip(self.envs, *(batch[name] for name in self._pages), strict=True):
            cast(PaperworkEnv, env.unwrapped).paint_into(*buffers)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin episodes; see ``SyncVectorEnv.reset``."""
        self._infos: list[tuple[int, dict[str, Any]]] = []
        observations, _ = super().reset(seed=seed, options=options)
        shown = cast("list[Observation]", self._env_obs)
        if not all(np.may_share_memory(one[name], batch) for name, batch in self._pages.items() for one in shown):
            raise ValueError(_CHANGED)
        return self._with_pages(observations), self._batched(self._infos)

    def step(self, actions: Any) -> Any:
        """Carry out one action in each environment; see ``SyncVectorEnv.step``."""
        self._infos = []
        observations, *rest, _ = super().step(actions)
        return self._with_pages(observations), *rest, self._batched(self._infos)

    def _with_pages(self, observations: Any) -> Any:
        return observations if self.copy else {**observations, **self._pages}

    def _add_info(self, vector_infos: dict[str, Any], env_info: dict[str, Any], env_num: int) -> dict[str, Any]:
        self._infos.append((env_num, env_info))
        return vector_infos

    def _batched(self, infos: Sequence[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
        """Infos of environments as ``VectorEnv`` batches them, key by key."""
        batched: dict[str, Any] = {}
        for key in dict.fromkeys(key for _, info in infos for key in info):
            values = [(number, info[key]) for number, info in infos if key in info]
            (number, value), *others = values
            if isinstance(value, dict) and key != "final_obs":
                batched |= {key: self._batched(values), f"_{key}": np.zeros(self.num_envs, np.bool_)}
            else:
                super()._add_info(batched, {key: value}, number)
                for number, value in others:
                    batched[key][number] = value
            batched[f"_{key}"][[number for number, _ in values]] = True
        return batched


def _shows_own_pages(env: gym.Env[Any, Any]) -> bool:
    """Whether the pages that an environment shows are of its own shape."""
    own, shown = env.unwrapped.observation_space, env.observation_space
    assert isinstance(own, spaces.Dict)
    return isinstance(shown, spaces.Dict) and all(
        shown.spaces.get(name) == own[name] for name in _PAGES if name in own.spaces
    )


class _CopyLastObservation(gym.Wrapper[Observation, dict[str, Any], Observation, dict[str, Any]]):
    """Copies an episode's last observation, which the next reset paints over."""

    def step(self, action: dict[str, Any]) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            observation = observation | {n: v.copy() for n, v in observation.items() if isinstance(v, np.ndarray)}
        return observation, reward, terminated, truncated, info
