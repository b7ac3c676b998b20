"""Minari data sets of grounding environments, with exact pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from ... import __version__
from ...agents.session import Env
from ...envs.core.env import PaperworkEnv
from ...envs.core.files import atomic_write, parse_json, read_foreign
from ...envs.core.grounding import GroundingEnv
from ..running.recorded import recorded_env
from .rows import drawn_pages

MAX_TARGETS = 4
"""Of an episode, if the user does not say; an episode is held in memory, with a page for each target."""


_MAX_METADATA = 1_000_000


def dataset_id(env: Env) -> str:
    """The id that ``minari.load_dataset`` takes: the environment's, domain and split."""
    assert env.spec is not None
    parts = [env.spec.kwargs[name] for name in ("domain", "split") if name in env.spec.kwargs]
    return f"{env.spec.id.rpartition('-v')[0]}/{'-'.join(parts)}-v0"


def write_episodes(env: Env, n: int | None, seed: int, random_share: float, folder: Path) -> Iterator[int]:
    """Write episodes over the targets of random pages; yields the number of steps of each.

    Minari's ``DataCollector`` is not used: it needs jax, cannot serialise a text space of all characters, and would
    write the bounds of each pixel of a page as text.

    Args:
        env: a grounding environment with ``max_targets``.
        n: the number of steps; ``None``: all. The last episode may be truncated.
        seed: draws pages and random actions.
        random_share: the share of random actions; the others are right.
        folder: what MINARI_DATASETS_PATH has to name to load the data set.
    """
    from minari.dataset.minari_storage import MinariStorage

    algorithm = f"right answers, and {random_share:.0%} random ones" if random_share else "right answers"
    data = folder / dataset_id(env) / "data"
    data.mkdir(parents=True)
    atomic_write(data / "metadata.json", json.dumps(_metadata(env, algorithm)).encode())
    storage = MinariStorage.read(data)
    rng, left = np.random.default_rng([seed, 1]), n
    env.action_space.seed(seed)
    for task in _parts(env, n, seed):
        episode = _episode(env, task, left, random_share, rng)
        storage.update_episodes([episode])
        yield len(episode)
        if left is not None:
            left -= len(episode)
        if left == 0:
            return


def _metadata(env: Env, algorithm: str) -> dict[str, Any]:
    """What Minari's storage needs; without spaces it takes those of the environment."""
    import minari

    assert env.spec is not None
    return {
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


def _parts(env: Env, n: int | None, seed: int) -> Iterator[str]:
    """The tasks of random pages, each with at most ``max_targets`` targets."""
    base = cast(GroundingEnv, env.unwrapped)
    assert env.spec is not None
    for page in drawn_pages(base, n, seed):
        n_parts = -(-len(base.open_page(page).targets) // env.spec.kwargs["max_targets"])
        yield from (f"{page}#{part}" if part else page for part in range(n_parts))


def _episode(env: Env, task: str, max_steps: int | None, random_share: float, rng: np.random.Generator) -> Any:
    from minari.data_collector import EpisodeBuffer

    observation, _ = env.reset(options={"task": task})
    space: Any = env.action_space
    observations, actions, outcomes = [observation], [], []
    for number, call in enumerate(env.get_wrapper_attr("solution")(), start=1):
        # The first tool answers; the other one ends the page.
        actions.append({**space.sample(), "tool": 0} if rng.random() < random_share else space.from_call(call))
        observation, reward, terminated, truncated, _ = env.step(actions[-1])
        observations.append(observation)
        outcomes.append((float(reward), terminated, truncated or (number == max_steps and not terminated)))
        if any(outcomes[-1][1:]):
            break
    rewards, terminations, truncations = map(list, zip(*outcomes, strict=True))
    columns = ({name: [row[name] for row in rows] for name in rows[0]} for rows in (observations, actions))
    return EpisodeBuffer(None, None, {"task": task}, *columns, rewards, terminations, truncations)


def replayed(folder: Path) -> Iterator[tuple[int, str]]:
    """Replay a data set in an environment made for it.

    Minari itself is not asked: it would make whatever the metadata names, which may be a program of a stranger.

    Yields:
        The number of steps of each episode, and how it differs from its replay; empty if it does not.
    """
    from minari.dataset._storages.arrow_storage import ParquetStorage

    path = next(folder.rglob("data/metadata.json"))
    spec = parse_json(parse_json(read_foreign(path, _MAX_METADATA), str(path))["env_spec"].encode(), str(path))
    env = recorded_env({**spec["kwargs"], "id": spec["id"]})
    storage: Any = ParquetStorage(path.parent, env.observation_space, env.action_space, jpeg_encoding=False)
    for number in range(min(storage.total_episodes, len(list(path.parent.iterdir())))):
        try:
            (stored,) = storage.get_episodes([number])
            (about,) = storage.get_episode_metadata([number])
            yield len(stored["rewards"]), _difference(env, about["options"]["task"], stored)
        except (ValueError, OSError, LookupError, TypeError) as error:
            yield 0, f"episode {number} cannot be replayed: {error}"


def _difference(env: PaperworkEnv, task: str, stored: Mapping[str, Any]) -> str:
    """How a stored episode differs from its replay."""
    observation, _ = env.reset(options={"task": task})
    n_steps = len(stored["rewards"])
    for step in range(n_steps + 1):
        for name, value in observation.items():
            if not np.array_equal(stored["observations"][name][step], value):
                return f"episode {stored['id']}, observation {step}: another {name} than in {task}"
        if step < n_steps:
            observation, reward, terminated, *_ = env.step({name: v[step] for name, v in stored["actions"].items()})
            if (stored["rewards"][step], stored["terminations"][step]) != (reward, terminated):
                return f"episode {stored['id']}, step {step}: reward {stored['rewards'][step]}, the replay has {reward}"
    return ""
