"""Load and validate the choice lists in ``assets/profiles`` for personas."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated

from pydantic import Field, model_validator

from ....assets import ROOT
from ...core.facts import Gender
from ...core.files import Data, load
from .profile import fact_book

MAX_NAME, MAX_TEXT = 20, 24
"""Maximum characters of a name or title, and of any other text, in a cell of a form."""
_DRAWN_WORDS = frozenset("surname first_name brand street house_number".split())
"""Placeholders that are drawn at random; the caller supplies the others."""
_GIVEN_WORDS = frozenset("area_code city make first initial last year_code".split())

PLACEHOLDER = re.compile(r"[#%?]|\{(\w+)\}")
"""A placeholder of a pattern."""

_PROFILES = ROOT / "profiles"


Pattern = Annotated[str, Field(min_length=1)]
"""A text pattern: ``#`` is a digit, ``%`` one that is not 0, ``?`` a letter, ``{surname}`` a word of that kind."""


class CarModel(Data):
    """A car model; ``years`` are first and last model year, ``price`` is when new."""

    make: str
    name: str
    years: tuple[int, int]
    vin: Annotated[str, Field(pattern=r"^[A-HJ-NPR-Z0-9]{3}$")]
    body: str
    doors: int
    cylinders: int | None = None
    fuel: str
    transmissions: Annotated[tuple[str, ...], Field(min_length=1)]
    price: tuple[int, int]
    trims: Annotated[tuple[str, ...], Field(min_length=1)]


class Cars(Data):
    """The models, and the letter or digit of each model year in a VIN."""

    year_codes: dict[str, Annotated[str, Field(pattern=r"^[A-HJ-NPR-TV-Y1-9]$")]]
    models: Annotated[tuple[CarModel, ...], Field(min_length=1)]


class Job(Data):
    """A job, with its gross monthly pay and the education levels of its holders."""

    title: Annotated[str, Field(max_length=MAX_NAME)]
    monthly: tuple[int, int]
    education: Annotated[tuple[str, ...], Field(min_length=1)]


class Industry(Data):
    """A line of business, with its kinds of employers and its jobs."""

    name: str
    employers: Annotated[tuple[Pattern, ...], Field(min_length=1)]
    jobs: Annotated[tuple[Job, ...], Field(min_length=1)]


class Kin(Data):
    """A kind of relative, and how often it has the same surname."""

    relationship: str
    gender: Gender
    same_name: float


class Creditor(Data):
    """A kind of debt: the creditor, the amount, and the months to pay it back."""

    name: Pattern
    account: Pattern
    balance: tuple[int, int]
    months: int


class Choices(Data):
    """The lists and probabilities that personas are drawn from.

    Attributes:
        weights: of the values of a fact.
        chances: probabilities by name.
        ranges: lowest and highest number, and the step.
        patterns: of texts.
        left_out: facts of the person that a co-applicant with fewer facts lacks.
        relatives: kinds of them.
        industries: lines of business.
        creditors: kinds of debts.
    """

    weights: dict[str, dict[str, Annotated[int, Field(ge=0)]]]
    chances: dict[str, Annotated[float, Field(ge=0, le=1)]]
    ranges: dict[str, tuple[int, int, int]]
    patterns: dict[str, Annotated[tuple[Pattern, ...], Field(min_length=1)]]
    left_out: tuple[str, ...]
    relatives: Annotated[tuple[Kin, ...], Field(min_length=1)]
    industries: Annotated[tuple[Industry, ...], Field(min_length=1)]
    creditors: Annotated[tuple[Creditor, ...], Field(min_length=3)]

    @model_validator(mode="after")
    def _known_values(self) -> Choices:
        for fact, weights in self.weights.items():
            for value in weights:
                fact_book().check_value(fact, value)
        if unknown := sorted(set(self.left_out) - set(fact_book().person)):
            raise ValueError(f"left_out: {unknown[0]!r} is no fact of a person")
        return self

    @model_validator(mode="after")
    def _known_words(self) -> Choices:
        employers = [pattern for industry in self.industries for pattern in industry.employers]
        for pattern in (*(p for several in self.patterns.values() for p in several), *employers):
            if unknown := sorted(set(PLACEHOLDER.findall(pattern)) - _DRAWN_WORDS - _GIVEN_WORDS - {""}):
                raise ValueError(f"pattern {pattern!r}: unknown word {unknown[0]!r}")
        return self


@lru_cache(maxsize=1)
def choices() -> Choices:
    """The shipped choice lists."""
    return load(Choices, _PROFILES / "choices.json")


@lru_cache(maxsize=1)
def cars() -> Cars:
    """The shipped models of cars."""
    return load(Cars, _PROFILES / "vehicles.json")
