"""The episodes of a run: one after another, or many at once."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, cast

import gymnasium as gym
from hydra.utils import instantiate
from omegaconf import DictConfig

from ...agents.base import Agent
from ...envs.core.env import PaperworkEnv
from ...envs.core.tasks import EndlessTasks, episode_seed
from ...wrappers import ControlList, FieldQueue
from .environment_names import register_resolver
from .episodes import Episode
from .rollout import run_episode
from .worker_threads import in_threads

_TAKE_ONE_CALL = (ControlList, FieldQueue)
"""Wrappers inside of the flow."""


def make_env(config: DictConfig) -> gym.Env[Any, Any]:
    """The environment in its flow and wrappers, the first wrapper innermost.

    Inside of the flow are wrappers that take one call a step.
    """
    register_resolver()
    wrappers = list(map(instantiate, config.wrappers.values()))
    inside = [wrapper for wrapper in wrappers if getattr(wrapper, "func", None) in _TAKE_ONE_CALL]
    env = instantiate(config.env, _convert_="all")
    for wrapper in (*inside, instantiate(config.flow), *(one for one in wrappers if one not in inside)):
        env = wrapper(env=env)
    return cast("gym.Env[Any, Any]", env)


def n_requested(episodes: Any, env: gym.Env[Any, Any]) -> int:
    """How many episodes a run has: ``episodes``, or one of every task if ``None``.

    Raises:
        ValueError: if it is not a positive whole number, or is missing where tasks are endless.
    """
    if episodes is None:
        task_ids = cast(PaperworkEnv, env.unwrapped).task_ids
        if isinstance(task_ids, EndlessTasks):
            raise ValueError("these tasks have no end; say how many episodes to run, such as episodes=200")
        return len(task_ids)
    if not isinstance(episodes, int) or episodes < 1:
        raise ValueError(f"episodes must be at least 1, or null for one of every task; it is {episodes}")
    return episodes


def run_episodes(
    config: DictConfig, env: gym.Env[Any, Any], agent: Agent, todo: Sequence[int]
) -> Generator[Episode, None, None]:
    """Run the episodes of the given indices; each as it ends.

    Args:
        config: of the run. With ``concurrency`` above 1 there are that many threads, each with an environment and an
            agent of its own, and episodes may end in another order than they begin.
        env: of the run, used where there is one thread.
        agent: likewise.
        todo: the indices.
    """

    @contextmanager
    def worker() -> Iterator[Callable[[int], Episode]]:
        with closing(make_env(config)) as own_env:
            yield partial(_run_one, config, own_env, instantiate(config.agent))

    if config.concurrency > 1:
        yield from in_threads(worker, todo, config.concurrency)
    else:
        yield from (_run_one(config, env, agent, index) for index in todo)


def _run_one(config: DictConfig, env: gym.Env[Any, Any], agent: Agent, index: int) -> Episode:
    task = cast(PaperworkEnv, env.unwrapped).task_ids[index] if config.episodes is None else None
    return run_episode(env, agent, index=index, seed=episode_seed(config.seed, index), task=task)
