"""Locators by name: those that ship, and entry points of one's own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...envs.core.locators import Locator


def named_locator(name: str, **options: Any) -> Locator:
    """A locator that sees nothing but pages.

    Args:
        name: one of ``locators.LOCATORS``, or ``"module:name"`` of what makes one of your own, called with the options
            alone: there is no environment here.
        **options: what it is made with.

    Raises:
        ValueError: if there is none of that name, it cannot be imported, or it cannot be made with these options.
    """
    make = _maker(name)
    try:
        return make(**options)
    except (ImportError, TypeError) as error:
        raise ValueError(f"locator {name!r} cannot be made with {options}: {error}") from error


def _maker(name: str) -> Callable[..., Locator]:
    from ..locators import LOCATORS

    if name in LOCATORS:
        return LOCATORS[name]
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(f"no locator {name!r}; there are {', '.join(LOCATORS)}, or entry points 'module:name'")
    try:
        make: Callable[..., Locator] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"locator {name!r} cannot be had: {error}") from error
    return make
