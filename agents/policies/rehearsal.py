"""Rehearsal: PPO within a budget, with batches of cloning against forgetting."""

from __future__ import annotations

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback

from .budget import Budget
from .cloning import cloning_step
from .spatial_policy import SpatialPolicy
from .target_pool import TargetPool

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
        self, budget: Budget, learning_rate: float, pool: TargetPool | None = None, batches: int = 8, seed: int = 0
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
