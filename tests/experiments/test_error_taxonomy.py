"""The causes of wrong fields, on episodes made by hand and on real ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_runs import made_episode, made_run

from formgym.envs.core.matchers import MATCHERS
from formgym.envs.core.scoring import FieldResult, Gold
from formgym.experiments.reporting.error_taxonomy import CAUSES, FIELDS, error_causes, error_counts, error_table
from formgym.experiments.running.episodes import Round


def field(name, expected, entered="", *, correct=False, matcher="text"):
    return FieldResult(name, name, matcher, expected, entered, correct)


def episode(fields, calls=(), invalid=(), **changes):
    """An episode whose calls place texts: first those that were carried out, then those that were refused."""
    done = [{"tool": "place_text", "x": 0.5, "y": 0.5, "text": text} for text in (*calls, *invalid)]
    done.append({"tool": "terminate"})
    valid = [*([True] * len(calls)), *([False] * len(invalid)), True]
    rounds = [Round(calls=done, feedback=[""] * len(done), valid=valid, carried_out=len(done))]
    data = {"rounds": rounds, "metrics": {"strict_accuracy": 0.0}, "fields": fields} | changes
    return made_episode(**data)


RIGHT = field("city", "Rutland", "Rutland", correct=True)
LAST = field("zip", "05701", "05701", correct=True)


@pytest.mark.parametrize(
    ("wrong", "calls", "invalid", "cause"),
    [
        (field("name", "Ann Lee"), ["Rutland", "05701"], [], "not found"),
        (field("name", "Ann Lee", "Bob"), ["Bob", "Rutland", "05701"], [], "wrong value"),
        (field("name", "Ann Lee", "ann.LEE!"), ["ann.LEE!", "Rutland", "05701"], [], "format"),
        (field("when", "2031-04-05", "April 5, 2031", matcher="identifier"), ["April 5, 2031"], [], "format"),
        (field("name", "Ann Lee"), ["Ann Lee", "Rutland", "05701"], [], "wrong place"),
        (field("name", "Ann Lee", "Bob"), ["Bob", "ANN LEE", "Rutland", "05701"], [], "wrong place"),
        (field("name", "Ann Lee"), ["Rutland", "05701"], ["Ann Lee"], "invalid call"),
        (field("name", None, "Bob"), ["Bob", "Rutland", "05701"], [], "wrong value"),
        # The text of a right field does not count as the answer of another one in a wrong place.
        (field("town", "Rutland"), ["Rutland", "05701"], [], "not found"),
        (field("town", "Rutland"), ["Rutland", "Rutland", "05701"], [], "wrong place"),
    ],
)
def test_cause(wrong, calls, invalid, cause):
    assert error_causes(episode([RIGHT, wrong, LAST], calls, invalid)) == {wrong.name: cause}


def ticks(*names):
    return [field(name, "X", matcher="checkbox") for name in names]


KEPT = field("c", None, correct=True)
OFFICE = [field("office", None, "Ann Lee"), field("name", "Ann Lee"), LAST]
BOLD = field("bold", "True", "False", matcher="style.bold")


@pytest.mark.parametrize(
    ("fields", "calls", "invalid", "causes"),
    [
        ([field("a", "1"), RIGHT, field("b", "2"), KEPT], ["Rutland"], [], {"a": "not found", "b": "gave up"}),
        ([field("a", "1"), BOLD], [], [], {"a": "gave up", "bold": "gave up"}),
        ([field("a", "1"), BOLD], [], ["7"], {"a": "invalid call", "bold": "invalid call"}),
        # One text in a wrong place explains one field.
        ([*ticks("a", "b"), LAST], ["X", "05701"], [], {"a": "wrong place", "b": "not found"}),
        (OFFICE, ["Ann Lee", "05701"], [], {"office": "wrong place", "name": "wrong place"}),
    ],
)
def test_causes_go_by_the_other_fields(fields, calls, invalid, causes):
    assert error_causes(episode(fields, calls, invalid)) == causes


def test_every_wrong_field_has_one_cause_and_unscored_episodes_none():
    some = episode([RIGHT, field("a", "1"), field("b", "2", "3"), LAST], ["3"])
    failed = episode([field("a", "1")], metrics=None)
    counts = error_counts([some, failed])
    assert counts == {"not found": 1, "wrong value": 1, FIELDS: 4}
    assert set(error_causes(some).values()) <= set(CAUSES)


TEXTS = st.sampled_from(
    ["", "X", "Ann Lee", "ann lee", "12", "12.0", "2031-04-05", "April 5, 2031", "(641) 555-0146", "no"]
)
ENTRIES = st.tuples(st.none() | TEXTS.filter(bool), TEXTS, st.sampled_from([*MATCHERS, "style.bold"]))


@given(st.lists(ENTRIES, max_size=6), st.lists(TEXTS, max_size=5), st.lists(TEXTS, max_size=3))
def test_every_wrong_field_and_no_other_has_a_cause(entries, calls, invalid):
    fields = [
        field(f"f{i}", expected, entered, correct=is_right(matcher, expected, entered), matcher=matcher)
        for i, (expected, entered, matcher) in enumerate(entries)
    ]
    causes = error_causes(episode(fields, calls, invalid))
    assert list(causes) == [one.name for one in fields if not one.correct]
    assert set(causes.values()) <= set(CAUSES)
    for one in fields:
        if causes.get(one.name) in ("not found", "gave up") and any(calls):
            assert not one.entered
            assert not any(is_right(one.matcher, one.expected, text) for text in filter(bool, invalid))


def is_right(matcher, expected, entered):
    if matcher not in MATCHERS:
        return entered == (expected or "")
    return Gold.of_field(matcher, expected, "").accepts(entered)


def test_table_adds_up_by_suite_and_agent(tmp_path):
    counts = error_counts([episode([RIGHT, field("a", "1"), LAST], ["Rutland", "05701"])])
    runs = [
        made_run(tmp_path, agent, [], env)
        for env, agent in [("FormGym/A-v0", "one"), ("FormGym/B-v0", "one"), ("DocEdit/C-v0", "two")]
    ]
    found = error_table(runs, [counts] * 3)
    assert found.bars["FormGym"]["one (iterative)"] == {"not found": 2, FIELDS: 6}
    assert [row.group for row in found.table.rows] == ["FormGym", "DocEdit"]
    assert error_table(runs, [error_counts([])] * 3) is None
