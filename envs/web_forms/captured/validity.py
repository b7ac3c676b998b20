"""Validity: what a browser finds wrong with what was entered, in Chromium's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from .files import Control
from .overlays import parsed
from .widgets import ListBox, TextField, Tick, Widget

_REQUIRED = "Please fill out this field."
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?", re.A)
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})*", re.A)
_LOCAL = re.compile(r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+", re.A)
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:.+", re.S)


def problem_of(widget: Widget, group: Sequence[Tick]) -> str:
    """What is wrong with a control; "" if nothing is.

    Args:
        widget: the control.
        group: the ticks of its name, if it is one.
    """
    if isinstance(widget, Tick):
        return _tick_problem(widget, group)
    if isinstance(widget, ListBox):
        return _list_problem(widget)
    return text_problem(widget.control, submitted(widget), widget.editor.text) if isinstance(widget, TextField) else ""


def submitted(widget: TextField) -> str:
    """What a text field is submitted as: without what its type does not take."""
    text, kind = widget.editor.text, widget.control.type
    if kind in ("email", "url"):
        return text.strip(" \t\n\f\r")
    return text if kind != "number" or _NUMBER.fullmatch(text) else ""


def text_problem(control: Control, value: str, typed: str) -> str:
    """What is wrong with a text; ``typed``: what was typed, from which its type has made ``value``."""
    if control.type == "date":
        return _date_problem(control, value) if value else _required(control)
    if control.type == "number" and typed and not value:
        return "Please enter a number."
    if not value:
        return _required(control)
    checks = {"email": _email_problem, "url": _url_problem, "number": _number_problem}
    own = checks[control.type](control, value) if control.type in checks else ""
    return own or _pattern_problem(control, value) or _length_problem(control, typed)


def _required(control: Control) -> str:
    return _REQUIRED if control.required else ""


def _tick_problem(tick: Tick, group: Sequence[Tick]) -> str:
    control = tick.control
    if control.group_required and tick is group[0] and not any(one.checked for one in group):
        return "Please select at least one option."
    if control.radio:
        required = any(one.control.required for one in group)
        return "Please select one of these options." if required and not any(one.checked for one in group) else ""
    return "Please check this box if you want to proceed." if control.required and not tick.checked else ""


def _list_problem(box: ListBox) -> str:
    if not box.control.required or any(box.values):
        return ""
    return (
        f"Please select {'a' if not box.control.several else 'one or more'} file{'s' * box.control.several}."
        if box.control.file
        else "Please select an item in the list."
    )


def _date_problem(control: Control, value: str) -> str:
    if parsed(value) is None:
        return "Please enter a valid date as YYYY-MM-DD."
    if control.least and value < control.least:
        return f"Date must be {control.least} or later."
    if control.most and value > control.most:
        return f"Date must be {control.most} or earlier."
    return ""


def _length_problem(control: Control, value: str) -> str:
    length = len(value.encode("utf-16-le")) // 2
    if control.min_length <= 0 or length >= control.min_length:
        return ""
    unit = "character" if control.min_length == 1 else "characters"
    used = "1 character" if length == 1 else f"{length} characters"
    return f"Please lengthen this text to {control.min_length} {unit} or more (you are currently using {used})."


def _pattern_problem(control: Control, value: str) -> str:
    if not control.pattern or re.fullmatch(control.pattern, value):
        return ""
    return "Please match the requested format." + (f"\n{control.title}" if control.title else "")


def _url_problem(control: Control, value: str) -> str:
    return "" if _URL.fullmatch(value) and " " not in value.split("/")[2:3] else "Please enter a URL."


def _email_problem(control: Control, value: str) -> str:
    if _EMAIL.fullmatch(value):
        return ""
    if "@" not in value:
        return f"Please include an '@' in the email address. '{value}' is missing an '@'."
    local, _, domain = value.partition("@")
    if not local:
        return f"Please enter a part followed by '@'. '{value}' is incomplete."
    if not domain:
        return f"Please enter a part following '@'. '{value}' is incomplete."
    return _local_problem(local) or _domain_problem(domain)


def _local_problem(local: str) -> str:
    wrong = next((c for c in local if not _LOCAL.fullmatch(c)), None)
    return f"A part followed by '@' should not contain the symbol '{wrong}'." if wrong else ""


def _domain_problem(domain: str) -> str:
    wrong = next((c for c in domain if not re.fullmatch("[a-zA-Z0-9.-]", c)), None)
    if wrong:
        return f"A part following '@' should not contain the symbol '{wrong}'."
    if domain.startswith(".") or domain.endswith(".") or ".." in domain:
        return f"'.' is used at a wrong position in '{domain}'."
    return "Please enter an email address."


def _number_problem(control: Control, value: str) -> str:
    number = Decimal(value)
    if control.least and number < Decimal(control.least):
        return f"Value must be greater than or equal to {control.least}."
    if control.most and number > Decimal(control.most):
        return f"Value must be less than or equal to {control.most}."
    step = _step(control)
    if step is None:
        return ""
    base = Decimal(control.least) if control.least else Decimal(0)
    off = (number - base) % step
    if not off:
        return ""
    low = number - off if off > 0 else number - off - step
    return _step_problem(control, low, low + step)


def _step_problem(control: Control, low: Decimal, high: Decimal) -> str:
    if control.most and high > Decimal(control.most):
        return f"Please enter a valid value. The nearest valid value is {plain(low)}."
    return f"Please enter a valid value. The two nearest valid values are {plain(low)} and {plain(high)}."


def _step(control: Control) -> Decimal | None:
    """The step of a number field; ``None``: any."""
    if control.step.lower() == "any":
        return None
    try:
        step = Decimal(control.step or "1")
    except InvalidOperation:
        return Decimal(1)
    return step if step > 0 else Decimal(1)


def plain(number: Decimal) -> str:
    """A number as Chromium writes it into a field."""
    text = format(number.normalize(), "f")
    return "0" if text == "-0" else text


def stepped(control: Control, value: str, up: bool) -> str:
    """What a step up or down makes of a number, as HTML's ``stepUp`` and ``stepDown`` have it."""
    step = _step(control)
    least = Decimal(control.least) if control.least else None
    most = Decimal(control.most) if control.most else None
    if step is None or (least is not None and most is not None and least > most):
        return value
    base = least if least is not None else Decimal(0)
    before = Decimal(value) if value else Decimal(0)
    off = (before - base) % step
    off = off + step if off < 0 else off
    after = before + (step - off if up else (-off if off else -step)) if off or not up else before + step
    if least is not None and after < least:
        after = least
    if most is not None and after > most:
        after = most - (most - base) % step
    if (after < before) if up else (after > before):
        return value
    return plain(after)
