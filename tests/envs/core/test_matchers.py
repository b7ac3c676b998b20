"""Numbers, dates, names and addresses are accepted in all usual spellings, and nothing else.

The spellings of the other matchers, and single ones of these, are in ``test_spellings``.
"""

from __future__ import annotations

import calendar
import string
import time
import unicodedata
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sizes import some

from formgym.envs.core import quantities
from formgym.envs.core.matchers import MATCHERS, fold
from formgym.envs.core.scoring import Gold

Draw = Callable[[st.SearchStrategy[Any]], Any]
Pair = tuple[str, str]  # what was entered, gold

LIGHT = settings(max_examples=some(15, 60), deadline=None)

# --- spelling and corrupting

LETTERS = "abcdefghijklmnopqrstuvwxyzáéíóúñçüöå"
MONTHS = calendar.month_name[1:]
WEEKDAYS = list(calendar.day_name)

# Four letters or more: never an initial, a suffix such as "Jr", or an abbreviation; nor one of these in full.
OTHER_THAN_NAMES = {"Junior", "Senior", "Miss", "Prof"}
words = st.text(LETTERS, min_size=4, max_size=8).map(str.capitalize).filter(lambda w: w not in OTHER_THAN_NAMES)


def without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@st.composite
def loosely(draw: Draw, text: str) -> str:
    """``text`` in another case, with or without accents, spaced otherwise."""
    case = draw(st.sampled_from([str, str.upper, str.lower, str.swapcase]))
    accents = draw(st.sampled_from([str, without_accents, decomposed]))
    space = draw(st.sampled_from([" ", "  ", " \t", "\n", "\u00a0"]))
    edge = draw(st.sampled_from(["", " ", "\n "]))
    return edge + space.join(accents(case(text)).split(" ")) + edge


@st.composite
def another_digit(draw: Draw, text: str) -> str:
    """``text`` with one digit changed."""
    i = draw(st.sampled_from([i for i, c in enumerate(text) if c.isdigit()]))
    return text[:i] + draw(st.sampled_from([d for d in string.digits if d != text[i]])) + text[i + 1 :]


@st.composite
def another_letter(draw: Draw, text: str) -> str:
    """``text`` with one letter changed to another (not to the same with an accent or in another case)."""
    i = draw(st.sampled_from([i for i, c in enumerate(text) if c.isalpha()]))
    same = without_accents(text[i]).lower()
    return text[:i] + draw(st.sampled_from([c for c in string.ascii_lowercase if c != same])) + text[i + 1 :]


# --- number, money

amounts = st.decimals(min_value=-10_000_000, max_value=10_000_000, places=2, allow_nan=False).map(lambda d: d + 0)


def spellings_of_number(value: Decimal) -> list[str]:
    """The size of a number as people write it, without its sign."""
    size = abs(value)
    ways = [f"{size}", f"{size:,}", f"{size}0", f"{size:,.4f}"]
    if size == int(size):
        ways += [f"{int(size)}", f"{int(size):,}", f"{int(size)}."]
    if 0 < size < 1:
        ways.append(f"{size}".removeprefix("0"))
    return ways


@st.composite
def number_accepted(draw: Draw) -> Pair:
    value = draw(amounts)
    size = draw(st.sampled_from(spellings_of_number(value)))
    sign = draw(st.sampled_from(["-", "−", "–", "- "] if value < 0 else ["", "+", " "]))
    percent = draw(st.booleans())
    entered = sign + size + (draw(st.sampled_from(["%", " %"])) if percent else "")
    return entered, f"{value}%" if percent else f"{value}"


@st.composite
def number_refused(draw: Draw) -> Pair:
    value = draw(amounts)
    assume(value)
    gold = f"{value}"
    wrong = st.sampled_from([f"{-value}", gold + "%", gold + "1", f"{gold} {gold}"])
    return draw(st.one_of(another_digit(gold), wrong)), gold


@st.composite
def money_accepted(draw: Draw) -> Pair:
    value = draw(amounts)
    size = draw(st.sampled_from(spellings_of_number(value)))
    ways = ["$%s", "$ %s", "%s", "%s USD", "USD %s", "US$%s", "%s dollars", "%s $"]
    if value < 0:
        ways = ["-$%s", "- $%s", "$-%s", "($%s)", "(%s)", "$(%s)", "−%s", "(%s) USD", "-%s"]
    gold = draw(st.sampled_from([f"{value}", f"{value:,}", f"{value} USD"]))
    return draw(loosely(draw(st.sampled_from(ways)) % size)), gold


@st.composite
def money_refused(draw: Draw) -> Pair:
    value = draw(amounts)
    assume(value)
    size = f"{abs(value):,}"
    other_sign = [f"${size}"] if value < 0 else [f"-${size}", f"(${size})", f"({size})"]
    wrong = st.sampled_from([*other_sign, f"{size}%", f"{size} {size}", f"about {size}", "$"])
    return draw(st.one_of(another_digit(f"{value}"), wrong)), f"{value}"


# --- phone


@st.composite
def phones(draw: Draw) -> tuple[str, str, str]:
    """Area code, exchange and line of a number of the United States."""
    area, exchange = (str(draw(st.integers(200, 989))) for _ in range(2))
    return area, exchange, f"{draw(st.integers(0, 9999)):04}"


PHONE_WAYS = ["{}-{}-{}", "({}) {}-{}", "({}){}-{}", "{}.{}.{}", "{} {} {}", "{}{}{}", "{}/{}-{}", "+1 {} {} {}",
              "+1{}{}{}", "1-{}-{}-{}", "1 ({}) {}-{}", "{}–{}–{}"]  # fmt: skip


@st.composite
def phone_accepted(draw: Draw) -> Pair:
    parts = draw(phones())
    entered, gold = (draw(st.sampled_from(PHONE_WAYS)).format(*parts) for _ in range(2))
    if draw(st.booleans()):
        extension = draw(st.integers(1, 9999))
        entered += draw(st.sampled_from([" x", " ext. ", " ext ", " extension ", " #"])) + str(extension)
        gold += f" x{extension}"
    return draw(loosely(entered)), gold


@st.composite
def phone_refused(draw: Draw) -> Pair:
    gold = "-".join(draw(phones()))
    wrong = st.sampled_from([gold + "0", gold[:-1], gold + " x12", f"+44 {gold}", "phone", f"{gold} {gold}"])
    return draw(st.one_of(another_digit(gold), wrong)), gold


# --- date


def ordinal(n: int) -> str:
    return f"{n}{'th' if 10 < n < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def spellings_of_date(day: date) -> list[str]:
    y, m, d, month = day.year, day.month, day.day, MONTHS[day.month - 1]
    ways = [
        f"{m}/{d}/{y}", f"{m:02}/{d:02}/{y}", f"{m}-{d}-{y}", f"{m}.{d}.{y}", f"{m:02}{d:02}{y}", f"{m:02} {d:02} {y}",
        f"{y}-{m:02}-{d:02}", f"{y}/{m}/{d}", f"{m}/{d}/{y % 100:02}", f"{m:02} / {d:02} / {y}",
        f"{month} {d}, {y}", f"{month[:3]} {d}, {y}", f"{month[:3]}. {d} {y}", f"{d} {month} {y}",
        f"{d}-{month[:3]}-{y}", f"{d}{month[:3]}{y}",
        f"{month} {ordinal(d)}, {y}", f"the {ordinal(d)} of {month}, {y}", f"{d} {month[:3]} {y % 100:02}",
        f"{WEEKDAYS[day.weekday()]}, {month} {d}, {y}", f"{WEEKDAYS[day.weekday()][:3]} {d} {month} {y}",
    ]  # fmt: skip
    if d > 12:
        ways += [f"{d}/{m}/{y}", f"{d:02}.{m:02}.{y}"]
    if m == 9:
        ways.append(f"Sept. {d}, {y}")
    return ways


days = st.dates(date(1900, 1, 1), date(2099, 12, 31))
gold_spellings = [date.isoformat, lambda day: f"{day:%m/%d/%Y}", lambda day: f"{day:%B} {day.day}, {day.year}"]


@st.composite
def date_accepted(draw: Draw) -> Pair:
    day = draw(days)
    if draw(st.integers(0, 5)) == 0:  # a month of a year
        ways = [f"{day:%m/%Y}", f"{day.month}-{day.year}", f"{day:%B %Y}", f"{day:%b}, {day.year}", f"{day:%Y-%m}"]
        return draw(loosely(draw(st.sampled_from(ways)))), f"{day:%Y-%m}"
    return draw(loosely(draw(st.sampled_from(spellings_of_date(day))))), draw(st.sampled_from(gold_spellings))(day)


@st.composite
def date_refused(draw: Draw) -> Pair:
    day = draw(days)
    other = day + timedelta(draw(st.integers(-400, 400).filter(bool)))
    wrong = draw(st.sampled_from(spellings_of_date(other)))
    unfinished = [f"{day.month}/{day.day}", f"{day:%Y}", f"{day:%B %Y}", f"{day:%m/%Y}", f"{day:%B}", f"{day.day}"]
    if day.day <= 12 and day.day != day.month:
        unfinished.append(f"{day.day}/{day.month}/{day.year}")
    if draw(st.booleans()):
        wrong = draw(st.sampled_from(unfinished))
    return wrong, day.isoformat()


# --- name


@st.composite
def people(draw: Draw) -> tuple[str, str, str]:
    """First, middle and last name, all different."""
    first, middle, last = draw(st.lists(words, min_size=3, max_size=3, unique_by=lambda w: without_accents(w).lower()))
    return first, middle, last + draw(st.sampled_from(["", f"-{first}", "'s"]))


def spellings_of_name(first: str, middle: str, last: str) -> list[str]:
    ways = [f"{first} {m} {last}" for m in (middle, middle[0], f"{middle[0]}.")]
    return ways + [f"{last}, {first} {m}" for m in (middle, middle[0], f"{middle[0]}.")] + [f"{last},{first} {middle}"]


@st.composite
def name_accepted(draw: Draw) -> Pair:
    first, middle, last = draw(people())
    if draw(st.booleans()):
        entered, gold = draw(st.sampled_from([f"{first} {last}", f"{last}, {first}"])), f"{first} {last}"
    else:
        entered, gold = draw(st.sampled_from(spellings_of_name(first, middle, last))), f"{first} {middle} {last}"
    suffix = draw(st.sampled_from(["", "Jr", "III"]))
    if suffix and "," not in entered:
        entered, gold = entered + draw(st.sampled_from([" ", ", "])) + suffix, f"{gold} {suffix}"
    return draw(loosely(entered.replace("'", draw(st.sampled_from("'’"))))), gold


@st.composite
def name_refused(draw: Draw) -> Pair:
    first, middle, last = draw(people())
    gold = f"{first} {middle} {last}"
    another_initial = "x" if without_accents(middle[0]).lower() != "x" else "y"
    wrong = [f"{first} {another_initial} {last}", f"{last} {middle} {first}", f"{first} {middle}", first, last,
             f"{first[0]} {middle} {last}", f"{first} {middle} {last} Jr", f"{middle}, {first} {last}"]  # fmt: skip
    return draw(st.one_of(another_letter(gold), st.sampled_from(wrong))), gold


# --- duration


def spellings_of_duration(years: int, months: int) -> list[str]:
    total = 12 * years + months
    ways = [f"{total} months", f"{total} mo", f"{total} mos.", f"{total} mths", f"{total}m"]
    if years and months:
        ways += [f"{years} years {months} months", f"{years} years, {months} months", f"{years} yrs and {months} mos",
                 f"{years} yr & {months} mo", f"{years}y {months}m", f"{years}y{months}m",
                 f"{years} yrs. {months} mos."]  # fmt: skip
    if years and not months:
        ways += [f"{years} years", f"{years} year", f"{years} yrs", f"{years} yr.", f"{years}y", f"{years}yrs"]
    if not total % 3:
        ways.append(f"{Decimal(total) / 12} years")
    if months == 6 and years:
        ways.append(f"{years} 1/2 years")
    return ways


@st.composite
def durations(draw: Draw) -> tuple[int, int]:
    years, months = draw(st.integers(0, 60)), draw(st.integers(0, 11))
    assume(years or months)
    return years, months


@st.composite
def duration_accepted(draw: Draw) -> Pair:
    years, months = draw(durations())
    iso = "P" + (f"{years}Y" if years else "") + (f"{months}M" if months else "")
    gold = draw(st.sampled_from([iso, f"P{years}Y{months}M", *spellings_of_duration(years, months)]))
    return draw(loosely(draw(st.sampled_from([iso, *spellings_of_duration(years, months)])))), gold


@st.composite
def duration_refused(draw: Draw) -> Pair:
    years, months = draw(durations())
    other = draw(durations())
    assume(other != (years, months))
    total = 12 * years + months
    wrong = [f"{total}", f"{total} years", f"{total} days", f"-{total} months", "months", f"{total} months ago"]
    return draw(st.sampled_from(wrong + spellings_of_duration(*other))), f"P{years}Y{months}M"


# --- address

STREETS = ["Oak", "Maple Hill", "Lobster Mockup", "O'Neil", "5th", "St. Clair", "Peñasco"]
TYPES = [["Street", "St", "St."], ["Avenue", "Ave", "Ave.", "Av"], ["Road", "Rd"], ["Drive", "Dr."], ["Lane", "Ln"],
         ["Court", "Ct"], ["Boulevard", "Blvd", "Blvd."], ["Place", "Pl"],
         ["Parkway", "Pkwy"], ["Highway", "Hwy"], ["Way"]]  # fmt: skip
DIRECTIONS = [[""], ["North ", "N ", "N. "], ["West ", "W "], ["Southeast ", "SE "]]
UNITS = ["Apt {}", "Apt. {}", "Apartment {}", "Unit {}", "Suite {}", "Ste. {}", "#{}", "# {}", "Apt #{}"]
CITIES = ["Springfield", "Salem", "New York", "Santa Fé", "Winston-Salem"]
STATES = [["Illinois", "IL"], ["New York", "NY"], ["West Virginia", "WV"], ["Virginia", "VA"],
          ["District of Columbia", "DC"], ["Wyoming", "WY"], ["Oregon", "OR"], ["North Dakota", "ND"]]  # fmt: skip


@st.composite
def places(draw: Draw) -> dict[str, Any]:
    """The parts of an address, each with all its spellings."""
    unit = draw(st.sampled_from(["", "4", "4B", "12"]))
    return {
        "number": [str(draw(st.integers(1, 9999)))],
        "direction": draw(st.sampled_from(DIRECTIONS)),
        "street": [draw(st.sampled_from(STREETS))],
        "type": draw(st.sampled_from(TYPES)),
        "unit": [way.format(unit) for way in UNITS] if unit else [""],
        "city": [draw(st.sampled_from(CITIES))],
        "state": draw(st.sampled_from(STATES)),
        "zip": [f"{draw(st.integers(501, 99950)):05}" + draw(st.sampled_from(["", "-1234"]))],
    }


@st.composite
def written(draw: Draw, place: dict[str, Any]) -> str:
    """An address in one of its spellings."""
    part = {name: draw(st.sampled_from(ways)) for name, ways in place.items()}
    comma = draw(st.sampled_from([", ", " ", "\n", ","]))
    street = f"{part['number']} {part['direction']}{part['street']} {part['type']}"
    return comma.join(filter(None, [street, part["unit"], part["city"], f"{part['state']} {part['zip']}"]))


@st.composite
def address_accepted(draw: Draw) -> Pair:
    place = draw(places())
    return draw(loosely(draw(written(place)))), draw(written(place))


@st.composite
def address_refused(draw: Draw) -> Pair:
    place = draw(places())
    gold = draw(written(place))
    part, others = draw(st.sampled_from([
        ("direction", DIRECTIONS), ("type", TYPES), ("state", STATES), ("city", [[c] for c in CITIES]),
        ("street", [[s] for s in STREETS]), ("unit", [[""], ["Apt 77"]]),
    ]))  # fmt: skip
    other = draw(st.sampled_from([ways for ways in others if not set(ways) & set(place[part])]))
    return draw(st.one_of(another_digit(gold), written(place | {part: other}))), gold


ACCEPTED = {
    "number": number_accepted(),
    "money": money_accepted(),
    "phone": phone_accepted(),
    "date": date_accepted(),
    "name": name_accepted(),
    "duration": duration_accepted(),
    "address": address_accepted(),
}
REFUSED = {
    "number": number_refused(),
    "money": money_refused(),
    "phone": phone_refused(),
    "date": date_refused(),
    "name": name_refused(),
    "duration": duration_refused(),
    "address": address_refused(),
}


@pytest.mark.parametrize("matcher", ACCEPTED)
@LIGHT
@given(data=st.data())
def test_gold_is_accepted_in_all_its_spellings(matcher: str, data: st.DataObject) -> None:
    entered, gold = data.draw(ACCEPTED[matcher])
    assert MATCHERS[matcher](entered, gold) is True
    assert MATCHERS[matcher](gold, gold) is True
    assert Gold(matcher, gold).accepts(entered)


@pytest.mark.parametrize("matcher", ACCEPTED)
@LIGHT
@given(data=st.data())
def test_a_corrupted_answer_is_refused(matcher: str, data: st.DataObject) -> None:
    entered, gold = data.draw(REFUSED[matcher])
    assert MATCHERS[matcher](entered, gold) is False
    assert MATCHERS[matcher](gold, gold) is True


def test_a_field_that_must_stay_empty_takes_nothing_and_one_that_must_not_takes_something() -> None:
    assert Gold("text", None).accepts("")
    assert not Gold("text", None).accepts("x")
    assert not any(Gold(matcher, "X").accepts("") for matcher in MATCHERS)
    assert Gold("text", "Rent").accepts("rent")
    assert not Gold("text", "Rent").accepts("own")


# --- no clock


@pytest.mark.parametrize("entered", ["4/12", "04/12", "April 12", "12 April", "12", "April", "4/12/", "Apr. 12th"])
def test_a_partial_date_is_a_full_date_of_no_year_at_all(entered: str) -> None:
    assert not [year for year in range(1900, 2101) if MATCHERS["date"](entered, f"{year}-04-12")]


def test_no_matcher_asks_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Clockless(datetime):
        @classmethod
        def now(cls, *args: object) -> Any:
            asked.append("now")
            raise AssertionError("the clock was asked")

        today = utcnow = now

    def clock(*args: object) -> Any:
        asked.append("time")
        raise AssertionError("the clock was asked")

    entries = ["4/12", "4/12/24", "April 12", "April 12, 2024", "04122024", "12", "2024", "4 years", "Ann Lee"]
    before = [[match(entered, gold) for entered in entries for gold in entries] for match in MATCHERS.values()]
    assert any(any(row) for row in before)
    with monkeypatch.context() as patched:
        patched.setattr(quantities, "datetime", Clockless)
        for name in ("time", "time_ns", "localtime", "gmtime", "strftime", "ctime"):
            patched.setattr(time, name, clock)
        after = [[match(entered, gold) for entered in entries for gold in entries] for match in MATCHERS.values()]
    assert after == before
    assert asked == []


# --- robustness

NINES = "9" * 10_000
NASTY = [
    "", " ", *string.digits, "-", ".", ",", "/", "(", ")", "()", "$", "%", "+", "#", "x", "p", "y", "m",
    "½", "Ⅷ", "¹²³", "👍", "👩‍👩‍👧‍👦" * 50, "✅", "ﬁ", "İ", "ẞ", "\u202eabc", "\x00", "\ud800",
    NINES, f"-{NINES}", f"{NINES}.{NINES}", f"{NINES}%", f"${NINES}", f"+{NINES}",
    f"1/1/{NINES}", f"{NINES}/1/1", f"1/{NINES}/1", f"April {NINES}", f"{NINES} April {NINES}",
    "1/1/99999999999", "12 April 99999999999", "1e5", "nan", "inf", "-inf", "0x10", "0000-00-00", "0/0/0", "99/99/9999",
    f"{NINES} years", f"P{NINES}Y{NINES}M", f"1 year {NINES} months",
    "1," * 5_000, "1 " * 5_000, "a " * 5_000, "(" * 5_000, "," * 5_000, "e\u0301" * 1_000,
    "$-" * 5_000, "- " * 5_000, "(1 " * 5_000, "o' " * 5_000, "12345 " * 5_000,
    "שלום", "مرحبا ٣/٤/٢٠٢٤", "٢٠٢٤-٠٤-١٢",
]  # fmt: skip
TYPICAL = {
    "text": "Jane Doe",
    "number": "12,000",
    "money": "$12,000.00",
    "phone": "206-555-0199",
    "date": "2024-05-17",
    "name": "Jane Q Doe",
    "duration": "P4Y2M",
    "address": "12 Oak St, Salem, OR 97301",
    "checkbox": "X",
    "signature": "Jane Doe",
    "choice": "Self employed",
    "identifier": "AB12",
    "email": "ann@example.org",
    "uri": "https://example.org/a",
    "description": 'We began in 2019 – and it\'s "going" well.',
}


def beginning(text: str) -> str:
    return ascii(text[:20]) + (f"*{len(text)}" if len(text) > 20 else "")


@pytest.mark.parametrize("nasty", NASTY, ids=beginning)
def test_no_matcher_raises_for_nasty_text(nasty: str) -> None:
    for name, match in MATCHERS.items():
        assert match(nasty, TYPICAL[name]) is (nasty == "x" and name == "checkbox")
        assert isinstance(match(nasty, nasty), bool)


# Characters that the parsers of numbers, dates, phones and durations care for, so that they get past the first look.
parsed_text = st.text("0123456789 /-.,()$%+#xXyYmMpPapril½²٣१Ⅷ✓", max_size=24)


@pytest.mark.parametrize("matcher", MATCHERS)
@settings(max_examples=some(37, 150), deadline=None)
@given(entered=st.one_of(st.text(), parsed_text), gold=st.one_of(st.text(), parsed_text))
def test_no_matcher_raises_for_any_text(matcher: str, entered: str, gold: str) -> None:
    assert isinstance(MATCHERS[matcher](entered, gold), bool)
    assert isinstance(MATCHERS[matcher](entered, TYPICAL[matcher]), bool)


@LIGHT
@given(st.text())
def test_folding_is_final(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(f"  {text}\n") == fold(text)


@LIGHT
@given(st.text(st.characters(max_codepoint=127)))
def test_folding_of_plain_text_is_that_of_any_text(text: str) -> None:
    assert fold(text) == fold(f"{text}\u00a0")
