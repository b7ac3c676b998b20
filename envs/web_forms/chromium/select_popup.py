"""Rows of an open native list in a picture, which the mouse cannot reach and keys can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .frame_buffer import Image

POPUP_SCRIPT = """(function open(root, dx, dy) { const one = root.activeElement; if (!one) return null;
    const { left, top, right, bottom } = one.getBoundingClientRect();
    if (one.shadowRoot) return open(one.shadowRoot, dx, dy);
    if (one.contentDocument) return open(one.contentDocument, dx + left + one.clientLeft, dy + top + one.clientTop);
    return one.matches("select:open, input:open") && getComputedStyle(one, "::picker(select)").appearance != "base-select"
      ? { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy, is_list: one.matches("select"),
          rows: one.querySelectorAll("option, optgroup").length } : null })(document, 0, 0)"""  # noqa: E501
"""The edges of the focused control whose native popup is open, whether it is a list, and how many rows that has."""
# The ground of the row that the keys are at, in light and in dark pages.
_ACTIVE = ((0x19, 0x67, 0xD2), (0x99, 0xC8, 0xFF))
_MAX_ROWS = 20
_INSET = 2


def key_towards(picture: Image, popup: Mapping[str, Any], x: int, y: int) -> str:
    """The key that chooses, or comes nearer to, the row at a place; "" if the open list does not lie there.

    Args:
        picture: the frame with the list: uint8 (height, width, 3).
        popup: see ``Tab.popup``.
        x: pixels from the left.
        y: pixels from the top.
    """
    column = picture[:, min(max(round(popup["left"]), 0) + _INSET, picture.shape[1] - 1)]
    active = np.flatnonzero(np.any([(column == colour).all(axis=1) for colour in _ACTIVE], axis=0))
    if not active.size or (picture[active[0], x] != column[active[0]]).any():
        return ""
    length = len(active) * min(popup["rows"], _MAX_ROWS) + 2
    start = popup["bottom"] if active[0] >= popup["bottom"] else popup["top"] - length
    if not start <= y < start + length:
        return ""
    if active[0] <= y <= active[-1]:
        return "Enter"
    return "ArrowDown" if y > active[-1] else "ArrowUp"
