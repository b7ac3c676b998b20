"""Run directories: config, spec, episodes and summary of one agent on one environment."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel
from yaml import YAMLError

from ..envs.core.env import PaperworkEnv
from ..envs.core.files import validated, write_whole
from .episodes import Episode, read_episodes
from .intervals import clusters_of, scores_of

CONFIG, SPEC, EPISODES, SUMMARY = "config.yaml", "spec.json", "episodes.jsonl", "summary.json"


@dataclass(frozen=True)
class Run:
    """A run directory that has been read.

    Attributes:
        folder: where it lies.
        summary: what ``summary.json`` says, made anew from the episodes.
        episodes: in the order of their indices.
    """

    folder: Path
    summary: dict[str, Any]
    episodes: tuple[Episode, ...]

    def make_env(self) -> PaperworkEnv:
        """The bare environment of the run, for replays."""
        spec = EnvSpec.from_json((self.folder / SPEC).read_text(encoding="utf-8"))
        spec.additional_wrappers = ()
        return cast(PaperworkEnv, gym.make(spec).unwrapped)


def describe_run(folder: Path, config: DictConfig, spec: EnvSpec) -> None:
    """Write what is missing of a run's spec and config; with the config there, it has begun."""
    if not (folder / SPEC).exists():
        write_whole(folder / SPEC, spec.to_json().encode())
    if not (folder / CONFIG).exists():
        write_whole(folder / CONFIG, OmegaConf.to_yaml(config, resolve=True).encode())


def write_summary(folder: Path) -> Run:
    """Summarise the episodes of a run directory and write ``summary.json``."""
    run = read_run(folder)
    write_whole(folder / SUMMARY, (json.dumps(run.summary, indent=2) + "\n").encode())
    return run


def read_run(folder: Path) -> Run:
    """A run directory.

    Raises:
        ValueError: if it is none, or a file in it is broken.
    """
    if not (folder / CONFIG).exists():
        raise ValueError(f"{folder} is no run directory: it has no {CONFIG}")
    config = _read_config(folder / CONFIG)
    episodes = sorted(read_episodes(folder / EPISODES), key=lambda episode: episode.index)
    if len({episode.index for episode in episodes}) < len(episodes):
        raise ValueError(f"{folder / EPISODES} holds an episode twice")
    summary = {
        **config.names,
        "wrappers": [_titled(name, settings) for name, settings in config.wrappers.items()],
        "seed": config.seed,
        "episodes": len(episodes),
        "errors": sum(episode.error is not None for episode in episodes),
        "clusters": {name: len(set(levels.tolist())) for name, levels in clusters_of(episodes).items()},
        "scores": scores_of(episodes),
        "version": config.version,
    }
    return Run(folder, summary, tuple(episodes))


def _titled(name: str, settings: Any) -> str:
    """A wrapper as tables show it: with what finds its places, where something does."""
    locator = settings.get("locator") if isinstance(settings, dict) else None
    return f"{name} ({locator})" if locator else name


class _RunConfig(BaseModel):
    """What a summary takes from a run's configuration."""

    names: dict[str, Any]
    wrappers: dict[str, Any]
    seed: int
    version: str


def _read_config(path: Path) -> _RunConfig:
    try:
        data = OmegaConf.to_container(OmegaConf.load(path))
    except (OmegaConfBaseException, YAMLError) as error:
        raise ValueError(f"{path} is no configuration of a run: {error}") from error
    return validated(_RunConfig, data, path)


def find_runs(folder: Path) -> Iterator[Run]:
    """All runs in a folder and below it, in the order of their paths; a broken one is left out with a warning."""
    for config in sorted(folder.rglob(CONFIG), key=_natural):
        if (config.parent / SPEC).exists():
            try:
                yield read_run(config.parent)
            except ValueError as error:
                warnings.warn(f"left out: {error}", stacklevel=2)


def latest_run(root: Path) -> Path:
    """The folder below ``root`` that was begun last: a run, or the sweep it belongs to.

    Raises:
        ValueError: if there is none.
    """
    configs = [path for path in root.rglob(CONFIG) if (path.parent / SPEC).exists()]
    if not configs:
        raise ValueError(f"no run below {root}; make one with: formgym evaluate")
    newest = max(configs, key=lambda path: path.stat().st_mtime).parent
    return newest.parent if (newest.parent / "multirun.yaml").exists() else newest


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sorts run 2 before run 10."""
    return [(int(part), "") if part.isdigit() else (1 << 60, part) for part in path.parts]
