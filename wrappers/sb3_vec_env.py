"""SB3VecEnv: a Gymnasium vector environment for Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.env_util import is_wrapped
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn


class SB3VecEnv(VecEnv):
    """A Gymnasium ``VectorEnv`` as a ``VecEnv`` of Stable-Baselines3, in one process.

    It agrees with SB3's ``DummyVecEnv`` step by step. Observations are copies, for SB3 keeps them until after the next
    step, when those of ``BatchVectorEnv`` have changed. Put ``VecMonitor`` around it for returns of episodes in SB3's
    logs.

    >>> env = SB3VecEnv(gym.make_vec("FormFactory/Grounding-v0", num_envs=2, autoreset_mode="SameStep"))
    >>> env.reset()["page"].shape[0]
    2

    Args:
        vector_env: the environment, with ``autoreset_mode="SameStep"``.

    Raises:
        ValueError: if it has another mode; from ``reset``, if its environments have different options.
    """

    def __init__(self, vector_env: VectorEnv[Any, Any, Any]) -> None:
        if vector_env.metadata.get("autoreset_mode") is not AutoresetMode.SAME_STEP:
            raise ValueError('SB3 resets an environment in the step that ends its episode: autoreset_mode="SameStep"')
        self.vector_env = vector_env
        super().__init__(vector_env.num_envs, vector_env.single_observation_space, vector_env.single_action_space)

    def reset(self) -> VecEnvObs:
        """Begin episodes, with the seeds and options that were set."""
        if any(options != self._options[0] for options in self._options):
            raise ValueError("a vector environment of Gymnasium has the same options for all environments")
        # Both libraries count seeds up from the first.
        observations, infos = self.vector_env.reset(seed=self._seeds[0], options=self._options[0] or None)
        self.reset_infos = [_info_of(infos, i) for i in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return cast(VecEnvObs, _copied(observations))

    def step_async(self, actions: np.ndarray[Any, Any]) -> None:
        """Keep the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Carry out the actions; see ``VecEnv``."""
        observations, rewards, terminated, truncated, batched = self.vector_env.step(self._actions)
        infos = [_info_of(batched, i) for i in range(self.num_envs)]
        dones = np.logical_or(terminated, truncated)
        for i in np.flatnonzero(dones):
            self.reset_infos[i] = infos[i]
            last = self.reset_infos[i].pop("final_info", {})
            infos[i] = last | {"terminal_observation": self.reset_infos[i].pop("final_obs")}
        for info, was_cut in zip(infos, truncated & ~terminated, strict=True):
            info["TimeLimit.truncated"] = bool(was_cut)
        return _copied(observations), np.asarray(rewards, np.float32), dones, infos

    def close(self) -> None:
        """Close the environments."""
        self.vector_env.close()

    def get_images(self) -> Sequence[np.ndarray[Any, Any] | None]:
        """What each environment renders."""
        return list(self.vector_env.render() or [None] * self.num_envs)  # type: ignore[arg-type]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of each environment; of the vector environment where it hides them."""
        if not self._envs:
            return [getattr(self.vector_env, attr_name) for _ in self._get_indices(indices)]
        return [env.get_wrapper_attr(attr_name) for env in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of each environment."""
        for env in self._chosen(indices):
            setattr(env, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """What a method of each environment returns."""
        return [env.get_wrapper_attr(method_name)(*method_args, **method_kwargs) for env in self._chosen(indices)]

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: Any = None) -> list[bool]:
        """Whether each environment is in such a wrapper."""
        if not self._envs:
            return [False for _ in self._get_indices(indices)]
        return [is_wrapped(env, wrapper_class) for env in self._chosen(indices)]

    @property
    def _envs(self) -> Sequence[gym.Env[Any, Any]]:
        """The environments, if they are in this process one by one."""
        return getattr(self.vector_env.unwrapped, "envs", ())

    def _chosen(self, indices: VecEnvIndices) -> list[gym.Env[Any, Any]]:
        if not self._envs:
            raise NotImplementedError(f"{self.vector_env} gives no access to its environments one by one")
        return [self._envs[i] for i in self._get_indices(indices)]


def _info_of(infos: dict[str, Any], index: int) -> dict[str, Any]:
    """The infos of one environment, of those of a vector environment."""
    chosen = (key for key in infos if f"_{key}" in infos and infos[f"_{key}"][index])
    return {key: _row(infos[key], index) for key in chosen}


def _row(values: Any, index: int) -> Any:
    if isinstance(values, dict):
        return _info_of(values, index)
    return values[index].item() if isinstance(values[index], np.generic) else values[index]


def _copied(observations: Any) -> Any:
    if isinstance(observations, dict):
        return {name: _copied(array) for name, array in observations.items()}
    return np.array(observations)
