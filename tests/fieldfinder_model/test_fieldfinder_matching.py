"""Matching targets to printed labels: spelling, sections, columns, order words, other words for the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("cv2")

from printed_fixture import printed

from formgym.fieldfinder_model.matching.label_search import labels_of
from formgym.fieldfinder_model.matching.spans import Spans
from formgym.fieldfinder_model.matching.target_words import query_of, variants

LAYOUT = {
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


@pytest.fixture(scope="module")
def reading():
    return printed(LAYOUT, (700, 700))


@pytest.fixture(scope="module")
def spans(reading):
    return Spans(reading)


def _best(target, spans, reading):
    box = labels_of(query_of(target), spans, reading)[0].box
    return round(box[0]), round(box[1])


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("Social Security No.", (40, 120)),
        ("S0cial Securlty No", (40, 120)),
        ("SSN", (40, 120)),
        ("Balance", (440, 420)),
        ("Name | Applicant", (40, 60)),
        ("Name | Co-Applicant", (400, 60)),
        ("Co-Applicant Name", (400, 60)),
        ("Home Phone | Co-Applicant", (400, 90)),
        ("Telephone | Reference 2", (40, 330)),
        ("Telephone | Second reference", (40, 330)),
        ("Telephone | Reference 1", (40, 230)),
        ("Purpose of the loan and how it will be repaid", (40, 560)),
    ],
)
def test_the_right_label_is_matched(target, place, spans, reading):
    assert _best(target, spans, reading) == place


def test_a_label_of_two_lines_is_one_box(spans, reading):
    box = labels_of(query_of("Monthly Payment"), spans, reading)[0].box
    assert (round(box[1]), round(box[3])) == (400, 431)


@pytest.mark.parametrize("target", ["Balance | Second Bank", "Second Bank | Balance"])
def test_row_and_column_go_in_either_order(target, spans, reading):
    labels = labels_of(query_of(target), spans, reading)
    sides = {(round(label.box[1]), round(label.other[1])) for label in labels if label.other is not None}
    assert sides & {(420, 480), (480, 420)}


def test_what_is_not_printed_has_no_good_label(spans, reading):
    assert all(label.score < 80 for label in labels_of(query_of("Quarterly dividend"), spans, reading))


def test_other_words_for_the_same():
    assert "social security number" in variants("SSN")
    assert "name" in variants("Joint Name")
    assert variants("Zxq") == ()


@given(st.text(max_size=60))
def test_any_text_is_a_query(text):
    query = query_of(text)
    assert 1 <= len(query.parts) <= 5


@given(target=st.text(min_size=1, max_size=40))
def test_any_text_may_be_looked_for(target, spans, reading):
    for label in labels_of(query_of(target), spans, reading):
        left, top, right, bottom = label.box
        assert 0 <= left < right <= 700
        assert 0 <= top < bottom <= 700
