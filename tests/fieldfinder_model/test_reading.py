"""Reading a page for FieldFinder: ink, rules, tick boxes, words, segments, captions; RapidOCR where it is installed."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

pytest.importorskip("cv2")

from formgym.envs.core.text_sprites import TYPED_FACE, font
from formgym.envs.paper_forms.examples import Word
from formgym.fieldfinder_model.locators.finder import Captions
from formgym.fieldfinder_model.reading.page_reading import blank_below, blank_right, read_page, rule_under


@pytest.fixture(scope="module")
def sheet():
    """A small form: two labels with lines, a tick box, a frame; and its words."""
    picture = Image.new("L", (600, 400), 255)
    draw = ImageDraw.Draw(picture)
    words = []

    def write(x, y, text):
        for word in text.split():
            left, top, right, bottom = draw.textbbox((x, y), word, font=font(TYPED_FACE, 16))
            draw.text((x, y), word, fill=0, font=font(TYPED_FACE, 16))
            # As loose as readers tell boxes.
            words.append(Word(word, (left - 2, top - 3, right + 2, bottom + 3)))
            x = right + 5

    write(40, 40, "Date of Birth:")
    draw.line((160, 58, 380, 58), fill=0, width=1)
    write(400, 40, "Phone:")
    write(70, 100, "Own")
    draw.rectangle((44, 101, 58, 115), outline=0)
    draw.rectangle((40, 180, 560, 260), outline=0)
    draw.line((300, 180, 300, 260), fill=0)
    write(46, 184, "Employer")
    write(306, 184, "Position")
    return np.asarray(picture), words


@pytest.fixture(scope="module")
def reading(sheet):
    return read_page(*sheet)


def test_rules_are_told_from_letters(reading):
    assert any(abs(y - 58) <= 1 and right - left > 200 for left, y, right, _ in reading.level)
    uprights = sorted(int(left) for left, top, _, bottom in reading.uprights if bottom - top > 60)
    assert uprights == pytest.approx([40, 300, 560], abs=1)
    assert not reading.ink.letters[57:60, 170:370].any()
    assert reading.ink.letters[40:58, 40:150].any()


def test_a_tick_box_is_found_and_is_no_word(reading):
    assert [tuple(map(round, box)) for box in reading.ticks] == [(44, 101, 59, 116)]


def test_words_are_snapped_to_their_ink(reading, sheet):
    gray, loose = sheet
    for word, expected in zip(
        sorted(reading.words, key=lambda w: w.text), sorted(loose, key=lambda w: w.text), strict=True
    ):
        assert word.box[1] >= expected.box[1] + 1
        left, top, right, bottom = (int(edge) for edge in word.box)
        assert (gray[top:bottom, left:right] < 128).any()


def test_words_told_far_too_high_are_snapped_too(sheet):
    gray, loose = sheet
    high = [Word(text, (left, top - 14, right, bottom + 2)) for text, (left, top, right, bottom) in loose]
    assert read_page(gray, high).letter == pytest.approx(read_page(gray, loose).letter, abs=1)


def test_segments_part_at_wide_gaps_and_at_rules(reading):
    texts = sorted(" ".join(reading.words[i].text for i in segment) for segment in reading.segments)
    assert texts == ["Date of Birth:", "Employer", "Own", "Phone:", "Position"]


def test_blanks_end_at_words_rules_and_margins(reading):
    box = {reading.words[s[0]].text: b for s, b in zip(reading.segments, reading.segment_boxes, strict=True)}
    assert blank_right(box["Date"], reading) == pytest.approx(box["Phone:"][0])
    assert blank_right(box["Phone:"], reading) == 600
    assert blank_right(box["Employer"], reading) == pytest.approx(300, abs=2)
    assert blank_below(box["Employer"], reading) == pytest.approx(260, abs=1)
    line = rule_under((150, 40, 400, 56), reading, 8)
    assert line is not None
    assert line[0] <= 162
    assert line[2] >= 378


def test_an_empty_page_is_read_as_empty():
    reading = read_page(np.full((300, 200), 255, np.uint8), [])
    assert not reading.words
    assert not len(reading.level)
    assert not reading.ticks
    assert reading.letter == 12
    assert Captions(reading).blank_over((10, 10, 50, 20)) is None


@pytest.mark.parametrize("shape", [(1, 1), (5, 900), (900, 5)])
def test_odd_pages_are_read(shape):
    assert read_page(np.zeros(shape, np.uint8), []).size == shape


def test_rapidocr_reads_the_labels(sheet):
    pytest.importorskip("rapidocr")
    reading = read_page(sheet[0])
    texts = " ".join(" ".join(reading.words[i].text for i in segment) for segment in reading.segments)
    for label in ("Date", "Birth", "Phone", "Employer", "Position"):
        assert label in texts


# -- Captions --------------------------------------------------------------------------------------------------------

_COLUMNS, _ROWS, _STEP = (40, 250, 460), 5, 80


def _captioned(label_under, uprights=False):
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
    reading = _captioned(label_under=True)
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
    reading = _captioned(label_under=uprights, uprights=uprights)
    assert all(Captions(reading).blank_over(box) is None for box in reading.segment_boxes)
