"""Templates: source texts made of drawn facts, with dates and numbers in prose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.environment import TemplateExpression
from jinja2.sandbox import SandboxedEnvironment

from ...core.dates import MONTHS


class Amount(float):
    """A number with as many decimals as its step."""

    decimals: int

    @classmethod
    def of(cls, value: float, decimals: int) -> Amount:
        """``value`` with a number of decimals."""
        amount = cls(round(value, decimals))
        amount.decimals = decimals
        return amount

    def __str__(self) -> str:
        return f"{float(self):.{self.decimals}f}"


def written(value: object) -> str:
    """``value`` as a template writes it: ``None`` as nothing, numbers without noise."""
    if value is None:
        return ""
    if isinstance(value, float) and not isinstance(value, Amount):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return str(value)


def _date(value: object) -> date:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise ValueError(f"{value!r} is no date in ISO 8601") from None


def _month(value: object) -> str:
    return MONTHS[_date(value).month - 1].capitalize()


def long_date(value: object) -> str:
    """``March 14, 2025``."""
    return f"{_month(value)} {_date(value).day}, {_date(value).year}"


def day_month(value: object) -> str:
    """``14 March 2025``."""
    return f"{_date(value).day} {_month(value)} {_date(value).year}"


def us_date(value: object) -> str:
    """``03/14/2025``."""
    day = _date(value)
    return f"{day.month:02d}/{day.day:02d}/{day.year}"


def month_day(value: object) -> str:
    """``Mar 14, 2025``."""
    return f"{_month(value)[:3]} {_date(value).day}, {_date(value).year}"


def iso(value: object) -> str:
    """``2025-03-14``."""
    return _date(value).isoformat()


DATE_FORMATS: tuple[Callable[[object], str], ...] = (long_date, day_month, us_date, month_day, iso)
"""The formats of dates in texts."""


def _number(value: object) -> Decimal:
    try:
        return Decimal(written(value).replace(",", ""))
    except InvalidOperation:
        raise ValueError(f"{value!r} is no number") from None


def thousands(value: object) -> str:
    """``12,500``."""
    return f"{_number(value):,f}"


def money(value: object) -> str:
    """``$12,500``, or ``$12,500.50`` where there are cents."""
    number = _number(value)
    sign, size = "-" * (number < 0), abs(number)
    return f"{sign}${size:,.0f}" if size == size.to_integral_value() else f"{sign}${size:,.2f}"


def plain(value: object) -> str:
    """``12500``."""
    return f"{_number(value):f}"


def series(items: Sequence[object] | str | None) -> str:
    """``a, b and c``."""
    texts = _texts(items)
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part) if texts else ""


def bullets(items: Sequence[object] | str | None) -> str:
    """A list in Markdown, an item a line."""
    return "\n".join(f"- {text}" for text in _texts(items))


def _texts(items: Sequence[object] | str | None) -> list[str]:
    return [items] * bool(items) if isinstance(items, str) else [written(item) for item in items or ()]


FILTERS: dict[str, Callable[..., str]] = {
    filter_.__name__: filter_ for filter_ in (*DATE_FORMATS, thousands, money, plain, series, bullets)
}
"""The filters of templates, besides those of Jinja."""


@lru_cache(maxsize=1)
def environment() -> SandboxedEnvironment:
    """The Jinja environment of all templates: sandboxed; unknown names are errors."""
    made = SandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=written)
    made.filters.update(FILTERS)
    return made


@lru_cache(maxsize=4096)
def compiled(text: str) -> Template:
    """The template of a text, compiled once."""
    return environment().from_string(text)


@lru_cache(maxsize=4096)
def _expression(text: str) -> TemplateExpression:
    return environment().compile_expression(text, undefined_to_none=False)


_MISTAKES = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError)


def render(text: str, facts: Mapping[str, Any], where: str) -> str:
    """``text`` filled in, without surrounding whitespace.

    Args:
        text: a template.
        facts: what it can use, by name.
        where: its place, for messages.

    Raises:
        ValueError: if it is broken, or uses an unknown name.
    """
    if "{" not in text:
        return text.strip()
    try:
        return compiled(text).render(facts).strip()
    except _MISTAKES as error:
        raise ValueError(f"{where}: {_explained(error)} in {text[:120]!r}") from error


def holds(expression: str, facts: Mapping[str, Any], where: str) -> bool:
    """Whether a Jinja expression is true; see ``render``."""
    try:
        return bool(_expression(expression)(facts))
    except _MISTAKES as error:
        raise ValueError(f"{where}: {_explained(error)} in {expression!r}") from error


def _explained(error: Exception) -> str:
    line = getattr(error, "lineno", None)
    return f"{type(error).__name__}: {error}" + (f" (line {line})" if line else "")
