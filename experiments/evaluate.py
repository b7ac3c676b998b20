"""Evaluate: one agent on one environment, recorded as it happens. Configured by Hydra; see conf/evaluate.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .. import __version__
from ..agents.base import Agent
from ..envs.core.env import PaperworkEnv
from .console import console, print_summary, user_errors
from .episodes import Episode, episode_writer, read_episodes, write_episode
from .loggers import Logger
from .rollout import episode_seed, run_episode
from .runs import CONFIG, EPISODES, begin_run, write_summary


@hydra.main(version_base="1.3", config_path="../conf", config_name="evaluate")
def main(config: DictConfig) -> None:
    """Evaluate as ``config`` says, print the figures, write the run directory."""
    with user_errors():
        _evaluate(config)


def _evaluate(config: DictConfig) -> None:
    folder = Path(HydraConfig.get().runtime.output_dir)
    config = _named(config)
    resumed = config.resume and (folder / CONFIG).exists()
    if resumed:
        config = _resumed(folder, config, HydraConfig.get().overrides.task)
    env = make_env(config)
    assert env.spec is not None
    if not resumed:
        begin_run(folder, config, env.spec)
    summary = evaluate(env, instantiate(config.agent), instantiate(config.logger), folder, config)
    if HydraConfig.get().mode is not RunMode.MULTIRUN:
        print_summary(summary, folder)


def make_env(config: DictConfig) -> gym.Env[Any, Any]:
    """The environment in its flow and wrappers, the first wrapper innermost."""
    env = instantiate(config.flow)(env=instantiate(config.env, _convert_="all"))
    for wrapper in config.wrappers.values():
        env = instantiate(wrapper)(env=env)
    return cast("gym.Env[Any, Any]", env)


def evaluate(env: gym.Env[Any, Any], agent: Agent, logger: Logger, folder: Path, config: DictConfig) -> dict[str, Any]:
    """Run the episodes that are not yet recorded in ``folder`` and summarise all of them.

    Raises:
        RuntimeError: if another process writes to the same folder.
    """
    tasks = _tasks(env, config.episodes)
    name = f"{config.names.agent} on {config.names.env}"
    with episode_writer(folder / EPISODES) as file, _progress() as progress:
        done = {episode.index for episode in read_episodes(folder / EPISODES)}
        bar = progress.add_task(name, total=len(tasks), completed=len(done), score="")
        logger.begin(folder, name, cast("dict[str, Any]", OmegaConf.to_container(config, resolve=True)))
        for index in (i for i in range(len(tasks)) if i not in done):
            episode = _run(env, agent, logger, index, episode_seed(config.seed, index), tasks[index])
            write_episode(file, episode)
            progress.update(bar, advance=1, score=_score(episode))
    summary = write_summary(folder)
    logger.finish(summary)
    return summary


def _run(env: gym.Env[Any, Any], agent: Agent, logger: Logger, index: int, seed: int, task: str | None) -> Episode:
    base = cast(PaperworkEnv, env.unwrapped)
    env.reset(seed=seed, options={"task": task} if task is not None else None)
    before = base.page()
    episode = run_episode(env, agent, index=index, seed=seed, task=task)
    logger.episode(episode, before, base.page())
    return episode


def _tasks(env: gym.Env[Any, Any], episodes: int | None) -> Sequence[str | None]:
    """The task of each episode; None where the seed is to choose."""
    if episodes is not None and episodes < 1:
        raise ValueError(f"episodes must be at least 1, or null for one of every task; it is {episodes}")
    return cast(PaperworkEnv, env.unwrapped).task_ids if episodes is None else [None] * episodes


def _named(config: DictConfig) -> DictConfig:
    """``config`` with the names of the choices in it, so that a run directory speaks for itself."""
    choices = HydraConfig.get().runtime.choices
    names = {"agent": choices["agent"], "flow": choices["flow"], "env": config.env.id.removeprefix("formgym:")}
    OmegaConf.set_struct(config, False)
    return cast(DictConfig, OmegaConf.merge(config, {"names": names, "version": __version__}))


def _resumed(folder: Path, config: DictConfig, overrides: Sequence[str]) -> DictConfig:
    """The config of the run in ``folder``.

    Raises:
        ValueError: if the command line asks for something else.
    """
    saved = cast(DictConfig, OmegaConf.load(folder / CONFIG))
    asked = [override for override in overrides if override.split("=")[0] not in ("run_dir", "resume")]
    wanted = OmegaConf.to_container(config, resolve=True)
    same = OmegaConf.to_container(saved, resolve=True)
    if asked and _comparable(wanted) != _comparable(same):
        raise ValueError(
            f"{folder} was begun with another configuration than {' '.join(asked)}; resume it without these"
        )
    return saved


def _comparable(config: Any) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in ("run_dir", "resume", "version", "logger")}


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
    if episode.figures is None:
        return "unscored"
    return f"last {episode.figures['strict_accuracy']:.2f}"
