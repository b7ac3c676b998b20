"""Made-up answers of each kind of value, and their size on a page.

In the patterns of ``assets/fieldfinder/vocabulary/answers.json``, ``#`` is a digit, ``*`` is one from 1 to 9,
``^`` for a capital letter, ``{1-12}`` for a number in a range (``{01-12}``: with as many digits), and ``{city_name}``
for one of the words or patterns of that name.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from ...core.files import Data, load
from ...core.locators import Box
from ...core.randomness import Random
from .style import Style, answer_type
from .typeface import Type, wrap
from .vocabulary import FOLDER, KINDS, Kind

Some = Annotated[tuple[str, ...], Field(min_length=1)]

_PLACE = re.compile(r"([#*^]|\{\w+\}|\{\d+-\d+\})")
_RANGE = re.compile(r"(\d+)-(\d+)")
_SIGNS = {"#": string.digits, "*": string.digits[1:], "^": string.ascii_uppercase}


class Answers(Data):
    """The file ``answers.json``.

    Attributes:
        words: lists of words by name.
        patterns: lists of patterns by kind of value, or by a name that other patterns use.
    """

    words: Mapping[str, Some]
    patterns: Mapping[str, Some]

    @model_validator(mode="after")
    def _complete(self) -> Answers:
        if missing := sorted(set(KINDS) - set(self.patterns)):
            raise ValueError(f"patterns: nothing for {missing[0]!r}")
        if twice := sorted(set(self.words) & set(self.patterns)):
            raise ValueError(f"{twice[0]!r} is both words and patterns")
        for name, patterns in self.patterns.items():
            for pattern in patterns:
                self._check(name, pattern)
        return self

    def _check(self, name: str, pattern: str) -> None:
        for place in re.findall(r"\{([^}]*)\}?", pattern):
            if not (_RANGE.fullmatch(place) or place in self.words or place in self.patterns):
                raise ValueError(f"patterns.{name}: {pattern!r}: nothing is called {place!r}")


def answer_text(rng: np.random.Generator, name: str) -> str:
    """A made-up value of a kind, or of a name of ``answers.json``, in one line.

    One of ``"long"`` has up to about 60 words.
    """
    if name in _answers().words:
        words = _answers().words[name]
        return words[int(rng.random() * len(words))]
    patterns = _patterns()[name]
    parts = patterns[int(rng.random() * len(patterns))]
    return "".join(_part(rng, part) if place % 2 else part for place, part in enumerate(parts))


def _part(rng: np.random.Generator, part: str) -> str:
    if signs := _SIGNS.get(part):
        return signs[int(rng.random() * len(signs))]
    name = part[1:-1]
    if span := _RANGE.fullmatch(name):
        low, high = int(span[1]), int(span[2])
        return str(low + int(rng.random() * (high - low + 1))).zfill(len(span[1]))
    return answer_text(rng, name)


@lru_cache(maxsize=1)
def _answers() -> Answers:
    return load(Answers, FOLDER / "answers.json")


@lru_cache(maxsize=1)
def _patterns() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The patterns, split into pieces: every second one is a place to fill."""
    return {
        name: tuple(tuple(_PLACE.split(pattern)) for pattern in patterns)
        for name, patterns in _answers().patterns.items()
    }


# -- On a page ---------------------------------------------------------------------------------------------------------

_TRIES = 6

_LONG = frozenset({"long", "words", "subject", "address"})
"""Kinds of values that are cut to fit; of others a shorter one is tried first."""

_LISTED = frozenset({"name", "company", "product", "brand", "vehicle", "code", "date", "phone", "number", "money"})
"""Kinds of values that fill several lines with several values, one on each."""


@dataclass(frozen=True)
class Answer:
    """An answer as it would be written.

    Attributes:
        lines: its text.
        type: its font and size.
        step: from one baseline to the next, in pixels.
        pad: pixels between its ink and its box on every side.
    """

    lines: tuple[str, ...]
    type: Type
    step: float
    pad: float

    @property
    def width(self) -> float:
        """The width of its box, in pixels."""
        return max(self.type.width(line) for line in self.lines) + 2 * self.pad

    @property
    def rise(self) -> float:
        """The height of its box above the first baseline, in pixels."""
        return max(self.type.capital, -self.type.ink(self.lines[0])[1]) + self.pad

    @property
    def height(self) -> float:
        """The height of its box, in pixels."""
        drop = max(self.type.ink(self.lines[-1])[3], 0.0) + self.pad
        return self.rise + self.step * (len(self.lines) - 1) + drop

    def box(self, x: float, y: float) -> Box:
        """The answer's box if its ink starts at ``x`` and its first baseline is ``y``."""
        left = x - self.pad
        return left, y - self.rise, left + self.width, y - self.rise + self.height

    def fitted(self, height: float) -> Answer | None:
        """The answer, shrunk to ``height`` if necessary; ``None`` if it were too small."""
        if self.height <= height:
            return self
        share = (height - 1) / self.height
        if share < 0.6:
            return None
        small = replace(self, type=self.type.scaled(share * 0.97), step=self.step * share, pad=self.pad * share)
        return small if small.height <= height else None


def draw_answer(
    random: Random, style: Style, kind: Kind, width: float, lines: int = 1, step: float | None = None
) -> Answer | None:
    """A random answer of a kind of value; ``None`` if nothing fits.

    Args:
        random: decides on its text and type.
        style: of the page.
        kind: of value.
        width: its maximum width, in pixels.
        lines: its maximum number of lines.
        step: from one baseline to the next in pixels; ``None``: that of its type.
    """
    type_ = answer_type(random, style, kind)
    pad = random.uniform(0.0, 1.7) * style.scale
    step = step if step is not None else type_.line * random.uniform(1.0, 1.25)
    for attempt in range(_TRIES):
        may_cut = kind in _LONG or attempt > _TRIES - 3
        fitting = _answer_lines(random, kind, type_, width - 2 * pad, lines, may_cut)
        if fitting:
            return Answer(tuple(fitting), type_, step, pad)
    return None


def _answer_lines(random: Random, kind: Kind, type_: Type, width: float, max_lines: int, may_cut: bool) -> list[str]:
    """The lines of an answer; empty if it does not fit."""
    text = answer_text(random.rng, kind)
    parts = [text]
    if max_lines > 1 and kind in _LISTED:
        parts += [answer_text(random.rng, kind) for _ in range(max_lines - 1)]
    elif max_lines > 1 and kind == "address" and random.chance(0.6):
        parts = text.split(", ", max_lines - 1)
    elif kind in _LONG and random.chance(0.35):
        parts = [f"{text}{random.choice([', ', ' - ', ' and ', '; '])}{answer_text(random.rng, kind)}"]
    if len(parts) == 1:
        return wrap(parts[0], type_, width, max_lines, may_cut)
    return [line for part in parts for line in wrap(part, type_, width, 1, may_cut)]
