"""Training of policies: budgets, cloning of targets whose boxes are known, rehearsal of it, and early stops."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from torch import Tensor

from .spatial_policy import SpatialPolicy
from .window_vec_env import TargetPool

_VALUE = 0.5
"""The weight of the values' loss."""
_IMPOSSIBLE = -1e9
_RISE, _MIN_RATE = 0.03, 0.03
"""The share of the budget in which the learning rate rises, and its minimum as a share of its maximum."""
_CURVE = 50
"""How many batches a point of the curve is the mean of."""


@dataclass(frozen=True)
class TrainingBudget:
    """How long something is trained: exactly one of the two is given.

    >>> TrainingBudget(steps=100).start()(25)
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

    def start(self) -> Callable[[int], float]:
        """Begin to spend it: a function from the steps done to the share that is spent; at 1 it is used up."""
        began = time.process_time()

        def spent(steps: int) -> float:
            if self.cpu_seconds is None:
                return steps / (self.steps or 1)
            return (time.process_time() - began) / self.cpu_seconds

        return spent


def cloning_loss(
    policy: SpatialPolicy, pool: TargetPool, rng: np.random.Generator, batch_size: int = 64
) -> Tensor | None:
    """The loss of cloning: -log P(any right cell), and the error of the values.

    All cells that hit are as good. The critic learns the probability of a hit, so that PPO does not begin with a
    baseline of noise. Targets that have no right cell in their windows are left out; ``None``: there are no others.
    """
    index = rng.integers(len(pool), size=batch_size)
    origins = pool.origins(index, rng)
    right = pool.right_cells(index, origins)
    visible = right.any(1)
    if not visible.any():
        return None
    seen = pool.observe(index[visible], origins[visible])
    scores, values = policy.log_probabilities({name: torch.as_tensor(array) for name, array in seen.items()})
    log_hit = scores.masked_fill(torch.as_tensor(~right[visible]), _IMPOSSIBLE).logsumexp(-1)
    return -log_hit.mean() + _VALUE * ((values - log_hit.exp().detach()) ** 2).mean()


def clone(
    policy: SpatialPolicy,
    pool: TargetPool,
    budget: TrainingBudget,
    seed: int = 0,
    learning_rate: float = 2e-3,
    batch_size: int = 64,
) -> list[tuple[int, float]]:
    """Train a policy by ``cloning_loss``.

    Args:
        policy: changed in place.
        pool: the targets.
        budget: its steps are batches.
        seed: of the batches.
        learning_rate: the maximum of AdamW's; it rises at first and then falls in a straight line.
        batch_size: how many targets a batch has.

    Returns:
        The number of batches and the mean loss of the last 50, again and again.
    """
    rng = np.random.default_rng(seed)
    optimizer = torch.optim.AdamW(policy.network.parameters(), learning_rate, weight_decay=1e-4)
    policy.set_training_mode(True)
    spent_at, steps = budget.start(), 0
    losses: list[float] = []
    curve: list[tuple[int, float]] = []
    while (spent := spent_at(steps)) < 1:
        optimizer.param_groups[0]["lr"] = learning_rate * max(_MIN_RATE, min(1, spent / _RISE) * (1 - spent))
        losses.append(cloning_step(policy, optimizer, pool, rng, batch_size))
        steps += 1
        if steps % _CURVE == 0:
            curve.append((steps, float(np.mean(losses[-_CURVE:]))))
    policy.set_training_mode(False)
    return curve


def cloning_step(
    policy: SpatialPolicy,
    optimizer: torch.optim.Optimizer,
    pool: TargetPool,
    rng: np.random.Generator,
    batch_size: int = 64,
) -> float:
    """Train on one batch, and return its loss; 0 if no target of it is visible."""
    loss = cloning_loss(policy, pool, rng, batch_size)
    if loss is None:
        return 0.0
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return float(loss.detach())


_MIN_REHEARSAL_RATE = 0.05
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
        self._spent = self._budget.start()
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
        return self._spent(self.num_timesteps) < 1

    def _rate(self, _: float) -> float:
        return self._learning_rate * max(_MIN_REHEARSAL_RATE, 1 - self._spent(self.num_timesteps))


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
