"""The locators that see nothing but the page, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..envs.core.locators import Locator


@contextmanager
def _extra_needed() -> Iterator[None]:
    """Says how to get what reading pages needs and is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(f"reading pages needs {error.name}: pip install 'formgym[fieldfinder]'") from error


def _finder(**options: Any) -> Locator:
    with _extra_needed():
        from .finder import FieldFinder
    return FieldFinder(**options)


def _right_of_label(**options: Any) -> Locator:
    with _extra_needed():
        from .right_of_label import RightOfLabel
    return RightOfLabel(**options)


def _rules(**options: Any) -> Locator:
    with _extra_needed():
        from .rule_locator import RuleLocator
    return RuleLocator(**options)


def _florence(**options: Any) -> Locator:
    from .florence.locator import FlorenceLocator

    return FlorenceLocator(**options)


LOCATORS: dict[str, Callable[..., Locator]] = {
    "fieldfinder": _finder,
    "rules": _rules,
    "right_of_label": _right_of_label,
    "florence": _florence,
}
"""What makes each, from its options; what they need is imported when they are made."""
