"""Random draws of one practice: names, numbers, amounts and dates, all from one seed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from ....core.people import People
from .choices import Range, Split, practice_lists

_CENT = Decimal("0.01")
_STREAMS = {"test": 1, "train": 2}


class Draws(People):
    """The random draws of a practice.

    Args:
        seed: decides all of them.
        split: whose names are drawn; the splits share no names, and no choices for the same seed either.
    """

    def __init__(self, seed: int, split: Split) -> None:
        self.lists = practice_lists()
        self.split = split
        entropy = np.random.SeedSequence([_STREAMS[split], seed])
        super().__init__(np.random.default_rng(entropy), int(entropy.generate_state(1)[0]), weighted=True)

    def money(self, dollars: Range) -> Decimal:
        """An amount with cents."""
        low, high = round(dollars[0] * 100), round(dollars[1] * 100)
        return Decimal(self.between(low, high)).scaleb(-2)

    def round_money(self, dollars: Range, step: int) -> Decimal:
        """A multiple of ``step`` dollars."""
        return Decimal(self.between(-(-int(dollars[0]) // step), int(dollars[1]) // step) * step).quantize(_CENT)

    def days(self, first: date, last: date, count: int) -> list[date]:
        """Different days, sorted."""
        chosen = self.rng.choice((last - first).days + 1, count, replace=False)
        return [first + timedelta(int(n)) for n in sorted(chosen)]

    def ein(self) -> str:
        """An employer identification number with a prefix that is never issued."""
        return f"{self.choice(self.lists.ein_prefixes)}-{self.digits(7)}"

    def person(self) -> tuple[str, str]:
        """Given name and family name of somebody new."""
        while True:
            family = self.choice(self.lists.surname_starts.of(self.split)) + self.choice(self.lists.surname_ends)
            given = self.given_name()
            if self.claim(f"{given} {family}"):
                return given, family

    def firm(self, nouns: Sequence[str], word: str | None = None) -> str:
        """A unique company name."""
        words = self.lists.words.of(self.split)
        return self.unique(lambda: f"{word or self.choice(words)} {self.choice(nouns)}")

    def email(self, name: str) -> str:
        """An e-mail address for a name."""
        return ".".join("".join(c for c in word if c.isalnum()) for word in name.lower().split()) + "@example.com"


def to_cents(amount: Decimal) -> Decimal:
    """``amount`` in whole cents, half a cent up."""
    return amount.quantize(_CENT, ROUND_HALF_UP)


def end_of_month(day: date) -> date:
    """The last day of the month that ``day`` is in."""
    return months_after(day.replace(day=1), 1) - timedelta(1)


def months_after(day: date, months: int) -> date:
    """The same day some months later, for days up to the 28th."""
    years, month = divmod(day.month - 1 + months, 12)
    return day.replace(year=day.year + years, month=month + 1)
