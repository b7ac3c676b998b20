"""Made-up values for named fields of a data set that has no answers.

Names are those of the published FormGym, such as ``JointFirstName`` and ``ResidenceStatus_Own``. A value depends on the
page and the name alone, so that fields of one name agree, and a signature with the name of its signer. The people do
not exist: telephone numbers have the exchange 555, social security numbers begin with 9.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import numpy as np

from ...core.boxes import Rect
from ...core.facts import FactMaker
from ...core.files import Data, load
from ...core.scoring import Gold
from .scanned_page import Key

T = TypeVar("T")

TICK = "X"
_MIN_TEXT_HEIGHT = 0.022
"""Square fields lower than this share of the page's height are boxes to be ticked."""


@dataclass(frozen=True)
class NamedField:
    """A named field. ``box``: in pixels of the canvas."""

    name: str
    box: Rect

    @property
    def height(self) -> int:
        """The height of the box in pixels."""
        return self.box[3] - self.box[1]


class _Rule(Data):
    """A pattern of values for fields whose name matches ``name``."""

    name: str
    matcher: str
    value: str


class _Values(Data):
    """Lists of words, and the rules; the first rule that matches applies."""

    words: dict[str, tuple[str, ...]]
    rules: tuple[_Rule, ...]


@lru_cache(maxsize=1)
def _values() -> _Values:
    return load(_Values, Path(__file__).with_name("field_values.json"))


class _Draw(FactMaker):
    """A ``FactMaker`` whose facts depend on the given names alone."""

    def __init__(self, *names: str) -> None:
        super().__init__(np.random.default_rng([crc32(name.encode()) for name in names]), words=_values().words)

    # The values of a field stay what they were: these draw whole numbers, not shares of one.
    def between(self, low: int, high: int, step: int = 1) -> int:
        """A whole number from ``low`` to ``high``."""
        return int(self.rng.integers(low, high + 1))

    def choice(self, items: Sequence[T]) -> T:
        """One of ``items``."""
        return items[int(self.rng.integers(len(items)))]


_SIGNED = r"signature|\binitials\b"
_PERSONAL = r"(first|last|middle|full) (name|initial)|surname|\bsuffix\b|\b(relative|reference ?\d*|applicant) name"


def fillers(fields: Mapping[Key, NamedField], page_height: int, page: str) -> dict[Key, Gold]:
    """The values to write into the named fields of a page.

    Tick boxes whose names differ only after the last underscore are one group: those of one name are ticked, and the
    others must stay empty.

    Args:
        fields: by key.
        page_height: of the canvas, in pixels.
        page: the values depend on it and on the names.
    """
    ticks: dict[str, list[str]] = defaultdict(list)
    for field in fields.values():
        if _is_tick(field, page_height):
            ticks[field.name.rpartition("_")[0] or field.name].append(field.name)
    ticked = {_Draw(page, group).choice(sorted(set(names))) for group, names in ticks.items()}
    boxes = {name for names in ticks.values() for name in names}
    return {
        key: Gold("checkbox", TICK if field.name in ticked else None) if field.name in boxes else _text(field, page)
        for key, field in fields.items()
    }


def words_of(name: str) -> str:
    """A field's name in words: ``JointFirstName`` becomes ``Joint First Name``."""
    return " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", " ", name).split()) or name


def is_named_as_tick(name: str) -> bool:
    """Whether a name is that of one of several tick boxes: ``ResidenceStatus_Own``."""
    return bool(re.search(r"[a-z]_[A-Za-z0-9]+$", name))


def _is_tick(field: NamedField, page_height: int) -> bool:
    left, top, right, bottom = field.box
    square = 0.6 < (right - left) / (bottom - top) < 1.7 and bottom - top < _MIN_TEXT_HEIGHT * page_height
    return is_named_as_tick(field.name) or (square and not _is_known(words_of(field.name).lower()))


def _is_known(words: str) -> bool:
    """Whether there is a rule for the words of a name."""
    return any(re.search(pattern, words) for pattern in (_SIGNED, _PERSONAL, *(rule.name for rule in _values().rules)))


def _text(field: NamedField, page: str) -> Gold:
    """The value of a field that is no tick box."""
    words = words_of(field.name).lower()
    if re.search(_SIGNED, words):
        first, _, last = _person(words, page)
        return Gold("signature", f"{first[0]}{last[0]}" if "initial" in words else f"{first} {last}")
    draw = _Draw(page, field.name)
    rule = next((rule for rule in _values().rules if re.search(rule.name, words)), None)
    return _personal(words, page) or (_by_rule(rule, draw) if rule else _unknown_field(words, draw))


def _by_rule(rule: _Rule, draw: _Draw) -> Gold:
    value = draw.text(rule.value)
    return Gold(rule.matcher, value.lower() if rule.matcher == "email" else value)


def _personal(words: str, page: str) -> Gold | None:
    """A name or a part of one."""
    first, middle, last = _person(words, page)
    parts = (
        (r"first name", "text", first),
        (r"last name|surname", "text", last),
        (r"middle initial", "text", middle[0]),
        (r"middle name", "text", middle),
        (r"\bsuffix\b", "text", "Jr."),
        (r"full name|\b(relative|reference ?\d*|applicant) name", "name", f"{first} {last}"),
    )
    return next((Gold(matcher, value) for pattern, matcher, value in parts if re.search(pattern, words)), None)


def _person(words: str, page: str) -> tuple[str, str, str]:
    """First, middle and last name of the person a field is about."""
    who = re.sub(r"\b(preferred|first|middle|last|full|name|suffix|signature|initials?)\b", "", words)
    draw = _Draw(page, " ".join(who.split()))
    return draw.word("first"), draw.word("first"), draw.word("last")


def _unknown_field(words: str, draw: _Draw) -> Gold:
    """A value for an unknown name: a number if it ends in one, else two words."""
    if re.search(r"\d\w*$", words):
        return Gold("number", draw.text("{{ between(1, 9) }},###"))
    return Gold("text", f"{draw.word('company')} {draw.word('city')}")
