"""Pages printed in bars, and their reading: words as wide as their letters, and rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from formgym.envs.paper_forms.examples import Word
from formgym.fieldfinder_model.reading.page_reading import PageReading, read_page


def printed(
    layout: Mapping[tuple[int, int], str], size: tuple[int, int], rules: Iterable[tuple[int, int, int]] = ()
) -> PageReading:
    """The reading of a page.

    Args:
        layout: what is printed from where on (x, y), its words side by side.
        size: height and width of the page.
        rules: left, y, right of each.
    """
    gray = np.full(size, 255, np.uint8)
    words = []
    for (x, y), text in layout.items():
        left = x
        for word in text.split():
            right = left + 8 * len(word)
            gray[y : y + 11, left : right - 2 : 2] = 0
            words.append(Word(word, (left, y, right - 2, y + 11)))
            left = right + 6
    for left, y, right in rules:
        gray[y : y + 2, left:right] = 0
    return read_page(gray, words)
