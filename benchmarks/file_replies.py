"""Benchmarks of models that answer through files: questions, and the replies that are there."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from formgym.agents.base import ReplyAwaited

T, R = TypeVar("T"), TypeVar("R")


def sampling_parser(description: str, n: int | None) -> argparse.ArgumentParser:
    """A command's parser with ``-n``, ``--seed`` and ``--questions``.

    Args:
        description: of the command.
        n: how many are measured by default; ``None``: all.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("-n", type=int, default=n, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=0, help="which are drawn")
    parser.add_argument("--questions", type=Path, help="the folder of a model that answers through files")
    return parser


def replied(ask: Callable[[T], R], queries: Iterable[T]) -> Iterator[tuple[T, R]]:
    """Queries with their replies; where one is awaited, its question is written and the query is left out."""
    awaited = 0
    for one in queries:
        try:
            yield one, ask(one)
        except ReplyAwaited:
            awaited += 1
    if awaited:
        print(f"{awaited} replies are awaited")
