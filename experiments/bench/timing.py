"""Timing: candidates that take turns, in thread CPU time, against one of them.

All candidates take turns within every round, in random order, and are timed in thread CPU time, which a busy machine
disturbs least; a ratio is the median over rounds of the ratio within a round. Absolute times drift; ratios hold.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Mapping

import numpy as np
from rich.progress import track
from rich.table import Table

from ..terminal.console import console

_MIN_SECONDS = 0.02
_WARM_UP_SECONDS = 1.0

Candidate = Callable[[], int]
"""Does some operations and returns how many."""
Rows = dict[str, dict[str, float]]
"""Of each candidate ``microseconds`` and ``ratio_to_memcpy``."""

MEMCPY = "memcpy of a page"


def measured(candidates: Mapping[str, Candidate], rounds: int) -> Rows:
    """What an operation of each candidate costs; one of them is ``MEMCPY``."""
    for candidate in track(list(candidates.values()), "warming up", console=console):
        seconds(candidate, at_least=_WARM_UP_SECONDS)
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in track(range(rounds), "measuring", console=console):
        for name in random.sample(list(candidates), len(candidates)):
            samples[name].append(seconds(candidates[name]))
    return {name: _row(values, samples[MEMCPY]) for name, values in samples.items()}


def seconds(candidate: Candidate, at_least: float = _MIN_SECONDS) -> float:
    """Thread CPU seconds of one operation, measured over a while."""
    operations, began = 0, time.thread_time()
    while (spent := time.thread_time() - began) < at_least:
        operations += candidate()
    return spent / operations


def memcpy(shape: tuple[int, ...]) -> Candidate:
    """Copies of an array of uint8."""
    source = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    target = np.empty_like(source)

    def run() -> int:
        np.copyto(target, source)
        return 1

    return run


def print_rows(title: str, rows: Rows) -> None:
    """Print a table of candidates."""
    table = Table(title=title, title_justify="left")
    for name, justify in (("", "left"), ("µs", "right"), ("x memcpy", "right")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for name, row in rows.items():
        table.add_row(name, f"{row['microseconds']:,.1f}", f"{row['ratio_to_memcpy']:.3f}")
    console.print(table)


def _row(values: list[float], reference: list[float]) -> dict[str, float]:
    ratios = [value / base for value, base in zip(values, reference, strict=True)]
    return {"microseconds": 1e6 * statistics.median(values), "ratio_to_memcpy": statistics.median(ratios)}
