"""Budgets of training, in steps or in CPU seconds.

Steps make a run repeatable, CPU seconds make runs comparable.
"""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """How long something is trained: exactly one of the two is given.

    Attributes:
        steps: of the training: batches when cloning, targets when learning from reward.
        cpu_seconds: of this process.

    Raises:
        ValueError: if none or both are given, or one is not positive.
    """

    steps: int | None = None
    cpu_seconds: float | None = None

    def __post_init__(self) -> None:
        given = [limit for limit in (self.steps, self.cpu_seconds) if limit is not None]
        if len(given) != 1 or given[0] <= 0:
            raise ValueError(f"a budget is a positive number of steps or of CPU seconds, not {self}")

    def start(self) -> Progress:
        """Begin to spend it."""
        return Progress(self, time.process_time())


@dataclass(frozen=True)
class Progress:
    """How much of a budget is spent.

    Attributes:
        budget: the whole.
        started: the process's CPU time when it was begun.
    """

    budget: Budget
    started: float

    def spent(self, steps: int) -> float:
        """The share that is spent, from 0 on; at 1 the budget is used up.

        Args:
            steps: done so far.
        """
        if self.budget.cpu_seconds is None:
            return steps / (self.budget.steps or 1)
        return (time.process_time() - self.started) / self.budget.cpu_seconds
