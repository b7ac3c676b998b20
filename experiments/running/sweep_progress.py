"""The progress of a run or a sweep, read from the folders of runs, whoever writes them."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic_core import from_json
from rich.console import RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from ...envs.core.files import open_foreign
from ..terminal.console import bar_console, console
from .episodes import MAX_LINE_BYTES
from .run_folder import LEDGER, RUN, RunFolder


class SweepProgress:
    """How far a run or a sweep is: in its context a bar in a terminal.

    All processes and machines that write to its folder count.

    Args:
        folder: of the run or the sweep.
        jobs: how many there are.
        episodes: of each job; ``None``: as many as the jobs that have begun have on average.
        dollars: the budget, if there is one.
    """

    def __init__(self, folder: Path, jobs: int, episodes: int | None = None, dollars: float | None = None) -> None:
        self._folder, self._jobs, self._episodes, self._dollars = folder, jobs, episodes, dollars
        self._requested: dict[Path, int] = {}
        self._files: dict[Path, _TailedFile] = {}
        self._lock, self._bar = threading.Lock(), ExitStack()
        self._began, self._n_before = time.monotonic(), self._read()[0]

    def __enter__(self) -> SweepProgress:
        if place := bar_console():
            live = Live(
                get_renderable=self._drawn,
                console=place,
                refresh_per_second=1,
                transient=True,
                redirect_stdout=place is console,
            )
            self._bar.enter_context(live)
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def line(self) -> str:
        """How far it is now, in words."""
        with self._lock:
            return self._words(*self._read())

    def _drawn(self) -> RenderableType:
        # In a thread of the bar's own.
        with self._lock:
            done, total = self._read()
            words = self._words(done, total)
        grid = Table.grid(padding=(0, 1))
        grid.add_row(words, ProgressBar(total or None, done, width=40))
        return grid

    def _read(self) -> tuple[int, int]:
        """Read what jobs have written since; how many episodes are done, and how many there are."""
        for path in [*self._folder.glob(RUN), *self._folder.glob(f"*/{RUN}")]:
            if path not in self._requested:
                with suppress(ValueError):
                    self._requested[path] = RunFolder(path.parent).described().requested or 0
        files = [file for path in self._requested for file in RunFolder(path.parent).files()]
        for file in [*files, *self._folder.glob(LEDGER)]:
            # A job that cannot begin removes its file.
            with suppress(FileNotFoundError, ValueError):
                self._files.setdefault(file, _TailedFile(file)).read()
        done = len({(path.parent, index) for path, file in self._files.items() for index in file.indices})
        begun = sum(self._requested.values())
        each = self._episodes or begun / max(len(self._requested), 1)
        return done, begun + round(each * max(self._jobs - len(self._requested), 0))

    def _words(self, done: int, total: int) -> str:
        cost = sum(file.dollars for file in self._files.values())
        words = [f"{done:,} of {total:,} episodes"]
        if cost or self._dollars is not None:
            words.append(f"${cost:,.2f}" + (f" of ${self._dollars:,.2f}" if self._dollars is not None else ""))
        if new := done - self._n_before:
            seconds = (time.monotonic() - self._began) / new * max(total - done, 0)
            words.append(f"{timedelta(seconds=round(seconds))} left")
        return ", ".join(words)


class _TailedFile:
    """A file of JSON lines that grows: the indices or the dollars in it."""

    def __init__(self, path: Path) -> None:
        self._path, self._at = path, 0
        self.indices: set[int] = set()
        self.dollars = 0.0

    def read(self) -> None:
        """Read the lines that are new."""
        with open_foreign(self._path) as file:
            file.seek(self._at)
            while (line := file.readline(MAX_LINE_BYTES)).endswith(b"\n"):
                self._at += len(line)
                with suppress(ValueError, TypeError, KeyError):
                    self._enter(from_json(line))

    def _enter(self, entry: Any) -> None:
        if "index" in entry:
            self.indices.add(entry["index"])
        elif "status" in entry:
            self.dollars += float(entry["dollars"])
