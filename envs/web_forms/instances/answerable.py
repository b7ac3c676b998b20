"""Whether a careful reader finds a gold value in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache

from ...core.matchers import fold
from ...core.templates import DATE_FILTERS
from ..forms.form_fields import Field, Value

Cues = Mapping[str, Sequence[str]]
"""The cues of a field's options."""

_NUMBER = re.compile(r"(?<![\w.,/-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d]|[/-]\d|,\d)")
_PHONE = re.compile(r"\+?\(?\d[\d ().-]{7,}\d")
# Shorter cues of other options can stand in any text and mean something else.
_SPEAKING = 3
# Options that stand in any text, and so are no evidence by themselves.
_MUTE = ("yes", "no")


def finding_problem(field: Field, value: Value, source: str, cues: Cues) -> str | None:
    """Why a value that is not empty cannot be found in ``source``; ``None`` if it can.

    Args:
        field: whose value it is.
        value: gold.
        source: the text.
        cues: words that mean the options of the field.
    """
    if isinstance(value, bool):
        return _box_problem(value, source, cues)
    if value in (None, [], "") or value == field.initial:
        return None
    values = value if isinstance(value, list) else [str(value)]
    problems = (_item_problem(field, item, source, cues) for item in values)
    return next((problem for problem in problems if problem), None) or _other_option(values, source, cues)


def _item_problem(field: Field, value: str, source: str, cues: Cues) -> str | None:
    if field.options or field.options_by:
        found = _option_stands(value, source, cues.get(value, ()))
        return None if found else f"neither the option {value!r} nor a cue of it is in the text"
    find = _FINDERS.get(field.control, _verbatim)
    return None if find(value, source) else f"{value!r} is not in the text"


def _other_option(values: Sequence[str], source: str, cues: Cues) -> str | None:
    """Whether the text also names an option that is not gold."""
    right = " / ".join([*values, *(cue for value in values for cue in cues.get(value, ()) if _mentions(cue, source))])
    others = [(option, cue) for option in cues if option not in values for cue in cues[option]]
    for option, cue in others:
        if len(cue.split()) >= _SPEAKING and _mentions(cue, source) and fold(cue) not in fold(right):
            return f"it is {' and '.join(values)}, and {cue!r}, which tells {option!r}, is in the text"
    return None


def _option_stands(option: str, source: str, cues: Sequence[str]) -> bool:
    named = option.casefold() not in _MUTE and _mentions(option, source)
    return named or any(_mentions(cue, source) for cue in cues)


def _box_problem(ticked: bool, source: str, cues: Cues) -> str | None:
    yes = [cue for cue in cues.get("yes", ()) if _mentions(cue, source)]
    no = [cue for cue in cues.get("no", ()) if _mentions(cue, source)]
    if ticked and not yes:
        return "it is to be ticked, and no cue of it is in the text"
    if not ticked and any(not any(fold(cue) in fold(other) for other in no) for cue in yes):
        return f"it is not to be ticked, and {yes[0]!r} is in the text"
    if ticked and any(not any(fold(cue) in fold(other) for other in yes) for cue in no):
        return f"it is to be ticked, and {no[0]!r} is in the text"
    return None


def _mentions(cue: str, source: str) -> bool:
    return _stands(fold(cue), _folded(source))


@lru_cache(maxsize=64)
def _folded(source: str) -> str:
    return fold(_flat(source))


@lru_cache(maxsize=64)
def _flat(source: str) -> str:
    """The source in one line, without quotation and list marks at the start of lines."""
    return " ".join(re.sub(r"(?m)^[ \t]*(?:>[ \t]?)+", "", source).split())


def _stands(text: str, source: str) -> bool:
    """Whether ``text`` is in ``source`` as whole words."""
    return bool(text) and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", source) is not None


def _verbatim(value: str, source: str) -> bool:
    return _stands(" ".join(value.split()), _flat(source))


def _as_number(value: str, source: str) -> bool:
    return Decimal(value) in {Decimal(found.replace(",", "")) for found in _NUMBER.findall(_flat(source))}


def _as_date(value: str, source: str) -> bool:
    return any(_stands(written(value), _flat(source)) for written in DATE_FILTERS.values())


def _as_phone(value: str, source: str) -> bool:
    digits = re.sub(r"\D", "", value)
    return _verbatim(value, source) or any(
        re.sub(r"\D", "", found) == digits for found in _PHONE.findall(_flat(source))
    )


_FINDERS: dict[str, Callable[[str, str], bool]] = {"number": _as_number, "date": _as_date, "tel": _as_phone}
