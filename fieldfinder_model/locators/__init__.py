"""The locators that see only the page, by name; each is imported when it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from ...envs.core.locators import Locator

Maker = Callable[..., Locator]


def _lazy(module: str, name: str) -> Maker:
    """A maker that imports a locator's class when it is called."""

    def make(**options: Any) -> Locator:
        try:
            maker: Maker = getattr(import_module(module, __name__), name)
        except ModuleNotFoundError as error:
            raise ImportError(f"reading pages needs {error.name}: pip install 'formgym[fieldfinder]'") from error
        return maker(**options)

    return make


LOCATORS: dict[str, Maker] = {
    "fieldfinder": _lazy(".finder", "FieldFinder"),
    "rules": _lazy(".rule_locators", "RuleLocator"),
    "right_of_label": _lazy(".rule_locators", "RightOfLabel"),
    "florence": _lazy("..florence.locator", "FlorenceLocator"),
    "policy": _lazy(".policy_locator", "PolicyLocator"),
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
