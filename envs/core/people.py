"""Fictitious people: random names, addresses and numbers that belong to nobody."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from threading import get_ident
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field, RootModel

from ...assets import ROOT
from .files import Data, load
from .matchers import fold
from .randomness import Random

if TYPE_CHECKING:
    from faker import Faker

Gender = Literal["female", "male"]

_MAX_DRAWS = 1000
_HOST = re.compile(r"(?:@|https?://)([\w-]+(?:\.[\w-]+)+)")
_PHONE = re.compile(r"(?<!\d)\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}(?!\d)")
_RESERVED_HOST = re.compile(r"(?:.+\.)?example\.(?:com|org|net)")
_RESERVED_PHONE = re.compile(r".*555.01\d\d")


class City(Data):
    """A city that does not exist, with a pattern of its ZIP codes."""

    name: Annotated[str, Field(max_length=16)]
    county: Annotated[str, Field(max_length=14)]
    zip: Annotated[str, Field(pattern=r"^\d{4}#$")]
    area_code: Annotated[str, Field(pattern=r"^[2-9]\d\d$")]


class State(Data):
    """A US state: driver's licence pattern, sales tax as a share, and cities."""

    license: Annotated[str, Field(min_length=1)]
    sales_tax: Annotated[float, Field(ge=0, lt=0.2)]
    cities: Annotated[tuple[City, ...], Field(min_length=3)]


class Places(RootModel[dict[Annotated[str, Field(pattern=r"^[A-Z]{2}$")], State]]):
    """The states by their two-letter codes."""


class Place(NamedTuple):
    """A city and the two-letter code of its state."""

    state: str
    city: City


@lru_cache(maxsize=1)
def places() -> Places:
    """The shipped states and cities."""
    return load(Places, ROOT / "profiles" / "places.json")


class People(Random):
    """Random names, addresses and numbers that belong to nobody.

    Args:
        rng: what they are drawn from.
        seed: of the names.
        reserved: folded texts that are never returned by ``unique``.
        weighted: whether frequent names are drawn more often.
    """

    def __init__(
        self, rng: np.random.Generator, seed: int, reserved: Collection[str] = (), weighted: bool = False
    ) -> None:
        super().__init__(rng)
        self.faker = thread_faker("en_US", get_ident(), weighted)
        self.faker.seed_instance(seed)
        self._used = set(reserved)

    def unique(self, make: Callable[[], str], max_length: int | None = None) -> str:
        """The first unused text from ``make`` that is not too long; now it is used.

        Raises:
            RuntimeError: if there is none in a thousand draws.
        """
        for _ in range(_MAX_DRAWS):
            text = make()
            if (max_length is None or len(text) <= max_length) and self.claim(text):
                return text
        raise RuntimeError(f"no text is left of at most {max_length} characters, such as {text!r}")

    def claim(self, *texts: str) -> bool:
        """Mark texts as used and return True; False if any of them is used already."""
        folded = {fold(text) for text in texts}
        if folded & self._used:
            return False
        self._used |= folded
        return True

    def given_name(self, gender: Gender | None = None) -> str:
        """A first name."""
        makers = {"female": self.faker.first_name_female, "male": self.faker.first_name_male}
        return str(makers[gender]() if gender else self.faker.first_name())

    def family_name(self) -> str:
        """A last name."""
        return str(self.faker.last_name())

    def place(self, state: str | None = None) -> Place:
        """A fictitious city of a state, or of any state."""
        state = state or self.choice(list(places().root))
        return Place(state, self.choice(places().root[state].cities))

    def street(self) -> str:
        """House number and street name."""
        return f"{self.between(11, 9899)} {self.faker.street_name()}"

    def phone(self, area_code: str, template: str = "{}-555-{}") -> str:
        """A phone number from the block reserved for fiction."""
        return template.format(area_code, f"01{self.between(0, 99):02d}")

    def ssn(self) -> str:
        """A social security number from a range that is never issued."""
        return f"{self.between(900, 999)}-{self.between(10, 49)}-{self.between(1000, 9999)}"


@lru_cache(maxsize=64)
def thread_faker(locale: str, thread: int, weighted: bool = True) -> Faker:
    """The Faker of a thread and a locale, cached because it is slow to make."""
    # Imported here: it takes longer than all the rest of the package.
    from faker import Faker

    faker = Faker(locale, use_weighting=weighted)
    for provider in faker.get_providers():
        # Faker's Italian cities are from a set, and so have another order in each process.
        if isinstance(getattr(provider, "cities", None), list):
            provider.cities = sorted(provider.cities)
    return faker


def real_contacts(text: str) -> Iterator[str]:
    """Hosts and phone numbers in ``text`` that are not reserved for examples."""
    yield from (host for host in _HOST.findall(text) if not _RESERVED_HOST.fullmatch(host))
    yield from (number for number in _PHONE.findall(text) if not _RESERVED_PHONE.fullmatch(number))
