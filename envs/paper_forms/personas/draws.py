"""Chance behind personas: one persona's draws from the choice lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import accumulate
from threading import get_ident
from typing import TypeVar

import numpy as np
from faker import Faker

from ...core.matchers import fold
from ..profiles import profile, users
from .lists import LONGEST_NAME, LONGEST_TEXT, PLACEHOLDER, Gender, Place, choices, places

T = TypeVar("T")
Facts = dict[str, str]

_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
# Fewer or more characters than other texts, where the cells are such.
_LONGEST = {"email": 28, "street": 20, "bank_name": 22}
_MAX_DRAWS = 1000
# What a shipped user has of these, by the ending of the fact, no persona has.
_RESERVED = ("name", "ssn", "phone", "email", "street", "number", "vin")


@lru_cache(maxsize=1)
def _reserved() -> frozenset[str]:
    """What the shipped users alone are called, live at and can be reached by, folded."""
    known = (item for user in users() for item in profile(user).root.items())
    return frozenset(fold(value) for fact, value in known if fact.endswith(_RESERVED))


@lru_cache(maxsize=8)
def _faker(thread: int) -> Faker:
    """A thread's own Faker: to make one takes longer than a persona, and seeding is no matter for two."""
    return Faker("en_US", use_weighting=False)


class Draws:
    """One persona's draws: equal for an equal seed and secret, wherever and whenever they are made.

    Args:
        seed: of the persona, not negative.
        secret: another one makes another persona of each seed; not negative.
    """

    def __init__(self, seed: int, secret: int) -> None:
        numbers, names = np.random.SeedSequence([secret, seed]).spawn(2)
        self._rng = np.random.default_rng(numbers)
        self._faker = _faker(get_ident())
        self._faker.seed_instance(int(names.generate_state(1, np.uint64)[0]))
        self._taken = set(_reserved())

    def between(self, low: int, high: int, step: int = 1) -> int:
        """A number from ``low`` to ``high``, both included."""
        return low + step * int(self._rng.integers((high - low) // step + 1))

    def whole(self, key: str, most: int | None = None) -> int:
        """A number of a range of the choice lists, at most ``most`` unless its lowest is more."""
        low, high, step = choices().ranges[key]
        return self.between(low, high if most is None else max(low, min(high, most)), step)

    def share(self, amount: int, key: str, step: int = 5) -> int:
        """So many percent of ``amount`` as a range of the choice lists says, rounded to ``step``."""
        return rounded(amount * self.whole(key) // 100, step)

    def one_of(self, options: Sequence[T]) -> T:
        """One of ``options``, all alike."""
        return options[int(self._rng.integers(len(options)))]

    def several_of(self, options: Sequence[T], number: int) -> list[T]:
        """So many different ones of ``options``."""
        return [options[i] for i in self._rng.permutation(len(options))[:number]]

    def happens(self, key: str) -> bool:
        """Whether it is so, by a chance of the choice lists."""
        return self.likely(choices().chances[key])

    def likely(self, chance: float) -> bool:
        """True as often as ``chance`` says."""
        return float(self._rng.random()) < chance

    def weighted(self, fact: str) -> str:
        """A value of a fact that is told in a few words."""
        weights = choices().weights[fact]
        totals = list(accumulate(weights.values()))
        drawn = self.between(1, totals[-1])
        return next(value for value, total in zip(weights, totals, strict=True) if drawn <= total)

    def facts(self, *names: str) -> Facts:
        """Facts by name whose values are weighted."""
        return {name: self.weighted(name) for name in names}

    def fresh(self, make: Callable[[], str], most: int) -> str:
        """A text that no shipped user has, and that this persona has not drawn yet.

        Raises:
            RuntimeError: if there is none of at most ``most`` characters.
        """
        for _ in range(_MAX_DRAWS):
            text = make()
            if len(text) <= most and (folded := fold(text)) not in self._taken:
                self._taken.add(folded)
                return text
        raise RuntimeError(f"no text of at most {most} characters is left, such as {text!r}")

    def text(self, key: str, **given: str) -> str:
        """A fresh text by one of the patterns of that name."""
        return self.written(choices().patterns[key], _LONGEST.get(key, LONGEST_TEXT), **given)

    def written(self, patterns: Sequence[str], most: int = LONGEST_TEXT, **given: str) -> str:
        """A fresh text by one of ``patterns``, with the words ``given``."""
        return self.fresh(lambda: self.filled(self.one_of(patterns), **given), most)

    def picked(self, key: str, **given: str) -> str:
        """A text by one of the patterns of that name, which another may have too."""
        return self.filled(self.one_of(choices().patterns[key]), **given)

    def filled(self, pattern: str, **given: str) -> str:
        """``pattern`` with its characters and words drawn."""
        return PLACEHOLDER.sub(lambda found: given.get(found[1]) or self._drawn(found[1] or found[0]), pattern)

    def _drawn(self, kind: str) -> str:
        if kind in "#%":
            return str(self.between("#%".index(kind), 9))
        if kind == "?":
            return self.one_of(_LETTERS)
        if kind == "house_number":
            return str(self.whole(kind))
        if kind == "brand":
            return self.one_of(choices().brands)
        words = {
            "surname": self._faker.last_name,
            "first_name": self._faker.first_name,
            "street": self._faker.street_name,
        }
        return words[kind]()

    def first_name(self, gender: Gender, most: int = 11) -> str:
        """A first name that nobody else of the persona has."""
        return self.fresh(self._faker.first_name_female if gender == "female" else self._faker.first_name_male, most)

    def surname(self) -> str:
        """A surname of one word or, now and then, of two."""
        if self.happens("hyphenated_name"):
            return self.fresh(lambda: f"{self._faker.last_name()}-{self._faker.last_name()}", 14)
        return self.fresh(self._faker.last_name, 11)

    def full_name(self, gender: Gender | None = None, surname: str | None = None) -> str:
        """First name and surname of somebody whom the persona knows."""
        makers = {"female": self._faker.first_name_female, "male": self._faker.first_name_male}
        first = makers[gender or self.gender()]
        return self.fresh(lambda: f"{first()} {surname or self._faker.last_name()}", LONGEST_NAME)

    def gender(self) -> Gender:
        """One of two."""
        return "female" if self.likely(0.5) else "male"

    def place(self, state: str | None = None) -> Place:
        """A city of a state, or of any."""
        state = state or self.one_of(list(places().root))
        return Place(state, self.one_of(places().root[state].cities))

    def place_near(self, state: str) -> Place:
        """A city that is mostly of ``state``."""
        return self.place(state if self.happens("same_state") else None)

    def address(self, prefix: str, place: Place) -> Facts:
        """Street, city, state and ZIP code as facts whose names begin with ``prefix``."""
        return {
            f"{prefix}_street": self.text("street"),
            f"{prefix}_city": place.city.name,
            f"{prefix}_state": place.state,
            f"{prefix}_zip": self.filled(place.city.zip),
        }

    def phone(self, place: Place) -> str:
        """A fictitious number of that area."""
        return self.text("phone", area_code=place.city.area_code)

    def started(self, today: date, months: int) -> date:
        """A day so many whole months, and some days, before ``today``, whose day of the month is at most 28."""
        whole_months = today.year * 12 + today.month - 1 - months
        return self.earlier(date(whole_months // 12, whole_months % 12 + 1, today.day), most=27)

    def earlier(self, day: date, most: int) -> date:
        """A day at most so many days before ``day``, or that day."""
        return day - timedelta(days=self.between(0, most))


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
