"""What chance decides of a practice: numbers, dates, names, places; all from one seed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from .lists import Range, Split, practice_lists

if TYPE_CHECKING:
    from faker import Faker

T = TypeVar("T")
_CENT = Decimal("0.01")
_STREAMS = {"test": 1, "train": 2}


def to_cents(amount: Decimal) -> Decimal:
    """``amount`` in whole cents, half a cent up."""
    return amount.quantize(_CENT, ROUND_HALF_UP)


class Draws:
    """A stream of choices.

    Args:
        seed: decides all of them.
        split: whose names are drawn; the splits share no names, and no choices for the same seed either.
    """

    def __init__(self, seed: int, split: Split) -> None:
        self.lists = practice_lists()
        self.split = split
        entropy = np.random.SeedSequence([_STREAMS[split], seed])
        self._rng = np.random.default_rng(entropy)
        self._fake = _faker(int(entropy.generate_state(1)[0]))
        self._names: set[str] = set()

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._rng.random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """True so often."""
        return bool(self._rng.random() < probability)

    def one(self, items: Sequence[T]) -> T:
        """One of some."""
        return items[int(self._rng.random() * len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Different ones of some, in random order."""
        return [items[i] for i in self._rng.permutation(len(items))[:count]]

    def money(self, dollars: Range) -> Decimal:
        """An amount with cents."""
        low, high = round(dollars[0] * 100), round(dollars[1] * 100)
        return Decimal(self.whole(low, high)).scaleb(-2)

    def round_money(self, dollars: Range, step: int) -> Decimal:
        """A multiple of ``step`` dollars."""
        return Decimal(self.whole(-(-int(dollars[0]) // step), int(dollars[1]) // step) * step).quantize(_CENT)

    def day(self, first: date, last: date) -> date:
        """A day, both ends included."""
        return first + timedelta(self.whole(0, (last - first).days))

    def days(self, first: date, last: date, count: int) -> list[date]:
        """Different days, sorted."""
        chosen = self._rng.choice((last - first).days + 1, count, replace=False)
        return [first + timedelta(int(n)) for n in sorted(chosen)]

    def digits(self, count: int) -> str:
        """Digits, the first no zero."""
        return str(self.whole(10 ** (count - 1), 10**count - 1))

    def ssn(self) -> str:
        """A social security number of those never issued."""
        return f"{self.whole(900, 999)}-{self.whole(10, 49)}-{self.whole(1000, 9999)}"

    def ein(self) -> str:
        """An employer's number with a prefix never issued."""
        return f"{self.one(self.lists.ein_prefixes)}-{self.digits(7)}"

    def phone(self, area_code: str) -> str:
        """A number of those kept for fiction."""
        return f"{area_code}-555-01{self.whole(0, 99):02d}"

    def person(self) -> tuple[str, str]:
        """Given name and family name of somebody new."""
        while True:
            family = self.one(self.lists.surname_starts.of(self.split)) + self.one(self.lists.surname_ends)
            given = self._fake.first_name()
            if self._is_new(f"{given} {family}"):
                return given, family

    def firm(self, nouns: Sequence[str], word: str | None = None) -> str:
        """The name of a firm that is new."""
        while True:
            name = f"{word or self.one(self.lists.words.of(self.split))} {self.one(nouns)}"
            if self._is_new(name):
                return name

    def street(self) -> str:
        """Number and street."""
        return f"{self.whole(11, 9899)} {self._fake.street_name()}"

    def city(self) -> str:
        """A town that is none."""
        return self._fake.city()

    def zip_code(self, state: str) -> str:
        """Five digits of a state."""
        return self._fake.zipcode_in_state(state)

    def mail(self, name: str) -> str:
        """A mail address for a name."""
        return ".".join("".join(c for c in word if c.isalnum()) for word in name.lower().split()) + "@example.com"

    def _is_new(self, name: str) -> bool:
        """Whether ``name`` was not given away before; it is now."""
        new = name not in self._names
        self._names.add(name)
        return new


def _faker(seed: int) -> Faker:
    # Imported here: it takes longer than all the rest of the package.
    from faker import Faker

    fake = Faker("en_US")
    fake.seed_instance(seed)
    return fake


def end_of_month(day: date) -> date:
    """The last day of the month that ``day`` is in."""
    return months_after(day.replace(day=1), 1) - timedelta(1)


def months_after(day: date, months: int) -> date:
    """The same day some months later, for days up to the 28th."""
    years, month = divmod(day.month - 1 + months, 12)
    return day.replace(year=day.year + years, month=month + 1)
