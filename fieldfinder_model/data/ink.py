"""Ink on a gray page: what is dark, and which of it are rules."""

from __future__ import annotations

import numpy as np

from ...envs.core.painting import Rect
from ...envs.paper_forms.datasets.rules import CONTRAST, Mask
from ..examples import Gray


def ink_in(gray: Gray, rect: Rect, around: int = 40) -> Mask:
    """What is ink in a rectangle; how dark paper is is judged from ``around`` pixels about it.

    Returns:
        bool (height, width) of the rectangle.
    """
    left, top, right, bottom = rect
    window = gray[max(top - around, 0) : bottom + around, max(left - around, 0) : right + around]
    dark: Mask = gray[top:bottom, left:right] < np.percentile(window, 80) - CONTRAST
    return dark


def long_runs(ink: Mask, shortest: int) -> Mask:
    """The ink in runs from left to right of at least ``shortest`` pixels; those from above to below of ``ink.T``."""
    if ink.shape[1] < shortest or not ink.any():
        return np.zeros_like(ink)
    sums = np.pad(ink.cumsum(axis=1, dtype=np.int32), ((0, 0), (1, 0)))
    full = (sums[:, shortest:] - sums[:, :-shortest]) == shortest
    # A full window begins in each of these columns: all that it covers is part of a run.
    counts = np.pad(full.cumsum(axis=1, dtype=np.int32), ((0, 0), (shortest, shortest - 1)), mode="constant")
    counts[:, full.shape[1] + shortest :] = counts[:, full.shape[1] + shortest - 1][:, None]
    covered: Mask = (counts[:, shortest:] - counts[:, : ink.shape[1]]) > 0
    return covered
