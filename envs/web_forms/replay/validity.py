"""Validity: what a browser finds wrong with what was entered, in Chromium's words."""

from __future__ import annotations

from collections.abc import Sequence

from .addresses import email_problem, email_text, is_url
from .editing import utf16_length
from .files import Control
from .numbers import number_problem, number_text
from .overlays import parsed
from .patterns import pattern_mismatch
from .widgets import ListBox, TextField, Tick, Widget


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
    if kind == "email":
        return email_text(text.strip(" \t\n\f\r"))
    return number_text(text) if kind == "number" else text


def text_problem(control: Control, value: str, typed: str) -> str:
    """What is wrong with a text; ``typed``: what was typed, from which its type has made ``value``."""
    mismatch = pattern_mismatch(control, value)
    message = (
        _date_problem(control, value)
        or _type_problem(control, value, typed)
        or ("Please match the requested format." if mismatch else "")
        or _length_problem(control, value, typed)
        or number_problem(control, value)
    )
    # The page adds what the pattern asks for, whatever else is wrong.
    return f"{message}\n{control.title}" if mismatch and control.title else message


def _type_problem(control: Control, value: str, typed: str) -> str:
    if not value:
        bad = control.type == "number" and typed
        return "Please enter a number." if bad else "Please fill out this field." if control.required else ""
    if control.type == "email":
        return email_problem(value)
    return "Please enter a URL." if control.type == "url" and not is_url(value) else ""


def _tick_problem(tick: Tick, group: Sequence[Tick]) -> str:
    control = tick.control
    if control.group_required and tick is group[0] and not any(one.checked for one in group):
        return "Please select at least one option."
    if control.radio:
        required = any(one.control.required for one in group)
        return "Please select one of these options." if required and not any(one.checked for one in group) else ""
    return "Please check this box if you want to proceed." if control.required and not tick.checked else ""


def _list_problem(box: ListBox) -> str:
    first = box.chosen.index(True) if True in box.chosen else -1
    # A first option without a value stands for nothing chosen.
    prompt = not (box.control.several or box.control.file) and first == 0 and not box.options[0].value
    if not box.control.required or (first >= 0 and not prompt):
        return ""
    if not box.control.file:
        return "Please select an item in the list."
    return "Please select one or more files." if box.control.several else "Please select a file."


def _date_problem(control: Control, value: str) -> str:
    if control.type != "date" or not value:
        return ""
    if parsed(value) is None:
        return "Please enter a valid date as YYYY-MM-DD."
    if control.least and value < control.least:
        return f"Date must be {control.least} or later."
    if control.most and value > control.most:
        return f"Date must be {control.most} or earlier."
    return ""


def _length_problem(control: Control, value: str, typed: str) -> str:
    # Only what a person has typed is measured.
    if control.type == "number" or not value or typed == control.value:
        return ""
    length = utf16_length(value)
    using = f"(you are currently using {length} character{'s' * (length != 1)})."
    if 0 <= control.max_length < length:
        return f"Please shorten this text to {control.max_length} characters or less {using}"
    if length < control.min_length:
        return f"Please lengthen this text to {control.min_length} characters or more {using}"
    return ""
