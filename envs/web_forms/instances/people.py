"""Persons and firms that do not exist."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache
from threading import get_ident
from typing import Literal, NamedTuple
from zlib import crc32

import numpy as np
from faker import Faker
from pydantic import BaseModel, RootModel

from ....assets import ROOT
from ...core.addresses import STATES
from ...core.files import load
from ...core.matchers import fold

Split = Literal["test", "train"]
SPLITS: tuple[Split, ...] = ("test", "train")
Facts = dict[str, str]

_EMAILS = ("{given}.{family}", "{initial}{family}", "{given}{family}{digits}", "{family}.{given}", "{given}_{family}",
           "{initial}.{family}{digits}", "{given}{digits}", "{family}{digits}")  # fmt: skip
_HANDLES = ("{given}{digits}", "{initial}{family}", "{family}_{given}", "{given}.{family}", "{initial}{family}{digits}")
_PROVIDERS = ("example.com", "example.org", "example.net")
_FIRMS = ("{brand} Group", "{brand} Partners", "{brand} Works", "{brand} & Co.", "{brand} Studio", "{brand} Collective",
          "{brand} Services", "{brand} Supply Co.", "{brand} Labs", "{brand} Associates", "{brand} Holdings",
          "{family} & {brand}", "{family} Brothers", "{brand} Industries", "{brand} Solutions")  # fmt: skip
_MAILBOXES = ("info", "office", "hello", "contact", "mail", "team")
_LONGEST_NAME = 11
_MAX_DRAWS = 1000
# One person or firm in so many can be met in a test, and is never met in training.
_TEST_SHARE = 4


class Place(NamedTuple):
    """A city that does not exist, with a pattern of its ZIP codes."""

    city: str
    state: str
    zip: str
    area_code: str


class _City(BaseModel):
    name: str
    zip: str
    area_code: str


class _State(BaseModel):
    cities: list[_City]


class _States(RootModel[dict[str, _State]]):
    pass


class _Lists(BaseModel):
    brands: list[str]


@lru_cache(maxsize=1)
def _places() -> tuple[Place, ...]:
    states = load(_States, ROOT / "profiles" / "places.json").root
    return tuple(Place(city.name, state, city.zip, city.area_code) for state in states for city in states[state].cities)


@lru_cache(maxsize=1)
def _brands() -> tuple[str, ...]:
    return tuple(load(_Lists, ROOT / "profiles" / "choices.json").brands)


@lru_cache(maxsize=1)
def _state_names() -> dict[str, str]:
    return {short.upper(): name.title() for name, short in STATES.items()}


@lru_cache(maxsize=8)
def _faker(thread: int) -> Faker:
    """A thread's own Faker: making one takes long."""
    return Faker("en_US", use_weighting=False)


class People:
    """The persons and firms of one instance: no two have a name, a telephone number or an address in common.

    Args:
        rng: what they are drawn from.
        split: whose persons; those of tests are never met in training.
    """

    def __init__(self, rng: np.random.Generator, split: Split) -> None:
        self._rng = rng
        self._split = split
        self._faker = _faker(get_ident())
        self._faker.seed_instance(int(rng.integers(2**32)))
        self._taken: set[str] = set()

    def person(self, earliest: date, latest: date) -> Facts:
        """Somebody born between two dates, with an address and ways to be reached."""
        given, family = self._name()
        middle = self._fresh(self._faker.first_name)
        place = self._place()
        born = earliest + timedelta(days=int(self._rng.integers((latest - earliest).days + 1)))
        return {
            "given": given,
            "middle": middle,
            "family": family,
            "full": f"{given} {family}",
            "full_middle": f"{given} {middle} {family}",
            "initials": "".join(name[0] for name in (given, middle, family)),
            "email": self._fresh(lambda: f"{self._handle(_EMAILS, given, family)}@{self._one_of(_PROVIDERS)}"),
            "user": self._fresh(lambda: self._handle(_HANDLES, given, family)),
            "phone": self._phone(place),
            "born": born.isoformat(),
            **self._address(place),
        }

    def company(self) -> Facts:
        """A firm with its site and ways to reach it."""
        name, domain = self._firm()
        place = self._place()
        return {
            "name": name,
            "domain": domain,
            "email": f"{self._one_of(_MAILBOXES)}@{domain}",
            "phone": self._phone(place),
            "url": f"https://www.{domain}",
            **self._address(place),
        }

    def _firm(self) -> tuple[str, str]:
        """Name and domain."""
        for _ in range(_MAX_DRAWS):
            brand, family = self._one_of(_brands()), self._faker.last_name()
            pattern = self._one_of(_FIRMS)
            slug = re.sub(r"[^a-z0-9]", "", fold(pattern.split(" &")[0].format(brand=brand, family=family)))
            domain = f"{slug}.{self._one_of(_PROVIDERS)}"
            if split_of(domain) == self._split and not {fold(brand), fold(family)} & self._taken:
                self._taken.update((fold(brand), fold(family)))
                return pattern.format(brand=brand, family=family), domain
        raise RuntimeError("no firm is left")

    def _name(self) -> tuple[str, str]:
        for _ in range(_MAX_DRAWS):
            given, family = self._faker.first_name(), self._faker.last_name()
            folded = {fold(given), fold(family)}
            fits = max(len(given), len(family)) <= _LONGEST_NAME and len(folded) == 2 and not folded & self._taken
            if fits and split_of(f"{given} {family}") == self._split:
                self._taken |= folded
                return given, family
        raise RuntimeError("no name is left")

    def _fresh(self, make: Callable[[], str]) -> str:
        for _ in range(_MAX_DRAWS):
            text = make()
            if fold(text) not in self._taken:
                self._taken.add(fold(text))
                return text
        raise RuntimeError(f"no text is left, such as {text!r}")

    def _one_of(self, items: tuple[str, ...]) -> str:
        return items[int(self._rng.integers(len(items)))]

    def _place(self) -> Place:
        return _places()[int(self._rng.integers(len(_places())))]

    def _address(self, place: Place) -> Facts:
        return {
            "street": self._fresh(lambda: f"{self._rng.integers(11, 9900)} {self._faker.street_name()}"),
            "city": place.city,
            "state": place.state,
            "state_name": _state_names()[place.state],
            "zip": self._digits(place.zip),
        }

    def _phone(self, place: Place) -> str:
        return self._fresh(lambda: f"({place.area_code}) 555-01{self._rng.integers(100):02d}")

    def _digits(self, pattern: str) -> str:
        return re.sub("#", lambda _: str(self._rng.integers(10)), pattern)

    def _handle(self, patterns: tuple[str, ...], given: str, family: str) -> str:
        first, last = (re.sub(r"[^a-z]", "", fold(name)) for name in (given, family))
        digits = self._digits("##")
        return self._one_of(patterns).format(given=first, family=last, initial=first[0], digits=digits)


def split_of(name: str) -> Split:
    """The split in which a person's full name, or a firm's domain, can be met."""
    return "test" if crc32(name.encode()) % _TEST_SHARE == 0 else "train"
