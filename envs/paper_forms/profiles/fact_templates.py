"""Fill templates with facts: ``{first_name} {middle_name?|initial} {last_name}``.

A placeholder names a fact; ``?`` makes it optional; a derivation after ``|`` sets how it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal

from ...core.dates import MONTHS


def _date_parts(date: str) -> tuple[str, str, str]:
    year, month, day = date.split("-")
    return year, month, day


def _long_date(date: str) -> str:
    year, month, day = _date_parts(date)
    return f"{MONTHS[int(month) - 1].capitalize()} {int(day)}, {year}"


def _span(duration: str) -> tuple[int, int]:
    """Years and months of an ISO 8601 duration such as ``P4Y2M``."""
    found = re.fullmatch(r"P(?:(\d+)Y)?(?:(\d+)M)?", duration)
    if found is None:
        raise ValueError(f"{duration!r} is no duration of years and months")
    return int(found[1] or 0), int(found[2] or 0)


def _duration_words(duration: str) -> str:
    years, months = _span(duration)
    parts = [f"{n} {unit}{'s' * (n != 1)}" for n, unit in ((years, "year"), (months, "month")) if n]
    return " ".join(parts) or "0 months"


def _money(amount: str) -> str:
    return f"{Decimal(amount):,.2f}"


def _whole_money(amount: str) -> str:
    return f"{Decimal(amount):,.0f}"


DERIVATIONS: dict[str, Callable[[str], str]] = {
    "us_date": lambda date: "/".join((*_date_parts(date)[1:], _date_parts(date)[0])),
    "digits_date": lambda date: "".join((*_date_parts(date)[1:], _date_parts(date)[0])),
    "long_date": _long_date,
    "month_year": lambda date: f"{_date_parts(date)[1]}/{_date_parts(date)[0]}",
    "year": lambda date: _date_parts(date)[0],
    "month": lambda date: _date_parts(date)[1],
    "day": lambda date: _date_parts(date)[2],
    "years": lambda duration: str(_span(duration)[0]),
    "months": lambda duration: str(_span(duration)[1]),
    "total_months": lambda duration: str(_span(duration)[0] * 12 + _span(duration)[1]),
    "duration_words": _duration_words,
    "money": _money,
    "whole_money": _whole_money,
    "digits": lambda text: re.sub(r"\D", "", text),
    "last4": lambda text: text[-4:],
    "area_code": lambda phone: phone.split("-", 1)[0],
    "local_number": lambda phone: phone.split("-", 1)[1],
    "initial": lambda text: text[:1],
    "upper": str.upper,
    "words": lambda token: token.replace("_", " ").capitalize(),
}

PLACEHOLDER = re.compile(r"\{(\w+)(\?)?(?:\|(\w+))?\}")


def fill(template: str, facts: Mapping[str, str]) -> str | None:
    """``template`` with its placeholders filled; None if it cannot be filled.

    It is None if a required fact is missing, or nothing is left. Runs of spaces become one.

    Raises:
        ValueError: if a derivation is unknown, or does not fit the fact.
    """
    check_template(template)
    if any(fact not in facts and not optional for fact, optional, _ in PLACEHOLDER.findall(template)):
        return None
    filled = PLACEHOLDER.sub(lambda found: _written(facts.get(found[1], ""), found[3]), template)
    return " ".join(filled.split()) or None


def facts_of(template: str) -> set[str]:
    """The facts in a template."""
    return {fact for fact, _, _ in PLACEHOLDER.findall(template)}


def check_template(template: str) -> None:
    """Check that a template's braces are placeholders with known derivations.

    Raises:
        ValueError: naming what is not.
    """
    if re.search(r"[{}]", PLACEHOLDER.sub("", template)):
        raise ValueError(
            f"{template!r} has a brace that is no placeholder; write {{fact}}, {{fact?}} or {{fact|derivation}}"
        )
    for _, _, derivation in PLACEHOLDER.findall(template):
        if derivation and derivation not in DERIVATIONS:
            raise ValueError(f"unknown derivation {derivation!r}; there are {', '.join(DERIVATIONS)}")


def _written(value: str, derivation: str | None) -> str:
    if not value or not derivation:
        return value
    try:
        return DERIVATIONS[derivation](value)
    except (ValueError, IndexError, ArithmeticError) as error:
        raise ValueError(f"{value!r} cannot be written as {derivation}: {error}") from error
