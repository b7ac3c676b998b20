"""Scores as rows of the Hugging Face Hub (``.eval_results/*.yaml``)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from ...envs.core.files import atomic_write
from ..running.runs import Run
from ..terminal.metrics import headline_of, title
from ..terminal.tables import format_interval

FOLDER = ".eval_results"
_DATASET = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def write_hub_rows(runs: Sequence[Run], folder: Path, dataset: str | None) -> list[Path]:
    """Write a file for each agent with its flow and wrappers; rows are environments.

    Args:
        runs: with a score at least; others have no row.
        folder: of the model's repository.
        dataset: the Hub's id of the benchmark's data set.

    Raises:
        ValueError: if ``dataset`` is no such id.
    """
    if dataset is None or not _DATASET.fullmatch(dataset):
        raise ValueError("--eval-results needs --dataset OWNER/NAME, the Hub's id of the benchmark's data set")
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for run in runs:
        if run.summary["scores"]:
            rows[run.title].append(hub_row(run, dataset))
    paths = []
    for name, some in rows.items():
        path = folder / FOLDER / f"formgym_{_slug(name)}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, yaml.safe_dump(some, sort_keys=False, allow_unicode=True, width=1000).encode())
        paths.append(path)
    return paths


def hub_row(run: Run, dataset: str) -> dict[str, Any]:
    """The most important metric of a run in per cent, with what it is in ``notes``."""
    summary = run.summary
    name = headline_of(summary["scores"])
    score = summary["scores"][name]
    interval = (
        f", 95 % interval {format_interval([100 * bound for bound in score['ci95']], 1)}" if score["ci95"] else ""
    )
    counts = ", ".join([f"{summary['episodes']} episodes", *run.failures])
    return {
        "dataset": {"id": dataset, "task_id": _slug(run.env_title)},
        "value": round(100 * score["mean"], 2),
        "notes": f"{title(name)} in %{interval}; {run.title}; {counts}, seed {summary['seed']}; "
        f"formgym {summary['version']}",
    }


def _slug(text: str) -> str:
    """Lower-case letters and digits, joined by ``_``."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower().removesuffix("-v0")))
