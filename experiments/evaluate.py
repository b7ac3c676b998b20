"""Evaluate: one agent on one environment, recorded as it happens. Configured by Hydra; see conf/evaluate.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import InstantiationException
from hydra.types import RunMode
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .. import __version__
from ..agents.base import Agent
from ..envs.core.env import PaperworkEnv
from .console import console, print_summary, user_errors
from .episodes import Episode, RunInUseError, episode_writer, read_episodes, write_episode
from .findings import headline
from .loggers import Logger
from .rollout import episode_seed, run_episode
from .runs import CONFIG, EPISODES, Run, begin_run, write_summary

_MAY_DIFFER = ("run_dir", "resume", "version", "logger", "names")


@hydra.main(version_base="1.3", config_path="../conf", config_name="evaluate")
def main(config: DictConfig) -> None:
    """Evaluate as ``config`` says, print the figures, write the run directory."""
    folder = Path(HydraConfig.get().runtime.output_dir)
    with user_errors():
        config, env, agent, logger = _begin(folder, _named(config))
    try:
        run = evaluate(env, agent, logger, folder, config)
    except RunInUseError as error:
        with user_errors():
            raise error
    if HydraConfig.get().mode is not RunMode.MULTIRUN:
        print_summary(run.summary, folder)


def _begin(folder: Path, config: DictConfig) -> tuple[DictConfig, gym.Env[Any, Any], Agent, Logger]:
    """Make what a run needs, and its directory if it is a new one.

    Raises:
        ValueError: if the configuration cannot be carried out, or is not that of the run to be resumed.
    """
    resumed = config.resume and (folder / CONFIG).exists()
    if resumed:
        config = _resumed(folder, config, HydraConfig.get().overrides.task)
    tasks_wanted(config.episodes)
    try:
        env, agent, logger = make_env(config), instantiate(config.agent), instantiate(config.logger)
    except InstantiationException as error:
        raise ValueError(str(error.__cause__ or error)) from error
    assert env.spec is not None
    if not resumed:
        begin_run(folder, config, env.spec)
    return config, env, agent, logger


def make_env(config: DictConfig) -> gym.Env[Any, Any]:
    """The environment in its flow and wrappers, the first wrapper innermost."""
    env = instantiate(config.flow)(env=instantiate(config.env, _convert_="all"))
    for wrapper in config.wrappers.values():
        env = instantiate(wrapper)(env=env)
    return cast("gym.Env[Any, Any]", env)


def evaluate(env: gym.Env[Any, Any], agent: Agent, logger: Logger, folder: Path, config: DictConfig) -> Run:
    """Run the episodes that are not yet recorded in ``folder``, and summarise all of them.

    Raises:
        RunInUseError: if another process writes to the same folder.
    """
    base = cast(PaperworkEnv, env.unwrapped)
    tasks = base.task_ids if config.episodes is None else [None] * tasks_wanted(config.episodes)
    name = f"{config.names.agent} on {config.names.env}"
    with episode_writer(folder / EPISODES) as file, _progress() as progress:
        done = {episode.index for episode in read_episodes(folder / EPISODES)}
        bar = progress.add_task(name, total=len(tasks), completed=len(done), score="")
        logger.begin(folder, name, cast("dict[str, Any]", OmegaConf.to_container(config, resolve=True)))
        try:
            for index in (i for i in range(len(tasks)) if i not in done):
                seed = episode_seed(config.seed, index)
                episode = run_episode(env, agent, index=index, seed=seed, task=tasks[index])
                write_episode(file, episode)
                logger.episode(episode, base)
                progress.update(bar, advance=1, score=_score(episode))
        finally:
            run = write_summary(folder)
            logger.finish(run)
    return run


def tasks_wanted(episodes: int | None) -> int:
    """How many episodes are wanted.

    Raises:
        ValueError: if it is no number from 1 on, nor None.
    """
    if episodes is not None and (not isinstance(episodes, int) or episodes < 1):
        raise ValueError(f"episodes must be at least 1, or null for one of every task; it is {episodes}")
    return episodes or 0


def _named(config: DictConfig) -> DictConfig:
    """``config`` with the names of the choices in it, so that a run directory speaks for itself."""
    settings = {k: v for k, v in config.env.items() if k not in ("_target_", "id") and v is not None}
    names = {
        "env": config.env.id.removeprefix("formgym:"),
        "settings": settings,
        "agent": config.name,
        "flow": HydraConfig.get().runtime.choices["flow"],
    }
    OmegaConf.set_struct(config, False)
    return cast(DictConfig, OmegaConf.merge(config, {"names": names, "version": __version__}))


def _resumed(folder: Path, config: DictConfig, overrides: Sequence[str]) -> DictConfig:
    """The config of the run in ``folder``.

    Raises:
        ValueError: if the command line asks for something else.
    """
    saved = cast(DictConfig, OmegaConf.load(folder / CONFIG))
    asked = [override for override in overrides if override.split("=")[0] not in _MAY_DIFFER]
    wanted, same = (cast("dict[str, Any]", OmegaConf.to_container(c, resolve=True)) for c in (config, saved))
    differing = [key for key in wanted if key not in _MAY_DIFFER and wanted[key] != same.get(key)]
    if asked and differing:
        raise ValueError(f"{folder} was begun with another {', '.join(differing)}; resume it without {' '.join(asked)}")
    if any(override.startswith("logger") for override in overrides):
        saved.logger = config.logger
    return saved


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
    found = headline(episode)
    return f"last {found[1]:.2f}" if found else "unscored"
