"""Progress of a sweep, read from the folders of its jobs, whoever writes them."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn

from ..terminal.console import bar_console, console
from .run_folder import LEDGER, RUN, RunFolder

_SECONDS = 1.0
"""How often the bar is brought up to date."""


class SweepProgress:
    """How far a sweep is: in its context a bar in a terminal, else lines.

    All processes and machines that write to its folder count.

    Args:
        folder: of the sweep.
        jobs: how many there are.
        episodes: of each job; ``None``: as many as the jobs that have begun have on average.
        dollars: the budget, if there is one.
    """

    def __init__(self, folder: Path, jobs: int, episodes: int | None = None, dollars: float | None = None) -> None:
        self._folder, self._jobs, self._episodes, self._dollars = folder, jobs, episodes, dollars
        self._requested: dict[Path, int] = {}
        self._files: dict[Path, _TailedFile] = {}
        self._began = time.monotonic()
        self._ended, self._lock = threading.Event(), threading.Lock()
        self._thread: threading.Thread | None = None
        self._read()
        self._n_before = self._n_done()

    def __enter__(self) -> SweepProgress:
        if bar_console() is not None:
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def line(self) -> str:
        """How far the sweep is now, in words."""
        with self._lock:
            self._read()
            return self._words()

    def _show(self) -> None:
        columns = TextColumn("{task.description}"), BarColumn()
        place = bar_console()
        with Progress(*columns, console=place, transient=True, redirect_stdout=place is console) as bar:
            task = bar.add_task("", total=None)
            while True:
                with self._lock:
                    self._read()
                    words, total, done = self._words(), self._total(), self._n_done()
                bar.update(task, description=words, total=total or None, completed=done)
                if self._ended.wait(_SECONDS):
                    return

    def _read(self) -> None:
        """Read what jobs have written since."""
        for path in self._folder.glob(f"*/{RUN}"):
            if path not in self._requested:
                with suppress(ValueError):
                    self._requested[path] = RunFolder(path.parent).described()[1].requested or 0
        files = [file for path in self._requested for file in RunFolder(path.parent).files()]
        for file in [*files, *self._folder.glob(LEDGER)]:
            # A job that cannot begin removes its file.
            with suppress(FileNotFoundError):
                self._files.setdefault(file, _TailedFile(file)).read()

    def _n_done(self) -> int:
        return len({(path.parent, index) for path, file in self._files.items() for index in file.indices})

    def _total(self) -> int:
        begun = sum(self._requested.values())
        each = self._episodes or begun / max(len(self._requested), 1)
        return begun + round(each * max(self._jobs - len(self._requested), 0))

    def _words(self) -> str:
        done, total = self._n_done(), self._total()
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
        with self._path.open("rb") as file:
            file.seek(self._at)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._at += len(line)
                with suppress(ValueError):
                    self._enter(json.loads(line))

    def _enter(self, entry: dict[str, Any]) -> None:
        if "index" in entry:
            self.indices.add(entry["index"])
        elif entry.get("paid"):
            self.dollars += entry["dollars"]
