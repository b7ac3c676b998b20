"""Training runs of grounding policies: stages that resume, tables and pictures."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, astuple, dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import torch

from ....agents.policies.spatial_policy import SpatialPolicy
from ....agents.policies.training import TrainingBudget
from ....envs.core.files import atomic_write
from ....fieldfinder_model.locators.policy_locator import PolicyLocator
from ....fieldfinder_model.windows.window_network import load_network, save_network
from ...terminal.console import Table, csv_text, print_table, progress, say, table_of
from ..command import check_same_run
from .figures import draw_at_work, draw_curves
from .measuring import HitRate
from .recipes import Curve, Recipe, clone, fine_tune, new_policy
from .training_results import AT_WORK, CURVES, HEADINGS, TABLE, hits_table, table_rows

CLONED = "cloned"
Training = Callable[[], tuple[SpatialPolicy, dict[str, Curve]]]
RESULT = "result.json"


@dataclass(frozen=True)
class Row:
    """A row of a run's table: a policy's hits of a group of targets, or its score."""

    seed: int
    stage: str
    pool: str
    group: str
    rate: HitRate


@dataclass(frozen=True)
class Stage:
    """A finished stage: a policy that was trained, its curve, and what it hits."""

    policy: SpatialPolicy
    curves: dict[str, Curve]
    rows: list[Row]


Log = Callable[[int, str, Stage], None]
"""``log(seed, name, stage)``: receives each finished stage."""


def train_grounding(
    recipe: Callable[[], Recipe],
    run_dir: str,
    seeds: Sequence[int],
    cloning: TrainingBudget,
    tuning: TrainingBudget,
    wandb: str | None = None,
) -> Path:
    """Train and measure the policies of a recipe; the folder of the run.

    A run that was killed is continued by the same command: finished stages are read, and the one that was cut off
    begins again. With budgets in steps it ends with the same bytes as a run that was not cut off.

    Args:
        recipe: makes the pools; see ``recipes``.
        run_dir: the folder; made if it is not there.
        seeds: of the runs, one after another.
        cloning: how long is cloned.
        tuning: how long each tuning learns from reward.
        wandb: ``"offline"`` or ``"online"`` logs to Weights & Biases.

    Raises:
        ValueError: if the folder holds another run.
    """
    torch.set_num_threads(1)
    folder = Path(run_dir)
    say("Drawing and reading the pages; they are kept for the next run.")
    made = recipe()
    # The number of targets tells pools of different sizes apart: their policies do not go into one table.
    settings = {"recipe": made.name, "targets": len(made.cloned_on)}
    check_same_run(folder, settings | {"cloning": asdict(cloning), "tuning": asdict(tuning)})
    rows: list[Row] = []
    curves: dict[tuple[int, str], dict[str, Curve]] = {}
    with _wandb_log(folder, wandb) if wandb else nullcontext() as log:
        for seed, name, stage in _stages(folder, made, seeds, cloning, tuning):
            rows += stage.rows
            curves[seed, name] = stage.curves
            if log is not None:
                log(seed, name, stage)
    atomic_write(folder / TABLE, csv_text(_all_rows(rows)).encode())
    draw_curves(curves, folder / CURVES)
    last = _folder_of(folder, rows[-1].seed, rows[-1].stage)
    draw_at_work(PolicyLocator(last), made.shown.open_page(made.shown.task_ids[0]), folder / AT_WORK)
    print_table(hits_table(table_rows(folder / TABLE), f"{made.name}: hits and scores"))
    say(f"Policies, curves.png, policy.gif and table.csv are in the folder; to see them: formgym report {folder}")
    return folder


def _stages(
    folder: Path, recipe: Recipe, seeds: Sequence[int], cloning: TrainingBudget, tuning: TrainingBudget
) -> Iterator[tuple[int, str, Stage]]:
    """All stages of all seeds, read or trained, with a progress bar."""
    with progress("", len(seeds) * (1 + len(recipe.tunings)), stays=True) as advance:
        for seed in seeds:
            trainings: dict[str, Training] = {CLONED: partial(clone, recipe.cloned_on, cloning, seed)}
            for name in (CLONED, *(one.name for one in recipe.tunings)):
                advance(0, title=f"seed {seed}: {name}")
                stage = _read_or_train(_folder_of(folder, seed, name), recipe, seed, name, trainings[name])
                if name == CLONED:
                    tune = partial(fine_tune, stage.policy, budget=tuning, seed=seed, dev=recipe.dev)
                    trainings |= {one.name: partial(tune, one) for one in recipe.tunings}
                advance()
                yield seed, name, stage


def _folder_of(folder: Path, seed: int, name: str) -> Path:
    return folder / f"seed-{seed}" / re.sub(r"[^\w-]+", "_", name)


def _read_or_train(folder: Path, recipe: Recipe, seed: int, name: str, train: Training) -> Stage:
    """A stage from its folder, or trained, measured and written there at once."""
    if (folder / RESULT).exists():
        return _read(folder)
    policy, curves = train()
    rows = [
        Row(seed, name, pool_name, group, rate)
        for pool_name, test in recipe.tests.items()
        for group, rate in test(policy).items()
    ]
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    save_network(policy.network, part, {"recipe": recipe.name, "seed": seed, "stage": name})
    found = {"curves": curves, "rows": [asdict(row) for row in rows]}
    atomic_write(part / RESULT, json.dumps(found).encode())
    part.rename(folder)
    return Stage(policy, curves, rows)


def _read(folder: Path) -> Stage:
    found = json.loads((folder / RESULT).read_text())
    policy = new_policy()
    policy.network.load_state_dict(load_network(folder).state_dict())
    rows = [Row(**row | {"rate": HitRate(**row["rate"])}) for row in found["rows"]]
    curves = {name: [(int(at), float(value)) for at, value in curve] for name, curve in found["curves"].items()}
    return Stage(policy, curves, rows)


def _all_rows(rows: Sequence[Row]) -> Table:
    """A row for each group of targets; an interval that cannot be had is empty."""
    rates = (("" if value is None else value for value in astuple(row.rate)) for row in rows)
    names = ((row.seed, row.stage, row.pool, row.group) for row in rows)
    return table_of("hits", HEADINGS, map(chain, names, rates), 4)


@contextmanager
def _wandb_log(folder: Path, mode: str) -> Iterator[Log]:
    """A log to Weights & Biases: the curves and the hits of each stage."""
    import wandb

    settings = wandb.Settings(silent=True, console="off")
    run = wandb.init(project="formgym", dir=folder, name=folder.name, mode=mode, settings=settings)  # type: ignore[arg-type]

    def log(seed: int, name: str, stage: Stage) -> None:
        for curve, points in stage.curves.items():
            for at, value in points:
                run.log({f"seed {seed}/{name}/{curve}": value, "step": at})
        run.summary.update({f"{row.pool}/{row.stage}/{row.seed}/{row.group}": row.rate.mean for row in stage.rows})

    with run:
        yield log
