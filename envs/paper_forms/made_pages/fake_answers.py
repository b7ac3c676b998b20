"""Made-up answers of each kind of value, and their size on a page."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from pydantic import Field, RootModel, model_validator

from ...core.boxes import Box
from ...core.facts import FactMaker
from ...core.files import load_once
from ...core.randomness import Sampler
from ...core.templates import names_in
from .style import Style, Type, answer_type, wrap
from .vocabulary import FOLDER, KINDS, Kind


class Answers(RootModel[dict[str, Annotated[tuple[str, ...], Field(min_length=1)]]]):
    """The file ``answers.json``: patterns by kind of value.

    Entries that are not a ``Kind`` are building blocks, which patterns insert by ``word('name')``.
    """

    @model_validator(mode="after")
    def _complete(self) -> Answers:
        if missing := sorted(set(KINDS) - set(self.root)):
            raise ValueError(f"nothing for {missing[0]!r}")
        for name, patterns in self.root.items():
            for pattern in patterns:
                names_in(pattern)
                if unknown := sorted(set(_WORD.findall(pattern)) - set(self.root)):
                    raise ValueError(f"{name}: {pattern!r}: nothing is called {unknown[0]!r}")
        return self


_WORD = re.compile(r"\bword\('(\w*)'\)")


_answers = load_once(Answers, FOLDER / "answers.json")


def answer_text(rng: np.random.Generator, name: str) -> str:
    """A made-up value of a kind, or of a name of ``answers.json``, in one line.

    One of ``"long"`` has up to about 60 words.
    """
    return FactMaker(rng, words=_answers().root).word(name)


# -- On a page ---------------------------------------------------------------------------------------------------------

_TRIES = 6

_LONG = frozenset({"long", "words", "subject", "address"})
"""Kinds of values that are cut to fit; of others a shorter one is tried first."""

_LISTED = frozenset({"name", "company", "product", "brand", "vehicle", "code", "date", "phone", "number", "money"})
"""Kinds of values that fill several lines with several values, one on each."""


@dataclass(frozen=True)
class Answer:
    """An answer as it would be written; sizes are in pixels.

    ``step`` is from one baseline to the next, ``pad`` between its ink and its box on every side.
    """

    lines: tuple[str, ...]
    type: Type
    step: float
    pad: float

    @property
    def width(self) -> float:
        """The width of its box."""
        return max(self.type.width(line) for line in self.lines) + 2 * self.pad

    @property
    def rise(self) -> float:
        """The height of its box above the first baseline."""
        return max(self.type.capital, -self.type.ink(self.lines[0])[1]) + self.pad

    @property
    def height(self) -> float:
        """The height of its box."""
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
    random: Sampler, style: Style, kind: Kind, width: float, lines: int = 1, step: float | None = None
) -> Answer | None:
    """A random answer of a kind of value, of at most ``lines`` lines and ``width`` pixels; ``None`` if nothing fits.

    ``step`` is from one baseline to the next in pixels; ``None``: that of its type.
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


def _answer_lines(random: Sampler, kind: Kind, type_: Type, width: float, max_lines: int, may_cut: bool) -> list[str]:
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
