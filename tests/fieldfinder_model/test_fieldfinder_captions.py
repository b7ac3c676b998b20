"""Labels under the lines that they name, and labels over them: which of them a page has."""

import numpy as np
import pytest

pytest.importorskip("cv2")

from formgym.envs.paper_forms.examples import Word
from formgym.fieldfinder_model.locators.finder import Captions
from formgym.fieldfinder_model.reading.page_reading import read_page

_COLUMNS, _ROWS, _STEP = (40, 250, 460), 5, 80


def _page(label_under, uprights=False):
    """Strips in rows with a label under or over each, and the reading of them."""
    gray = np.full((620, 700), 255, np.uint8)
    words = []
    for row in range(_ROWS):
        for x in _COLUMNS:
            line = 100 + row * _STEP
            gray[line : line + 2, x : x + 190] = 0
            if uprights:
                gray[line : line + _STEP, x : x + 2] = 0
            top = line + 5 if label_under else line - 34
            gray[top : top + 10, x + 4 : x + 60 : 2] = 0
            words.append(Word("Label", (x + 4, top, x + 60, top + 10)))
    return read_page(gray, words)


def test_the_blank_of_a_caption_is_above_its_line():
    reading = _page(label_under=True)
    captions = Captions(reading)
    for box in reading.segment_boxes:
        blank = captions.blank_over(box)
        assert blank is not None
        left, top, right, bottom = blank
        assert bottom < box[1]
        assert box[1] - top < _STEP
        assert (left, right) == pytest.approx((box[0] - 4, box[0] + 186), abs=5)


@pytest.mark.parametrize("uprights", [False, True])
def test_heads_and_cells_have_no_captions(uprights):
    reading = _page(label_under=uprights, uprights=uprights)
    assert all(Captions(reading).blank_over(box) is None for box in reading.segment_boxes)


def test_an_empty_page_has_no_captions():
    reading = read_page(np.full((200, 200), 255, np.uint8), [])
    assert Captions(reading).blank_over((10, 10, 50, 20)) is None
