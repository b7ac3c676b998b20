"""Replies of models: the JSON in them, however it is wrapped, and the point or box that it means."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formgym.agents.replies import json_values, predicted_numbers

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.floats(-9, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: isinstance(value, list | dict))


@pytest.mark.parametrize(
    ("reply", "values"),
    [
        ('{"x": 1, "y": 2}', [{"x": 1, "y": 2}]),
        ('Sure!\n```json\n{"x": 1, "y": 2,}\n```\nDone.', [{"x": 1, "y": 2}]),
        ('As it says [see above], {"x": 0.5}. And [1, 2, ].', [{"x": 0.5}, [1, 2]]),
        ('{"text": "a ] b } c, ]", "x": [5, 6,],}', [{"text": "a ] b } c, ]", "x": [5, 6]}]),
        ('{"x": 12, "y": 3', [{"x": 12, "y": 3}]),
        ('{"x": 12, "y":', [{"x": 12}]),
        ('{"x": 12, "na', [{"x": 12}]),
        ('[{"x": 1}, {"x": 2, "text": "cut of', [[{"x": 1}, {"x": 2, "text": "cut of"}]]),
        ('[{"x": 1}, {"x"', [[{"x": 1}, {}]]),
        ('{"x": 1, "y": 2]', [{"x": 1, "y": 2}]),
        ("{x: 1}", []),
        ("no answer", []),
        ("", []),
    ],
)
def test_json_is_found_and_mended(reply, values):
    assert json_values(reply) == values


@given(JSON, st.text(alphabet=st.characters(exclude_characters="[{"), max_size=20), st.booleans())
def test_whole_json_is_read_as_it_is(value, prose, fenced):
    text = json.dumps(value)
    reply = f"{prose}\n```json\n{text}\n```\n" if fenced else f"{prose}{text}{prose}"
    assert json_values(reply) == [value]


@given(JSON, st.data())
def test_cut_off_json_never_raises(value, data):
    text = json.dumps(value)
    json_values(text[: data.draw(st.integers(0, len(text)))])


@given(st.text(alphabet='{}[]",:\\ 1ax', max_size=60))
def test_no_reply_raises(reply):
    predicted_numbers(reply)


@pytest.mark.parametrize("part", ["{", "[", '{"a":', '"', '{"', '{"x": ,', "]", '{"a\\":', "[1,"])
def test_long_nonsense_is_read_in_no_time(part):
    assert predicted_numbers(part * 30_000) is None


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ('{"x": 1, "y": 2.5}', (1, 2.5)),
        ("The point is [120, 430].", (120, 430)),
        ('{"point": [1, 2], "label": "Phone"}', (1, 2)),
        ('[{"bbox_2d": [1, 2, 3, 4], "label": "Phone"}]', (1, 2, 3, 4)),
        ('{"left": 1, "top": 2, "right": 3, "bottom": 4}', (1, 2, 3, 4)),
        ('{"name": "point", "arguments": {"x": 1, "y": 2}}', (1, 2)),
        ('{"x": 1, "y": 1}: no, {"x": 3, "y": 4}', (3, 4)),
        ('{"x": 1, "y": 2} {"why": "as it says"}', (1, 2)),
        ('{"x": 1}', None),
        ('{"x": "1", "y": 2}', None),
        ('{"x": true, "y": 2}', None),
        ('{"x": NaN, "y": 2}', None),
        ('{"x": 1e999, "y": 2}', None),
        ("[1, 2, 3]", None),
    ],
)
def test_the_last_point_or_box_is_meant(reply, numbers):
    assert predicted_numbers(reply) == numbers
