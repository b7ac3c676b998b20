"""Make facts of fictitious people: names, firms, addresses, numbers, dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property, lru_cache
from threading import get_ident
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple
from zlib import crc32

import numpy as np
from pydantic import Field, RootModel

from ...assets import ROOT
from .contacts import STATES
from .files import Data, load_once
from .matchers import fold
from .randomness import Sampler
from .templates import Amount, evaluate, is_template, pattern_template, render

if TYPE_CHECKING:
    from faker import Faker

Gender = Literal["female", "male"]
Split = Literal["test", "train"]
SPLITS: tuple[Split, ...] = ("test", "train")
Facts = dict[str, str]

_MAX_DRAWS, _MAX_FAKES = 1000, 30
_MAX_NAME_LENGTH = 11
# One person or firm in so many is for tests; the others are for training.
_TEST_SHARE = 4


class City(Data):
    """A city that does not exist, with a pattern of its ZIP codes."""

    name: Annotated[str, Field(max_length=16)]
    county: Annotated[str, Field(max_length=14)]
    zip: Annotated[str, Field(pattern=r"^\d{4}#$")]
    area_code: Annotated[str, Field(pattern=r"^[2-9]\d\d$")]


class UsState(Data):
    """A US state: driver's licence pattern, sales tax as a share, and cities."""

    license: Annotated[str, Field(min_length=1)]
    sales_tax: Annotated[float, Field(ge=0, lt=0.2)]
    cities: Annotated[tuple[City, ...], Field(min_length=3)]


class Places(RootModel[dict[Annotated[str, Field(pattern=r"^[A-Z]{2}$")], UsState]]):
    """The states by their two-letter codes."""


class Place(NamedTuple):
    """A city and the two-letter code of its state."""

    state: str
    city: City


class Names(Data):
    """Patterns of e-mail addresses, user names and names of firms.

    They know ``given``, ``family``, ``initial`` and ``digits`` of a person, or ``family`` and ``brand`` of a firm.
    """

    brands: Annotated[tuple[str, ...], Field(min_length=1)]
    emails: tuple[str, ...]
    users: tuple[str, ...]
    hosts: tuple[str, ...]
    mailboxes: tuple[str, ...]
    firms: tuple[str, ...]


places = load_once(Places, ROOT / "profiles" / "places.json")
"""The shipped states and cities."""
names = load_once(Names, ROOT / "profiles" / "names.json")
"""The shipped patterns of addresses and firms."""


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


class FactMaker(Sampler):
    """Random facts of fictitious people and firms; equal arguments make equal facts.

    Args:
        rng: what all but names are drawn from.
        seed: of the names.
        reserved: folded texts that are never returned by ``unique``.
        locale: Faker's, of names, places and words.
        weighted: whether frequent names are drawn more often.
        split: with one, people and firms that the other split never has.
        words: patterns by name, one of which ``word`` takes.

    >>> maker = FactMaker(np.random.default_rng(0), seed=0)
    >>> maker.text("{{ between(1, 12) }}/%#, ??-##")
    '8/30, AV-96'
    """

    def __init__(
        self,
        rng: np.random.Generator,
        seed: int = 0,
        reserved: Collection[str] = (),
        locale: str = "en_US",
        weighted: bool = False,
        split: Split | None = None,
        words: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(rng)
        self._names = seed, locale, weighted
        self._used = set(reserved)
        self._split = split
        self._words = words or {}

    @cached_property
    def faker(self) -> Faker:
        """The Faker of names, shared by the makers of a thread.

        It is seeded when it is first used; so a maker draws its names before the next one draws any.
        """
        seed, locale, weighted = self._names
        faker = thread_faker(locale, get_ident(), weighted)
        faker.seed_instance(seed)
        return faker

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions that patterns can call, by name; subclasses add theirs."""
        return {"code": self.code, "between": self.between, "choice": self.choice, "word": self.word}

    # -- Texts ---------------------------------------------------------------------------------------------------------

    def text(self, pattern: str, **words: Any) -> str:
        """A text of a pattern over ``words`` and ``functions``; see ``templates``."""
        if "{" not in pattern:
            return self.code(pattern)
        return render(pattern_template(pattern), {**self.functions, **words}, "pattern")

    def word(self, name: str) -> str:
        """A text of one of the patterns of a name."""
        return self.text(self.choice(self._words[name]))

    def fake(self, kind: str, max_length: int = 30) -> str:
        """A text of one of Faker's kinds in one line, such as ``company``.

        It is a surname if all that are drawn are too long.
        """
        texts = (" ".join(str(getattr(self.faker, kind)()).split()) for _ in range(_MAX_FAKES))
        return next((text for text in texts if len(text) <= max_length), "") or self.family_name()

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

    def draw(
        self, recipe: Mapping[str, str], given: Mapping[str, Any], where: str, results: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The results of a recipe, by name, in its order.

        Args:
            recipe: for each name an expression, or a template if there is ``{{`` or ``{%`` in it. Each may use
                ``functions``, ``given`` and earlier results.
            given: values and functions by name.
            where: the place of the recipe, for messages.
            results: gets each result as soon as it is drawn.

        Raises:
            ValueError: naming what cannot be drawn.

        >>> maker = FactMaker(np.random.default_rng(0))
        >>> maker.draw({"n": "between(3, 3)", "twice": "n * 2", "text": "{{ n }} pages"}, {}, "example")
        {'n': 3, 'twice': 6, 'text': '3 pages'}
        """
        scope, results = {**self.functions, **given}, {} if results is None else results
        for name, text in recipe.items():
            made = render if is_template(text) else evaluate
            scope[name] = results[name] = made(text, scope, f"{where}.{name}")
        return results

    # -- Numbers and dates ---------------------------------------------------------------------------------------------

    def number(self, low: float, high: float, step: float = 1) -> int | Amount:
        """A number from ``low`` to ``high`` in steps, with the decimals of the step."""
        first, last, size = (Decimal(str(number)) for number in (low, high, step))
        value = first + size * self.between(0, int((last - first) // size))
        decimals = max(-int(number.normalize().as_tuple().exponent) for number in (first, size))
        return Amount.of(float(value), decimals) if decimals > 0 else int(value)

    def date(self, first: str, last: str) -> str:
        """A day between two, both included, all in ISO 8601."""
        return self.day(date.fromisoformat(first), date.fromisoformat(last)).isoformat()

    def date_after(self, day: str, least: int, most: int) -> str:
        """A day a number of days after another; before it if the number is negative."""
        return (date.fromisoformat(day) + timedelta(self.between(least, most))).isoformat()

    # -- People and firms ----------------------------------------------------------------------------------------------

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

    def person(self, earliest: str = "1950-01-01", latest: str = "2005-12-31") -> Facts:
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
            "email": self.unique(lambda: f"{self._handle(names().emails, given, family)}@{self._host()}"),
            "user": self.unique(lambda: self._handle(names().users, given, family)),
            "born": self.date(earliest, latest),
            **self._contact(place),
        }

    def company(self) -> Facts:
        """A firm with its site and contact details."""
        name, domain = self._firm()
        contact = self._contact(self.place())
        email = f"{self.choice(names().mailboxes)}@{domain}"
        return {"name": name, "domain": domain, "email": email, "url": f"https://www.{domain}", **contact}

    def _name(self) -> tuple[str, str]:
        for _ in range(_MAX_DRAWS):
            given, family = self.given_name(), self.family_name()
            fits = max(len(given), len(family)) <= _MAX_NAME_LENGTH and fold(given) != fold(family)
            if fits and self._is_ours(f"{given} {family}") and self.claim(given, family):
                return given, family
        raise RuntimeError("no name is left")

    def _firm(self) -> tuple[str, str]:
        """Name and domain."""
        for _ in range(_MAX_DRAWS):
            brand, family, pattern = self.choice(names().brands), self.family_name(), self.choice(names().firms)
            name = self.text(pattern, brand=brand, family=family)
            domain = f"{re.sub(r'[^a-z0-9]', '', fold(name.split(' &')[0]))}.{self._host()}"
            if self._is_ours(domain) and self.claim(brand, family):
                return name, domain
        raise RuntimeError("no firm is left")

    def _host(self) -> str:
        return self.choice(names().hosts)

    def _is_ours(self, name: str) -> bool:
        return self._split is None or split_of(name) == self._split

    def _contact(self, place: Place) -> Facts:
        return {
            "phone": self.unique(lambda: self.phone(place.city.area_code, "({}) 555-{}")),
            "street": self.unique(self.street),
            "city": place.city.name,
            "state": place.state,
            "state_name": _state_names()[place.state],
            "zip": self.code(place.city.zip),
        }

    def _handle(self, patterns: Sequence[str], given: str, family: str) -> str:
        first, last = (re.sub(r"[^a-z]", "", fold(name)) for name in (given, family))
        return self.text(self.choice(patterns), given=first, family=last, initial=first[0], digits=self.code("##"))


def split_of(name: str) -> Split:
    """The split in which a person's full name, or a firm's domain, can occur."""
    return "test" if crc32(name.encode()) % _TEST_SHARE == 0 else "train"


@lru_cache(maxsize=1)
def _state_names() -> Mapping[str, str]:
    return {short.upper(): name.title() for name, short in STATES.items()}
