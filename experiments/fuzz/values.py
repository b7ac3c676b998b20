"""Hostile values of every kind, encoded as JSON so that episodes can be kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

Rng = np.random.Generator
_Item = TypeVar("_Item")
MARK = "$"
"""The key of an object that represents a value that JSON does not have."""
_DEPTH = 200


def _deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(_DEPTH):
        found = [found]
    return found


SPECIAL: dict[str, Callable[[], Any]] = {
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "huge": lambda: 10**5_000,
    "-huge": lambda: -(10**400),
    "bytes": lambda: b"\x00\xff",
    "array": lambda: np.zeros((2, 2)),
    "scalar": lambda: np.array(0.5, np.float32),
    "nan_scalar": lambda: np.float32("nan"),
    "strings": lambda: np.array(["a", "b"]),
    "object": object,
    "complex": lambda: 1j,
    "set": lambda: {1, 2},
    "deep": _deep,
    "long": lambda: "x" * 200_000,
    "spaces": lambda: " \n" * 5_000,
}
"""Values that JSON does not have, or that are too long to be written down, by name."""


@lru_cache(maxsize=1)
def texts() -> dict[str, list[Any]]:
    """Hostile values: texts by argument or ``any``; ``raw`` actions; ``edges``."""
    return dict(json.loads(Path(__file__).with_name("texts.json").read_text(encoding="utf-8")))


def decoded(value: Any) -> Any:
    """The value with placeholders replaced by the values that JSON does not have."""
    if isinstance(value, dict):
        if set(value) == {MARK}:
            return SPECIAL[value[MARK]]()
        return {name: decoded(one) for name, one in value.items()}
    return [decoded(one) for one in value] if isinstance(value, list) else value


def one_of(items: Sequence[_Item], rng: Rng) -> _Item:
    """A random item."""
    return items[int(rng.integers(len(items)))]


def hostile(rng: Rng) -> Any:
    """A value that should not be there."""
    kind = rng.integers(4)
    if kind == 0:
        return {MARK: one_of([*SPECIAL], rng)}
    if kind == 1:
        return one_of(texts()["edges"], rng)
    if kind == 2:
        return one_of(texts()["any"], rng)
    return "".join(chr(int(rng.integers(0x3000))) for _ in range(int(rng.integers(1, 60))))
