"""Run directories: config, spec, episodes and summary of one run."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel
from yaml import YAMLError

from ...envs.core.env import PaperworkEnv
from ...envs.core.files import atomic_write, validated
from .episodes import Episode, EpisodeFiles
from .intervals import clusters_of, scores_of
from .secrets import with_hash, with_secret
from .shards import Shard, episode_files

CONFIG, SPEC, SUMMARY = "config.yaml", "spec.json", "summary.json"
TRAINING_TABLE = "table.csv"
"""In the folder of a training of policies."""
_LAST = 1 << 60


@dataclass(frozen=True)
class Run:
    """A run directory that has been read.

    Attributes:
        folder: of its files.
        summary: what ``summary.json`` says, computed from the episodes.
        episodes: in the order of their indices.
        job: its number in the sweep that began it.
        requested: how many episodes it has when it is complete; ``None`` if that was not recorded.
    """

    folder: Path
    summary: dict[str, Any]
    episodes: Sequence[Episode]
    job: int | None = None
    requested: int | None = None

    @property
    def env_title(self) -> str:
        """The environment, with the settings that are not the usual ones."""
        settings = ", ".join(f"{name}={value}" for name, value in self.summary["settings"].items())
        return f"{self.summary['env']} ({settings})" if settings else str(self.summary["env"])

    @property
    def conditions(self) -> str:
        """The flow and the wrappers."""
        return ", ".join([self.summary["flow"], *self.summary["wrappers"]])

    @property
    def title(self) -> str:
        """The agent with its flow and wrappers."""
        return f"{self.summary['agent']} ({self.conditions})"

    @property
    def failures(self) -> tuple[str, ...]:
        """How many episodes have no score, by the reason."""
        counts = {"unscored": self.summary["unscored"], "crashed": self.summary["crashes"]}
        return tuple(f"{count} {reason}" for reason, count in counts.items() if count)

    def make_env(self) -> PaperworkEnv:
        """The bare environment of the run, for replays.

        Raises:
            ValueError: if its test split is private, and ``FORMGYM_SECRET`` is not its secret.
        """
        spec = EnvSpec.from_json((self.folder / SPEC).read_text(encoding="utf-8"))
        spec.additional_wrappers = ()
        spec.kwargs = with_secret(spec.kwargs)
        return cast(PaperworkEnv, gym.make(spec).unwrapped)


def describe_run(folder: Path, config: DictConfig, spec: EnvSpec, requested: int) -> None:
    """Write the missing spec and config of a run, without secrets."""
    if not (folder / SPEC).exists():
        data = json.loads(spec.to_json())
        atomic_write(folder / SPEC, json.dumps(data | {"kwargs": with_hash(data["kwargs"])}).encode())
    if not (folder / CONFIG).exists():
        # All shards of a run write the same.
        shared = settings_of(config) | {"shard": None, "requested": requested}
        atomic_write(folder / CONFIG, OmegaConf.to_yaml(OmegaConf.create(shared)).encode())


def settings_of(config: DictConfig) -> dict[str, Any]:
    """All settings of a run, the hash of the environment's secret in its place."""
    data: Any = OmegaConf.to_container(config, resolve=True)
    return {**data, "env": with_hash(data["env"])}


def write_summary(folder: Path) -> Run:
    """Summarise the episodes of a run directory and write ``summary.json``."""
    run = read_run(folder)
    atomic_write(folder / SUMMARY, (json.dumps(run.summary, indent=2) + "\n").encode())
    return run


def read_run(folder: Path, shard: Shard | None = None) -> Run:
    """A run directory.

    Args:
        folder: of the run.
        shard: whose episodes; ``None``: those of all shards.

    Raises:
        ValueError: if it is not a run directory, or a file in it is broken.
    """
    if not (folder / CONFIG).exists():
        raise ValueError(f"{folder} is no run directory: it has no {CONFIG}")
    config = _RunConfig.model_validate(OmegaConf.to_container(read_config(folder / CONFIG)))
    recorded = EpisodeFiles(*(episode_files(folder) if shard is None else [folder / shard.file_name]))
    return Run(folder, summarise(config.model_dump(), recorded), recorded, config.job, config.requested)


def summarise(settings: Mapping[str, Any], recorded: Iterable[Episode]) -> dict[str, Any]:
    """The summary of a run with these settings and episodes."""
    episodes = [episode.model_copy(update={"rounds": [], "fields": []}) for episode in recorded]
    return {
        **settings["names"],
        "wrappers": [_titled(name, some) for name, some in settings["wrappers"].items()],
        "seed": settings["seed"],
        "episodes": len(episodes),
        "sampled": settings["episodes"] is not None,
        "errors": sum(episode.error is not None for episode in episodes),
        "unscored": sum(episode.unscored for episode in episodes),
        "crashes": sum(episode.crashed for episode in episodes),
        "clusters": {name: len(set(levels.tolist())) for name, levels in clusters_of(episodes).items()},
        "scores": scores_of(episodes),
        "version": settings["version"],
    }


def _titled(name: str, settings: Any) -> str:
    """A wrapper as tables show it: with what finds its places, where something does."""
    locator = settings.get("locator") if isinstance(settings, dict) else None
    return f"{name} ({locator})" if locator else name


class _RunConfig(BaseModel):
    """The keys of every configuration of a run."""

    env: dict[str, Any]
    agent: dict[str, Any]
    flow: dict[str, Any]
    logger: dict[str, Any]
    episodes: Any
    names: dict[str, Any]
    wrappers: dict[str, Any]
    seed: int
    version: str
    job: int | None = None
    requested: int | None = None


def read_config(path: Path) -> DictConfig:
    """The configuration of a run.

    Raises:
        ValueError: if it is invalid; the message names the file.
    """
    try:
        config = OmegaConf.load(path)
        validated(_RunConfig, OmegaConf.to_container(config, resolve=True), path)
    except (OmegaConfBaseException, YAMLError, OSError, ValueError) as error:
        raise ValueError(f"{path} is no configuration of a run: {' '.join(str(error).split())}") from error
    assert isinstance(config, DictConfig)
    return config


def find_runs(folder: Path) -> list[Run]:
    """All runs in a folder and below it; a broken one is left out with a warning.

    They come in the order of their paths, those of a sweep in the order of its jobs.
    """
    runs = []
    for config in folder.rglob(CONFIG):
        if (config.parent / SPEC).exists():
            try:
                runs.append(read_run(config.parent))
            except ValueError as error:
                warnings.warn(f"left out: {error}", stacklevel=2)
    return sorted(runs, key=_rank)


def latest_run(root: Path) -> Path:
    """The folder below ``root`` of the newest run, its sweep, or a newer training.

    Raises:
        ValueError: if there is none.
    """
    found = [path for path in root.rglob(CONFIG) if (path.parent / SPEC).exists()] + [*root.rglob(TRAINING_TABLE)]
    if not found:
        raise ValueError(f"no run below {root}; make one with: formgym evaluate")
    newest = max(found, key=lambda path: path.stat().st_mtime).parent
    return newest.parent if (newest.parent / "multirun.yaml").exists() else newest


def _rank(run: Run) -> list[tuple[int, str]]:
    """Sorts run 2 before run 10, and the runs of a sweep by the numbers of their jobs."""
    parts = [(int(part), "") if part.isdecimal() else (_LAST, part) for part in run.folder.parts]
    return parts if run.job is None else [*parts[:-1], (run.job, run.folder.name)]


@contextmanager
def tentative_folder(folder: Path, leftover: str | None = None) -> Iterator[None]:
    """Make ``folder``; if it is empty in the end, remove it and its new parents.

    Args:
        folder: what to make, if it is missing.
        leftover: the name of a file that goes with the folder if there is nothing else in it.

    Raises:
        OSError: if it cannot be made.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        # The first folder that is not empty ends it.
        with suppress(OSError):
            if leftover is not None and [path.name for path in folder.iterdir()] == [leftover]:
                (folder / leftover).unlink()
            for path in made:
                path.rmdir()


@contextmanager
def tentative_files(*paths: Path) -> Iterator[None]:
    """If an exception passes, remove those of ``paths`` that were missing or empty."""
    new = [path for path in paths if not path.exists() or not path.stat().st_size]
    try:
        yield
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
