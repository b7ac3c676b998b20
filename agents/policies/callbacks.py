"""Limits of training: budgets and early stops."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from .spatial_policy import SpatialPolicy


@dataclass(frozen=True)
class TrainingBudget:
    """How long something is trained: exactly one of the two is given.

    >>> TrainingBudget(steps=100).start().spent(25)
    0.25

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

    budget: TrainingBudget
    started: float

    def spent(self, steps: int) -> float:
        """The share that is spent, from 0 on; at 1 the budget is used up.

        Args:
            steps: done so far.
        """
        if self.budget.cpu_seconds is None:
            return steps / (self.budget.steps or 1)
        return (time.process_time() - self.started) / self.budget.cpu_seconds


class EarlyStop(BaseCallback):
    """Keeps the best weights, and ends training without improvement.

    Args:
        score: of a policy, on targets of a dev split.
        every: after how many rollouts the policy is scored.
        patience: after how many scores without a new best one training ends.

    Attributes:
        curve: the number of steps and the score, each time.
    """

    def __init__(self, score: Callable[[SpatialPolicy], float], every: int = 4, patience: int = 12) -> None:
        super().__init__()
        self.curve: list[tuple[int, float]] = []
        self._score, self._every, self._patience = score, every, patience
        self._rollouts = self._waited = 0
        self._best: dict[str, Any] = {}

    def restore_best(self, policy: SpatialPolicy) -> None:
        """Give a policy the best weights that were scored, if any were."""
        self._keep_if_best(policy)
        policy.load_state_dict(self._best)

    def _on_rollout_start(self) -> None:
        if self._rollouts % self._every == 0:
            policy = self.model.policy
            assert isinstance(policy, SpatialPolicy)
            self._keep_if_best(policy)
        self._rollouts += 1

    def _keep_if_best(self, policy: SpatialPolicy) -> None:
        before = max((score for _, score in self.curve), default=-1.0)
        self.curve.append((self.num_timesteps, self._score(policy)))
        self._waited += 1
        if self.curve[-1][1] > before:
            self._best, self._waited = deepcopy(policy.state_dict()), 0

    def _on_step(self) -> bool:
        return self._waited < self._patience
