"""Looks: how an edit has changed the picture of a page."""

from __future__ import annotations

import math

import numpy as np

from ...core.painting import Image
from ..scoring.pictures import changed_box
from .request_features import Reading

LOOKS = ("is seen", "changed share", "box share", "mean change", "nearer to colour", "brighter")
"""What is measured."""


def looks_of(before: Image, after: Image, reading: Reading) -> dict[str, float]:
    """What an edit has done to a page's picture.

    Args:
        before: the page: uint8 (height, width, 3).
        after: the same page after the edit.
        reading: of the request; its colours are looked for in what changed.

    Returns:
        By ``LOOKS``: whether any pixel differs; the logarithms of the shares of pixels that differ and of the box
        around them (0: all of the page, -1: a millionth); how far those pixels changed in the mean, 0 to 1; by how
        much they came nearer to a colour that is told, -1 to 1; how much brighter they became.
    """
    box = changed_box(before, after)
    if box is None:
        return dict.fromkeys(LOOKS, 0.0)
    left, top, right, bottom = box
    one, other = (picture[top:bottom, left:right] for picture in (before, after))
    differs = np.logical_or.reduce([one[..., i] != other[..., i] for i in range(3)])
    pixels = before.shape[0] * before.shape[1]
    was, now = (picture[differs].astype(np.float32) for picture in (one, other))
    old, new = was.mean(axis=0), now.mean(axis=0)
    nearer = [float(np.abs(old - colour).mean() - np.abs(new - colour).mean()) / 255 for colour in reading.colours]
    return {
        "is seen": 1.0,
        "changed share": _log_share(int(differs.sum()) / pixels),
        "box share": _log_share((right - left) * (bottom - top) / pixels),
        "mean change": float(np.abs(was - now).mean()) / 255,
        "nearer to colour": max(nearer, default=0.0),
        "brighter": float((new - old).mean()) / 255,
    }


def _log_share(share: float) -> float:
    return max(-1.0, math.log10(max(share, 1e-6)) / 6)
