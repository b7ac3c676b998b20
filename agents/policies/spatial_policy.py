"""SpatialPolicy: a policy of Stable-Baselines3 whose logits are a map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from .window_vec_env import TargetPool

MapNetwork = Callable[[], nn.Module]
"""Makes a module from a dict of observations to logits (n, actions) and values (n,)."""


class SpatialPolicy(ActorCriticPolicy):
    """An actor-critic whose logits and values are a network's own output.

    Args:
        observation_space: a dict.
        action_space: the cells of the map.
        lr_schedule: see Stable-Baselines3.
        network: makes the network.
        **kwargs: see ``ActorCriticPolicy``.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        network: MapNetwork,
        **kwargs: Any,
    ) -> None:
        self._make_network = network
        own = {
            "features_extractor_class": _MapExtractor,
            "features_extractor_kwargs": {"network": network, "action_space": action_space},
            "net_arch": [],
            "ortho_init": False,
            "normalize_images": False,
        }
        super().__init__(observation_space, action_space, lr_schedule, **kwargs | own)

    @property
    def network(self) -> nn.Module:
        """The network, all that the policy learns."""
        extractor = self.features_extractor
        assert isinstance(extractor, _MapExtractor)
        return extractor.network

    def log_probabilities(self, observations: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        """The log probabilities of all actions (n, actions), and the values (n,)."""
        logits, values = self.network(observations)
        return logits.log_softmax(-1), values

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"network": self._make_network}

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = _Parts(self.features_dim - 1)  # type: ignore[assignment]

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        self.action_net, self.value_net = nn.Identity(), nn.Identity()  # type: ignore[assignment]
        # Again, without the layers that were there before.
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]


class _MapExtractor(BaseFeaturesExtractor):
    """The network's logits with the value behind them, (n, actions + 1)."""

    def __init__(
        self, observation_space: spaces.Space[Any], network: MapNetwork, action_space: spaces.Discrete
    ) -> None:
        super().__init__(observation_space, int(action_space.n) + 1)
        self.network = network()

    def forward(self, observations: Mapping[str, Tensor]) -> Tensor:
        """Logits and value."""
        logits, values = self.network(observations)
        return torch.cat([logits, values[:, None]], 1)


class _Parts(nn.Module):
    """The features parted into what the actor and what the critic takes."""

    latent_dim_vf = 1

    def __init__(self, n_actions: int) -> None:
        super().__init__()
        self.latent_dim_pi = n_actions

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and value."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        """The logits."""
        return features[:, :-1]

    def forward_critic(self, features: Tensor) -> Tensor:
        """The value."""
        return features[:, -1:]


def likeliest_cells(policy: SpatialPolicy, pool: TargetPool, batch_size: int = 128) -> NDArray[np.int64]:
    """The likeliest cell of each target of a pool, without jitter: (n,)."""
    index = np.arange(len(pool))
    cells = [np.zeros(0, np.int64)]
    policy.set_training_mode(False)
    for at in range(0, len(pool), batch_size):
        part = index[at : at + batch_size]
        cells.append(policy.predict(pool.observe(part, pool.origins(part)), deterministic=True)[0])
    return np.concatenate(cells)
