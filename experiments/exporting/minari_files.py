"""Minari data sets of grounding environments, with exact pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from ... import __version__
from ...envs.core.files import atomic_write
from ...envs.core.spaces import Observation
from .target_rows import Selection

MAX_TARGETS = 4
"""Of an episode, if the user does not say; an episode is held in memory, with a page for each target."""


class Steps(NamedTuple):
    """An episode: a page and its goal before each action, and at the end."""

    task: str
    observations: list[Observation]
    actions: list[dict[str, Any]]
    rewards: list[float]
    terminations: list[bool]
    truncations: list[bool]


def dataset_id(env: gym.Env[Any, Any]) -> str:
    """The id that ``minari.load_dataset`` takes: the environment's, domain and split."""
    assert env.spec is not None
    parts = [env.spec.kwargs[name] for name in ("domain", "split") if name in env.spec.kwargs]
    return f"{env.spec.id.rpartition('-v')[0]}/{'-'.join(parts)}-v0"


class MinariWriter:
    """Writes episodes to a new Minari data set.

    Args:
        folder: what MINARI_DATASETS_PATH has to name to load it.
        env: of the episodes.
        algorithm: what chose the actions, in words.
    """

    def __init__(self, folder: Path, env: gym.Env[Any, Any], algorithm: str) -> None:
        import minari
        from minari.dataset.minari_storage import MinariStorage

        assert env.spec is not None
        data = folder / dataset_id(env) / "data"
        data.mkdir(parents=True)
        # Without spaces in it, so that Minari takes those of the environment: it would write a page's bounds in full.
        metadata = {
            "dataset_id": dataset_id(env),
            "minari_version": minari.__version__,
            "data_format": "parquet",
            "jpeg_encoding": False,
            "env_spec": env.spec.to_json(),
            "total_episodes": 0,
            "total_steps": 0,
            "algorithm_name": algorithm,
            "description": f"Written by formgym {__version__}",
        }
        atomic_write(data / "metadata.json", json.dumps(metadata).encode())
        self._storage = MinariStorage.read(data)

    def add(self, steps: Steps) -> None:
        """Write an episode."""
        from minari.data_collector import EpisodeBuffer

        episode = EpisodeBuffer(
            options={"task": steps.task},
            observations=_columns(steps.observations),
            actions=_columns(steps.actions),
            rewards=steps.rewards,
            terminations=steps.terminations,
            truncations=steps.truncations,
        )
        self._storage.update_episodes([episode])


def grounding_episodes(env: gym.Env[Any, Any], selection: Selection, random_share: float, seed: int) -> Iterator[Steps]:
    """Episodes over the selected targets; the last one may be truncated.

    Args:
        env: of the selection, with ``max_targets``.
        selection: which targets.
        random_share: the share of random actions; the others are right.
        seed: of the random actions.
    """
    assert env.spec is not None
    max_targets: int = env.spec.kwargs["max_targets"]
    rng = np.random.default_rng([seed, 1])
    env.action_space.seed(seed)
    left = selection.n
    for page in selection:
        for part in range(-(-page.targets // max_targets)):
            if not left:
                return
            steps = _episode(env, f"{page.task}#{part}" if part else page.task, left, random_share, rng)
            left -= len(steps.actions)
            yield steps


def _episode(env: gym.Env[Any, Any], task: str, max_steps: int, random_share: float, rng: np.random.Generator) -> Steps:
    observation, _ = env.reset(options={"task": task})
    steps = Steps(task, [observation], [], [], [], [])
    space: Any = env.action_space
    for number, call in enumerate(env.get_wrapper_attr("solution")(), start=1):
        # The first tool answers; the other one ends the page.
        is_random = rng.random() < random_share
        action = {**space.sample(), "tool": 0} if is_random else space.from_call(call)
        observation, reward, terminated, truncated, _ = env.step(action)
        steps.observations.append(observation)
        steps.actions.append(action)
        steps.rewards.append(float(reward))
        steps.terminations.append(terminated)
        steps.truncations.append(truncated or (number == max_steps and not terminated))
        if terminated or steps.truncations[-1]:
            break
    return steps


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def replayed(folder: Path) -> Iterator[tuple[int, str]]:
    """Replay a data set in an environment that it recovers.

    Yields:
        The number of steps of each episode, and how it differs from its replay; empty if it does not.
    """
    import minari

    data = minari.MinariDataset(next(folder.rglob("data/metadata.json")).parent)
    env = data.recover_environment()
    for number in range(data.total_episodes):
        try:
            stored = data[number]
            (about,) = data.storage.get_episode_metadata([number])
            yield len(stored), _difference(env, about["options"]["task"], stored)
        except (ValueError, OSError, LookupError, TypeError) as error:
            yield 0, f"episode {number} cannot be replayed: {error}"


def _difference(env: gym.Env[Any, Any], task: str, stored: Any) -> str:
    """How a stored episode differs from its replay."""
    observation, _ = env.reset(options={"task": task})
    for step in range(len(stored) + 1):
        for name, value in observation.items():
            if not np.array_equal(stored.observations[name][step], value):
                return f"episode {stored.id}, observation {step}: another {name} than in {task}"
        if step < len(stored):
            action = {name: values[step] for name, values in stored.actions.items()}
            observation, reward, terminated, _, _ = env.step(action)
            if (stored.rewards[step], stored.terminations[step]) != (reward, terminated):
                return f"episode {stored.id}, step {step}: reward {stored.rewards[step]}, the replay has {reward}"
    return ""
