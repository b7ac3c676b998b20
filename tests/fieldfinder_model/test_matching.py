"""Matching targets to printed labels: spelling, sections, columns, order words, whom a form asks, other letters."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("cv2")

from printed_fixture import printed

from formgym.fieldfinder_model.matching.label_search import labels_of
from formgym.fieldfinder_model.matching.owners import columns_of, ordinal_of, row_under, zones_of
from formgym.fieldfinder_model.matching.spans import Spans
from formgym.fieldfinder_model.matching.target_words import (
    plain,
    query_of,
)
from formgym.fieldfinder_model.reading.page_reading import read_page

LOAN = {
    (40, 20): "Applicant",
    (40, 60): "Name:",
    (40, 90): "Home Phone:",
    (40, 120): "Social Security No.",
    (400, 20): "Co-Applicant",
    (400, 60): "Name:",
    (400, 90): "Home Phone:",
    (40, 200): "Reference 1",
    (40, 230): "Telephone",
    (40, 300): "Reference 2",
    (40, 330): "Telephone",
    (40, 420): "Creditor",
    (240, 400): "Monthly",
    (240, 420): "Payment",
    (440, 420): "Balance",
    (40, 450): "First Bank",
    (40, 480): "Second Bank",
    (40, 560): "Purpose of the loan and",
    (40, 575): "how it will be repaid",
}
_ASKED = {
    (0, 0): "Full name",
    (260, 0): "Date of birth",
    (0, 60): "Home address",
    (260, 60): "Time there:",
    (380, 60): "Yrs.",
    (440, 60): "Mos.",
    (0, 120): "Employer",
    (260, 120): "How long employed?",
    (440, 120): "Yrs.",
    (500, 120): "Mos.",
    (0, 180): "Marital status",
    (160, 180): "Single",
    (260, 180): "Married",
}
"""What a form asks each of two, one under the other."""
JOINT = {
    **{(40 + x, 60 + y): text for (x, y), text in _ASKED.items()},
    **{(40 + x, 360 + y): text for (x, y), text in _ASKED.items()},
    (40, 640): "Name of creditor",
    (260, 640): "Balance",
    (400, 610): "Applicant",
    (520, 610): "Co-Applicant",
    (40, 800): "Overtime",
    (400, 760): "Applicant",
    (520, 760): "Co-Applicant",
}
SECOND = 360
RULES = [(30, 660, 360), (30, 690, 360), (30, 720, 360)]
PAGES = {"loan": (LOAN, (700, 700)), "joint": (JOINT, (900, 700), RULES)}


@lru_cache
def _reading(page):
    return printed(*PAGES[page])


@lru_cache
def _spans(page):
    return Spans(_reading(page))


def _labels(target, page):
    return labels_of(query_of(target), _spans(page), _reading(page))


def _corner(box):
    return round(box[0]), round(box[1])


@pytest.mark.parametrize(
    ("page", "target", "place"),
    [
        ("loan", "Social Security No.", (40, 120)),
        ("loan", "S0cial Securlty No", (40, 120)),
        ("loan", "SSN", (40, 120)),
        ("loan", "Balance", (440, 420)),
        ("loan", "Name | Applicant", (40, 60)),
        ("loan", "Name | Co-Applicant", (400, 60)),
        ("loan", "Co-Applicant Name", (400, 60)),
        ("loan", "Home Phone | Co-Applicant", (400, 90)),
        ("loan", "Telephone | Reference 2", (40, 330)),
        ("loan", "Telephone | Second reference", (40, 330)),
        ("loan", "Telephone | Reference 1", (40, 230)),
        ("loan", "Purpose of the loan and how it will be repaid", (40, 560)),
        ("joint", "Applicant: full name", (40, 60)),
        ("joint", "Co-applicant: full name", (40, SECOND)),
        ("joint", "JointFullBirthDate", (300, SECOND)),
        ("joint", "FullBirthDate", (300, 60)),
        ("joint", "Joint applicant: time at home address, years", (420, SECOND + 60)),
        ("joint", "TimeAtAddressMonths", (480, 120)),
        ("joint", "JointEmployerLengthYears", (480, SECOND + 120)),
        ("joint", "EmployerLengthMonths", (540, 180)),
        ("joint", "Co-applicant: marital status: married", (300, SECOND + 180)),
        ("joint", "MaritalStatus_Single", (200, 240)),
        ("joint", "Applicant: date of birth", (300, 60)),
    ],
)
def test_the_right_label_is_matched(page, target, place):
    assert _corner(_labels(target, page)[0].box) == place


def test_a_label_of_two_lines_is_one_box():
    box = _labels("Monthly Payment", "loan")[0].box
    assert (round(box[1]), round(box[3])) == (400, 431)


@pytest.mark.parametrize("target", ["Balance | Second Bank", "Second Bank | Balance"])
def test_row_and_column_go_in_either_order(target):
    labels = _labels(target, "loan")
    sides = {(round(label.box[1]), round(label.other[1])) for label in labels if label.other is not None}
    assert sides & {(420, 480), (480, 420)}


def test_what_is_not_printed_has_no_good_label():
    assert all(label.score < 80 for label in _labels("Quarterly dividend", "loan"))


@given(target=st.text(min_size=1, max_size=40))
def test_any_text_may_be_looked_for(target):
    for label in _labels(target, "loan"):
        left, top, right, bottom = label.box
        assert 0 <= left < right <= 700
        assert 0 <= top < bottom <= 700


def test_a_row_has_a_column_for_each():
    assert len(columns_of(_reading("joint"))) == 2
    for target, left in (("Applicant: overtime", 400), ("Co-applicant: overtime", 520)):
        label = _labels(target, "joint")[0]
        assert (_corner(label.box), _corner(label.other)) == ((40, 800), (left, 760))


@pytest.mark.parametrize(
    ("text", "ordinal"),
    [
        ("Second creditor: balance", (1, "creditor balance")),
        ("TRANSFER TO, line 2: Increase", (1, "transfer to increase")),
        ("Renglón 3: Cantidad", (2, "cantidad")),
        ("First name", None),
        ("Relationship to the applicant", None),
        ("Joint account", None),
        ("Balance", None),
        ("2", None),
    ],
)
def test_which_of_several_is_asked_for(text, ordinal):
    assert ordinal_of(text) == ordinal


def test_the_rules_of_a_table_part_its_rows():
    label = _labels("Second creditor: balance", "joint")[0]
    assert _corner(label.box) == (260, 640)
    assert 690 < (label.other[1] + label.other[3]) / 2 < 720
    head, reading = (260.0, 640.0, 314.0, 651.0), _reading("joint")
    first = row_under(head, 0, reading)
    assert 660 < (first[1] + first[3]) / 2 < 690
    assert row_under(head, 4, reading) is None
    assert row_under((560.0, 100.0, 600.0, 111.0), 0, reading) is None


def test_letters_go_by_their_look():
    assert plain("ΟΔΟΣ, ΑΡΙΘΜΟΣ") == plain("OΔOΣ, APIOMOΣ")
    assert plain("ＦＡＸ") == "fax"
    assert plain("Кому:") == "komy"
    assert plain("Prénom") == "prenom"


def test_a_page_without_words_describes_nothing():
    blank = read_page(np.full((300, 300), 255, np.uint8), [])
    assert labels_of(query_of("JointEmployerLengthYears"), Spans(blank), blank) == []
    assert zones_of(blank) is None
