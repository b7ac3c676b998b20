"""The locators that see only the page, by name; each is imported when it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...envs.core.locators import Locator

if TYPE_CHECKING:
    from ..florence.locator import FlorenceLocator
    from .document_locator import DocumentLocator
    from .finder import FieldFinderLocator
    from .policy_locator import PolicyLocator
    from .rule_locators import RightOfLabel, RuleLocator

__all__ = [
    "LOCATORS",
    "DocumentLocator",
    "FieldFinderLocator",
    "FlorenceLocator",
    "PolicyLocator",
    "RightOfLabel",
    "RuleLocator",
    "maker_of",
    "named_locator",
]

Maker = Callable[..., Locator]


_MODULES = {
    "DocumentLocator": ".document_locator",
    "FieldFinderLocator": ".finder",
    "RuleLocator": ".rule_locators",
    "RightOfLabel": ".rule_locators",
    "FlorenceLocator": "..florence.locator",
    "PolicyLocator": ".policy_locator",
}


def __getattr__(name: str) -> Any:
    """A locator's class, from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(_MODULES[name], __name__), name)
    except ModuleNotFoundError as error:
        raise ImportError(f"reading pages needs {error.name}: pip install 'formgym[fieldfinder]'") from error


def _make(name: str, **options: Any) -> Locator:
    """A locator, whose class is imported when it is made."""
    locator: Locator = __getattr__(name)(**options)
    return locator


LOCATORS: dict[str, Maker] = {
    "fieldfinder": partial(_make, "FieldFinderLocator"),
    "rules": partial(_make, "RuleLocator"),
    "right_of_label": partial(_make, "RightOfLabel"),
    "florence": partial(_make, "FlorenceLocator"),
    "policy": partial(_make, "PolicyLocator"),
}
"""The maker of each locator, which takes its options."""


def maker_of(name: str, makers: Mapping[str, Maker]) -> Maker:
    """The maker of a locator, by name or entry point.

    Args:
        name: one of ``makers``, or the entry point ``"module:name"`` of one of your own.
        makers: by name.

    Raises:
        ValueError: if there is none of that name, or it cannot be imported.
    """
    if name in makers:
        return makers[name]
    module, colon, attribute = str(name).partition(":")
    if not colon:
        raise ValueError(f"no locator {name!r}; there are {', '.join(makers)}, or entry points 'module:name'")
    try:
        make: Maker = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"locator {name!r} cannot be had: {error}") from error
    return make


def named_locator(name: str, **options: Any) -> Locator:
    """Make a locator that sees only pages.

    Args:
        name: one of ``LOCATORS``, or an entry point; it is called with the options alone.
        **options: the arguments of its maker.

    Raises:
        ValueError: if there is none of that name, it cannot be imported, or it cannot be made with these options.
    """
    make = maker_of(name, LOCATORS)
    try:
        return make(**options)
    except (ImportError, TypeError) as error:
        raise ValueError(f"locator {name!r} cannot be made with {options}: {error}") from error
