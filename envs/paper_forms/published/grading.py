"""The grading of the published FormGym, faults included, and what to write so that it is right by it and by ours."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any

from ...core.matchers import value_matcher
from ...core.scoring import Gold
from ...core.texts import one_line
from ..marks import Mark

_SPACES = str.maketrans(dict.fromkeys(string.punctuation, " "))
_DAYS = (datetime(2000, 1, 1), datetime(2001, 2, 2))
"""What fills in the parts that a date lacks. The published code takes today, so that its verdict on such a date changes
from one day to the next: here it is right if it is on both of these days."""


def is_answered(value: Any) -> bool:
    """Whether a value is an answer by the published code, for which the number 0 is none, and a blank text is one."""
    return value not in (None, "None", "N/A", False, "")


def gold_of(kind: str, value: Any) -> Gold:
    """The answer of a field as our matchers grade it, which is right by the published grading, too.

    Args:
        kind: one of ``source.KINDS``.
        value: a text, a whole number, or whether it is ticked.
    """
    text = one_line(str(value)) if is_answered(value) else ""
    if text and kind == "checkbox":
        text = "x"
    if text and kind == "duration" and isinstance(value, int):
        text = f"{value // 12} years {value % 12} months"
    matcher = {"string": "text", "numeric": _matcher_of_number(text)}.get(kind, kind)
    gold = Gold(matcher, text or None)
    return gold if gold.accepts(text) else Gold("text", text)


def is_right(kind: str, value: Any, marks: Sequence[Mark], version: str) -> bool:
    """The published verdict on the marks with their centres in a field's box.

    Args:
        kind: one of ``source.KINDS``.
        value: what the field must hold.
        marks: in any order.
        version: whose grading, ``"A"`` of the paper or ``"B"`` of the public checkout.
    """
    if kind == "signature":
        counted = [mark for mark in marks if mark.signed or version == "A"]
        return len(counted) == 1 and counted[0].signed and counted[0].text == str(value)
    ordered = sorted(marks, key=lambda mark: (mark.y, mark.x))
    return _VERDICTS[kind](" ".join(mark.text for mark in ordered), value)


def _matcher_of_number(text: str) -> str:
    found = value_matcher(text)
    return "money" if found == "number" or "$" in text else found or "identifier"


def _words(text: str) -> list[str]:
    return text.translate(_SPACES).lower().split()


def _digits(text: str) -> str:
    return re.sub(r"[^0-9.]", "", text)


def _day(text: str, default: datetime) -> date | None:
    """The day of a date in words or figures, as dateutil reads it; ``None`` if it is none."""
    from dateutil.parser import parse

    try:
        day: date = parse(text, default=default).date()
    except (ValueError, OverflowError, TypeError):
        return None
    return day


def _is_name(entered: str, value: Any) -> bool:
    words = set(entered.split())
    return len(words) > 2 and words <= set(str(value).split())


def _months(text: str) -> int:
    years, months = (re.search(rf"(\d{{1,6}}) {unit}", text) for unit in ("year", "month"))
    return 12 * int(years[1] if years else 0) + int(months[1] if months else 0)


_VERDICTS: dict[str, Callable[[str, Any], bool]] = {
    "string": lambda entered, value: _words(entered) == _words(str(value)),
    "numeric": lambda entered, value: _digits(entered) == _digits(str(value)),
    "checkbox": lambda entered, value: entered.lower() == ("x" if value else ""),
    "date": lambda entered, value: all(_day(entered, day) == _day(str(value), day) is not None for day in _DAYS),
    "name": _is_name,
    "duration": lambda entered, value: str(_months(entered)) == str(value),
}
"""By kind, the verdict on the joined text of a box."""
