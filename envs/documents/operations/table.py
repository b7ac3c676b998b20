"""The operations by name, with the signatures that Agent-DocEdit publishes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..scene.document import Document
from .creating import add, replace
from .modifying import modify
from .placing import copy, delete, move
from .split_merge import merge, split


def _first(made: tuple[Document, Any]) -> Document:
    return made[0]


OPERATIONS: dict[str, Callable[..., Document]] = {
    "MOVE": move,
    "DELETE": delete,
    "ADD": lambda document, *given, **named: _first(add(document, *given, **named)),
    "COPY": lambda document, *given, **named: _first(copy(document, *given, **named)),
    "REPLACE": lambda document, *given, **named: _first(replace(document, *given, **named)),
    "MODIFY": modify,
    "SPLIT": lambda document, *given, **named: _first(split(document, *given, **named)),
    "MERGE": lambda document, *given, **named: _first(merge(document, *given, **named)),
}
"""Each takes a document and arguments, and makes another document; a ``ToolError`` says what is wrong."""
