"""A reward other than hits on boxes: clicks that use a control of a web form."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ....envs.web_forms.grounding_env import CANVAS, whole_page
from ....envs.web_forms.replay.captured_page import CapturedPage
from ....fieldfinder_model.windows.label_windows import Floats, Ints
from ....fieldfinder_model.windows.window_pool import WindowPool


class ClickReward:
    """1 for points where a click uses the target's control, as FormFactory scores.

    A click on a label uses its control. A policy that is paid for that learns to point at labels: see the recipes.

    Args:
        pool: targets of web forms, see ``recipes.pages_of``.
    """

    def __init__(self, pool: WindowPool) -> None:
        self._pool = pool
        self._opened = lru_cache(maxsize=None)(_opened)

    def __call__(self, index: Ints, points: Floats) -> Floats:
        """The rewards (n,) of points (n, 2) in fractions of the targets' pages."""
        pixels = points * CANVAS[::-1]
        return np.array([self._uses(i, x, y) for i, (x, y) in zip(index.tolist(), pixels.tolist(), strict=True)], float)

    def _uses(self, number: int, x: float, y: float) -> bool:
        page = self._opened(self._pool.pages[self._pool.page_of[number]].name)
        pointer = page.pointer
        widget, labelled, date = pointer.hit_at(x, y)
        used = date or widget or labelled
        return used is not None and used.spot.box == self._pool.targets[number].box


def _opened(name: str) -> CapturedPage:
    """The page of an empty form, by its name ``form/theme/page``."""
    form, theme, number = name.split("/")
    return whole_page(form, theme, int(number))
