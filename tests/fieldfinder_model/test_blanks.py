"""Blanks of a page: their kinds, their labels, and how many of a shipped form's fields they cover."""

import numpy as np
import pytest
from PIL import Image, ImageDraw
from sizes import some

pytest.importorskip("cv2")

from formgym.envs.core.boxes import centre, contains
from formgym.envs.core.pages import page_image
from formgym.envs.core.text_sprites import TYPED_FACE, font
from formgym.envs.paper_forms.examples import Word
from formgym.envs.paper_forms.paper_form import paper_form, shipped_forms
from formgym.fieldfinder_model.reading.blanks import blanks_in, blanks_of
from formgym.fieldfinder_model.reading.page_reading import read_page


def sheet(drawn, *texts):
    """The blanks of a page with texts at places, on which a function draws."""
    picture, words = Image.new("L", (600, 400), 255), []
    draw, face = ImageDraw.Draw(picture), font(TYPED_FACE, 16)
    drawn(draw)
    for x, y, text in texts:
        for word in text.split():
            box = draw.textbbox((x, y), word, font=face)
            draw.text((x, y), word, fill=0, font=face)
            words.append(Word(word, tuple(map(float, box))))
            x = box[2] + 6
    gray = np.asarray(picture)
    return [(blank.kind, blank.label, blank.cells, blank.box) for blank in blanks_in(read_page(gray, words), gray)]


def test_a_line_behind_its_label_is_a_blank_above_the_line():
    ((kind, label, _, box),) = sheet(lambda draw: draw.line((160, 58, 380, 58), fill=0), (40, 40, "Date of birth"))
    assert (kind, label) == ("line", "Date of birth")
    assert box == pytest.approx((160, 30, 380, 58), abs=12)


def test_cells_of_a_table_are_blanks_under_what_is_printed_in_them():
    def table(draw):
        draw.rectangle((40, 180, 560, 260), outline=0)
        draw.line((300, 180, 300, 260), fill=0)

    blanks = sheet(table, (46, 184, "Employer"), (306, 184, "Position"))
    assert [blank[:2] for blank in blanks] == [("cell", "Employer"), ("cell", "Position")]
    assert all(box[1] > 196 and box[3] < 260 for *_, box in blanks)


def test_narrow_cells_of_one_width_are_a_comb():
    def comb(draw):
        for i in range(6):
            draw.rectangle((200 + 24 * i, 100, 224 + 24 * i, 130), outline=0)

    ((kind, label, cells, box),) = sheet(comb, (60, 106, "Postal code"))
    assert (kind, label, cells) == ("comb", "Postal code", 6)
    assert box == pytest.approx((200, 100, 344, 130), abs=4)


def test_a_tick_box_has_the_label_on_its_right():
    def boxes(draw):
        for x in (44, 204):
            draw.rectangle((x, 101, x + 14, 115), outline=0)

    blanks = sheet(boxes, (70, 100, "Own"), (230, 100, "Rent"))
    assert [blank[:2] for blank in blanks] == [("tick", "Own"), ("tick", "Rent")]


def test_space_behind_a_colon_is_a_blank():
    assert [blank[:2] for blank in sheet(lambda draw: None, (40, 40, "Telephone:"))] == [("space", "Telephone")]


def test_a_page_of_prose_has_no_blanks():
    prose = [(40, 40 + 24 * line, "the rules of this house are kept by all who live in it") for line in range(8)]
    assert sheet(lambda draw: None, *prose) == []


@pytest.mark.parametrize(
    "name", some(["summit_ridge_motor_credit"], ["summit_ridge_motor_credit", "cedar_valley_vehicle_loan"])
)
def test_fields_of_a_shipped_form_are_covered(name):
    pytest.importorskip("rapidocr")
    folder = next(folder for folder in shipped_forms("paper_forms") if folder.name == name)
    form, height = paper_form(name), 360
    blanks = blanks_of(page_image(folder / "page.png", form.size)[:height])
    fields = [field for field in form.fields if field.box[3] < height]
    assert len(fields) > 15
    assert np.mean([any(contains(blank.box, *centre(field.box)) for blank in blanks) for field in fields]) > 0.95
    assert len(blanks) < 1.3 * len(fields)
