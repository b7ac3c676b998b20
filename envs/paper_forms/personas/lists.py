"""The choice lists of ``assets/profiles`` that personas are drawn from."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, RootModel, model_validator

from ....assets import ROOT
from ...core.files import Data, load
from ..profiles import fact_book

Gender = Literal["female", "male"]

LONGEST_NAME, LONGEST_TEXT = 20, 24
"""How many characters of a name or title, and of any other text, the cells of a form hold."""
DRAWN_WORDS = frozenset("surname first_name brand street house_number".split())
"""Words of patterns that are drawn; the others are given."""
_GIVEN_WORDS = frozenset("area_code city make first initial last year_code".split())

PLACEHOLDER = re.compile(r"[#%?]|\{(\w+)\}")
"""What is drawn or given in a pattern."""

_PROFILES = ROOT / "profiles"


Pattern = Annotated[str, Field(min_length=1)]
"""Text to be drawn: ``#`` is a digit, ``%`` one that is not 0, ``?`` a letter, ``{surname}`` a word of that kind."""


class City(Data):
    """A city that does not exist, with a pattern of its ZIP codes."""

    name: Annotated[str, Field(max_length=16)]
    county: Annotated[str, Field(max_length=14)]
    zip: Annotated[str, Field(pattern=r"^\d{4}#$")]
    area_code: Annotated[str, Field(pattern=r"^[2-9]\d\d$")]


class State(Data):
    """A state: the pattern of its driver's licences, its tax on sales as a share, and its cities."""

    license: Pattern
    sales_tax: Annotated[float, Field(ge=0, lt=0.2)]
    cities: Annotated[tuple[City, ...], Field(min_length=3)]


class Places(RootModel[dict[Annotated[str, Field(pattern=r"^[A-Z]{2}$")], State]]):
    """The states by their two letters."""


class CarModel(Data):
    """What can be bought; ``years`` are the first and the last of its model years, ``price`` is that of a new one."""

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
    """A job, with the gross pay of a month and the levels of education of those who have it."""

    title: Annotated[str, Field(max_length=LONGEST_NAME)]
    monthly: tuple[int, int]
    education: Annotated[tuple[str, ...], Field(min_length=1)]


class Industry(Data):
    """A line of business, with its kinds of employers and its jobs."""

    name: str
    employers: Annotated[tuple[Pattern, ...], Field(min_length=1)]
    jobs: Annotated[tuple[Job, ...], Field(min_length=1)]


class Kin(Data):
    """A kind of relative, and how often such a one has the same surname."""

    relationship: str
    gender: Gender
    same_name: float


class Creditor(Data):
    """A kind of debt: to whom, how much, and in how many months it is paid back."""

    name: Pattern
    account: Pattern
    balance: tuple[int, int]
    months: int


class Choices(Data):
    """What personas are drawn from.

    Attributes:
        weights: of the values of a fact.
        chances: that something is so.
        ranges: lowest and highest number, and the step between.
        patterns: of texts.
        left_out: facts of the person that a co-applicant with fewer facts lacks.
        brands: invented names of firms.
        relatives: kinds of them.
        industries: lines of business.
        creditors: kinds of debts.
    """

    weights: dict[str, dict[str, Annotated[int, Field(ge=0)]]]
    chances: dict[str, Annotated[float, Field(ge=0, le=1)]]
    ranges: dict[str, tuple[int, int, int]]
    patterns: dict[str, Annotated[tuple[Pattern, ...], Field(min_length=1)]]
    left_out: tuple[str, ...]
    brands: Annotated[tuple[str, ...], Field(min_length=1)]
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
            if unknown := sorted(set(PLACEHOLDER.findall(pattern)) - DRAWN_WORDS - _GIVEN_WORDS - {""}):
                raise ValueError(f"pattern {pattern!r}: unknown word {unknown[0]!r}")
        return self


class Place(NamedTuple):
    """Where somebody lives or works."""

    state: str
    city: City


@lru_cache(maxsize=1)
def choices() -> Choices:
    """The shipped choice lists."""
    return load(Choices, _PROFILES / "choices.json")


@lru_cache(maxsize=1)
def places() -> Places:
    """The shipped states and cities."""
    return load(Places, _PROFILES / "places.json")


@lru_cache(maxsize=1)
def cars() -> Cars:
    """The shipped models of cars."""
    return load(Cars, _PROFILES / "vehicles.json")
