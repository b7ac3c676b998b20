"""Numbers: the value of a number field, its problems and its steps.

Chromium calculates with decimals of 18 digits, and truncates further digits.
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal
from functools import cached_property

from .capture import Control

_NUMBER = re.compile(r"(-?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?", re.A)
_DIGITS = 18
_CUT = Context(prec=_DIGITS, rounding=ROUND_DOWN)
_DIVIDED = Context(prec=_DIGITS, rounding=ROUND_HALF_DOWN)
_SHOWN = Context(prec=15, rounding=ROUND_HALF_UP)
_MIN_EXPONENT = -1023
_MAX_NUMBER = Decimal(repr(sys.float_info.max))


def number_text(typed: str) -> str:
    """The value of a number field; "" if the typed text is no number."""
    text = typed if re.search("[eE]", typed) else re.sub(r"^\+(?=[\d.])|(?<=\d)\.$", "", typed)
    valid = _NUMBER.fullmatch(text) and not text.endswith(".") and math.isfinite(float(text))
    return text if valid else ""


def _number_of(text: str) -> Decimal | None:
    """The number in a value or an attribute; ``None`` if it is none."""
    found = _NUMBER.fullmatch(text)
    if found is None or text.endswith("."):
        return None
    sign, whole, part, only, power = found.groups("")
    whole = whole.lstrip("0")
    kept = (whole + part + only)[:_DIGITS]
    places = len(whole) - len(kept) + int(max(-9999, min(9999, float(power or 0))))
    number = Decimal(f"{sign}{kept or 0}e{places}")
    if not number or places < _MIN_EXPONENT:
        return Decimal(0)
    return number if abs(number) <= _MAX_NUMBER else None


def plain(number: Decimal) -> str:
    """A number as Chromium writes it into a field: 15 digits if it has decimals."""
    if not number:
        return "0"
    text = str(_SHOWN.plus(number) if _exponent(number) < 0 else number).lower()
    digits, e, power = text.partition("e")
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + e + power


def _exponent(number: Decimal) -> int:
    return int(number.as_tuple().exponent)


def _sum(one: Decimal, other: Decimal) -> Decimal:
    """The sum of two numbers; the lesser is first truncated to the greater's digits."""
    fine, coarse = sorted((one, other), key=_exponent)
    last = coarse.adjusted() - _DIGITS + 1
    if coarse and _exponent(fine) < last:
        fine = _CUT.quantize(fine, Decimal((0, (1,), last)))
    return _CUT.add(fine, coarse)


def _rounded(number: Decimal, rounding: str) -> Decimal:
    if _exponent(number) >= 0:
        return number
    # Chromium rounds a zero that has decimals up to one.
    return number.to_integral_value(rounding) if number or rounding != ROUND_CEILING else Decimal(1)


@dataclass(frozen=True)
class _Steps:
    """The numbers that a field accepts: a range, and steps from ``base``."""

    low: Decimal
    high: Decimal
    base: Decimal
    step: Decimal

    def nearest(self, number: Decimal, rounding: str) -> Decimal:
        """``number`` rounded to a whole number of steps from the base."""
        steps = _DIVIDED.divide(_sum(number, -self.base), self.step)
        return _sum(self.base, _CUT.multiply(_rounded(steps, rounding), self.step))

    def miss(self, number: Decimal) -> bool:
        """Whether a number is between two steps, beyond the error of a short float."""
        away = abs(_sum(number, -self.base))
        if _DIVIDED.divide(away, Decimal(2**53)) > self.step:
            return False
        steps = _rounded(_DIVIDED.divide(away, self.step), ROUND_HALF_UP)
        rest = abs(_sum(away, -_CUT.multiply(self.step, steps)))
        error = _DIVIDED.divide(self.step, Decimal(2**24))
        return error < rest < _sum(self.step, -error)

    def clamped(self, number: Decimal) -> Decimal:
        """The nearest number that the field accepts."""
        inside = max(self.low, min(number, self.high))
        found = self.nearest(inside, ROUND_HALF_UP)
        if not self.low <= found <= self.high:
            found = _sum(found, -self.step if found > self.high else self.step)
        return found if self.low <= found <= self.high else inside

    @cached_property
    def last(self) -> Decimal | None:
        """The greatest number that the field accepts; ``None`` if it accepts none."""
        if _sum(self.base, -self.step) == self.base:
            return None
        steps = _DIVIDED.divide(_sum(self.high, -self.base), self.step)
        found = self.high if steps == _rounded(steps, ROUND_FLOOR) else self.nearest(self.high, ROUND_FLOOR)
        found = _sum(found, -self.step) if found > self.high else found
        return found if found >= self.low else None


def _steps(control: Control) -> _Steps:
    low, high, step = _number_of(control.least), _number_of(control.most), _number_of(control.step)
    base = low if low is not None else _number_of(control.value) or Decimal(0)
    step = step if step is not None and step > 0 else Decimal(1)
    return _Steps(-_MAX_NUMBER if low is None else low, _MAX_NUMBER if high is None else high, base, step)


def _takes_any(control: Control) -> bool:
    return control.step.lower() == "any"


def number_problem(control: Control, value: str) -> str:
    """The problem of a number with its range or its step; "" if there is none."""
    number = _number_of(value) if control.type == "number" else None
    if number is None:
        return ""
    steps = _steps(control)
    if steps.low > steps.high:
        return f"Minimum value ({plain(steps.low)}) must be less than the maximum value ({plain(steps.high)})."
    if steps.low == steps.high != number:
        return f"Value must be {plain(steps.low)}."
    if number < steps.low:
        return f"Value must be greater than or equal to {plain(steps.low)}."
    if number > steps.high:
        return f"Value must be less than or equal to {plain(steps.high)}."
    return "" if _takes_any(control) or not steps.miss(number) else _step_problem(steps, number)


def _step_problem(steps: _Steps, number: Decimal) -> str:
    one = steps.clamped(number)
    other = _sum(one, steps.step if one < number else -steps.step)
    if not steps.low <= other <= steps.high:
        return f"Please enter a valid value. The nearest valid value is {plain(one)}."
    low, high = sorted((one, other))
    return f"Please enter a valid value. The two nearest valid values are {plain(low)} and {plain(high)}."


def stepped(control: Control, value: str, up: bool) -> str:
    """The result of ``stepUp`` or ``stepDown`` on a number."""
    steps = _steps(control)
    if _takes_any(control) or steps.low > steps.high or steps.last is None:
        return value
    before = _number_of(value)
    after, snapped = _step_from(steps, before or Decimal(0), up)
    if after < steps.low:
        after = steps.nearest(steps.low, ROUND_CEILING)
    if after > steps.high:
        after = steps.last
    if before is not None and not snapped and (after < before if up else after > before):
        return value
    return plain(after)


def _step_from(steps: _Steps, number: Decimal, up: bool) -> tuple[Decimal, bool]:
    """The next number by a step, and whether it is only moved onto a step."""
    if steps.miss(number):
        after = steps.nearest(number, ROUND_CEILING if up else ROUND_FLOOR)
        # No step more: of it the result has the decimals.
        return _sum(after, _CUT.multiply(steps.step, Decimal(0))), True
    after = _sum(number, steps.step if up else -steps.step)
    return (steps.nearest(after, ROUND_HALF_UP) if after < Decimal("1e21") else after), False


_NARROW = str.maketrans("０１２３４５６７８９－ー．", "0123456789--.")


def number_characters(typed: str, before: str, after: str) -> str:
    """The part of ``typed`` that Chromium accepts in a number field between two texts."""
    taken = ""
    for c in typed.translate(_NARROW):
        if _fits_number(c, before + taken, after):
            taken += c
    return taken


def _fits_number(c: str, before: str, after: str) -> bool:
    has_power = bool(re.search("[eE]", before + after))
    at_power = before[-1:] in ("e", "E")
    sign_after = after[:1] in ("+", "-")
    if c == ".":
        power_before = re.search("[eE]", before)
        return "." not in before + after and not power_before and not re.match("[^+-]*(?<![eE])[+-]", after)
    if c in "eE":
        return not has_power and "." not in after
    if c in "+-":
        fits = not has_power or at_power or (not before and c == "-")
        return fits and not sign_after and len(re.findall("[+-]", before + after)) < 2
    return c in "0123456789" and not (sign_after and (not before or at_power))
