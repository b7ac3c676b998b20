"""Templates and expressions over facts: sandboxed Jinja and a table of filters.

A *template* is a text with ``{{ expressions }}``. A *pattern* is a template in which ``#``, ``%``, ``?``, ``^`` and
``~`` outside the braces are random characters; see ``Sampler.code``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from typing import Any, NamedTuple

from jinja2 import StrictUndefined, Template, TemplateError, Undefined, meta, nodes
from jinja2.sandbox import SandboxedEnvironment

from .quantities import MONTHS


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


# -- Filters -----------------------------------------------------------------------------------------------------------


def _date(value: object) -> date:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise ValueError(f"{value!r} is no date in ISO 8601") from None


def _dated(form: str) -> Callable[[object], str]:
    """A filter that writes a date: in digits ``y``, ``m``, ``d``; ``month`` in words."""

    def write(value: object) -> str:
        day = _date(value)
        month = MONTHS[day.month - 1].capitalize()
        return form.format(y=f"{day.year:04d}", m=f"{day.month:02d}", d=f"{day.day:02d}", day=day.day, month=month,
                           mon=month[:3])  # fmt: skip

    return write


def _previous_month(value: object) -> str:
    """The month before a date's, in words: ``April 2031``."""
    day = _date(value)
    return f"{MONTHS[day.month - 2].capitalize()} {day.year - (day.month == 1)}"


def _number(value: object) -> Decimal:
    try:
        return Decimal(written(value).replace(",", ""))
    except InvalidOperation:
        raise ValueError(f"{value!r} is no number") from None


def money(value: object, sign: str = "$", cents: bool | None = None) -> str:
    """``$12,500``, with cents if there are any, or as ``cents`` says."""
    number = _number(value)
    decimals = 2 * (number != number.to_integral_value() if cents is None else cents)
    return f"{'-' * (number < 0)}{sign}{abs(number):,.{decimals}f}"


def months_of(duration: str) -> tuple[int, int]:
    """Years and months of an ISO 8601 duration such as ``P4Y2M``."""
    found = re.fullmatch(r"P(?:(\d+)Y)?(?:(\d+)M)?", duration)
    if found is None:
        raise ValueError(f"{duration!r} is no duration of years and months")
    return int(found[1] or 0), int(found[2] or 0)


def _duration_words(duration: str) -> str:
    years, months = months_of(duration)
    parts = [f"{n} {unit}{'s' * (n != 1)}" for n, unit in ((years, "year"), (months, "month")) if n]
    return " ".join(parts) or "0 months"


def series(items: Sequence[object] | str | None) -> str:
    """``a, b and c``."""
    texts = _texts(items)
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part) if texts else ""


def _texts(items: Sequence[object] | str | None) -> list[str]:
    return [items] * bool(items) if isinstance(items, str) else [written(item) for item in items or ()]


DATE_FILTERS: dict[str, Callable[[object], str]] = {
    "long_date": _dated("{month} {day}, {y}"),
    "day_month": _dated("{day} {month} {y}"),
    "us_date": _dated("{m}/{d}/{y}"),
    "month_day": _dated("{mon} {day}, {y}"),
    "iso": _dated("{y}-{m}-{d}"),
}
"""The filters that write a whole date, as texts have it."""

FILTERS: dict[str, Callable[..., str]] = {
    **DATE_FILTERS,
    "digits_date": _dated("{m}{d}{y}"),
    "month_year": _dated("{m}/{y}"),
    "year": _dated("{y}"),
    "month": _dated("{m}"),
    "previous_month": _previous_month,
    "day": _dated("{d}"),
    "years": lambda duration: str(months_of(duration)[0]),
    "months": lambda duration: str(months_of(duration)[1]),
    "total_months": lambda duration: str(months_of(duration)[0] * 12 + months_of(duration)[1]),
    "duration_words": _duration_words,
    "money": money,
    "amount": partial(money, sign="", cents=True),
    "whole_amount": partial(money, sign="", cents=False),
    "thousands": lambda value: f"{_number(value):,f}",
    "plain": lambda value: f"{_number(value):f}",
    "strftime": lambda value, form: _date(value).strftime(form),
    "zfill": lambda value, width: written(value).zfill(width),
    "digits": lambda text: re.sub(r"\D", "", text),
    "last4": lambda text: text[-4:],
    "area_code": lambda phone: phone.split("-", 1)[0],
    "local_number": lambda phone: phone.split("-", 1)[1],
    "initial": lambda text: text[:1],
    "upper": lambda text: written(text).upper(),
    "words": lambda token: token.replace("_", " ").capitalize(),
    "series": series,
    "bullets": lambda items: "\n".join(f"- {text}" for text in _texts(items)),
}
"""The filters of templates by name, besides those of Jinja."""


# -- Templates ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def environment() -> SandboxedEnvironment:
    """The Jinja environment of all templates: sandboxed; unknown names are errors."""
    made = SandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=written)
    made.filters.update(FILTERS)
    return made


@lru_cache(maxsize=8192)
def _compiled(text: str) -> Template:
    return environment().from_string(text)


@lru_cache(maxsize=8192)
def _assignments(recipe: tuple[tuple[str, str], ...]) -> Template:
    """A template that sets names to the values of expressions."""
    return environment().from_string("".join(f"{{% set {name} = {text} %}}" for name, text in recipe))


_MISTAKES = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError)


def render(text: str, facts: Mapping[str, Any], where: str = "") -> str:
    """``text`` filled in, without surrounding whitespace.

    Args:
        text: a template.
        facts: the values and functions that it can use, by name.
        where: its place, for messages.

    Raises:
        ValueError: if it is broken, or uses an unknown name.

    >>> render("{{ price|money }} on {{ day|long_date }}", {"price": 1200, "day": "2031-05-04"})
    '$1,200 on May 4, 2031'
    """
    if "{" not in text:
        return text.strip()
    try:
        template = _compiled(text)
        return "".join(template.root_render_func(template.new_context(_scope(facts), shared=True))).strip()
    except _MISTAKES as error:
        raise ValueError(_explained(error, text, where)) from error


def evaluate(expression: str, facts: Mapping[str, Any], where: str = "") -> Any:
    """The value of a Jinja expression, of any type.

    It is ``None`` for an ``if`` without ``else`` that does not hold. See ``render`` for the arguments and errors.

    >>> evaluate("[low, low + 1] if low > 2", {"low": 3})
    [3, 4]
    """
    return evaluate_all((("value", expression),), facts, where)["value"]


def evaluate_all(recipe: tuple[tuple[str, str], ...], facts: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """The values of Jinja expressions by name, each of which may use those before it. See ``evaluate``.

    >>> evaluate_all((("low", "2 * 3"), ("high", "low + least")), {"least": 1})
    {'low': 6, 'high': 7}
    """
    if not recipe:
        return {}
    try:
        template = _assignments(recipe)
        context = template.new_context(_scope(facts), shared=True)
        # Runs the assignments; a module made of them, which is Jinja's way, takes longer.
        deque(template.root_render_func(context), maxlen=0)
        values = {name: context.vars[name] for name, _ in recipe}
        for value in values.values():
            if isinstance(value, StrictUndefined):
                str(value)
    except _MISTAKES as error:
        raise ValueError(_explained(error, "; ".join(text for _, text in recipe), where)) from error
    return {name: None if isinstance(value, Undefined) else value for name, value in values.items()}


def _scope(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts and Jinja's own functions; Jinja takes longer to merge them."""
    return {**environment().globals, **facts}


def is_template(text: str) -> bool:
    """Whether a text of a recipe is a template, not an expression."""
    return "{{" in text or "{%" in text


def names_in(text: str, is_expression: bool = False) -> set[str]:
    """The names that a template, or an expression, uses.

    Raises:
        ValueError: if it is broken.
    """
    try:
        return meta.find_undeclared_variables(parsed(text, is_expression))
    except TemplateError as error:
        raise ValueError(_explained(error, text, "")) from error


def check_recipe(recipe: Mapping[str, str], known: Collection[str]) -> None:
    """Check that a recipe's expressions use only what is known or drawn before.

    Args:
        recipe: expressions or templates by name; see ``FactMaker.draw``.
        known: the names of functions and of given values.

    Raises:
        ValueError: naming what is broken or unknown.
    """
    seen = {*known, *environment().globals}
    for name, text in recipe.items():
        try:
            unknown = sorted(names_in(text, is_expression=not is_template(text)) - seen)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if unknown:
            raise ValueError(f"{name}: {unknown[0]!r} is neither known nor drawn before, in {text!r}")
        seen.add(name)


def parsed(text: str, is_expression: bool = False) -> nodes.Template:
    """The syntax tree of a template, or of an expression."""
    return environment().parse("{{ " + text + " }}" if is_expression else text)


def _explained(error: Exception, text: str, where: str) -> str:
    line = getattr(error, "lineno", None)
    message = f"{type(error).__name__}: {error}" + (f" (line {line})" if line else "")
    return f"{where}: {message} in {text[:120]!r}" if where else f"{message} in {text[:120]!r}"


# -- Patterns ----------------------------------------------------------------------------------------------------------

_MARKS = re.compile(r"(\{\{.*?\}\})|([#%?^~]+)", re.DOTALL)


@lru_cache(maxsize=8192)
def pattern_template(pattern: str) -> str:
    """``pattern`` as a template: its random characters are calls of ``code``.

    >>> pattern_template("{{ brand }} ##-?")
    "{{ brand }} {{ code('##') }}-{{ code('?') }}"
    """
    return _MARKS.sub(lambda found: found[1] or f"{{{{ code('{found[2]}') }}}}", pattern)


# -- Simple templates --------------------------------------------------------------------------------------------------


class Placeholder(NamedTuple):
    """A fact in a simple template, and the filter that writes it."""

    fact: str
    filter: str | None
    optional: bool


@lru_cache(maxsize=8192)
def parts_of(template: str) -> tuple[str | Placeholder, ...]:
    """The texts and placeholders of a simple template, in turn; a text may be empty.

    Simple templates have only ``{{ fact }}``, ``{{ fact|filter }}``, and ``{{ fact|d }}`` or ``{{ fact|d|filter }}``
    for a fact that may be missing.

    Raises:
        ValueError: if it is not simple.

    >>> parts_of("born {{ birth_date|us_date }}")
    ('born ', Placeholder(fact='birth_date', filter='us_date', optional=False), '')
    """
    pieces = enumerate(_BRACES.split(template))
    return tuple(_placeholder(piece, template) if i % 2 else _text(piece, template) for i, piece in pieces)


_BRACES = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_SIMPLE = "write {{ fact }}, {{ fact|d }} or {{ fact|filter }}"


def _text(piece: str, template: str) -> str:
    if re.search(r"[{}]", piece):
        raise ValueError(f"{template!r} has a brace that is no placeholder; {_SIMPLE}")
    return piece


def _placeholder(inside: str, template: str) -> Placeholder:
    fact, *filters = (word.strip() for word in inside.split("|"))
    named = [name for name in filters if name != "d"]
    if not fact.isidentifier() or len(named) > 1:
        raise ValueError(f"{template!r} has more than placeholders; {_SIMPLE}")
    if unknown := [name for name in named if name not in FILTERS]:
        raise ValueError(f"{template!r}: unknown filter {unknown[0]!r}; there are {', '.join(FILTERS)}")
    return Placeholder(fact, named[0] if named else None, "d" in filters)


def placeholders(template: str) -> tuple[Placeholder, ...]:
    """The placeholders of a simple template."""
    return tuple(part for part in parts_of(template) if isinstance(part, Placeholder))


def facts_of(template: str) -> set[str]:
    """The facts in a simple template."""
    return {placeholder.fact for placeholder in placeholders(template)}


def fill(template: str, facts: Mapping[str, str]) -> str | None:
    """A simple template filled in, or None.

    It is None if a required fact is missing, or nothing is left. Runs of spaces become one.

    Raises:
        ValueError: if it is not simple, or a filter does not fit its fact.

    >>> fill("{{ first }} {{ middle|d|initial }} {{ last }}", {"first": "Ann", "last": "Ott"})
    'Ann Ott'
    """
    texts = []
    for part in parts_of(template):
        if isinstance(part, str):
            texts.append(part)
        elif part.fact in facts:
            texts.append(_filtered(facts[part.fact], part))
        elif not part.optional:
            return None
    return " ".join("".join(texts).split()) or None


def _filtered(value: str, part: Placeholder) -> str:
    if part.filter is None or not value:
        return value
    try:
        # A filter is called here, not by Jinja, which takes three times as long for a template.
        return FILTERS[part.filter](value)
    except _MISTAKES as error:
        raise ValueError(f"{value!r} cannot be written as {part.filter}: {error}") from error
