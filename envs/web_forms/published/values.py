"""Convert published values into what the controls of a page hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from ...core.matchers import fold
from ...core.quantities import read_date
from ..forms.form_fields import LISTS, Value
from .labels import words

_YES = frozenset(("yes", "true", "on", "checked", "ticked", "agree", "agreed", "i agree", "accepted", "1", "y", "✓"))
_NO = frozenset(("no", "false", "off", "unchecked", "unticked", "disagree", "declined", "0", "n", "none", ""))
_NUMBER = re.compile(r"[^\d+-]*([-+]?\d+(?:\.\d+)?)[^\d]*")
_MIN_YEAR = 1000
_SEPARATOR = re.compile(r"\s*[,;\n]\s*")


class NotEnterable(ValueError):
    """A value that a control cannot hold; the message gives the reason, without the value."""


Options = Sequence[tuple[str, str]]
"""Value and text of what can be chosen."""


def entered_value(given: Any, control: str, options: Options, label: str, several: bool = False) -> Value:
    """What a control holds once a published value is entered; ``None``: there is nothing to enter.

    Args:
        given: a text, number, Boolean or list of texts.
        control: its kind.
        options: what can be chosen.
        label: the control's, which may be what a tick is given as.
        several: whether it takes several files.

    Raises:
        NotEnterable: if it cannot hold the value.
    """
    if isinstance(given, dict) or (isinstance(given, list) and any(isinstance(item, list | dict) for item in given)):
        raise NotEnterable("a value of several parts")
    if control == "checkbox":
        return _tick(given, label)
    if given is None or given == [] or str(given).strip() == "":
        return None
    if control in LISTS or (control == "file" and several):
        return [_item(item, control, options) for item in _items(given, control, options)]
    if isinstance(given, list) and len(given) == 1:
        given = given[0]
    if isinstance(given, list) and (options or control == "file"):
        raise NotEnterable("several values where one can be chosen")
    return _item(given, control, options)


def _items(given: Any, control: str, options: Options) -> list[Any]:
    if isinstance(given, list):
        return given
    whole = str(given)
    if control != "file" and _option(whole, options):
        return [whole]
    return [part for part in _SEPARATOR.split(whole) if part]


def _item(given: Any, control: str, options: Options) -> str:
    """A single value of a control that is no checkbox."""
    if control in ("select", "radio", *LISTS):
        option = _option(_text(given), options)
        if option is None:
            raise NotEnterable("none of the options")
        return option
    if control == "file":
        return _file_name(_text(given))
    if control == "date":
        return _iso_date(_text(given))
    if control in ("number", "range"):
        return _digits(given)
    return _text(given, is_long=control == "textarea")


def _tick(given: Any, label: str) -> bool:
    if isinstance(given, bool):
        return given
    items = given if isinstance(given, list) else [given]
    text = fold("" if given is None else ", ".join(map(str, items)))
    if text in _YES or (text and words(text) == words(label)):
        return True
    if text in _NO:
        return False
    raise NotEnterable("neither yes nor no")


def _option(text: str, options: Options) -> str | None:
    """The text of the option with these words or this value, or of the only one that begins with them or has them."""
    wanted = words(text) or (fold(text),)
    found = [(shown, words(shown) or (fold(shown),), fold(value)) for value, shown in options]
    for matches in (
        [shown for shown, _, _ in found if fold(shown) == fold(text)],
        [shown for shown, its, value in found if its == wanted or value == fold(text)],
        [shown for shown, its, _ in found if its[: len(wanted)] == wanted],
        [shown for shown, its, _ in found if set(wanted) <= set(its)],
    ):
        if len(matches) == 1:
            return matches[0]
    return None


def _file_name(text: str) -> str:
    """The name of a file without folders."""
    name = PurePath(text.replace("\\", "/")).name
    if not PurePath(name).suffix or len(name) > 120:
        raise NotEnterable("no name of a file")
    return name


def _iso_date(text: str) -> str:
    year, month, day = read_date(fold(text)) or (None, None, None)
    if year is None or year < _MIN_YEAR or month is None or day is None:
        raise NotEnterable("no full date")
    return f"{year}-{month:02}-{day:02}"


def _digits(given: Any) -> str:
    """A number in digits, without currency, unit and separators of thousands."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return str(int(given)) if given == int(given) else repr(given)
    found = _NUMBER.fullmatch(re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", str(given).strip()))
    if not found:
        raise NotEnterable("no single number")
    return found[1]


def _text(given: Any, is_long: bool = False) -> str:
    """A value as it is typed: on one line, unless the control has several."""
    if isinstance(given, bool):
        return "Yes" if given else "No"
    text = ", ".join(map(str, given)) if isinstance(given, list) else str(given)
    if is_long:
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in text.strip().splitlines()))
    return " ".join(text.split())
