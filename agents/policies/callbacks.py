"""Callbacks and limits of training: budgets, early stops, rehearsal."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback

from .cloning import cloning_step
from .spatial_policy import SpatialPolicy
from .window_vec_env import TargetPool


@dataclass(frozen=True)
class TrainingBudget:
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


_MIN_RATE = 0.05
"""The minimum of the learning rate as a share of its maximum."""


class Rehearsal(BaseCallback):
    """Rehearses, lowers the learning rate, and ends training with a budget.

    Before each rollout the policy is cloned for some batches on targets whose boxes are known, so that less is
    forgotten of what it learned there. Not after it: PPO's old log probabilities must be the policy's own. It has an
    optimizer of its own: gradients of cloning are larger, and would make the steps of PPO's Adam small.

    Args:
        budget: its steps are those of the environment.
        learning_rate: the maximum; it falls in a straight line.
        pool: what is rehearsed; ``None``: nothing is.
        batches: of cloning before each rollout.
        seed: of the batches.

    Attributes:
        curve: the number of steps and the mean reward of each step of the environments.
    """

    def __init__(
        self,
        budget: TrainingBudget,
        learning_rate: float,
        pool: TargetPool | None = None,
        batches: int = 8,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.curve: list[tuple[int, float]] = []
        self._budget, self._learning_rate = budget, learning_rate
        self._pool, self._batches = pool, batches
        self._rng = np.random.default_rng(seed)

    def _on_training_start(self) -> None:
        policy = self.model.policy
        assert isinstance(policy, SpatialPolicy)
        self._progress = self._budget.start()
        self._optimizer = torch.optim.Adam(policy.network.parameters(), self._learning_rate)
        self.model.lr_schedule = self._rate

    def _on_rollout_start(self) -> None:
        if self._pool is None:
            return
        policy = self.model.policy
        assert isinstance(policy, SpatialPolicy)
        policy.set_training_mode(True)
        self._optimizer.param_groups[0]["lr"] = self._rate(0)
        for _ in range(self._batches):
            cloning_step(policy, self._optimizer, self._pool, self._rng)
        policy.set_training_mode(False)

    def _on_step(self) -> bool:
        self.curve.append((self.num_timesteps, float(np.mean(self.locals["rewards"]))))
        return self._progress.spent(self.num_timesteps) < 1

    def _rate(self, _: float) -> float:
        return self._learning_rate * max(_MIN_RATE, 1 - self._progress.spent(self.num_timesteps))
