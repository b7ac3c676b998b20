"""Refusals: what was wrong with a request, to be told to whoever sent it."""

from __future__ import annotations

from collections.abc import Sequence


class Refused(Exception):
    """A request that is not carried out.

    Attributes:
        status: the HTTP status, of the 400s.
        reason: what is wrong, in a sentence.
        problems: each single thing that is wrong.
    """

    def __init__(self, status: int, reason: str, problems: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.problems = tuple(problems)
