"""Random draws of one persona, by choice lists and recipes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field, TypeAdapter, model_validator

from ...assets import ROOT
from ..core.facts import FactMaker, Facts, Gender, Place, names, places
from ..core.files import Data, load_once
from ..core.matchers import fold
from ..core.templates import check_recipe, names_in, pattern_template
from .profile import fact_book, profile, users

_PROFILES = ROOT / "profiles"
_MAX_NAME, _MAX_TEXT = 20, 24
"""Maximum characters of a name or title, and of any other text, in a cell of a form."""
# For cells that are shorter or longer than usual.
_MAX_LENGTHS = {"email": 28, "street": 20, "bank_name": 22}
# Facts with these endings identify a shipped user, so that no persona may share them.
_RESERVED = ("name", "ssn", "phone", "email", "street", "number", "vin")
_GIVEN_WORDS = frozenset("area_code city make first initial last year_code".split())
"""Words of patterns that the caller supplies."""

Pattern = Annotated[str, Field(min_length=1)]
Patterns = Annotated[tuple[Pattern, ...], Field(min_length=1)]


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


_EMPLOYERS: TypeAdapter[tuple[Patterns, ...]] = TypeAdapter(Annotated[tuple[Patterns, ...], Field(min_length=1)])


class PersonaChoices(Data):
    """The lists and probabilities that personas are drawn from.

    Attributes:
        weights: of the values of a fact.
        chances: probabilities by name.
        ranges: lowest and highest number, and the step.
        patterns: of texts.
        left_out: facts of the person that a co-applicant with fewer facts lacks.
        lists: relatives, industries with their jobs, and kinds of debts.
    """

    weights: dict[str, dict[str, Annotated[int, Field(ge=0)]]]
    chances: dict[str, Annotated[float, Field(ge=0, le=1)]]
    ranges: dict[str, tuple[int, int, int]]
    patterns: dict[str, Patterns]
    left_out: tuple[str, ...]
    lists: dict[str, Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]]

    @model_validator(mode="after")
    def _known_values(self) -> PersonaChoices:
        for fact, weights in self.weights.items():
            for value in weights:
                fact_book().check_value(fact, value)
        if unknown := sorted(set(self.left_out) - set(fact_book().person)):
            raise ValueError(f"left_out: {unknown[0]!r} is no fact of a person")
        return self

    @model_validator(mode="after")
    def _known_words(self) -> PersonaChoices:
        known = _GIVEN_WORDS | PersonaMaker(0, 0, ()).functions.keys()
        employers = _EMPLOYERS.validate_python([one.get("employers") for one in self.lists.get("industries", ())])
        for pattern in [pattern for several in (*self.patterns.values(), *employers) for pattern in several]:
            if unknown := sorted(names_in(pattern_template(pattern)) - known):
                raise ValueError(f"pattern {pattern!r}: unknown word {unknown[0]!r}")
        return self


class Recipes(Data):
    """How the facts of a person, a home and a loan are drawn; see ``FactMaker.draw``."""

    person: dict[str, str]
    home: dict[str, str]
    loan: dict[str, str]

    @model_validator(mode="after")
    def _known_names(self) -> Recipes:
        known = {*PersonaMaker(0, 0, ()).functions, "who", "today", "income", "home", "age"}
        for recipe in (self.person, self.home, self.loan):
            check_recipe(recipe, known)
        return self


choices = load_once(PersonaChoices, _PROFILES / "choices.json")
"""The shipped choice lists."""
recipes = load_once(Recipes, _PROFILES / "persona.json")
"""The shipped recipes."""
cars = load_once(Cars, _PROFILES / "vehicles.json")
"""The shipped models of cars."""


@lru_cache(maxsize=1)
def reserved() -> frozenset[str]:
    """Values that identify a shipped user, folded."""
    known = (item for user in users() for item in profile(user).root.items())
    return frozenset(fold(value) for fact, value in known if fact.endswith(_RESERVED))


class PersonaMaker(FactMaker):
    """The ``FactMaker`` of a persona, equal for an equal seed and secret.

    Args:
        seed: of the persona, not negative.
        secret: another one gives another persona for each seed; not negative.
        taken: folded texts that it never uses.
    """

    def __init__(self, seed: int, secret: int, taken: Sequence[str] | frozenset[str]) -> None:
        numbers, letters = np.random.SeedSequence([secret, seed]).spawn(2)
        super().__init__(np.random.default_rng(numbers), int(letters.generate_state(1, np.uint64)[0]), taken)

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """Adds the functions that recipes and patterns of personas may call, by name."""
        own = (
            *(self.in_range, self.share, self.happens, self.chance, self.text_of, self.common_text, self.full_name),
            *(self.given_name, self.family_name, self.place, self.place_near, self.phone_at, self.email_of, self.ages),
            *(self.months_before, self.days_before, self.days_after, self.car, self.reference, self.debt),
            *(rounded, dollars, duration, worth, payment, self.car_model, self.one_of, self.sample_of),
        )
        return {
            **super().functions,
            **{function.__name__: function for function in own},
            "text": self.unique_text,
            "first_name_of": self.first_name,
            "address_in": self.address,
            "weighted": lambda fact: self.weighted(choices().weights[fact]),
            "street_name": lambda: self.faker.street_name(),
            "brand": lambda: self.choice(names().brands),
            "license_of": lambda state: places().root[state].license,
            "tax_rate_of": lambda state: places().root[state].sales_tax,
        }

    # -- By the choice lists -------------------------------------------------------------------------------------------

    def in_range(self, key: str, high: int | None = None) -> int:
        """A number of a named range, at most ``high`` if the range allows it."""
        low, top, step = choices().ranges[key]
        return self.between(low, top if high is None else max(low, min(high, top)), step)

    def share(self, amount: int, key: str, step: int = 5) -> int:
        """A percentage of ``amount`` from a named range, rounded to ``step``."""
        return rounded(amount * self.in_range(key) // 100, step)

    def happens(self, key: str) -> bool:
        """True with a named probability."""
        return self.chance(choices().chances[key])

    def one_of(self, key: str) -> dict[str, Any]:
        """An item of a named list."""
        return self.choice(choices().lists[key])

    def sample_of(self, key: str, count: int) -> list[dict[str, Any]]:
        """Different items of a named list."""
        return self.sample(choices().lists[key], count)

    def unique_text(self, key: str, **words: str) -> str:
        """A unique text from the patterns of a name."""
        return self.text_of(choices().patterns[key], _MAX_LENGTHS.get(key, _MAX_TEXT), **words)

    def text_of(self, patterns: Sequence[str], max_length: int = _MAX_TEXT, **words: str) -> str:
        """A unique text from one of ``patterns``."""
        return self.unique(lambda: self.text(self.choice(patterns), **words), max_length)

    def common_text(self, key: str) -> str:
        """A text from the patterns of a name; it may repeat."""
        return self.text(self.choice(choices().patterns[key]))

    # -- People and places ---------------------------------------------------------------------------------------------

    def gender(self) -> Gender:
        """A random gender."""
        return "female" if self.chance(0.5) else "male"

    def first_name(self, gender: Gender, max_length: int = 11) -> str:
        """A first name that is unique in the persona."""
        return self.unique(lambda: self.given_name(gender), max_length)

    def surname(self) -> str:
        """A surname of one word or, rarely, of two."""
        if self.happens("hyphenated_name"):
            return self.unique(lambda: f"{self.family_name()}-{self.family_name()}", 14)
        return self.unique(self.family_name, 11)

    def full_name(self, gender: Gender | None = None, surname: str | None = None) -> str:
        """First name and surname of another person."""
        gender = gender or self.gender()
        return self.unique(lambda: f"{self.given_name(gender)} {surname or self.family_name()}", _MAX_NAME)

    def email_of(self, first_name: str, last_name: str) -> str:
        """A unique e-mail address of a person."""
        first, last = ("".join(filter(str.isalnum, name)).lower() for name in (first_name, last_name))
        return self.unique_text("email", first=first, last=last, initial=first[0])

    def ages(self, count: int, youngest: int, oldest: int) -> list[int]:
        """The ages of children, sorted."""
        return sorted(self.between(youngest, oldest) for _ in range(count))

    def place_near(self, state: str) -> Place:
        """A city, usually of ``state``."""
        return self.place(state if self.happens("same_state") else None)

    def address(self, place: Place) -> Facts:
        """Street, city, state and ZIP code."""
        street = self.unique_text("street")
        return {"street": street, "city": place.city.name, "state": place.state, "zip": self.code(place.city.zip)}

    def phone_at(self, place: Place) -> str:
        """A unique phone number with the area code of a place."""
        return self.unique_text("phone", area_code=place.city.area_code)

    def reference(self, state: str, age: int) -> Facts:
        """An acquaintance of a person of some age, usually of a state."""
        place = self.place_near(state)
        return {
            "name": self.full_name(),
            "relationship": self.common_text("reference_relationship"),
            "phone": self.phone_at(place),
            "years_known": str(self.in_range("years_known", age)),
            **self.address(place),
        }

    # -- Days ----------------------------------------------------------------------------------------------------------

    def months_before(self, today: date, months: int) -> date:
        """A random day within 27 days before the day ``months`` before ``today``."""
        whole_months = today.year * 12 + today.month - 1 - months
        return self.days_before(date(whole_months // 12, whole_months % 12 + 1, today.day), max_days=27)

    def days_before(self, day: date, max_days: int) -> date:
        """``day`` or a random day at most ``max_days`` before it."""
        return day - timedelta(days=self.between(0, max_days))

    def days_after(self, day: date, key: str) -> str:
        """The day a number of days of a named range after ``day``."""
        return (day + timedelta(days=self.in_range(key))).isoformat()

    # -- Cars and debts ------------------------------------------------------------------------------------------------

    def car_model(self, year: int, max_price: int | None = None) -> CarModel:
        """A random car model of a year whose lowest new price is at most ``max_price``."""
        offered = [model for model in cars().models if model.years[0] <= year <= model.years[1]]
        return self.choice([model for model in offered if max_price is None or model.price[0] <= max_price])

    def car(self, model: CarModel, year: int, miles: int) -> dict[str, Any]:
        """The facts that vehicle and trade-in have in common."""
        vin = model.vin + self.unique_text("vin_tail", year_code=cars().year_codes[str(year)])
        return {"year": year, "make": model.make, "model": model.name, "vin": vin, "mileage": miles}

    def debt(self, kind: Mapping[str, Any]) -> Facts:
        """A debt of the given kind; its payments add up to its balance plus 10 % interest."""
        cents = self.between(kind["balance"][0] * 100, kind["balance"][1] * 100)
        return {
            "name": self.text_of([kind["name"]]),
            "account_number": self.text_of([kind["account"]]),
            "balance": dollars(cents),
            "payment": dollars(rounded(cents * 11 // (10 * kind["months"]), 5)),
        }


def worth(age: int) -> int:
    """The value of a car of an age, in percent of a new one."""
    return max(10, 100 - 8 * max(0, age))


def payment(amount: int, months: int, interest: int) -> int:
    """The approximate monthly payment at a yearly ``interest`` in percent."""
    # On average half of the amount is still owed. Integers are the same on every machine.
    return amount * (2400 + interest * (months + 1)) // (2400 * months)


def rounded(amount: int, step: int) -> int:
    """``amount`` to the nearest ``step``."""
    return (amount + step // 2) // step * step


def dollars(cents: int) -> str:
    """An amount in plain digits: ``5200.50``."""
    return f"{cents // 100}.{cents % 100:02d}"


def duration(months: int) -> str:
    """A time span in ISO 8601: ``P4Y2M``."""
    years, months = divmod(months, 12)
    return "P" + f"{years}Y" * (years > 0) + f"{months}M" * (months > 0)
