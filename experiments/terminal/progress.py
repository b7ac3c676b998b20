"""Progress bars with the time left, in a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .console import console

T = TypeVar("T")


def bar_console() -> Console | None:
    """Where bars go; ``None`` if nobody would see them, or quiet is asked for.

    Where standard output is a terminal too, bars share its console, so that lines printed meanwhile do not break them.
    A pipe or file never gets any: bars are on standard error then.
    """
    place = console if console.is_terminal else Console(stderr=True)
    return place if place.is_terminal and not place.is_dumb_terminal and not console.quiet else None


@contextmanager
def progress(title: str, total: float | None, done: int = 0, stays: bool = False) -> Iterator[Callable[..., None]]:
    """A bar to advance: ``advance(n=1, title=None, note="")``.

    Args:
        title: what is being done.
        total: of all that has to be done; ``None`` if it is not known.
        done: how much of it has been done before.
        stays: whether the bar stays in the end.
    """
    place = bar_console()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn() if total is None else TimeRemainingColumn(),
    )
    with Progress(
        *columns,
        console=place,
        transient=not stays,
        disable=place is None,
        redirect_stdout=place is console,
        redirect_stderr=sys.stderr.isatty(),
    ) as bar:
        task = bar.add_task(title, total=total, completed=done, note="")

        def advance(n: float = 1, title: str | None = None, note: str = "") -> None:
            bar.update(task, advance=n, description=title, note=note)

        yield advance


def track(items: Iterable[T], title: str, total: float | None = None) -> Iterator[T]:
    """The items, with a bar that advances after each.

    Args:
        items: what to go through.
        title: what is being done.
        total: how many there are; ``None``: their length, if they have one.
    """
    n = len(items) if total is None and isinstance(items, Sized) else total
    with progress(title, n) as advance:
        for item in items:
            yield item
            advance()
