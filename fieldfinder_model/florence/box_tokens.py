"""Prompts and answers of Florence-2: boxes as four location tokens.

See Xiao et al. 2024, section 3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from ...envs.core.boxes import Box, iou
from ...envs.core.locators import Detection

BINS = 1000
"""The number of bins from edge to edge of a page, across and down."""

Bins = tuple[int, int, int, int]
"""The bins of left, top, right and bottom, each from 0 to 999."""

_TOKEN = re.compile(r"<loc_(\d+)>")


def box_bins(box: Box, width: int, height: int) -> Bins:
    """The bins that hold the edges of a box, clipped to the page.

    Args:
        box: in pixels of the page.
        width: of the page, in pixels.
        height: of the page, in pixels.

    Raises:
        ValueError: if an edge is no finite number, or the box ends before it begins.
    """
    left, top, right, bottom = box
    if not all(map(math.isfinite, box)) or left > right or top > bottom:
        raise ValueError(f"{box} is no box: left, top, right, bottom must be finite, and none may end before it begins")
    return _bin(left, width), _bin(top, height), _bin(right, width), _bin(bottom, height)


def bins_box(bins: Bins, width: int, height: int) -> Box:
    """The box whose edges lie in the middles of bins, in pixels of a page.

    Where both edges lie in one bin the box is half a bin wide (or high), so that every box has an area; ``box_bins`` of
    the box is ``bins`` again.

    Args:
        bins: of the edges, in order.
        width: of the page, in pixels.
        height: of the page, in pixels.
    """
    left, right = _span(bins[0], bins[2], width)
    top, bottom = _span(bins[1], bins[3], height)
    return left, top, right, bottom


def bins_text(bins: Bins) -> str:
    """A box in Florence-2's format: ``<loc_left><loc_top><loc_right><loc_bottom>``."""
    return "".join(map(location_token, bins))


def text_bins(text: str) -> Bins | None:
    """The bins in an answer; other text in it is ignored.

    Returns:
        ``None`` if ``text`` has more or fewer than four location tokens, or they end before they begin.
    """
    found = tuple(map(int, _TOKEN.findall(text)))
    if len(found) != 4:
        return None
    left, top, right, bottom = found
    return found if left <= right < BINS and top <= bottom < BINS else None


def location_token(number: int) -> str:
    """The token of a bin."""
    return f"<loc_{number}>"


def _bin(edge: float, size: int) -> int:
    return min(max(math.floor(edge / size * BINS), 0), BINS - 1)


def _span(first: int, last: int, size: int) -> tuple[float, float]:
    """The start and end of a box side in pixels, from the middles of its bins."""
    start, end = (first + 0.5, last + 0.5) if first < last else (first + 0.25, last + 0.75)
    return start * size / BINS, end * size / BINS


MAX_TARGET = 100
"""The maximum number of characters of a target in a prompt; the rest, names far above the field, is left out.

At four tokens for each character, the maximum, such a prompt and the 577 tokens of the picture still fit the
1024 positions of the base model.
"""


def prompt(target: str) -> str:
    """The prompt for a field: ``Locate the field: `` and its target in one line.

    A space after each ``<`` keeps text like ``<loc_5>``, ``</s>`` or ``<OCR>`` from being read as a special token.

    Raises:
        ValueError: if the target is blank.
    """
    words = " ".join(target.split())[:MAX_TARGET].rstrip()
    if not words:
        raise ValueError("a target is blank: give what the field is called on the page")
    return "Locate the field: " + re.sub(r"<(?=\S)", "< ", words)


SAME_PLACE = 0.5
"""Boxes with a larger intersection over union than this are one place."""


def places(answers: Iterable[tuple[str, float]], width: int, height: int) -> list[Detection]:
    """The places that the answers to one prompt give, the most likely first.

    Answers that are no box give none. Boxes that overlap much (``SAME_PLACE``) are one place: it has the box of the
    most likely answer, and its score is the total probability of all of them.

    Args:
        answers: the texts, all different, and the logarithms of their probabilities.
        width: of the page, in pixels.
        height: of the page, in pixels.
    """
    found: dict[Box, float] = {}
    for text, log in sorted(answers, key=lambda answer: -answer[1]):
        if bins := text_bins(text):
            box = bins_box(bins, width, height)
            place = next((other for other in found if iou(box, other) > SAME_PLACE), box)
            found[place] = found.get(place, 0.0) + math.exp(log)
    # Probabilities in float32 may add up to a little more than 1.
    total = max(math.fsum(found.values()), 1.0)
    return sorted((Detection(box, score / total) for box, score in found.items()), key=lambda place: -place.score)
