"""EarlyStop: ends training from reward when a policy no longer gets better."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from .spatial_policy import SpatialPolicy


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
