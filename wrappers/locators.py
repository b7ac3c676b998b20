"""The locators that FieldFinder can be given, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from inspect import signature
from typing import Any

import gymnasium as gym

from ..envs.core.locators import Locator
from ..envs.core.spaces import Observation
from ..fieldfinder_model.locators import LOCATORS as PAGE_LOCATORS
from ..fieldfinder_model.locators import Maker, maker_of
from .noisy_locator import NoisyLocator
from .oracle_locator import OracleLocator
from .places import takes_fractions


def _without_env(name: str, env: gym.Env[Observation, Any], **options: Any) -> Locator:
    """A locator that sees only the page; it rereads pages whose contents change."""
    if name != "florence" and not takes_fractions(env):
        options = {"reread": True} | options
    return PAGE_LOCATORS[name](**options)


LOCATORS: dict[str, Maker] = {
    "oracle": OracleLocator,
    "noisy_oracle": NoisyLocator,
    **{name: partial(_without_env, name) for name in PAGE_LOCATORS},
}
"""The function that makes each locator from its options and, if it takes ``env``, the environment: two know the
places of all fields, the others look for them on the page."""


def make_locator(name: str, env: gym.Env[Observation, Any], options: Mapping[str, Any]) -> Locator:
    """A locator for an environment.

    Args:
        name: one of ``LOCATORS``, or the entry point ``"module:name"`` of one of your own.
        env: the environment; locators with an argument of that name are given it.
        options: what the locator takes besides.

    Raises:
        ValueError: if there is no such locator, or it takes no such options.
    """
    maker = maker_of(name, LOCATORS)
    try:
        return maker(env, **options) if _takes_env(maker) else maker(**options)
    except (ImportError, TypeError) as error:
        raise ValueError(f"locator {name!r} cannot be made with {dict(options)}: {error}") from error


def _takes_env(maker: Maker) -> bool:
    """Whether a maker takes the environment."""
    try:
        return "env" in signature(maker).parameters
    except ValueError:
        return True
