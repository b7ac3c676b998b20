"""Cloning: supervised training of a policy on targets whose boxes are known; rehearsal of it."""

from __future__ import annotations

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from torch import Tensor

from .callbacks import TrainingBudget
from .spatial_policy import SpatialPolicy
from .window_vec_env import TargetPool

_VALUE = 0.5
"""The weight of the values' loss."""
_IMPOSSIBLE = -1e9
_RISE, _MIN_RATE = 0.03, 0.03
"""The share of the budget in which the learning rate rises, and its minimum as a share of its maximum."""
_CURVE = 50
"""How many batches a point of the curve is the mean of."""


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
    progress, steps = budget.start(), 0
    losses: list[float] = []
    curve: list[tuple[int, float]] = []
    while (spent := progress.spent(steps)) < 1:
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
        return self._learning_rate * max(_MIN_REHEARSAL_RATE, 1 - self._progress.spent(self.num_timesteps))
