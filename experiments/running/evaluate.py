"""``formgym evaluate``: run one agent on one environment, configured by Hydra."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import InstantiationException
from hydra.types import RunMode
from hydra.utils import instantiate
from omegaconf import DictConfig
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ...agents.base import Agent
from ...envs.core.env import PaperworkEnv
from ...envs.core.tasks import EndlessTasks
from ...wrappers import FieldQueue
from ..terminal.console import USER_ERRORS, console, error_message, say, user_errors
from ..terminal.metrics import METRICS, places, title
from ..terminal.tables import format_interval, format_number, print_table, table_of
from .config_errors import config_errors
from .environment_names import register_resolver
from .episodes import Episode, episode_writer, read_episodes, write_episode
from .loggers import Logger
from .rollout import episode_seed, run_episode
from .runs import (
    CONFIG,
    EPISODES,
    SPEC,
    Run,
    describe_run,
    settings_of,
    tentative_files,
    tentative_folder,
    write_summary,
)
from .settings import check_settings, resumed_config, with_names
from .sweeps import CrashedEpisodes, find_job, run_name

_TAKE_ONE_CALL = (FieldQueue,)
"""Wrappers inside of the flow."""


@hydra.main(version_base="1.3", config_path="../../conf", config_name="evaluate")
def main(config: DictConfig) -> None:
    """Evaluate as ``config`` says, print the metrics, write the run directory."""
    if HydraConfig.get().mode is RunMode.MULTIRUN:
        with config_errors():
            evaluate_job(config)
        return
    with user_errors(), config_errors():
        run = _evaluate_in(Path(config.run_dir), with_names(config))
    _print_metrics(run)
    if run.summary["errors"]:
        command = shlex.join(["formgym", "evaluate", f"run_dir={run.folder}", "resume=true", "retry=errors"])
        say(f"To run only the {run.summary['errors']} episodes without a score again: {command}")
    if run.summary["crashes"]:
        raise SystemExit(1)


def _print_metrics(run: Run) -> None:
    scores = run.summary["scores"]
    rows = (
        (
            title(name),
            format_number(scores[name]["mean"], places(name)),
            format_interval(scores[name]["ci95"], places(name)),
        )
        for name in METRICS
        if name in scores
    )
    print_table(table_of(f"{run.summary['agent']} on {run.env_title}", ("metric", "mean", "95 % interval"), rows))
    counts = ", ".join([f"{run.summary['episodes']} episodes", *run.failures])
    console.print(f"{counts}; written to {run.folder}\n")


def evaluate_job(config: DictConfig) -> None:
    """Evaluate one job of a sweep, in its folder.

    Raises:
        CrashedEpisodes: in the end, if episodes of it crashed.
        ValueError: if the configuration cannot be carried out, or does not go with what is in the folder.
    """
    hydra_config = HydraConfig.get()
    config = with_names(config)
    sweep, name = Path(hydra_config.sweep.dir), run_name(hydra_config.overrides.task, hydra_config.runtime.choices)
    folder = find_job(sweep, config) if config.resume and not (sweep / name / CONFIG).exists() else None
    run = _evaluate_in(folder or sweep / name, config)
    if run.summary["crashes"]:
        raise CrashedEpisodes(f"{run.summary['crashes']} of {run.summary['episodes']} episodes crashed")


@dataclass(frozen=True)
class _Parts:
    """The parts of a run; ``done`` has the indices of finished episodes."""

    config: DictConfig
    env: gym.Env[Any, Any]
    agent: Agent
    logger: Logger
    done: set[int]


def _evaluate_in(folder: Path, config: DictConfig) -> Run:
    """Evaluate in a new or resumed run directory.

    Raises:
        ValueError: if the configuration cannot be carried out, or does not go with what is in the folder.
        RuntimeError: if another process is writing to the folder, or the run cannot be resumed.
    """
    # Locked before anything is read or written: another process may be about to begin the same run.
    with tentative_folder(folder), episode_writer(folder / EPISODES) as file:
        with tentative_files(folder / CONFIG, folder / SPEC, folder / EPISODES):
            parts = _begin(folder, config)
        try:
            with closing(parts.env):
                return _run_episodes(parts, folder, file)
        except USER_ERRORS as error:
            again = shlex.join([f"run_dir={folder}", "resume=true"])
            raise RuntimeError(f"{error_message(error)}; what is recorded is kept, go on with: {again}") from error


def _begin(folder: Path, config: DictConfig) -> _Parts:
    """Make what a run needs, and describe it in its folder.

    Raises:
        ValueError: if the configuration cannot be carried out, or does not go with what is in the folder.
    """
    check_settings(config)
    begun = (folder / CONFIG).exists()
    recorded = read_episodes(folder / EPISODES)
    if begun and not config.resume:
        raise ValueError(f"{folder} holds a run already; add resume=true to go on with it, or choose another run_dir")
    if recorded and not begun:
        raise ValueError(f"{folder} holds episodes but no {CONFIG}; choose another run_dir")
    # A sweep that was cut off has runs that had not begun.
    if config.resume and not begun and HydraConfig.get().mode is not RunMode.MULTIRUN:
        raise ValueError(f"there is no run in {folder} to resume")
    done = {episode.index for episode in recorded if episode.error is None or config.retry is None}
    if begun:
        config = resumed_config(folder, config, HydraConfig.get().overrides.task)
    try:
        env, agent, logger = make_env(config), instantiate(config.agent), instantiate(config.logger)
    except InstantiationException as error:
        raise ValueError(" ".join(str(error.__cause__ or error).split())) from error
    assert env.spec is not None
    n_requested(config.episodes, env)
    describe_run(folder, config, env.spec)
    logger.begin(folder, _title(config), settings_of(config))
    return _Parts(config, env, agent, logger, done)


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


def _run_episodes(parts: _Parts, folder: Path, file: FileIO) -> Run:
    """Run the episodes that are not done, and summarise all recorded ones.

    Args:
        parts: of the run.
        folder: the run directory.
        file: an ``episode_writer`` of the run directory.
    """
    try:
        for episode in _episodes(parts):
            write_episode(file, episode)
            parts.logger.episode(episode, cast(PaperworkEnv, parts.env.unwrapped))
    except BaseException:
        # What is recorded is summarised; why the run ends is more worth knowing than why that fails.
        with suppress(Exception):
            _finish(parts, folder)
        raise
    return _finish(parts, folder)


def _finish(parts: _Parts, folder: Path) -> Run:
    run = write_summary(folder)
    parts.logger.finish(run)
    return run


def _episodes(parts: _Parts) -> Iterator[Episode]:
    """Run the episodes that are not done, with a progress bar."""
    base, config = cast(PaperworkEnv, parts.env.unwrapped), parts.config
    total = n_requested(config.episodes, parts.env)
    has_crashed = False
    with _progress() as progress:
        bar = progress.add_task(_title(config), total=total, completed=len(parts.done), score="")
        for index in (i for i in range(total) if i not in parts.done):
            task = base.task_ids[index] if config.episodes is None else None
            episode = run_episode(parts.env, parts.agent, index=index, seed=episode_seed(config.seed, index), task=task)
            yield episode
            if episode.traceback and not has_crashed:
                say(f"Episode {index} crashed; the run goes on.\n{episode.traceback}")
            has_crashed |= episode.crashed
            progress.update(bar, advance=1, score=_score(episode))


def _title(config: DictConfig) -> str:
    return f"{config.names.agent} on {config.names.env}"


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


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[score]}"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console)


def _score(episode: Episode) -> str:
    if episode.headline is None:
        return "crashed" if episode.crashed else "unscored"
    return f"last {episode.headline[1]:.2f}"
