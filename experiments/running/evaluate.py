"""``formgym evaluate``: run one agent on one environment, configured by Hydra."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
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

from ...agents.base import Agent
from ...envs.core.env import PaperworkEnv
from ..metrics import METRICS, headline_of, places, title
from ..terminal import (
    USER_ERRORS,
    error_message,
    format_interval,
    format_number,
    print_json,
    print_table,
    progress,
    say,
    say_failure,
    say_written,
    table_of,
    user_errors,
)
from .config_errors import config_errors
from .episode_loop import make_env, n_requested, run_episodes
from .episodes import Episode, episode_writer, read_episodes, write_episode
from .loggers import Logger
from .metering import with_metered_model
from .runs import (
    CONFIG,
    SPEC,
    Run,
    describe_run,
    read_run,
    settings_of,
    tentative_files,
    tentative_folder,
    write_summary,
)
from .settings import check_settings, resumed_config, with_names
from .shards import Shard, episode_files
from .sweeps import CrashedEpisodes, find_job, has_settings, run_name
from .worker_threads import ascending, ending_at_sigterm


@hydra.main(version_base="1.3", config_path="../../conf", config_name="evaluate")
def main(config: DictConfig) -> str | None:
    """Evaluate as ``config`` says, print the metrics, write the run directory.

    Returns:
        Of a job of a sweep, how it ended, in a line.
    """
    if HydraConfig.get().mode is RunMode.MULTIRUN:
        with config_errors():
            return evaluate_job(config)
    with user_errors(), config_errors():
        run = _evaluate_in(Path(config.run_dir), with_names(config))
    _print_metrics(run)
    print_json(run.summary | {"run_dir": str(run.folder)})
    if run.summary["errors"]:
        command = shlex.join(["formgym", "evaluate", f"run_dir={run.folder}", "resume=true", "retry=errors"])
        say(f"To run only the {run.summary['errors']} episodes without a score again: {command}")
    if run.summary["crashes"]:
        raise SystemExit(1)
    return None


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
    if scores:
        print_table(table_of(f"{run.summary['agent']} on {run.env_title}", ("metric", "mean", "95 % interval"), rows))
    counts = ", ".join([f"{run.summary['episodes']} episodes", *run.failures])
    say_written(run.folder, f"{counts}; written to {run.folder}\n")
    if refusal := _usual_refusal(run):
        say_failure(refusal)


def _usual_refusal(run: Run) -> str | None:
    """Why most calls of a run were not carried out, if that is so."""
    calls, invalid = map(sum, zip((0, 0), *((e.n_calls, e.n_invalid) for e in run.episodes), strict=True))
    if 2 * invalid <= calls:
        return None
    pairs = (pair for e in run.episodes for r in e.rounds for pair in zip(r.feedback, r.valid, strict=False))
    why = next((feedback for feedback, valid in pairs if not valid and feedback), "")
    return f"{invalid} of {calls} calls were not valid, such as: {why} formgym report shows them all."


def evaluate_job(config: DictConfig) -> str:
    """Evaluate one job of a sweep, in its folder; how it ended, in a line.

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
    return _line(run)


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
    check_settings(config)
    shard = Shard.of(config.shard)
    path = folder / shard.file_name
    # Other shards may have begun with the same description.
    description = (folder / CONFIG, folder / SPEC) if shard.count == 1 else ()
    with tentative_folder(folder), episode_writer(path) as file:
        with tentative_files(*description, path):
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
    begun = (folder / CONFIG).exists()
    recorded = read_episodes(*episode_files(folder))
    if begun and not config.resume and not _joins(folder, config):
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
        playing = with_metered_model(config, folder)
        env, agent, logger = make_env(config), instantiate(playing.agent), instantiate(config.logger)
    except InstantiationException as error:
        raise ValueError(" ".join(str(error.__cause__ or error).split())) from error
    assert env.spec is not None
    describe_run(folder, config, env.spec, n_requested(config.episodes, env))
    logger.begin(folder, _title(config), settings_of(config))
    return _Parts(playing, env, agent, logger, done)


def _joins(folder: Path, config: DictConfig) -> bool:
    """Whether a shard begins in a folder where others of the same run have begun.

    Raises:
        ValueError: if they have other settings.
    """
    shard = Shard.of(config.shard)
    if shard.count == 1 or (folder / shard.file_name).stat().st_size:
        return False
    if not has_settings(folder / CONFIG, config):
        raise ValueError(f"{folder} holds a run with other settings; choose another run_dir")
    return True


def _run_episodes(parts: _Parts, folder: Path, file: FileIO) -> Run:
    """Run the episodes that are not done, and summarise all recorded ones.

    Args:
        parts: of the run.
        folder: the run directory.
        file: an ``episode_writer`` of the run directory.
    """
    own = _episodes_of_shard(parts, folder)
    todo = [index for index in own if index not in parts.done]
    try:
        with ending_at_sigterm(), _progress_of(parts, len(own), len(own) - len(todo)) as advance:
            recorded = _recorded(parts, todo, file, advance)
            for episode in ascending(recorded, todo, lambda episode: episode.index):
                parts.logger.episode(episode, cast(PaperworkEnv, parts.env.unwrapped))
    except BaseException:
        # What is recorded is summarised; why the run ends is more worth knowing than why that fails.
        with suppress(Exception):
            _finish(parts, folder)
        raise
    return _finish(parts, folder)


def _episodes_of_shard(parts: _Parts, folder: Path) -> list[int]:
    shard = Shard.of(parts.config.shard)
    return [i for i in range(n_requested(parts.config.episodes, parts.env)) if shard.has(folder.name, i)]


def _finish(parts: _Parts, folder: Path) -> Run:
    run, shard = write_summary(folder), Shard.of(parts.config.shard)
    parts.logger.finish(run if shard.count == 1 else read_run(folder, shard))
    return run


def _recorded(
    parts: _Parts, todo: Sequence[int], file: FileIO, advance: Callable[[Episode], None]
) -> Iterator[Episode]:
    """Run episodes; each as soon as it is on disk."""
    explained: set[str] = set()
    with closing(run_episodes(parts.config, parts.env, parts.agent, todo)) as episodes:
        for episode in episodes:
            write_episode(file, episode)
            yield episode
            if episode.error and episode.ended not in explained:
                fate = "crashed" if episode.crashed else "has no score"
                say_failure(f"Episode {episode.index} {fate}; the run goes on.\n{episode.traceback or episode.error}")
                explained.add(episode.ended)
            advance(episode)


def _title(config: DictConfig) -> str:
    return f"{config.names.agent} on {config.names.env}"


@contextmanager
def _progress_of(parts: _Parts, total: int, done: int) -> Iterator[Callable[[Episode], None]]:
    """A progress bar to advance after each episode; a sweep has its own."""
    if HydraConfig.get().mode is RunMode.MULTIRUN:
        yield lambda episode: None
        return
    with progress(_title(parts.config), total, done, stays=True) as advance:
        yield lambda episode: advance(note=_score(episode))


def _score(episode: Episode) -> str:
    if episode.headline is None:
        return "crashed" if episode.crashed else "unscored"
    return f"last {episode.headline[1]:.2f}"


def _line(run: Run) -> str:
    """A finished job of a sweep in one line."""
    scores = run.summary["scores"]
    headline = headline_of(scores) if scores else None
    mean = [f"{title(headline)} {format_number(scores[headline]['mean'], places(headline))}"] if headline else []
    counts = [f"{run.summary['episodes']} of {run.requested or run.summary['episodes']} episodes", *run.failures]
    return f"{run.summary['agent']} on {run.env_title}: {', '.join([*counts, *mean])}"
