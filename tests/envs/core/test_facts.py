"""The maker of facts, and the templates that it fills in."""

import re
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from web_form_rules import real_contacts

from formgym.envs.core.facts import FactMaker, places, split_of
from formgym.envs.core.templates import FILTERS, evaluate, facts_of, fill, names_in, render


def _maker(seed=3, **kwargs):
    return FactMaker(np.random.default_rng(seed), seed, **kwargs)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**40), st.sampled_from(["test", "train"]))
def test_people_and_firms_belong_to_nobody_and_to_one_split(seed, split):
    maker = _maker(seed, split=split)
    persons, firms = [maker.person("1960-01-01", "1990-01-01") for _ in range(6)], [maker.company() for _ in range(4)]
    for key in ("given", "family", "full", "email", "phone", "street", "user"):
        assert len({person[key] for person in persons}) == 6
    assert len({firm["name"] for firm in firms}) == len({firm["domain"] for firm in firms}) == 4
    assert {split_of(person["full"]) for person in persons} | {split_of(firm["domain"]) for firm in firms} == {split}
    for made in (*persons, *firms):
        assert all(made.values())
        assert not [name for part in made.values() for name in real_contacts(part)]
    for person in persons:
        assert person["full_middle"] == f"{person['given']} {person['middle']} {person['family']}"
        assert "1960-01-01" <= person["born"] <= "1990-01-01"
    assert all(firm["url"] == f"https://www.{firm['domain']}" for firm in firms)


def test_equal_seeds_make_equal_facts_one_after_the_other():
    first, second = _maker(), _maker(4)
    one = [first.person(), first.company()]
    other = [second.person(), second.company()]
    again = _maker()
    assert [again.person(), again.company()] == one != other


def test_nothing_is_drawn_twice():
    maker = _maker()
    addresses = [maker.person()["email"] for _ in range(60)]
    assert len(set(addresses)) == 60
    with pytest.raises(RuntimeError, match="no text is left"):
        [maker.unique(lambda: maker.choice("ab")) for _ in range(3)]


def test_patterns():
    maker = _maker(words={"tree": ["oak", "elm #%"], "street": ["{{ word('tree') }} lane"]})
    for _ in range(20):
        assert re.fullmatch(r"\d[1-9]-[A-HJ-NPR-Z][A-Z][a-z] (oak|elm \d[1-9]) lane #",
                            maker.text("#%-?^~ {{ word('street') }} {{ '#' }}"))  # fmt: skip
    assert maker.text("{{ name }}, {{ between(7, 7)|zfill(2) }}", name="Ann") == "Ann, 07"


@settings(deadline=None)
@given(st.integers(0, 2**40), st.integers(-500, 500), st.integers(0, 500), st.sampled_from([1, 3, 0.5, 0.01, 25]))
def test_numbers_and_days_are_in_their_range(seed, low, room, step):
    maker = _maker(seed)
    number = maker.number(low, low + room, step)
    assert low <= number <= low + room
    assert abs((number - low) / step - round((number - low) / step)) < 1e-6
    assert len(str(number).partition(".")[2]) == {0.5: 1, 0.01: 2}.get(step, 0)
    first = date(2001, 2, 28)
    last = first + timedelta(room)
    assert first <= date.fromisoformat(maker.date(str(first), str(last))) <= last
    assert low <= (date.fromisoformat(maker.date_after(str(first), low, low + room)) - first).days <= low + room


@settings(deadline=None)
@given(st.integers(0, 2**40), st.lists(st.integers(), min_size=1, max_size=8, unique=True), st.integers(0, 4))
def test_subsets_are_different_and_in_order(seed, items, least):
    drawn = _maker(seed).subset(items, least, least + 2)
    assert drawn == [item for item in items if item in drawn]
    assert min(least, len(items)) <= len(drawn) <= least + 2


def test_a_city_has_its_state():
    for _ in range(20):
        place = _maker().place("OH")
        assert place.state == "OH"
        assert place.city in places().root["OH"].cities


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("us_date", "2031-05-04", "05/04/2031"),
        ("long_date", "2031-05-04", "May 4, 2031"),
        ("day_month", "2031-05-04", "4 May 2031"),
        ("month_day", "2031-05-04", "May 4, 2031"),
        ("digits_date", "2031-05-04", "05042031"),
        ("month_year", "2031-05-04", "05/2031"),
        ("iso", "2031-05-04", "2031-05-04"),
        ("money", "-1200.5", "-$1,200.50"),
        ("money", 1200, "$1,200"),
        ("amount", "1200", "1,200.00"),
        ("whole_amount", "1200.50", "1,200"),
        ("thousands", 12500.25, "12,500.25"),
        ("plain", "12,500", "12500"),
        ("years", "P4Y2M", "4"),
        ("total_months", "P4Y2M", "50"),
        ("duration_words", "P1Y2M", "1 year 2 months"),
        ("duration_words", "P", "0 months"),
        ("area_code", "614-555-0100", "614"),
        ("local_number", "614-555-0100", "555-0100"),
        ("digits", "900-10-1000", "900101000"),
        ("initial", "", ""),
        ("words", "self_employed", "Self employed"),
        ("series", ["a", "b", 3], "a, b and 3"),
        ("bullets", ["a", "b"], "- a\n- b"),
    ],
)
def test_filters(name, value, expected):
    assert FILTERS[name](value) == expected


@pytest.mark.parametrize(
    "text", ["{{ nobody }}", "{{ 1 / 0 }}", "{% if %}", "{{ a.__class__.__mro__ }}", "{{ a|iso }}"]
)
def test_a_template_that_cannot_be_filled_in_is_named(text):
    with pytest.raises(ValueError, match=r"letter: .* in '"):
        render(text, {"a": "x"}, "letter")


def test_expressions_keep_their_type():
    facts = {"n": 3, "names": ["a", "b"]}
    assert evaluate("names if n > 2", facts) == ["a", "b"]
    assert evaluate("names if n > 5", facts) is None
    assert evaluate("n * 2", facts) == 6
    assert names_in("n * m", is_expression=True) == {"n", "m"}
    with pytest.raises(ValueError, match=r"where: .*nobody"):
        evaluate("nobody", facts, "where")


def test_simple_templates():
    facts = {"first": "Ann", "last": "Ott"}
    assert fill("{{ first }}  {{ middle|d|initial }} {{ last|upper }}", facts) == "Ann OTT"
    assert fill("{{ first }} {{ middle }}", facts) is None
    assert fill("{{ middle|d }}", facts) is None
    assert facts_of("{{ first }} {{ middle|d|initial }}") == {"first", "middle"}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{first}", "brace"),
        ("{{ first|shout }}", "unknown filter 'shout'"),
        ("{{ first + last }}", "more than placeholders"),
        ("{% if first %}x{% endif %}", "brace"),
        ("{{ first ", "brace"),
    ],
)
def test_a_template_that_is_not_simple_is_refused(template, message):
    with pytest.raises(ValueError, match=message):
        fill(template, {"first": "Ann"})
