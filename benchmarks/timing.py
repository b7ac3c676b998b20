"""Time rows that take turns, in thread CPU time.

All rows take turns within every round, in random order, and are timed in thread CPU time, which a busy machine disturbs
least; a ratio is the median over rounds of the ratio within a round. A memcpy of a page is the unit within a run only:
how fast a machine copies says little about how fast it does all else.
"""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector.utils import concatenate, create_empty_array

from formgym.experiments.terminal.console import print_table, table_of, track

_MIN_SECONDS = 0.02
_WARM_UP_SECONDS = 1.0

Seconds = tuple[float, float]
"""CPU and wall time of one operation."""
Work = Callable[[int], Seconds]
"""Measures an operation in the round of a number; round 0 warms up."""
Rows = dict[str, dict[str, float]]
"""The ``_COLUMNS`` of each row."""

MEMCPY = "memcpy of a page"
_COLUMNS = {
    "microseconds": ("CPU µs", ",.1f"),
    "wall_microseconds": ("wall µs", ",.1f"),
    "chromium_ratio": ("Chromium's step / it", ",.1f"),
    "cheaper_than_pillow": ("Pillow's step / it", ",.1f"),
}


def measured(works: Mapping[str, Work], rounds: int, title: str) -> Rows:
    """The cost of an operation of each row, one of which is ``MEMCPY``."""
    samples: dict[str, list[Seconds]] = {name: [] for name in works}
    for number in track(range(rounds + 1), title):
        for name in random.sample(list(works), len(works)):
            samples[name].append(works[name](number))
    copies = [cpu for cpu, _ in samples[MEMCPY][1:]]
    return {name: _row(times[1:], copies) for name, times in samples.items()}


def repeated(run: Callable[[], object], count: int = 1) -> Work:
    """Measures ``count`` operations that can be run again at will, over a while."""
    return lambda number: clocked(run, count, at_least=_MIN_SECONDS if number else _WARM_UP_SECONDS)


def clocked(
    run: Callable[[], object], count: int = 1, cpu: Callable[[], float] = time.thread_time, at_least: float = 0.0
) -> Seconds:
    """CPU and wall seconds of one of the ``count`` operations of a run, over at least ``at_least`` CPU seconds."""
    done, spent = 0, 0.0
    began, cpu_began = time.perf_counter(), cpu()
    while not done or spent < at_least:
        run()
        done += count
        spent = cpu() - cpu_began
    return spent / done, (time.perf_counter() - began) / done


def memcpy(shape: tuple[int, ...], n_arrays: int = 1) -> Work:
    """Copies of arrays of uint8 to one place, in turn: several exceed the caches and take longer."""
    sources = np.random.default_rng(0).integers(0, 256, (n_arrays, *shape), np.uint8)
    turns, target = itertools.cycle(sources), np.empty(shape, np.uint8)
    return repeated(lambda: np.copyto(target, next(turns)))


def steps(played: Iterable[tuple[Any, Any]], n_envs: int = 1) -> Work:
    """Steps of environments, or of batches of ``n_envs``, in an endless cycle."""
    turns = itertools.cycle(played)

    def run() -> None:
        env, action = next(turns)
        env.step(action)

    return repeated(run, n_envs)


def resets(env: Any, tasks: Iterable[str]) -> Work:
    """Resets to tasks, in an endless cycle."""
    turns = itertools.cycle(tasks)
    return repeated(lambda: env.reset(options={"task": next(turns)}))


def batches(space: Any, scripts: Sequence[Sequence[Any]], shift: int = 0) -> list[Any]:
    """Actions of a batch of environments, each with its own script.

    Args:
        space: of one environment.
        scripts: of the environments.
        shift: how many actions later in its script each environment begins than the one before it.
    """
    at_step = ([s[(k + shift * i) % len(s)] for i, s in enumerate(scripts)] for k in range(max(map(len, scripts))))
    return [concatenate(space, actions, create_empty_array(space, len(scripts))) for actions in at_step]  # type: ignore[arg-type]


def print_rows(title: str, rows: Rows) -> None:
    """Print a table of rows."""
    columns = [name for name in _COLUMNS if any(name in row for row in rows.values())]
    cells = (
        (name, *(f"{row[column]:{_COLUMNS[column][1]}}" if column in row else "" for column in columns))
        for name, row in rows.items()
    )
    print_table(table_of(title, ("", *(_COLUMNS[column][0] for column in columns)), cells))


def _row(times: Sequence[Seconds], copies: Sequence[float]) -> dict[str, float]:
    return {
        "microseconds": 1e6 * statistics.median(cpu for cpu, _ in times),
        "wall_microseconds": 1e6 * statistics.median(wall for _, wall in times),
        "ratio_to_memcpy": statistics.median(cpu / copy for (cpu, _), copy in zip(times, copies, strict=True)),
    }
