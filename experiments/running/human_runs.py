"""Runs of people: what they play is recorded as episodes of agents are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from threading import Lock
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from ... import __version__
from ...envs.core.files import atomic_write
from ...envs.web_forms.site.records import Record
from .environment_names import environment_ids
from .episodes import Episode, episode_writer, read_episodes, write_episode
from .runs import CONFIG, SPEC, write_summary
from .shards import EPISODES

AGENT = "human"
_ONE_AT_A_TIME = Lock()


def record_human(root: Path, spec: EnvSpec, flow: str, episode_of: Callable[[int], Episode]) -> Path:
    """Add an episode to the run of people on an environment.

    Args:
        root: the folder of such runs.
        spec: of the environment, with its settings.
        flow: what tables call the way that it was played.
        episode_of: the episode by its index.

    Returns:
        The folder of the run.

    Raises:
        OSError: if it cannot be written.
        RuntimeError: if another process is writing to it.
    """
    usual = gym.registry[spec.id].kwargs
    settings = {name: value for name, value in spec.kwargs.items() if value != usual.get(name)}
    name = "+".join([spec.id.replace("/", "-"), flow, *(f"{key}-{value}" for key, value in settings.items())])
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / EPISODES
    with _ONE_AT_A_TIME, episode_writer(path) as file:
        if not (folder / CONFIG).exists():
            atomic_write(folder / SPEC, spec.to_json().encode())
            atomic_write(folder / CONFIG, json.dumps(_config(spec, settings, flow)).encode())
        recorded = read_episodes(path)
        write_episode(file, episode_of(recorded[-1].index + 1 if recorded else 0))
        write_summary(folder)
    return folder


def _config(spec: EnvSpec, settings: Mapping[str, Any], flow: str) -> dict[str, Any]:
    """The configuration of a run, as far as it has one."""
    return {
        "env": {"id": spec.id, **spec.kwargs},
        **{group: {} for group in ("agent", "flow", "logger", "wrappers")},
        "names": {"env": spec.id, "settings": dict(settings), "agent": AGENT, "flow": flow},
        "name": AGENT,
        "seed": 0,
        "episodes": 1,
        "version": __version__,
    }


def record_submission(root: Path, record: Record) -> None:
    """Add what a person has submitted on the site to the run of people on its form.

    It has no calls, so it cannot be replayed. Only the first attempt at a task counts: after it, the site may have
    shown the right answers.
    """
    if record.attempt > 1:
        return
    split, _, number = record.task.partition("/")
    spec = deepcopy(gym.spec(environment_ids("form")[record.form]))
    spec.kwargs = spec.kwargs | {"split": split, "theme": record.theme}

    def episode_of(index: int) -> Episode:
        return Episode(
            index=index,
            env=spec.id,
            task=f"{record.form}/{split}_{number}",
            seed=index,
            rounds=[],
            metrics=dict(record.metrics),
            fields=list(record.fields),
            usage={},
            reward=record.metrics["strict_accuracy"],
            ended="submitted",
            error=None,
            page_sha256="",
            seconds=0.0,
        )

    record_human(root, spec, "site", episode_of)
