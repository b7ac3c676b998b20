"""Optional dependencies: imported where they are used, named where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(module: str, extra: str) -> Any:
    """An optional module, imported.

    >>> needed("json", "docedit").dumps([1])
    '[1]'

    Args:
        module: its name.
        extra: the extra of this package that has it.

    Raises:
        ImportError: if it is not installed; the message names the extra.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(missing(error.name or module, extra)) from error


def missing(what: str, extra: str) -> str:
    """The sentence that names the extra which brings something."""
    return f"{what} is not installed: pip install 'formgym[{extra}]'"
