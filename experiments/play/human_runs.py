"""Runs of people: what they play is recorded as episodes of agents are."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from threading import Lock

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from ...envs.web_forms.site.records import FormSubmission
from ..running.command_line import environment_ids
from ..running.episodes import Episode, write_episode
from ..running.run_folder import RunFolder
from ..running.run_spec import RunSpec

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
    run = RunSpec(env={"id": spec.id, **spec.kwargs}, agent={}, name=AGENT, flow={}, flow_name=flow, episodes=1)
    settings = (f"{name}-{value}" for name, value in run.settings.items())
    folder = RunFolder(root / "+".join([spec.id.replace("/", "-"), flow, *settings]))
    with _ONE_AT_A_TIME, folder.writing() as file:
        folder.describe(run, None)
        recorded = folder.episodes()
        write_episode(file, episode_of(recorded[-1].index + 1 if len(recorded) else 0))
        folder.summarise()
    return folder.path


def record_submission(root: Path, record: FormSubmission) -> None:
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
