"""The words of a document: facts and phrases from its subject and from banks for any subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import numpy as np

from ...core.facts import FactMaker
from ...core.randomness import ShuffleBag
from ...core.templates import evaluate, money, render, written
from .schema import Item, Subject, kit

Scope = Mapping[str, Any]
"""Values and functions for templates, by name."""
_UNSET = dict.fromkeys(("title", "text", "asset", "picture", "thing", "price", "number"), "")
"""The fields of a thing that its recipe leaves open."""


class Words(FactMaker):
    """The words of a document about a subject.

    Attributes:
        scope: the functions and facts that every template of the document can use.
    """

    def __init__(self, subject: Subject, rng: np.random.Generator) -> None:
        super().__init__(rng, seed=int(rng.integers(2**32)))
        own = {"notes": subject.notes, "sentences": subject.sentences, "roles": subject.roles}
        self._phrases = {**kit().banks, **own}
        self._bags: dict[str, ShuffleBag[str]] = {}
        self._items = ShuffleBag(subject.items, rng)
        self._prices: dict[str, str] = {}
        self._subject = subject
        self._sign, self._cents = self.choice(("$", "£", "€", "kr ")), self.chance(0.5)
        named = {"subject": subject, "scenes": kit().scenes, "scene_names": kit().scene_names}
        self.scope: dict[str, Any] = {**self.functions, **named}
        self.draw(kit().facts, self.scope, "facts", results=self.scope)

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions of templates."""
        own = (self.several, self.phrase, self.items, self.people, self.full_name, self.time, self.short_date)
        numbers = (self.amount, self.money, self.price, self.price_of)
        drawn = (self.chance, self.sample, self.date, self.street, self.place)
        return {**super().functions, **{function.__name__: function for function in (*own, *numbers, *drawn)}}

    def filled(self, template: str, scope: Scope) -> str:
        """A template with the values of a scope."""
        return render(template, {**self.scope, **scope}) if "{{" in template else template

    def things(self, name: str, scope: Scope) -> list[dict[str, Any]]:
        """Things with their fields; see ``Things``."""
        kind = kit().things[name]
        scope = {**self.scope, **scope}
        return [
            {**_UNSET, "i": i, **self.draw(kind.let, {**scope, "it": it, "i": i}, name)}
            for i, it in enumerate(evaluate(kind.of, scope, name))
        ]

    def rows(self, name: str, scope: Scope) -> tuple[tuple[str, ...], ...]:
        """The cells of a table, row by row."""
        kind = kit().things[name]
        head = evaluate(kind.head, {**self.scope, **scope}, name)
        rows = self.things(name, {**scope, "head": head})
        foot = [evaluate(kind.foot, {**self.scope, "rows": rows}, name)] if kind.foot else []
        return tuple(tuple(map(written, row)) for row in (head, *(row["cells"] for row in rows), *foot))

    # -- Functions of templates ----------------------------------------------------------------------------------------

    def several(self, use: str, count: int) -> tuple[str, ...]:
        """Different phrases of a use; none repeats before all are drawn."""
        return self._bags.setdefault(use, ShuffleBag(self._phrases[use], self.rng)).several(count)

    def phrase(self, use: str) -> str:
        """One phrase of a use."""
        return self.several(use, 1)[0]

    def items(self, count: int) -> list[Item]:
        """Items on offer, with different icons as long as there are enough."""
        drawn = [self._items.draw() for _ in self._subject.items]
        first = {item.icon: item for item in reversed(drawn)}
        return sorted(drawn, key=lambda item: first[item.icon] != item)[:count]

    def full_name(self) -> str:
        """The full name of a person."""
        return f"{self.given_name()} {self.family_name()}"

    def people(self, count: int) -> list[str]:
        """The full names of people."""
        return [self.full_name() for _ in range(count)]

    def time(self, later: int = 0) -> str:
        """The time at which the event begins, or so many minutes later."""
        minutes = self.scope["start"] + later
        return f"{minutes // 60 % 24}:{minutes % 60:02d}"

    def short_date(self, later: int = 0) -> str:
        """The day in short, or so many days later."""
        day = date.fromisoformat(self.scope["day"]) + timedelta(days=later)
        return f"{day:%a} {day.day} {day:%b}"

    def amount(self) -> int:
        """A whole price."""
        return self.between(*self._subject.prices)

    def money(self, amount: float) -> str:
        """An amount with its currency."""
        return money(amount, self._sign, self._cents)

    def price(self) -> str:
        """A price."""
        return self.money(self.amount() + (self.choice((0, 0.2, 0.4, 0.5, 0.8, 0.9)) if self._cents else 0))

    def price_of(self, thing: str) -> str:
        """The price of a thing, the same everywhere in the document."""
        return self._prices.setdefault(thing, self.price())
