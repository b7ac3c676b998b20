"""Locators by name: those that ship, and entry points of one's own."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...envs.core.locators import Locator


def named_locator(name: str, **options: Any) -> Locator:
    """A locator.

    Args:
        name: one of ``locators.LOCATORS``, or ``"module:name"`` of what makes one of your own.
        **options: what it is made with.

    Raises:
        ValueError: if there is none of that name, or it cannot be imported.
    """
    module, _, attribute = name.partition(":")
    if not attribute:
        return _shipped(name, options)
    try:
        make = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"locator {name!r} cannot be had: {error}") from error
    made: Locator = make(**options)
    return made


def _shipped(name: str, options: dict[str, Any]) -> Locator:
    from ..locators import LOCATORS

    if name not in LOCATORS:
        raise ValueError(f"no locator {name!r}; there are {', '.join(LOCATORS)}, or entry points 'module:name'")
    return LOCATORS[name](**options)
