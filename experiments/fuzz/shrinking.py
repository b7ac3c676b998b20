"""Shrinking: a failing episode with as few actions as will do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

MAX_TRIES = 120


def shrunk(actions: Sequence[Any], fails: Callable[[Sequence[Any]], bool]) -> list[Any]:
    """Actions that still fail when as many as can be are left out: halves first, then single ones.

    Args:
        actions: that fail.
        fails: whether some of them fail.
    """
    kept, size, tries = list(actions), max(1, len(actions) // 2), 0
    while tries < MAX_TRIES:
        at, before = 0, len(kept)
        while at < len(kept) and tries < MAX_TRIES:
            tries += 1
            fewer = kept[:at] + kept[at + size :]
            if fewer and fails(fewer):
                kept = fewer
            else:
                at += size
        if size == 1 and len(kept) == before:
            break
        size = max(1, size // 2)
    return kept
