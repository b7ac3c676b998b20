"""Rows: the second line under a head, told by the rules of a table; and the ordinals that ask for it."""

from __future__ import annotations

import re

import numpy as np

from ...envs.core.locators import Box
from ..reading.page import PageReading
from .owners import names_person
from .query import order_words, plain

_LEAST_STEP, _MOST_STEP = 1.3, 6.0
"""How high a row is, in heights of a letter."""


def ordinal_of(text: str) -> tuple[int, str] | None:
    """Which of several a text asks for, counted from 0, and the text without saying so; ``None``: it does not say.

    Args:
        text: such as ``"Second creditor: balance"`` or ``"line 2 amount"``.
    """
    words = plain(text).split()
    ranks = order_words().ordinals
    for i in reversed(range(len(words))):
        rank = None if names_person(words[i]) else ranks.get(words[i])
        if rank is None and re.fullmatch(r"[1-9]", words[i]):
            rank = int(words[i]) - 1
        if rank is not None and len(words) > 1 and words[i : i + 2] not in _NO_ORDINALS:
            rest = words[:i] + words[i + 1 :]
            if i and words[i - 1] in _ROW_WORDS:
                rest = words[: i - 1] + words[i + 1 :]
            if rest:
                return rank, " ".join(rest)
    return None


_NO_ORDINALS = (["first", "name"], ["first", "and"], ["first", "initial"])
_ROW_WORDS = frozenset(plain("line row no nr number item entry renglón строка zeile ligne riga linha").split())


def row_under(label: Box, rank: int, reading: PageReading) -> Box | None:
    """A place at the left of the row that is the ``rank``-th under a head; ``None`` if there are no such rows.

    Args:
        label: the head, in pixels.
        rank: counted from 0.
        reading: of the page.
    """
    edges = _edges(label, reading)
    if len(edges) < rank + 2:
        return None
    top, bottom = edges[rank], edges[rank + 1]
    left = max(0.0, label[0] - 8 * reading.letter)
    middle, half = (top + bottom) / 2, 0.5 * min(reading.letter, bottom - top)
    return left, middle - half, left + reading.letter, middle + half


def _edges(label: Box, reading: PageReading) -> list[float]:
    """The heights of the head's lower edge and of the rules under it that part rows, from above to below."""
    level = reading.level
    if not len(level):
        return []
    middle = (label[0] + label[2]) / 2
    over = (level[:, 0] <= middle) & (level[:, 2] >= middle) & (level[:, 1] >= label[3] - 2)
    found = [float(label[3])]
    for y in np.sort((level[over, 1] + level[over, 3]) / 2):
        step = (y - found[-1]) / reading.letter
        if step > _MOST_STEP:
            break
        if step >= _LEAST_STEP:
            found.append(float(y))
        elif len(found) == 1:
            found[0] = float(y)
    return found
