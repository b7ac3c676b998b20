"""Read numbers as people write them, and the units of fields."""

from __future__ import annotations

import re
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
