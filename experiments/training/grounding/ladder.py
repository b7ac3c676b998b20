"""Stock learners of Stable-Baselines3 on the small pages of grounding: curves, and hits on pages that are new."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
import numpy as np
import stable_baselines3
import torch
from gymnasium.vector import SyncVectorEnv
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from ....envs.core.files import atomic_write
from ....envs.core.grounding import hit
from ....envs.paper_forms.grounding.env import PaperGroundingEnv
from ....envs.paper_forms.grounding.ladder_pages import LEVELS
from ....wrappers import FlatObservation, GridPoint, SB3VecEnv, TextAsArray
from ...running.intervals import share_with_interval
from ...terminal.console import csv_text, print_table, progress, say, table_of
from ..command import check_same_run
from .figures import draw_curves
from .training_results import ALL, CURVES, HEADINGS, TABLE, hits_table, table_rows

CELL = 8
"""The sides of the cells that learners choose from, in pixels; every blank has the middle of one in it."""
_NAME_LENGTH = 32
"""Of the hashed n-grams of a name."""
_FITTED_ON = 1000
"""Pages of the train split, from which the best constant cell is chosen."""
_CURVE_POINTS = 20
_DEV_PAGES = 100
_RESULT = "result.json"
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Trained:
    """What a learner has become.

    Attributes:
        hits: whether it hits each target of the measured split.
        curve: steps, and the share of targets of the dev split that are hit.
        cpu_seconds: of learning, without measuring.
    """

    hits: list[bool]
    curve: list[tuple[int, float]]
    cpu_seconds: float


def train_ladder(
    levels: Sequence[int],
    steps: Mapping[int, Mapping[str, int]],
    algorithms: Mapping[str, Mapping[str, Any]],
    run_dir: str,
    seeds: Sequence[int],
    split: str = "dev",
) -> Path:
    """Train stock learners on levels and measure them beside a random and the best constant cell; the run's folder.

    Episodes have one target and one step; the reward is a hit. Runs that were cut off go on with the first learner
    that has not ended.

    Args:
        levels: indices of ``LEVELS``.
        steps: targets to learn from, by level and algorithm.
        algorithms: by its name in Stable-Baselines3, ``num_envs`` and what its class takes.
        run_dir: the folder; made if it is not there.
        seeds: of the runs.
        split: whose pages are measured at the end: ``"dev"`` or ``"test"``.

    Raises:
        ValueError: if there is no such level or algorithm, or the folder holds another run.
    """
    _check_names(levels, algorithms)
    torch.set_num_threads(1)
    folder, seconds = Path(run_dir), Rows()
    rows = [row for level in levels for row in _floor(level, split)]
    known = {"split": split, "steps": steps, "algorithms": algorithms}
    check_same_run(folder, json.loads(json.dumps(known, default=str)))
    curves: dict[tuple[int, str], dict[str, list[tuple[int, float]]]] = {}
    plan = [(level, name, seed) for level in levels for name in algorithms for seed in seeds]
    with progress("", len(plan), stays=True) as advance:
        for level, name, seed in plan:
            advance(0, title=f"level {level}: {name}, seed {seed}")
            place, count = folder / f"level-{level}" / name / f"seed-{seed}", steps[level][name]
            trained = _read_or_train(place, level, name, algorithms[name], count, seed, split)
            rows.append(_row(seed, name, level, trained.hits))
            seconds.append((f"level {level}", name, seed, count, trained.cpu_seconds))
            curves.setdefault((seed, name), {})[f"level {level}: hits on dev"] = trained.curve
            advance()
    atomic_write(folder / TABLE, csv_text(table_of("hits", HEADINGS, rows, 4)).encode())
    draw_curves(curves, folder / CURVES)
    print_table(table_of("CPU seconds of learning", ("pages", "policy", "seed", "targets", "seconds"), seconds, 3))
    print_table(hits_table(table_rows(folder / TABLE), f"Hits of stock learners, {split}"))
    say(f"Learners, curves.png and table.csv are in {folder}")
    return folder


def _check_names(levels: Sequence[int], algorithms: Mapping[str, Any]) -> None:
    if wrong := [level for level in levels if level not in range(len(LEVELS))]:
        raise ValueError(f"levels are 0 to {len(LEVELS) - 1}, not {wrong[0]!r}")
    if unknown := [name for name in algorithms if name not in stable_baselines3.__all__]:
        raise ValueError(f"Stable-Baselines3 has no algorithm {unknown[0]!r}")


def ladder_env(level: int, split: str) -> gym.Env[Any, Any]:
    """A level as stock learners take it: a picture and the hashed name, a cell as the action, one target an episode."""
    env = gym.make(
        "FormGym/Grounding-v0",
        domain=f"level_{level}",
        split=split,
        max_targets=1,
        copy=False,
        disable_env_checker=True,
    )
    rows, columns = (side // CELL for side in LEVELS[level].size)
    return GridPoint(FlatObservation(TextAsArray(env, _NAME_LENGTH, "ngrams")), rows, columns)


def new_learner(level: int, name: str, settings: Mapping[str, Any], seed: int) -> BaseAlgorithm:
    """An algorithm of Stable-Baselines3 on a level's train split that has learned nothing."""
    kwargs = dict(settings)
    makers = [lambda: ladder_env(level, "train")] * kwargs.pop("num_envs")
    envs = SB3VecEnv(SyncVectorEnv(makers, autoreset_mode="SameStep"))
    learner: BaseAlgorithm = getattr(stable_baselines3, name)(
        "MultiInputPolicy", envs, seed=seed, device="cpu", gamma=0.0, **kwargs
    )
    return learner


def _read_or_train(
    place: Path, level: int, name: str, settings: Mapping[str, Any], steps: int, seed: int, split: str
) -> Trained:
    """A learner's result from its folder, or of a new training that is written there."""
    result = place / _RESULT
    if result.exists():
        return Trained(**json.loads(result.read_text()))
    learner = new_learner(level, name, settings, seed)
    curve = _Curve(level, steps)
    learner.learn(steps, callback=curve)
    trained = Trained(learner_hits(learner, level, split), curve.points, curve.cpu_seconds())
    place.mkdir(parents=True, exist_ok=True)
    learner.save(place / "policy.zip")
    atomic_write(result, json.dumps(vars(trained)).encode())
    return trained


class _Curve(BaseCallback):
    """Measures a learner on the dev split now and then."""

    def __init__(self, level: int, steps: int) -> None:
        super().__init__()
        self.points: list[tuple[int, float]] = []
        self._level, self._every = level, max(steps // _CURVE_POINTS, 1)
        self._began, self._measuring = time.process_time(), 0.0

    def _on_step(self) -> bool:
        if self.num_timesteps >= (len(self.points) + 1) * self._every:
            before = time.process_time()
            hits = learner_hits(self.model, self._level, "dev", _DEV_PAGES)
            self.points.append((self.num_timesteps, float(np.mean(hits))))
            self._measuring += time.process_time() - before
        return True

    def cpu_seconds(self) -> float:
        """The CPU time of this process since the beginning, without that of measuring."""
        return time.process_time() - self._began - self._measuring


def learner_hits(learner: BaseAlgorithm, level: int, split: str, max_pages: int | None = None) -> list[bool]:
    """Whether a learner's likeliest cell hits each target of a split, or of its first pages."""
    env, hits = ladder_env(level, split), list[bool]()
    pages = cast("PaperGroundingEnv", env.unwrapped)
    for task in islice(pages.task_ids, max_pages):
        for part in range(len(pages.open_page(task).targets)):
            observation, _ = env.reset(options={"task": f"{task}#{part}" if part else task})
            cell, _ = learner.predict(observation, deterministic=True)
            hits.append(float(env.step(cell)[1]) > 0)
    return hits


# -- Without learning --------------------------------------------------------------------------------------------------


def _floor(level: int, split: str) -> Rows:
    """The rows of a random cell and of the cell that hits most targets of the train split."""
    rows, columns = (side // CELL for side in LEVELS[level].size)
    x, y = (np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows
    cells = np.stack([*np.meshgrid(x, y), *np.meshgrid(x, y)], -1).reshape(-1, 1, 4)
    best = int(hit(cells, _all_boxes(level, "train")).mean(1).argmax())
    found = hit(cells, _all_boxes(level, split))
    return [_row(0, "random cell", level, found.mean(0)), _row(0, "best constant cell", level, found[best])]


def _all_boxes(level: int, split: str) -> NDArray[np.float64]:
    env = PaperGroundingEnv(f"level_{level}", split)
    tasks = islice(env.task_ids, _FITTED_ON)
    return np.concatenate([env.open_page(task).boxes() for task in tasks])


def _row(seed: int, policy: str, level: int, hits: Any) -> tuple[Any, ...]:
    """A row of the table; targets of a page are so few that each counts as its own cluster."""
    share = share_with_interval(np.asarray(hits, float).tolist(), [1] * len(hits))
    low, high = share["ci95"] or ("", "")
    return seed, policy, f"level {level}", ALL, share["mean"], low, high, len(hits)
