"""Random draws of one persona: named ranges, chances and patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import lru_cache

import numpy as np

from ...core.facts import FactMaker, Gender, Place, names
from ...core.matchers import fold
from .persona_choices import MAX_NAME, MAX_TEXT, PLACEHOLDER, choices
from .profile import profile, users

Facts = dict[str, str]

# For cells that are shorter or longer than usual.
_MAX_LENGTHS = {"email": 28, "street": 20, "bank_name": 22}
# Facts with these endings identify a shipped user, so that no persona may share them.
_RESERVED = ("name", "ssn", "phone", "email", "street", "number", "vin")


@lru_cache(maxsize=1)
def _reserved() -> frozenset[str]:
    """Values that identify a shipped user, folded."""
    known = (item for user in users() for item in profile(user).root.items())
    return frozenset(fold(value) for fact, value in known if fact.endswith(_RESERVED))


class Draws(FactMaker):
    """The random draws of a persona, equal for an equal seed and secret.

    Args:
        seed: of the persona, not negative.
        secret: another one gives another persona for each seed; not negative.
    """

    def __init__(self, seed: int, secret: int) -> None:
        numbers, names = np.random.SeedSequence([secret, seed]).spawn(2)
        super().__init__(np.random.default_rng(numbers), int(names.generate_state(1, np.uint64)[0]), _reserved())

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

    def fact(self, name: str) -> str:
        """A random value of a fact, by the weights of its values."""
        return self.weighted(choices().weights[name])

    def facts(self, *names: str) -> Facts:
        """Values of several facts, by the weights of their values."""
        return {name: self.fact(name) for name in names}

    def text_for(self, key: str, **words: str) -> str:
        """A unique text from the patterns of a name."""
        return self.text_of(choices().patterns[key], _MAX_LENGTHS.get(key, MAX_TEXT), **words)

    def text_of(self, patterns: Sequence[str], max_length: int = MAX_TEXT, **words: str) -> str:
        """A unique text from one of ``patterns``."""
        return self.unique(lambda: self.filled(self.choice(patterns), **words), max_length)

    def common_text(self, key: str, **words: str) -> str:
        """A text from the patterns of a name; it may repeat."""
        return self.filled(self.choice(choices().patterns[key]), **words)

    def filled(self, pattern: str, **words: str) -> str:
        """``pattern`` with placeholders replaced by ``words`` or random characters."""
        return PLACEHOLDER.sub(lambda found: words.get(found[1]) or self._word(found[1] or found[0]), pattern)

    def _word(self, kind: str) -> str:
        makers: dict[str, Callable[[], str]] = {
            "surname": self.family_name,
            "first_name": self.given_name,
            "street": self.faker.street_name,
            "brand": lambda: self.choice(names().brands),
            "house_number": lambda: str(self.in_range("house_number")),
        }
        return makers[kind]() if kind in makers else self.code(kind)

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
        return self.unique(lambda: f"{self.given_name(gender)} {surname or self.family_name()}", MAX_NAME)

    def gender(self) -> Gender:
        """A random gender."""
        return "female" if self.chance(0.5) else "male"

    def place_near(self, state: str) -> Place:
        """A city, usually of ``state``."""
        return self.place(state if self.happens("same_state") else None)

    def address(self, prefix: str, place: Place) -> Facts:
        """Street, city, state and ZIP code as facts whose names begin with ``prefix``."""
        return {
            f"{prefix}_street": self.text_for("street"),
            f"{prefix}_city": place.city.name,
            f"{prefix}_state": place.state,
            f"{prefix}_zip": self.code(place.city.zip),
        }

    def phone_at(self, place: Place) -> str:
        """A unique phone number with the area code of a place."""
        return self.text_for("phone", area_code=place.city.area_code)

    def months_before(self, today: date, months: int) -> date:
        """A random day within 27 days before the day ``months`` before ``today``."""
        whole_months = today.year * 12 + today.month - 1 - months
        return self.days_before(date(whole_months // 12, whole_months % 12 + 1, today.day), max_days=27)

    def days_before(self, day: date, max_days: int) -> date:
        """``day`` or a random day at most ``max_days`` before it."""
        return day - timedelta(days=self.between(0, max_days))


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
