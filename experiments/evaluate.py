"""Evaluate: one agent on one environment, recorded as it happens. Configured by Hydra; see conf/evaluate.yaml."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO, cast

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
from ..envs.core.tasks import EndlessTasks
from .console import console, print_summary, user_errors
from .episodes import Episode, episode_writer, read_episodes, write_episode
from .findings import headline
from .loggers import Logger
from .rollout import episode_seed, run_episode
from .runs import CONFIG, EPISODES, Run, describe_run, write_summary

_MAY_DIFFER = ("run_dir", "resume", "logger")


@hydra.main(version_base="1.3", config_path="../conf", config_name="evaluate")
def main(config: DictConfig) -> None:
    """Evaluate as ``config`` says, print the figures, write the run directory."""
    folder = Path(HydraConfig.get().runtime.output_dir)
    with ExitStack() as stack:
        with user_errors():
            # Locked before anything is read or written: another process may be about to begin the same run.
            folder.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(episode_writer(folder / EPISODES))
            config, env, agent, logger = _begin(folder, _named(config))
        run = evaluate(env, agent, logger, folder, config, file)
    if HydraConfig.get().mode is not RunMode.MULTIRUN:
        print_summary(run.summary, folder)


def _begin(folder: Path, config: DictConfig) -> tuple[DictConfig, gym.Env[Any, Any], Agent, Logger]:
    """Make what a run needs, and describe it in its folder.

    Raises:
        ValueError: if the configuration cannot be carried out, or does not go with what is in the folder.
    """
    if not isinstance(config.seed, int) or config.seed < 0:
        raise ValueError(f"seed must be a whole number from 0 on; it is {config.seed}")
    begun = (folder / CONFIG).exists()
    if begun and not config.resume:
        raise ValueError(f"{folder} holds a run already; add resume=true to go on with it, or choose another run_dir")
    # A sweep that was cut off has runs that had not begun.
    if config.resume and not begun and HydraConfig.get().mode is not RunMode.MULTIRUN:
        raise ValueError(f"there is no run in {folder} to resume")
    if begun:
        config = _resumed(folder, config, HydraConfig.get().overrides.task)
    try:
        env, agent, logger = make_env(config), instantiate(config.agent), instantiate(config.logger)
    except InstantiationException as error:
        raise ValueError(str(error.__cause__ or error)) from error
    assert env.spec is not None
    n_wanted(config.episodes, env)
    describe_run(folder, config, env.spec)
    return config, env, agent, logger


def make_env(config: DictConfig) -> gym.Env[Any, Any]:
    """The environment in its flow and wrappers, the first wrapper innermost."""
    env = instantiate(config.flow)(env=instantiate(config.env, _convert_="all"))
    for wrapper in config.wrappers.values():
        env = instantiate(wrapper)(env=env)
    return cast("gym.Env[Any, Any]", env)


def evaluate(
    env: gym.Env[Any, Any], agent: Agent, logger: Logger, folder: Path, config: DictConfig, file: TextIO
) -> Run:
    """Run the episodes that are not yet recorded in ``folder``, and summarise all of them.

    Args:
        env: in its flow and wrappers.
        agent: who acts.
        logger: told of every episode.
        folder: the run directory.
        config: of the run.
        file: an ``episode_writer`` of the run directory.
    """
    base = cast(PaperworkEnv, env.unwrapped)
    name = f"{config.names.agent} on {config.names.env}"
    done = {episode.index for episode in read_episodes(folder / EPISODES)}
    total = n_wanted(config.episodes, env)
    logger.begin(folder, name, cast("dict[str, Any]", OmegaConf.to_container(config, resolve=True)))
    with _progress() as progress:
        bar = progress.add_task(name, total=total, completed=len(done), score="")
        try:
            for index in (i for i in range(total) if i not in done):
                task = base.task_ids[index] if config.episodes is None else None
                episode = run_episode(env, agent, index=index, seed=episode_seed(config.seed, index), task=task)
                write_episode(file, episode)
                logger.episode(episode, base)
                progress.update(bar, advance=1, score=_score(episode))
        finally:
            run = write_summary(folder)
            logger.finish(run)
    return run


def n_wanted(episodes: Any, env: gym.Env[Any, Any]) -> int:
    """How many episodes a run has: ``episodes``, or one of every task if that is ``None``.

    Raises:
        ValueError: if it is no whole number from 1 on, or missing where tasks have no end.
    """
    if episodes is None:
        task_ids = cast(PaperworkEnv, env.unwrapped).task_ids
        if isinstance(task_ids, EndlessTasks):
            raise ValueError("these tasks have no end; say how many episodes to run, such as episodes=200")
        return len(task_ids)
    if not isinstance(episodes, int) or episodes < 1:
        raise ValueError(f"episodes must be at least 1, or null for one of every task; it is {episodes}")
    return episodes


def _named(config: DictConfig) -> DictConfig:
    """``config`` with the names of the choices in it, so that a run directory speaks for itself."""
    env_id = config.env.id.removeprefix("formgym:")
    usual = gym.registry[env_id].kwargs if env_id in gym.registry else {}
    asked = {key: value for key, value in config.env.items() if key not in ("_target_", "id")}
    settings = {key: _shown(key, v) for key, v in asked.items() if v is not None and v != usual.get(key)}
    names = {
        "env": env_id,
        "settings": settings,
        "agent": config.name,
        "flow": HydraConfig.get().runtime.choices["flow"],
    }
    OmegaConf.set_struct(config, False)
    return cast(DictConfig, OmegaConf.merge(config, {"names": names, "version": __version__}))


def _shown(key: str, value: Any) -> Any:
    """A setting as tables and reports show it: without what is to be kept private."""
    if key == "secret":
        return "private"
    return re.sub(r"://([^/@:]*):[^/@]*@", r"://\1:***@", value) if isinstance(value, str) else value


def _resumed(folder: Path, config: DictConfig, overrides: Sequence[str]) -> DictConfig:
    """The config of the run in ``folder``.

    Raises:
        ValueError: if the command line asks for something else.
    """
    saved = cast(DictConfig, OmegaConf.load(folder / CONFIG))
    asked = {override.lstrip("+~").split("=")[0].split(".")[0] for override in overrides} - set(_MAY_DIFFER)
    wanted, same = (cast("dict[str, Any]", OmegaConf.to_container(c, resolve=True)) for c in (config, saved))
    differing = sorted(key for key in asked if wanted.get(key) != same.get(key))
    if differing:
        raise ValueError(f"{folder} was begun with another {', '.join(differing)}; resume it without that")
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
