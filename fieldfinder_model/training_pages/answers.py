"""Answers: made-up values of each kind, so that imagined answers are as wide as real ones.

In the patterns of ``assets/fieldfinder/vocabulary/answers.json``, ``#`` stands for a digit, ``*`` for one from 1 to 9,
``^`` for a capital letter, ``{1-12}`` for a number in a range (``{01-12}``: with as many digits), and ``{city_name}``
for one of the words or patterns of that name.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from ...envs.core.files import Data, load
from .vocabulary import FOLDER, KINDS, Kind

Some = Annotated[tuple[str, ...], Field(min_length=1)]

_PLACE = re.compile(r"([#*^]|\{\w+\}|\{\d+-\d+\})")
_RANGE = re.compile(r"(\d+)-(\d+)")
_SIGNS = {"#": string.digits, "*": string.digits[1:], "^": string.ascii_uppercase}


class Answers(Data):
    """How answers are made.

    Attributes:
        words: lists of words by name; they are taken as they are.
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


def answer(rng: np.random.Generator, kind: Kind) -> str:
    """A made-up value of a kind, in one line; of ``"long"``, up to some sixty words."""
    return _filled(rng, kind)


def _filled(rng: np.random.Generator, name: str) -> str:
    if name in _answers().words:
        words = _answers().words[name]
        return words[int(rng.random() * len(words))]
    patterns = _parted()[name]
    parts = patterns[int(rng.random() * len(patterns))]
    return "".join(_part(rng, part) if place % 2 else part for place, part in enumerate(parts))


def _part(rng: np.random.Generator, part: str) -> str:
    if signs := _SIGNS.get(part):
        return signs[int(rng.random() * len(signs))]
    name = part[1:-1]
    if span := _RANGE.fullmatch(name):
        low, high = int(span[1]), int(span[2])
        return str(low + int(rng.random() * (high - low + 1))).zfill(len(span[1]))
    return _filled(rng, name)


@lru_cache(maxsize=1)
def _answers() -> Answers:
    return load(Answers, FOLDER / "answers.json")


@lru_cache(maxsize=1)
def _parted() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The patterns cut up: every second part is a place to fill."""
    return {
        name: tuple(tuple(_PLACE.split(pattern)) for pattern in patterns)
        for name, patterns in _answers().patterns.items()
    }
