"""What checks find."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A breach of a rule.

    Attributes:
        rule: its name.
        where: file, template, field or seed.
        problem: what is wrong, with the value.
    """

    rule: str
    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"
