"""The locators that FieldFinder can be given, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from typing import Any, cast

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator

from ..envs.core.locators import Locator
from ..envs.core.spaces import Observation
from .noisy_locator import NoisyLocator
from .oracle_locator import OracleLocator
from .places import takes_fractions

Maker = Callable[..., Locator]
"""Called with the locator's options, and with the environment if it has an argument ``env``."""


def _seeing(name: str, env: gym.Env[Observation, Any], **options: Any) -> Locator:
    """A locator that knows nothing but what it sees; what it needs is imported when it is asked for."""
    from ..fieldfinder_model.locators import LOCATORS as SEEING

    if name != "florence" and not takes_fractions(env):
        # The contents of windows change, and with them what may be named.
        options = {"reread": True} | options
    return SEEING[name](**options)


LOCATORS: dict[str, Maker] = {
    "oracle": OracleLocator,
    "noisy_oracle": NoisyLocator,
    "right_of_label": partial(_seeing, "right_of_label"),
    "rules": partial(_seeing, "rules"),
    "fieldfinder": partial(_seeing, "fieldfinder"),
    "florence": partial(_seeing, "florence"),
}
"""What makes each of the shipped locators: two that know the places of all fields, and four that look for them."""


def make_locator(name: str, env: gym.Env[Observation, Any], options: Mapping[str, Any]) -> Locator:
    """A locator for an environment.

    Args:
        name: one of ``LOCATORS``, or the entry point ``"module:name"`` of one of your own.
        env: the environment; locators with an argument of that name are given it.
        options: what the locator takes besides.

    Raises:
        ValueError: if there is no such locator, or it takes no such options.
    """
    maker = _maker(name)
    try:
        return maker(env, **options) if _takes_env(maker) else maker(**options)
    except (ImportError, TypeError) as error:
        raise ValueError(f"locator {name!r} cannot be made with {dict(options)}: {error}") from error


def _takes_env(maker: Maker) -> bool:
    """Whether a maker wants the environment: one that sees nothing but the page need not."""
    try:
        return "env" in signature(maker).parameters
    except ValueError:
        return True


def _maker(name: str) -> Maker:
    if name in LOCATORS:
        return LOCATORS[name]
    if ":" not in str(name):
        raise ValueError(f"no locator {name!r}; there are {', '.join(LOCATORS)}, or entry points 'module:name'")
    try:
        return cast(Maker, load_env_creator(name))
    except (ImportError, AttributeError) as error:
        raise ValueError(f"locator {name!r} cannot be had: {error}") from error
