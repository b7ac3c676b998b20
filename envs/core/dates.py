"""Reading dates and time spans as people write them; no clock is ever asked."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

Date = tuple[int | None, int | None, int | None]
"""Year, month and day; a part that was not written is None."""

# Longer texts are no dates and no time spans; Python refuses to read numbers of thousands of digits.
_MAX_LENGTH = 60

MONTHS = "january february march april may june july august september october november december".split()
_DATE_PART = re.compile(r"\d+|[a-z]+")
_ISO_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_DIGITS_DATE = re.compile(r"(0\d|1[0-2])(\d\d)(\d{4}|\d\d)|((?:19|20)\d\d)(\d\d)(\d\d)")
_NO_DATE = re.compile(r"[^\w\s,./'-]")
_WEEKDAYS = (
    "monday mon tuesday tues tue wednesday wed thursday thurs thur thu friday fri saturday sat sunday sun".split()
)
_IGNORED_IN_DATES = frozenset(["of", "the", "st", "nd", "rd", "th", *_WEEKDAYS])


def read_date(folded: str) -> Date | None:
    """Year, month and day of a folded text; None if it is no date."""
    if len(folded) > _MAX_LENGTH or _NO_DATE.search(folded):
        return None
    if found := _ISO_DATE.fullmatch(folded):
        return _valid_date(*(int(part) if part else None for part in found.groups()))
    if found := _DIGITS_DATE.fullmatch(folded.replace(" ", "")):
        month, day, year, year_first, month_last, day_last = (int(part) if part else None for part in found.groups())
        return _valid_date(year_first or year, month_last or month, day_last or day)
    parts = [part for part in _DATE_PART.findall(folded) if part not in _IGNORED_IN_DATES]
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
            _valid_date(int(numbers[0]), months[0], None)
            if len(numbers[0]) == 4
            else _valid_date(None, months[0], int(numbers[0]))
        )
    year, day = numbers if len(numbers[0]) == 4 else reversed(numbers)
    return _valid_date(int(year), months[0], int(day))


def _numeric_date(numbers: list[str]) -> Date | None:
    """A date in digits: month/day/year, day/month/year where only that is possible, year/month/day, month/year."""
    values = [int(number) for number in numbers]
    if len(values) == 2 and len(numbers[0]) == 4:
        return _valid_date(values[0], values[1], None)
    if len(values) == 2 and len(numbers[1]) == 4:
        return _valid_date(values[1], values[0], None)
    if len(values) == 2 and values[1] > 31:
        return _valid_date(values[1], values[0], None)
    if len(values) == 2:
        return _valid_date(None, values[0], values[1])
    if len(values) != 3:
        return None
    if len(numbers[0]) == 4:
        return _valid_date(*values)
    month, day, year = values
    return _valid_date(year, month, day) if month <= 12 else _valid_date(year, day, month)


def _valid_date(year: int | None, month: int | None = None, day: int | None = None) -> Date | None:
    """The parts, if a calendar has them; a leap year stands in for a missing one."""
    leap = 2000 if year is None or year < 100 else year
    try:
        datetime(leap, month or 1, day or 1)
    except (ValueError, OverflowError):
        return None
    return (year, month, day) if 0 not in (month, day) else None


def same_date(left: Date, right: Date) -> bool:
    """Whether what was entered has the same parts as gold; years of two digits are compared by these two."""
    if right[0] is not None and right[2] is None and left[0] is None:
        # Where a month of a year is wanted, 09/22 is one, not a day.
        left = left[2], left[1], None
    return _same_year(left[0], right[0]) and left[1:] == right[1:]


def _same_year(left: int | None, right: int | None) -> bool:
    if left is None or right is None or min(left, right) >= 100:
        return left == right
    return left % 100 == right % 100


_ISO_DURATION = re.compile(r"p(?:(\d+)y)?(?:(\d+)m)?")
_DURATION = re.compile(
    r"(?:(\d+(?:\.\d+)?|\d+ 1/2) ?(?:years?|yrs?|y)\b\.?)?"
    r"\s*[,;/]?\s*(?:and|&)?\s*"
    r"(?:(\d+) ?(?:months?|mos?|mths?|m)\b\.?)?"
)


def read_months(folded: str) -> Decimal | None:
    """The time span of a folded text in months, or None if it is none."""
    spaced = re.sub(r"(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)", " ", folded)
    found = _ISO_DURATION.fullmatch(folded) or _DURATION.fullmatch(spaced)
    if len(folded) > _MAX_LENGTH or found is None or not (found[1] or found[2]):
        return None
    years = sum(Decimal("0.5") if part == "1/2" else Decimal(part) for part in (found[1] or "0").split())
    return 12 * years + Decimal(found[2] or 0)
