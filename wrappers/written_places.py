"""Where FieldFinder's tools write in the box of a field: from the left of its blank, beside what is printed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..envs.core.boxes import Box, centre, intersection_area
from ..envs.core.matchers import TICKS
from ..envs.core.painting import Image
from ..envs.core.text_sprites import font
from ..envs.paper_forms.state import PaperFormState
from ..envs.paper_forms.writing import pieces

_DARK = 140
"""Pixels darker than this are ink."""
_RULE = 0.7
"""Rows of a box with a larger share of ink belong to a rule, which a text may touch."""
_SPACE, _MARGIN = 0.4, 0.3
"""The widest gap between words, and the room at both ends of a text, as shares of its size."""


def writing_point(page: Image, state: PaperFormState, box: Box, text: str, signed: bool) -> tuple[float, float]:
    """Where the middle of a text belongs so that it is written in a field, as fractions of the paper.

    A tick is in the middle of the box. Other text begins at the left of the box, after what is printed there, and
    earlier if print stands where it would end: a locator's box may be narrower than the blank, or touch its label.

    Args:
        page: the picture of the paper, uint8 (height, width, 3), which may be scaled down.
        state: of the page; it says how text is written.
        box: of the field, in pixels of the state's page.
        text: what is written.
        signed: whether it is signed rather than typed.
    """
    x, y = centre(box)
    if text.strip() not in TICKS:
        size, face = state.lettering(signed)
        lettering, (left, top, right, bottom) = font(face, size), box
        width = lettering.getlength(text) + 2 * _MARGIN * size
        y = pieces(text, (left, top, max(right, left + width), bottom), lettering)[0].y
        x = _begin(_inked_columns(page, state, box, y, size), left, right, width, size) + width / 2
    return x / state.width, y / state.height


def deletion_point(state: PaperFormState, box: Box) -> tuple[float, float]:
    """The middle of what the agent has written in a box, or of the box if it has written nothing there."""
    own = max((mark.box for mark in state.marks), key=lambda own: intersection_area(own, box), default=box)
    x, y = centre(own if intersection_area(own, box) else box)
    return x / state.width, y / state.height


def _inked_columns(page: Image, state: PaperFormState, box: Box, y: float, size: float) -> NDArray[np.float64]:
    """The columns, in pixels of the state's page, in which something is printed on a line of text about ``y``."""
    scale = page.shape[1] / state.width
    top, bottom = max(int((y - size / 3) * scale), 0), int((y + size / 3) * scale) + 1
    dark = page[top:bottom].min(axis=2) < _DARK
    on_rules = dark[:, max(int(box[0] * scale), 0) : int(box[2] * scale) + 1].mean(axis=1) > _RULE
    return np.asarray(np.flatnonzero(dark[~on_rules].any(axis=0)) / scale, np.float64)


def _begin(inked: NDArray[np.float64], left: float, right: float, width: float, size: float) -> float:
    """The column at which a text of a width begins."""
    begin = left
    for column in inked[(inked >= left - _MARGIN * size) & (inked < (left + right) / 2)]:
        if column - begin > _SPACE * size:
            break
        begin = float(column) + 1
    beyond, before = inked[inked > max(right, begin)], inked[inked < begin]
    over = begin + width - (beyond[0] if len(beyond) else np.inf)
    room = begin - (before[-1] + 1 if len(before) else 0.0)
    return begin - float(min(max(over, 0.0), max(room, 0.0)))
