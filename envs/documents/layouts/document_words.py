"""Draw the words of a document from its subject and from general phrases."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ...core.randomness import ShuffleBag
from ..scene.elements import Colour, Run
from .placed_parts import Theme
from .schema import Item, Node, Phrases, Subject, content

T = TypeVar("T")
_EPOCH = datetime.date(2041, 1, 1)
_YEARS = 6
_MINUTES = (5, 10, 20, 25, 35, 40, 50, 55)
"""Minutes of times; odd ones, so that documents have different times."""
_CURRENCIES = ("${}", "£{}", "€{}", "{} €", "{} kr")


@dataclass(frozen=True, slots=True)
class Person:
    """A fictitious person."""

    name: str
    role: str

    @property
    def with_role(self) -> str:
        """Name and role."""
        return f"{self.name}, {self.role}"


class Words:
    """The words of a document.

    Attributes:
        subject: what it is about.
        rng: the random generator.
        last_item: the last result of ``next_item``.
    """

    def __init__(self, subject: Subject, phrases: Phrases, rng: np.random.Generator):
        self.subject, self.rng, self._phrases = subject, rng, phrases
        self._bags: dict[str, ShuffleBag[str]] = {}
        self._prices: dict[str, str] = {}
        self.last_item = subject.items[0]
        self._items = ShuffleBag(subject.items, rng)
        self.title, self.subtitle, self.host = (
            self._one(of) for of in (subject.titles, subject.subtitles, subject.hosts)
        )
        self._currency = _CURRENCIES[int(rng.integers(len(_CURRENCIES)))]
        self._cents = bool(rng.integers(2))

    def _one(self, things: Sequence[T]) -> T:
        return things[int(self.rng.integers(len(things)))]

    def _bag(self, name: str, things: Sequence[str]) -> ShuffleBag[str]:
        return self._bags.setdefault(name, ShuffleBag(things, self.rng))

    def text(self, kind: str) -> str:
        """A text of a kind."""
        return content().texts[kind].template.format_map(self)

    def __getitem__(self, slot: str) -> Any:
        """The value of a slot of a template; see ``TextKind``."""
        if slot in self._phrases.uses:
            return self.phrase(slot)
        name, _, number = slot.partition(" ")
        value = getattr(self, name)
        if number:
            return value(int(number))
        return value() if callable(value) else value

    def phrase(self, use: str) -> str:
        """A phrase for a use."""
        return self._bag(use, self._phrases.uses[use]).draw()

    def heading(self, topic: str) -> str:
        """A heading of a topic."""
        return self._bag(f"heading {topic}", self._phrases.headings[topic]).draw()

    def fields(self, group: str, count: int) -> tuple[str, ...]:
        """Labels of form fields."""
        return self._bag(f"field {group}", self._phrases.fields[group]).several(count)

    def items(self, count: int) -> tuple[Item, ...]:
        """Items on offer, with different icons as long as there are enough."""
        drawn = [self._items.draw() for _ in range(len(self.subject.items))]
        fresh: dict[str, Item] = {}
        for item in drawn:
            fresh.setdefault(item.icon, item)
        rest = [item for item in drawn if fresh[item.icon] != item]
        return tuple([*fresh.values(), *rest][:count])

    def next_item(self) -> Item:
        """The next item, also kept in ``last_item``."""
        self.last_item = self._items.draw()
        return self.last_item

    def notes(self, count: int) -> tuple[str, ...]:
        """Lines of a list."""
        return self._bag("notes", self.subject.notes).several(count)

    def note(self) -> str:
        """One line of a list."""
        return self.notes(1)[0]

    def sentences(self, count: int) -> str:
        """A paragraph."""
        return " ".join(self._bag("sentences", self.subject.sentences).several(count))

    def person(self) -> Person:
        """A new person."""
        return self.people(1)[0]

    @cached_property
    def recipient(self) -> Person:
        """The person whom the document addresses."""
        return self.person()

    @cached_property
    def place(self) -> str:
        """Street and number."""
        stem, end = self._phrases.streets
        return f"{self._one(stem)} {self._one(end)} {self.rng.integers(2, 98)}"

    @cached_property
    def town(self) -> str:
        """The town of the event."""
        stem, end = self._phrases.towns
        return f"{self._one(stem)}{self._one(end)}"

    @cached_property
    def mail(self) -> str:
        """A fictitious mail address."""
        first = "".join(letter for letter in self.host.lower() if letter.isascii() and letter.isalpha())[:8]
        return f"{self._one(('hello', 'desk', 'post', 'ask'))}@{first}.example.org"

    @cached_property
    def phone(self) -> str:
        """A fictitious phone number."""
        return f"555-01{self.rng.integers(100):02d}"

    @cached_property
    def day(self) -> datetime.date:
        """The day of the event."""
        return _EPOCH + datetime.timedelta(days=int(self.rng.integers(365 * _YEARS)))

    @cached_property
    def hour(self) -> tuple[int, int]:
        """Hour and minute at which the event begins."""
        return int(self.rng.integers(8, 16)), int(self._one(_MINUTES))

    def time(self, later: int = 0) -> str:
        """The time at which the event begins, or so many minutes later."""
        minutes = self.hour[0] * 60 + self.hour[1] + later
        return f"{minutes // 60 % 24}:{minutes % 60:02d}"

    @cached_property
    def date(self) -> str:
        """The day in words."""
        return f"{self.day:%A}, {self.day.day} {self.day:%B} {self.day.year}"

    def short_date(self, later: int = 0) -> str:
        """The day in short, or so many days later."""
        day = self.day + datetime.timedelta(days=later)
        return f"{day:%a} {day.day} {day:%b}"

    def amount(self, times: int = 1) -> int:
        """A whole price, times a number."""
        low, high = self.subject.prices
        return int(self.rng.integers(low, high + 1)) * times

    def money(self, amount: float) -> str:
        """An amount with its currency."""
        return self._currency.format(f"{amount:.2f}" if self._cents else f"{amount:.0f}")

    def price_of(self, thing: str) -> str:
        """The price of a thing, the same everywhere in the document."""
        return self._prices.setdefault(thing, self.price())

    def price(self) -> str:
        """A price."""
        cents = int(self._one((0, 20, 40, 50, 80, 90))) / 100 if self._cents else 0
        return self.money(self.amount() + cents)

    def people(self, count: int) -> tuple[Person, ...]:
        """Fictitious people."""
        firsts, lasts = self._phrases.first_names, self._phrases.surnames
        names = self._bag("first", firsts).several(count)
        ends = self._bag("last", lasts)
        return tuple(Person(f"{name} {ends.draw()}", self._bag("roles", self.subject.roles).draw()) for name in names)

    def scene(self, scene: str) -> str:
        """A picture of a scene; its seeds are larger than those of shipped documents."""
        return f"scene/{scene}/{self.rng.integers(100, 1100)}"

    def issue(self) -> int:
        """The number of a newsletter."""
        return int(self.rng.integers(11, 190))

    def code(self) -> str:
        """The number of a ticket, an order or a voucher."""
        letters = "".join("ABCDEFGHKLMNPRSTUVWX"[int(i)] for i in self.rng.integers(20, size=2))
        return f"{letters}-{self.rng.integers(1000, 9999)}"


@dataclass(frozen=True, slots=True)
class Emphasis:
    """A stretch in the middle of a text, and the style that it gets."""

    begin: int
    end: int
    way: str


def pick_emphasis(text: str, rng: np.random.Generator) -> Emphasis | None:
    """The stretch of a text to emphasize; ``None`` for many texts."""
    words = text.split(" ")
    if len(words) < 4 or "\n" in text or rng.random() > 0.5:
        return None
    long = [i for i, word in enumerate(words[:-1]) if len(word) > 3]
    if not long:
        return None
    first = long[int(rng.integers(len(long)))]
    count = int(rng.integers(1, 3))
    begin = len(" ".join(words[:first])) + bool(first)
    end = begin + len(" ".join(words[first : first + count]).rstrip(".,;:!?”"))
    way = ("bold", "italic", "colour", "underline")[int(rng.choice(4, p=(0.45, 0.2, 0.25, 0.1)))]
    return Emphasis(begin, end, way) if end > begin else None


def runs_of(text: str, found: Emphasis | None, theme: Theme) -> tuple[Run, ...]:
    """A text as runs, with its emphasis in another style."""
    if found is None:
        return (Run(text=text),)
    colour: Colour = theme.tint("accent")
    inner = text[found.begin : found.end]
    run = (
        Run(text=inner, bold=True, colour=colour)
        if found.way == "colour"
        else Run.model_validate({"text": inner, found.way: True})
    )
    pieces = Run(text=text[: found.begin]), run, Run(text=text[found.end :])
    return tuple(piece for piece in pieces if piece.text)


@dataclass(frozen=True)
class Writer:
    """The source of words and random draws for blocks; it knows the page's format."""

    words: Words
    rng: np.random.Generator
    is_wide: bool

    def one(self, things: Sequence[T]) -> T:
        """A random choice."""
        return things[int(self.rng.integers(len(things)))]

    def chance(self, probability: float) -> bool:
        """True with a probability from 0 to 1."""
        return bool(self.rng.random() < probability)

    def count(self, node: Node) -> int:
        """A random number of repetitions, within the range of a node."""
        return int(self.rng.integers(node.count[0], node.count[1] + 1))
