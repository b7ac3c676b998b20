"""The contents of cells, tables and price lists.

To add one, add a function and its row in ``CONTENTS`` or ``TABLES``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .document_words import Words

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """The content of a cell.

    Attributes:
        title, text: its words; either may be "".
        number: its number, counted from 1.
        noun: its name in texts, such as ``"card"``.
        picture: the name of a picture, or "".
        thing: what its picture shows, such as ``"cup"``.
    """

    title: str
    text: str
    number: int
    noun: str
    picture: str = ""
    thing: str = ""


Contents = Callable[[Words, int, str], tuple[Cell, ...]]


def price_lines(words: Words, count: int, has_captions: bool) -> tuple[tuple[str, str, str], ...]:
    """The name, caption (or "") and price of each item."""
    return tuple(
        (item.name, item.caption if has_captions else "", words.price_of(item.name)) for item in words.items(count)
    )


def _items(words: Words, count: int, noun: str) -> tuple[Cell, ...]:
    items = enumerate(words.items(count), 1)
    return tuple(Cell(item.name, item.caption, i, noun, f"icon/{item.icon}", item.icon) for i, item in items)


def _priced(words: Words, count: int, noun: str) -> tuple[Cell, ...]:
    items = enumerate(words.items(count), 1)
    return tuple(
        Cell(item.name, words.price_of(item.name), i, noun, f"icon/{item.icon}", item.icon) for i, item in items
    )


def _people(words: Words, count: int, noun: str) -> tuple[Cell, ...]:
    people = enumerate(words.people(count), 1)
    return tuple(Cell(p.name, p.role, i, noun, words.scene("portrait"), f"portrait of {p.name}") for i, p in people)


def _facts(words: Words, count: int, noun: str) -> tuple[Cell, ...]:
    labels = [words.phrase("fact") for _ in range(count)]
    figures = [int(words.rng.choice((words.rng.integers(2, 60), words.rng.integers(60, 900)))) for _ in labels]
    return tuple(
        Cell(str(figure), label, i, noun) for i, (figure, label) in enumerate(zip(figures, labels, strict=True), 1)
    )


def _notes(words: Words, count: int, noun: str) -> tuple[Cell, ...]:
    return tuple(Cell("", note, i, noun) for i, note in enumerate(words.notes(count), 1))


def _contact(words: Words, count: int, noun: str) -> tuple[Cell, ...]:
    contacts = {
        "phone": words.phone,
        "mail": words.mail,
        "pin": f"{words.place}, {words.town}",
        "clock": f"{words.phrase('days')} from {words.time()}",
    }
    some = list(contacts.items())[:count]
    return tuple(Cell(text, "", i, noun, f"icon/{icon}", icon) for i, (icon, text) in enumerate(some, 1))


def _details(words: Words, count: int, noun: str) -> tuple[Cell, ...]:
    details = [("day", words.short_date()), ("start", words.time()), ("price", words.price()), ("number", words.code())]
    details += [(label, words.phrase("hall")) for label in words.fields("detail", 3)]
    return tuple(
        Cell(label.capitalize(), value, i, noun, thing=label.lower())
        for i, (label, value) in enumerate(details[:count], 1)
    )


CONTENTS: dict[str, tuple[Contents, str]] = {
    "items": (_items, "item"),
    "people": (_people, "person"),
    "facts": (_facts, "figure"),
    "notes": (_notes, "note"),
    "contact": (_contact, "contact"),
    "details": (_details, "detail"),
    "priced": (_priced, "offer"),
}
"""The contents of cells, from the words, the number of cells and their noun; and the usual noun."""


def _price_table(words: Words, count: int) -> Rows:
    head = words.fields("column thing", 1) + words.fields("column price", 1)
    return (head, *((item.name, words.price_of(item.name)) for item in words.items(count)))


def _two_prices(words: Words, count: int) -> Rows:
    head = words.fields("column thing", 1) + words.fields("column pair", 1)[0].partition("/")[::2]
    rows = []
    for item in words.items(count):
        low = words.amount()
        rows.append((item.name, words.money(low), words.money(low + words.amount())))
    return (head, *rows)


def _timetable(words: Words, count: int) -> Rows:
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat")[: int(words.rng.integers(3, 6))]
    names = [
        min(item.name.split(), key=lambda word: (len(word) < 4, len(word))).capitalize() for item in words.items(8)
    ]
    empty = words.phrase("closed")

    def cell() -> str:
        return empty if words.rng.random() < 0.12 else names[int(words.rng.integers(len(names)))]

    return (("Time", *days), *((words.time(75 * i), *(cell() for _ in days)) for i in range(count)))


def _programme(words: Words, count: int) -> Rows:
    head = ("Time", *words.fields("column act", 1), *words.fields("column who", 1))
    people = words.people(count)
    pairs = enumerate(zip(words.items(count), people, strict=False))
    return (head, *((words.time(35 * i), item.name, person.name) for i, (item, person) in pairs))


def _order(words: Words, count: int) -> Rows:
    rows, total = [], 0
    for item in words.items(count):
        price, pieces = words.amount(), int(words.rng.integers(1, 9))
        total += price * pieces
        rows.append((item.name, str(pieces), words.money(price), words.money(price * pieces)))
    return (("Item", "Pcs", "Each", "Sum"), *rows, ("Total", "", "", words.money(total)))


def _dates(words: Words, count: int) -> Rows:
    head = words.fields("column when", 1) + words.fields("column act", 1)
    return (head, *((words.short_date(7 * i), item.name) for i, item in enumerate(words.items(count))))


def _values(words: Words, count: int) -> Rows:
    items = words.items(count)
    head = (*words.fields("column thing", 1), *words.fields("column year", 1)[0].split("/"))
    return (head, *((item.name, *(f"{words.rng.integers(3, 98)}" for _ in range(2))) for item in items))


TABLES: dict[str, tuple[Callable[[Words, int], Rows], str]] = {
    "prices": (_price_table, "price table"),
    "two prices": (_two_prices, "price table"),
    "timetable": (_timetable, "timetable"),
    "programme": (_programme, "programme"),
    "order": (_order, "order table"),
    "dates": (_dates, "table of dates"),
    "values": (_values, "table of figures"),
}
"""The cells of tables, row by row, and the names of the tables."""
