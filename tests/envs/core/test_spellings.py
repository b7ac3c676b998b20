"""The table of spellings that each matcher accepts and refuses, ``spellings.json``, row by row.

To extend it add a row, or a spelling to one: ``gold``, what is ``accepted`` and ``refused`` for it, and the ``label``
of the field where that matters (it may name a unit).
"""

from __future__ import annotations

import json
import string
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import DATA
from sizes import some

from formgym.envs.core.matchers import MATCHERS
from formgym.envs.core.scoring import Gold

Row = dict[str, Any]
TABLE: dict[str, list[Row]] = json.loads((DATA / "spellings.json").read_text(encoding="utf-8"))
ROWS = [(matcher, row) for matcher, rows in TABLE.items() for row in rows]
WAYS = ("accepted", "refused")
# Digits of a spelling that gold does not have: those behind a ZIP code.
UNKNOWN = {"97301-1234"}


def gold_of(matcher: str, row: Row) -> Gold:
    return Gold.of_field(matcher, row["gold"], row.get("label", ""))


def spellings(kind: str) -> list[tuple[str, Row, str]]:
    return [(matcher, row, spelling) for matcher, row in ROWS for spelling in row[kind]]


def name(value: object) -> str:
    return ascii(value["gold"][:30]) if isinstance(value, dict) else ascii(str(value)[:30])


def test_every_matcher_has_rows() -> None:
    assert set(TABLE) == set(MATCHERS)
    assert all(set(row) - {"label"} == {"gold", "accepted", "refused"} for _, row in ROWS)


@pytest.mark.parametrize(("matcher", "row", "spelling"), spellings("accepted"), ids=name)
def test_right_spelling_is_accepted(matcher: str, row: Row, spelling: str) -> None:
    assert gold_of(matcher, row).accepts(spelling)


@pytest.mark.parametrize(("matcher", "row", "spelling"), spellings("refused"), ids=name)
def test_wrong_spelling_is_refused(matcher: str, row: Row, spelling: str) -> None:
    assert not gold_of(matcher, row).accepts(spelling)


@pytest.mark.parametrize("matcher", TABLE)
@settings(max_examples=some(37, 150), deadline=None)
@given(data=st.data())
def test_case_accents_and_spaces_never_matter(matcher: str, data: st.DataObject) -> None:
    gold, spelling, accepted = data.draw(
        st.sampled_from(
            [(gold_of(matcher, row), s, way == "accepted") for row in TABLE[matcher] for way in WAYS for s in row[way]]
        )
    )
    other = data.draw(st.sampled_from([str, str.upper, str.lower, str.swapcase]))(spelling)
    other = unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD"])), other)
    space, edge = data.draw(st.sampled_from([" ", "  ", " \t", "\n"])), data.draw(st.sampled_from(["", " ", "\n "]))
    assert gold.accepts(edge + space.join(other.split(" ")) + edge) is accepted


# In these a wrong letter matters too: nothing else compares it, and no slip is forgiven.
EXACT = ("choice", "identifier", "email", "uri")
CHANGEABLE = [
    (matcher, row, spelling, i)
    for matcher, row, spelling in spellings("accepted")
    for i, character in enumerate(spelling)
    if character in (string.digits + string.ascii_lowercase if matcher in EXACT else string.digits)
    and not any(known in spelling and known not in row["gold"] for known in UNKNOWN)
]


@pytest.mark.parametrize("matcher", sorted({matcher for matcher, *_ in CHANGEABLE}))
@settings(max_examples=some(37, 150), deadline=None)
@given(data=st.data())
def test_accepted_spelling_with_another_digit_or_letter_is_refused(matcher: str, data: st.DataObject) -> None:
    _, row, spelling, i = data.draw(st.sampled_from([case for case in CHANGEABLE if case[0] == matcher]))
    alike = string.digits if spelling[i] in string.digits else string.ascii_lowercase
    other = data.draw(st.sampled_from([character for character in alike if character != spelling[i]]))
    assert not gold_of(matcher, row).accepts(spelling[:i] + other + spelling[i + 1 :])


WORDED = [(matcher, row, spelling) for matcher, row, spelling in spellings("accepted") if spelling[-1:].isalnum()]


@pytest.mark.parametrize("matcher", ["text", "number", "phone", "date", "choice", "description", "identifier"])
@settings(max_examples=some(25, 100), deadline=None)
@given(data=st.data())
def test_accepted_spelling_with_a_sign_behind_it_is_refused(matcher: str, data: st.DataObject) -> None:
    _, row, spelling = data.draw(st.sampled_from([case for case in WORDED if case[0] == matcher]))
    sign = data.draw(st.sampled_from(["-", "+", " <", ">", " =", "*", " - 5", " -5", "~"]))
    assert not gold_of(matcher, row).accepts(spelling + sign)
