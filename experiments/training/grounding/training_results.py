"""Results of training in reports: hits by stage, curves, a policy at work."""

from __future__ import annotations

import base64
import csv
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ....envs.core.files import read_foreign
from ...running.run_folder import TRAINING_TABLE, files_named
from ...terminal.console import NOTHING, Cell, Table, error_message, table_of

TABLE, CURVES, AT_WORK = TRAINING_TABLE, "curves.png", "policy.gif"
HEADINGS = ("seed", "policy", "pages", "targets", "hits", "low", "high", "n")
"""The columns of ``table.csv``: a row is the hit rate of a policy on a group of a pool's targets."""
ALL = "all"
_MAX_TABLE, _MAX_PICTURE = 4_000_000, 32_000_000
"""Bytes of the files of a training that are read."""
_TYPES = {CURVES: "image/png", AT_WORK: "image/gif"}


@dataclass(frozen=True)
class TrainingResult:
    """A training run in a report.

    Attributes:
        folder: of the run.
        table: hits of all targets by pages, policy and seed.
        kinds: hits by group of targets, the seeds together.
        pictures: by file name, as data URLs.
    """

    folder: Path
    table: Table
    kinds: Table
    pictures: dict[str, str]


def training_results(folder: Path) -> list[TrainingResult]:
    """The results of all training runs of grounding policies in a folder and below it."""
    found = []
    for path in sorted(files_named(folder, TABLE)):
        try:
            if rows := table_rows(path):
                pictures = {name: _data_url(path.with_name(name)) for name in _TYPES if path.with_name(name).exists()}
                found.append(TrainingResult(path.parent, hits_table(rows, "Hits"), kinds_table(rows), pictures))
        except (ValueError, OSError) as error:
            warnings.warn(f"left out: {error_message(error)}", stacklevel=2)
    return found


def hits_table(rows: Sequence[Mapping[str, str]], title: str) -> Table:
    """Hits of all targets, stage by stage, for each seed, with intervals by page.

    Args:
        rows: of ``table.csv``, with ``HEADINGS``.
        title: of the table.
    """
    whole = [row for row in rows if row["targets"] == ALL]
    seeds = sorted({row["seed"] for row in whole}, key=int)
    keys = dict.fromkeys((row["pages"], row["policy"]) for row in sorted(whole, key=lambda row: row["pages"]))
    cells = {(row["pages"], row["policy"], row["seed"]): _cell(row) for row in whole}
    body = [(*key, *(cells.get((*key, seed), NOTHING) for seed in seeds)) for key in keys]
    return table_of(title, ("pages", "policy", *(f"seed {seed}" for seed in seeds)), body, 2)


def kinds_table(rows: Sequence[Mapping[str, str]]) -> Table:
    """Mean hits of the seeds by group of targets, a column a policy."""
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    groups = dict.fromkeys((row["pages"], row["targets"], row["n"]) for row in rows)
    hits: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        hits.setdefault((row["pages"], row["targets"], row["policy"]), []).append(float(row["hits"]))
    body = [
        (pages, group, n, *(_mean(hits.get((pages, group, one), [])) for one in policies)) for pages, group, n in groups
    ]
    return table_of("Hits by kind of field", ("pages", "targets", "n", *policies), body, 2)


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.2f}" if values else NOTHING


def _cell(row: Mapping[str, str]) -> Cell:
    interval = f"{float(row['low']):.2f}–{float(row['high']):.2f}" if row["low"] else ""
    return Cell(f"{float(row['hits']):.3f}", (interval,) if interval else ())


def table_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a ``table.csv``; none if it is another kind of table.

    Raises:
        ValueError: if a number in it is none.
    """
    lines = read_foreign(path, _MAX_TABLE).decode(errors="replace").splitlines()
    reader = csv.DictReader(lines)
    rows = []
    try:
        for row in reader if tuple(reader.fieldnames or ()) == HEADINGS else ():
            int(row["seed"])
            float(row["hits"]), float(row["low"] or 0), float(row["high"] or 0)
            rows.append(row)
    except (ValueError, TypeError, csv.Error) as error:
        raise ValueError(f"{path}, line {reader.line_num} is no row of a training: {error}") from None
    return rows


def _data_url(path: Path) -> str:
    return f"data:{_TYPES[path.name]};base64,{base64.b64encode(read_foreign(path, _MAX_PICTURE)).decode()}"
