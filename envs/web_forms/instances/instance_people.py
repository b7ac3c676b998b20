"""Fictitious persons and firms; those of tests never occur in training."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Literal
from zlib import crc32

import numpy as np
from pydantic import BaseModel

from ....assets import ROOT
from ...core import people
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
_MAX_NAME_LENGTH = 11
_MAX_DRAWS = 1000
# One person or firm in so many is for tests; the others are for training.
_TEST_SHARE = 4


class _Choices(BaseModel):
    brands: list[str]


@lru_cache(maxsize=1)
def _brands() -> tuple[str, ...]:
    return tuple(load(_Choices, ROOT / "profiles" / "choices.json").brands)


@lru_cache(maxsize=1)
def _state_names() -> dict[str, str]:
    return {short.upper(): name.title() for name, short in STATES.items()}


class People(people.People):
    """The persons and firms of one instance, with unique names, numbers and addresses.

    Args:
        rng: the source of randomness.
        split: whose persons; those of tests never occur in training.
    """

    def __init__(self, rng: np.random.Generator, split: Split) -> None:
        super().__init__(rng, int(rng.integers(2**32)))
        self._split = split

    def person(self, earliest: date, latest: date) -> Facts:
        """A person born between two dates, with an address and contact details."""
        given, family = self._name()
        middle = self.unique(self.given_name)
        place = self.place()
        return {
            "given": given,
            "middle": middle,
            "family": family,
            "full": f"{given} {family}",
            "full_middle": f"{given} {middle} {family}",
            "initials": "".join(name[0] for name in (given, middle, family)),
            "email": self.unique(lambda: f"{self._handle(_EMAILS, given, family)}@{self.choice(_PROVIDERS)}"),
            "user": self.unique(lambda: self._handle(_HANDLES, given, family)),
            "born": self.day(earliest, latest).isoformat(),
            **self._contact(place),
        }

    def company(self) -> Facts:
        """A firm with its site and contact details."""
        name, domain = self._firm()
        contact = self._contact(self.place())
        email = f"{self.choice(_MAILBOXES)}@{domain}"
        return {"name": name, "domain": domain, "email": email, "url": f"https://www.{domain}", **contact}

    def _name(self) -> tuple[str, str]:
        for given, family in self._names():
            fits = max(len(given), len(family)) <= _MAX_NAME_LENGTH and fold(given) != fold(family)
            if fits and split_of(f"{given} {family}") == self._split and self.claim(given, family):
                return given, family
        raise RuntimeError("no name is left")

    def _names(self) -> Iterator[tuple[str, str]]:
        return ((self.given_name(), self.family_name()) for _ in range(_MAX_DRAWS))

    def _firm(self) -> tuple[str, str]:
        """Name and domain."""
        for _ in range(_MAX_DRAWS):
            brand, family, pattern = self.choice(_brands()), self.family_name(), self.choice(_FIRMS)
            slug = re.sub(r"[^a-z0-9]", "", fold(pattern.split(" &")[0].format(brand=brand, family=family)))
            domain = f"{slug}.{self.choice(_PROVIDERS)}"
            if split_of(domain) == self._split and self.claim(brand, family):
                return pattern.format(brand=brand, family=family), domain
        raise RuntimeError("no firm is left")

    def _contact(self, place: people.Place) -> Facts:
        return {
            "phone": self.unique(lambda: self.phone(place.city.area_code, "({}) 555-{}")),
            "street": self.unique(self.street),
            "city": place.city.name,
            "state": place.state,
            "state_name": _state_names()[place.state],
            "zip": self.code(place.city.zip),
        }

    def _handle(self, patterns: tuple[str, ...], given: str, family: str) -> str:
        first, last = (re.sub(r"[^a-z]", "", fold(name)) for name in (given, family))
        return self.choice(patterns).format(given=first, family=last, initial=first[0], digits=self.code("##"))


def split_of(name: str) -> Split:
    """The split in which a person's full name, or a firm's domain, can occur."""
    return "test" if crc32(name.encode()) % _TEST_SHARE == 0 else "train"
