"""Fields that are described: whom a form asks, which row of a table is meant, what goes by other words or letters."""

import numpy as np
import pytest

pytest.importorskip("cv2")

from printed_fixture import printed

from formgym.fieldfinder_model.matching.label_search import labels_of
from formgym.fieldfinder_model.matching.owners import columns_of, ordinal_of, owner_of, row_under, zones_of
from formgym.fieldfinder_model.matching.spans import Spans
from formgym.fieldfinder_model.matching.target_words import plain, query_of, similarity, split_joined, tokens_of
from formgym.fieldfinder_model.reading.page_reading import read_page

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
LAYOUT = {
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


@pytest.fixture(scope="module")
def reading():
    return printed(LAYOUT, (900, 700), RULES)


@pytest.fixture(scope="module")
def spans(reading):
    return Spans(reading)


def _best(target, spans, reading):
    return labels_of(query_of(target), spans, reading)[0]


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("Applicant: full name", (40, 60)),
        ("Co-applicant: full name", (40, SECOND)),
        ("JointFullBirthDate", (300, SECOND)),
        ("FullBirthDate", (300, 60)),
        ("Joint applicant: time at home address, years", (420, SECOND + 60)),
        ("TimeAtAddressMonths", (480, 120)),
        ("JointEmployerLengthYears", (480, SECOND + 120)),
        ("EmployerLengthMonths", (540, 180)),
        ("Co-applicant: marital status: married", (300, SECOND + 180)),
        ("MaritalStatus_Single", (200, 240)),
        ("Applicant: date of birth", (300, 60)),
    ],
)
def test_a_description_finds_its_label(target, place, spans, reading):
    box = _best(target, spans, reading).box
    assert (round(box[0]), round(box[1])) == place


def test_a_form_that_asks_two_has_a_part_for_each(reading):
    zones = zones_of(reading)
    assert zones is not None
    assert zones.axis == 1
    assert zones.owner_at((40, 100, 90, 111)) == 0
    assert zones.owner_at((40, SECOND + 100, 90, SECOND + 111)) == 1
    assert zones.owner_at((40, 860, 90, 871)) is None


def test_a_row_has_a_column_for_each(spans, reading):
    assert len(columns_of(reading)) == 2
    for target, left in (("Applicant: overtime", 400), ("Co-applicant: overtime", 520)):
        label = _best(target, spans, reading)
        assert (round(label.box[0]), round(label.box[1])) == (40, 800)
        assert label.other is not None
        assert (round(label.other[0]), round(label.other[1])) == (left, 760)


@pytest.mark.parametrize(
    ("parts", "owner"),
    [
        (("Co-applicant: phone",), 1),
        (("JOINT signature",), 1),
        (("Phone", "Spouse"), 1),
        (("Applicant: phone",), 0),
        (("Relationship to the applicant",), None),
        (("Joints",), None),
    ],
)
def test_whom_a_target_is_about(parts, owner):
    assert owner_of(parts) == owner


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


def test_the_rules_of_a_table_part_its_rows(spans, reading):
    label = _best("Second creditor: balance", spans, reading)
    assert (round(label.box[0]), round(label.box[1])) == (300 - 40, 640)
    assert label.other is not None
    assert 690 < (label.other[1] + label.other[3]) / 2 < 720
    head = (260.0, 640.0, 314.0, 651.0)
    first = row_under(head, 0, reading)
    assert first is not None
    assert 660 < (first[1] + first[3]) / 2 < 690
    assert row_under(head, 4, reading) is None
    assert row_under((560.0, 100.0, 600.0, 111.0), 0, reading) is None


def test_letters_go_by_their_look():
    assert plain("ΟΔΟΣ, ΑΡΙΘΜΟΣ") == plain("OΔOΣ, APIOMOΣ")
    assert plain("ＦＡＸ") == "fax"
    assert plain("Кому:") == "komy"
    assert plain("Prénom") == "prenom"


def test_words_that_go_together():
    assert split_joined("JointReference2HomePhone") == "Joint Reference 2 Home Phone"
    assert similarity("weight", "weight") == 1
    assert 0.9 < similarity("proprietorship", "propretorship") < 1
    assert 0 < similarity(*tokens_of("employer job")) < 0.9
    assert similarity("weight", "city") == 0
    assert similarity("no", tokens_of("account no")[-1]) == 1


def test_a_page_without_words_describes_nothing():
    blank = read_page(np.full((300, 300), 255, np.uint8), [])
    assert labels_of(query_of("JointEmployerLengthYears"), Spans(blank), blank) == []
    assert zones_of(blank) is None
