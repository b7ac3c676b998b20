"""Read numbers, dates and time spans as people write them, without the current date; and the units of fields."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache

Number = tuple[Decimal, bool]
"""A number, and whether it is a percentage."""

_SIGN = r"(?P<sign>\+|-|minus )?\s*"
_PERCENT = r"\s*(?P<percent>%|(?:percent|per cent|pct)\b\.?)?"
_DECIMAL = r"(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d+)(?:\.\d*)?|\.\d+"
_NUMBER = re.compile(f"{_SIGN}(?P<decimal>{_DECIMAL}){_PERCENT}")
_FRACTION = re.compile(rf"{_SIGN}(?:(?P<whole>\d{{1,9}}) )?(?P<over>\d)/(?P<under>[2458]){_PERCENT}")
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_DIGITS = {word: str(i) for i, word in enumerate(_WORDS)} | {"none": "0", "nil": "0"}
_DASH = re.compile(r"-+|-0-")

UNITS = {
    "%": "percent percentage pct",
    "years": "year yrs yr",
    "months": "month mos mo mths",
    "days": "day",
    "hours": "hour hrs hr",
    "miles": "mile mi mileage",
    "km": "kms kilometers kilometres",
    "lbs": "lb pounds pound",
    "kg": "kgs kilograms kilogram",
    "grams": "gram g",
    "mm": "millimeters millimetres",
    "feet": "foot ft",
    "pieces": "piece pcs pc",
    "pages": "page pp",
}
"""Units, each with its other names."""

# These are no units in a label: a calendar year, the first page, an area code of Ft. Worth.
_NOT_IN_LABELS = frozenset("year month day hour mile mi mo g foot ft piece page pp".split())
# In a label with one of these, pounds are sterling.
_PRICES = frozenset(
    "amount amounts balance cost costs currency fee fees income paid pay payment price prices rent salary sterling "
    "total value wage wages".split()
)
_UNIT_OF = {word: unit for unit, names in UNITS.items() for word in (unit, *names.split())}


@lru_cache(maxsize=4096)
def unit_of(folded_label: str) -> str | None:
    """The unit in a folded label; None if it has none or more than one."""
    words = re.findall(r"[a-z]+|%", folded_label.rpartition("number of ")[2])
    units = {_UNIT_OF[word] for word in words if word in _UNIT_OF and word not in _NOT_IN_LABELS}
    if "lbs" in units and not _PRICES.isdisjoint(words):
        return None
    return units.pop() if len(units) == 1 else None


def without_unit(folded: str, unit: str) -> str:
    """A folded number without ``unit`` at its end; another unit stays."""
    number = re.fullmatch(r"(.+?)\s*(%|[a-z]+|per cent)\.?", folded)
    return number[1] if number and _UNIT_OF.get(number[2].replace("per cent", "%")) == unit else folded


def read_number(folded: str) -> Number | None:
    """The number in a folded text, a dash being 0; None if it is not one number."""
    if _DASH.fullmatch(folded):
        return Decimal(0), False
    text = re.sub("^[a-z]+", lambda word: _DIGITS.get(word[0], word[0]), folded)
    found = _NUMBER.fullmatch(text) or _FRACTION.fullmatch(text)
    value = _value(found) if found else None
    if found is None or value is None:
        return None
    # Not `-value`, which rounds to the context's precision.
    return (value.copy_negate() if found["sign"] in ("-", "minus ") else value), bool(found["percent"])


def _value(found: re.Match[str]) -> Decimal | None:
    parts = found.groupdict()
    if "decimal" not in parts:
        return Decimal(parts["whole"] or 0) + Decimal(parts["over"]) / Decimal(parts["under"])
    try:
        return Decimal(re.sub("[, ]", "", parts["decimal"]))
    except InvalidOperation:
        return None


# -- Dates and time spans ----------------------------------------------------------------------------------------------

Date = tuple[int | None, int | None, int | None]
"""Year, month and day; a part that was not written is None."""

# Longer texts are not dates or time spans; Python refuses to parse numbers of thousands of digits.
_MAX_LENGTH = 60

MONTHS = "january february march april may june july august september october november december".split()
_NO_YEAR = -1
_DATE_PART = re.compile(r"\d+|[a-z]+")
_ISO_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_DIGITS_DATE = re.compile(r"(0\d|1[0-2])(\d\d)(\d{4}|\d\d)|((?:19|20)\d\d)(\d\d)(\d\d)")
_NO_DATE = re.compile(r"[^\w\s,./'-]|^[-/]|[-/]$|[-/,]\s*[-/,]|[-/,]\s*\.|\.\s*\.")
_ORDINAL_END = re.compile(r"(?<=1) ?st\b|(?<=2) ?nd\b|(?<=3) ?rd\b|(?<=\d) ?th\b")
_PARTED = re.compile(r"\d[-./]\d{1,2}[-./]\d|[a-z]{3}")
_DAY_OR_MONTH_FIRST = re.compile(r"(\d{1,2})\s*[-./]\s*(\d{1,2})\s*[-./]\s*(?:\d\d){1,2}")
_WEEKDAYS = (
    "monday mon tuesday tues tue wednesday wed thursday thurs thur thu friday fri saturday sat sunday sun".split()
)
_WEEKDAY = re.compile(rf"(?<![a-z])(?:{'|'.join(_WEEKDAYS)})(?![a-z])")
_WEEKDAYS_SHORT = "mon tue wed thu fri sat sun".split()
_IGNORED_IN_DATES = frozenset(["of", "the", *_WEEKDAYS])


def read_date(folded: str) -> Date | None:
    """Year, month and day of a folded text; None if it is no date."""
    if len(folded) > _MAX_LENGTH or _NO_DATE.search(folded) or len(_WEEKDAY.findall(folded)) > 1:
        return None
    if found := _ISO_DATE.fullmatch(folded):
        year, month, day = found.groups()
        return _valid_date(_year(year), *(int(part) if part else None for part in (month, day)))
    if found := _DIGITS_DATE.fullmatch(folded.replace(" ", "")):
        month, day, year, year_first, month_last, day_last = found.groups()
        return _valid_date(_year(year_first or year), int(month_last or month), int(day_last or day))
    parts = [part for part in _DATE_PART.findall(_ORDINAL_END.sub("", folded)) if part not in _IGNORED_IN_DATES]
    names = [part for part in parts if part.isalpha()]
    numbers = [part for part in parts if part.isdigit()]
    if len(names) > 1:
        return None
    return _named_month(names[0], numbers) if names else _numeric_date(numbers)


def _named_month(name: str, numbers: list[str]) -> Date | None:
    """A date whose month is a word: ``12 April 1989``, ``Apr 12, 89``, ``April 1989``."""
    months = [
        i
        for i, month in enumerate(MONTHS, start=1)
        if len(name) >= 3 and month.startswith(name[:4] if name == "sept" else name)
    ]
    if len(months) != 1 or not 1 <= len(numbers) <= 2:
        return None
    if len(numbers) == 1:
        return (
            _valid_date(_year(numbers[0]), months[0], None)
            if len(numbers[0]) == 4
            else _valid_date(None, months[0], int(numbers[0]))
        )
    year, day = numbers if len(numbers[0]) == 4 else reversed(numbers)
    return _valid_date(_year(year), months[0], int(day))


def _numeric_date(numbers: list[str]) -> Date | None:
    """A date in digits: m/d/y, d/m/y if the middle exceeds 12, y/m/d, or m/y."""
    values = [int(number) for number in numbers]
    if len(values) == 2 and len(numbers[0]) == 4:
        return _valid_date(_year(numbers[0]), values[1], None)
    if len(values) == 2 and (len(numbers[1]) == 4 or values[1] > 31):
        return _valid_date(_year(numbers[1]), values[0], None)
    if len(values) == 2:
        return _valid_date(None, values[0], values[1])
    if len(values) != 3:
        return None
    if len(numbers[0]) == 4:
        return _valid_date(_year(numbers[0]), *values[1:])
    month, day, year = *values[:2], _year(numbers[2])
    return _valid_date(year, month, day) if month <= 12 else _valid_date(year, day, month)


def _year(digits: str) -> int:
    """A year of four digits, or of two without its century; -1 for other numbers."""
    return int(digits) if len(digits) == 2 or (len(digits) == 4 and digits[0] != "0") else _NO_YEAR


def _valid_date(year: int | None, month: int | None = None, day: int | None = None) -> Date | None:
    """The parts, if a calendar has such a date; 29 February may lack its year."""
    leap = 2000 if year is None or 0 <= year < 100 else year
    try:
        datetime(leap, month or 1, day or 1)
    except (ValueError, OverflowError):
        return None
    return (year, month, day) if 0 not in (month, day) else None


def is_full_date(folded: str) -> bool:
    """Whether a folded text is a full date, with separators or a month in words."""
    return _PARTED.search(folded) is not None and None not in (read_date(folded) or (None,))


def same_order(entered: str, gold: str) -> bool:
    """Whether ``entered`` leaves the order of day and month as open as gold does.

    Where gold's country is not known, 12/10/98 is December or October, and only 12-10-1998 is surely the same.
    """
    found = _DAY_OR_MONTH_FIRST.fullmatch(gold)
    is_open = found is not None and found[1] != found[2] and max(int(found[1]), int(found[2])) <= 12
    return not is_open or _DAY_OR_MONTH_FIRST.fullmatch(entered) is not None


def same_date(left: Date, right: Date) -> bool:
    """Whether the date entered has gold's parts; years may have two digits."""
    if right[0] is not None and right[2] is None and left[0] is None:
        # If gold is a month of a year, 09/22 is one too, not a day.
        left = left[2], left[1], None
    return _same_year(left[0], right[0]) and left[1:] == right[1:]


def same_weekday(entered: str, gold: str, left: Date, right: Date) -> bool:
    """Whether a weekday in the entered text is the date's, or the one in gold.

    Args:
        entered: the date entered, folded.
        gold: the answer, folded.
        left: the parts of the date entered.
        right: those of gold, the same date.
    """
    weekdays = _WEEKDAY.findall(entered)
    _, month, day = right
    if not weekdays or weekdays == _WEEKDAY.findall(gold) or left[0] is None or right[0] is None or not (month and day):
        return True
    year = max(left[0], right[0])
    days = [datetime(each, month, day) for each in _centuries(year) if _valid_date(each, month, day)]
    return weekdays[0][:3] in [_WEEKDAYS_SHORT[date.weekday()] for date in days]


def _centuries(year: int) -> list[int]:
    """The years that two digits may stand for; any other year by itself."""
    return [year] if year >= 100 else [1900 + year, 2000 + year]


def _same_year(left: int | None, right: int | None) -> bool:
    if left is None or right is None or left == right:
        return left == right
    # If one has two digits, the other is from 1900 to 2099.
    return min(left, right) < 100 and 1900 <= max(left, right) < 2100 and left % 100 == right % 100


_ISO_DURATION = re.compile(r"p(?:(\d+)y)?(?:(\d+)m)?")
_DURATION = re.compile(
    r"(?:(\d+(?:\.\d+)?|(?:\d+ )?1/2) ?(?:years?|yrs?|y)\b\.?)?"
    r"\s*[,;/]?\s*(?:and|&)?\s*"
    r"(?:(\d+) ?(?:months?|mos?|mths?|m)\b\.?)?"
)


def read_months(folded: str) -> Decimal | None:
    """The time span of a folded text in months; None if it is no time span."""
    spaced = re.sub(r"(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)", " ", folded)
    found = _ISO_DURATION.fullmatch(folded) or _DURATION.fullmatch(spaced)
    if len(folded) > _MAX_LENGTH or found is None or not (found[1] or found[2]):
        return None
    years = sum(Decimal("0.5") if part == "1/2" else Decimal(part) for part in (found[1] or "0").split())
    return 12 * years + Decimal(found[2] or 0)
