"""The command ``formgym fuzz``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from rich.markup import escape
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from ...envs.registration import ids
from ..terminal.console import console
from ..terminal.tables import Cell, Column, Row, Table, cells_of, print_table
from .episode import Case
from .running import fuzz, left_out, read_corpus, write_corpus


def fuzz_all(pattern: str, actions: int, seed: int, corpus: Path, processes: int | None = None) -> bool:
    """Send random and hostile actions to environments, and print what was broken; whether nothing was.

    Args:
        pattern: of the ids, with ``*``.
        actions: how many in all.
        seed: what chance comes from.
        corpus: where failing episodes are kept, shrunk, after those that are there.
        processes: how many work at a time; ``None``: as many as there are cores.

    Raises:
        ValueError: if no environment of the pattern can be made.
    """
    chosen = [name for name in ids() if fnmatchcase(name, pattern)]
    missing = left_out(chosen, {})
    for name, why in missing.items():
        console.print(f"[yellow]{name} is left out:[/yellow] {escape(why)}", highlight=False, soft_wrap=True)
    usable = [name for name in chosen if name not in missing]
    if not usable:
        raise ValueError(f"no environment like {pattern!r} can be made; formgym list names them all")
    with Progress(*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task("actions", total=actions)
        workers = processes or os.cpu_count() or 1
        count, broken = fuzz(usable, actions, seed, None, workers, lambda more: bar.advance(task, more))
    console.print(f"{count:,} actions in {len(usable)} environments, seed {seed}: {len(broken)} episodes broken.")
    if broken:
        _print_cases(broken)
        write_corpus(corpus, [*read_corpus(corpus), *broken])
        console.print(f"Their actions are in {corpus}.")
    return not broken


def _print_cases(broken: Sequence[Case]) -> None:
    rows = []
    for case in broken:
        options = ", ".join(f"{name}={value}" for name, value in case.options.items())
        rows.append((Cell(case.env, (options,) if options else ()), case.seed, len(case.actions), case.broken))
    columns = (Column("environment", is_text=True), Column("seed"), Column("actions"), Column("error", is_text=True))
    print_table(Table("Broken episodes", columns, [Row(cells_of(row)) for row in rows]))
