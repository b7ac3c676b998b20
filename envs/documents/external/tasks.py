"""What can be played of data sets from elsewhere, and what cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..scene.document import Document


@dataclass(frozen=True, slots=True)
class ExternalTask:
    """A document, what a person asks for, and the document that is wanted.

    Attributes:
        id: unique among the tasks of one folder.
        document: before.
        request: in words.
        wanted: after; never the same as before.
        origin: where it came from, for people: file and line, or a session's turn.
        calls: operations that make the edit, by name, each with its arguments, if they are told.
    """

    id: str
    document: Document
    request: str
    wanted: Document
    origin: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


class Unplayable(ValueError):
    """The reason why a task cannot be played, in words that are the same for all tasks of its kind."""


class Skipped(NamedTuple):
    """A task that cannot be played.

    Attributes:
        reason: the same for all tasks of its kind.
        problem: what is wrong with this one, in a sentence that begins with its place.
    """

    reason: str
    problem: str


def counted_reasons(skipped: Iterable[Skipped]) -> str:
    """The reasons why tasks are skipped, each with its number of tasks, the most frequent first."""
    counts = Counter(one.reason for one in skipped)
    return "; ".join(f"{reason}: {count}" for reason, count in counts.most_common())
