"""Contents of blocks that show several things: cells, tables, price lists, pictures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .cells import Cell
from .schema import Item
from .words import Words

_SCENES = {
    "food": ("plate", "blocks", "hills"),
    "event": ("city", "blocks", "hills", "sea"),
    "class": ("blocks", "hills", "city"),
    "shop": ("blocks", "city", "hills"),
    "place": ("hills", "sea", "city"),
    "travel": ("sea", "hills", "city"),
    "club": ("hills", "blocks", "sea"),
}
"""Scenes that go with a sort of subject."""
_CALLED = {
    "hills": ("picture of the hills", "landscape", "view of the hills"),
    "city": ("picture of the city", "view of the city", "skyline"),
    "plate": ("picture of the plate", "plate"),
    "sea": ("picture of the sea", "view of the sea", "seascape"),
    "blocks": ("pattern", "pattern of blocks", "coloured pattern"),
    "portrait": ("portrait",),
}
_SEEDS = 1000
"""Seeds of scenes; shipped documents have small ones."""


def scene(words: Words, what: str, rng: np.random.Generator) -> tuple[str, str]:
    """What a picture is called, and its asset. ``what``: a scene, ``"icon"``, or "": one that suits the subject."""
    if what == "icon":
        icon = words.items(1)[0].icon
        return f"large icon of the {icon}", f"icon/{icon}"
    kinds = (what,) if what else _SCENES[words.subject.sort]
    kind = kinds[int(rng.integers(len(kinds)))]
    names = _CALLED[kind]
    return names[int(rng.integers(len(names)))], f"scene/{kind}/{rng.integers(100, 100 + _SEEDS)}"


def price_lines(words: Words, count: int, has_captions: bool) -> tuple[tuple[str, str, str], ...]:
    """What is offered, its caption if there are captions, and its price."""
    return tuple(
        (item.name, item.caption if has_captions else "", words.price_of(item.name)) for item in words.items(count)
    )


def _named(way: str, usual: str) -> str:
    return "card" if "card" in way or way == "striped" else usual


def _items(words: Words, count: int, way: str, name: str) -> tuple[Cell, ...]:
    noun = name or _named(way, "item")
    return tuple(_of_item(item, i, noun) for i, item in enumerate(words.items(count), 1))


def _of_item(item: Item, number: int, noun: str) -> Cell:
    return Cell(item.name, item.caption, f"icon/{item.icon}", number, noun, item.icon)


def _people(words: Words, count: int, way: str, name: str) -> tuple[Cell, ...]:
    return tuple(
        Cell(
            person.name,
            person.role,
            f"scene/portrait/{words.rng.integers(100, 100 + _SEEDS)}",
            i,
            name or "person",
            f"portrait of {person.name}",
        )
        for i, person in enumerate(words.people(count), 1)
    )


def _facts(words: Words, count: int, way: str, name: str) -> tuple[Cell, ...]:
    labels = [words.phrase("fact") for _ in range(count)]
    figures = [str(int(words.rng.choice((words.rng.integers(2, 60), words.rng.integers(60, 900))))) for _ in labels]
    return tuple(
        Cell(figure, label, "", i, name or "figure", "")
        for i, (figure, label) in enumerate(zip(figures, labels, strict=True), 1)
    )


def _notes(words: Words, count: int, way: str, name: str) -> tuple[Cell, ...]:
    noun = name or _named(way, "note")
    return tuple(Cell("", note, "", i, noun, "") for i, note in enumerate(words.notes(count), 1))


def _contact(words: Words, count: int, way: str, name: str) -> tuple[Cell, ...]:
    contacts = (
        ("phone", words.phone),
        ("mail", words.mail),
        ("pin", f"{words.place}, {words.town}"),
        ("clock", f"{words.phrase('days')} from {words.time()}"),
    )
    return tuple(
        Cell(text, "", f"icon/{icon}", i, name or "contact", icon) for i, (icon, text) in enumerate(contacts[:count], 1)
    )


def _details(words: Words, count: int, way: str, name: str) -> tuple[Cell, ...]:
    details = [("day", words.short_date()), ("start", words.time()), ("price", words.price()), ("number", words.code())]
    extra = [(label, words.phrase("hall")) for label in words.fields("detail", 3)]
    found = (details + extra)[:count]
    return tuple(
        Cell(label.capitalize(), value, "", i, "detail", label.lower()) for i, (label, value) in enumerate(found, 1)
    )


def _priced(words: Words, count: int, way: str, name: str) -> tuple[Cell, ...]:
    noun = name or _named(way, "offer")
    return tuple(
        Cell(item.name, words.price_of(item.name), f"icon/{item.icon}", i, noun, item.icon)
        for i, item in enumerate(words.items(count), 1)
    )


CONTENTS: dict[str, Callable[[Words, int, str, str], tuple[Cell, ...]]] = {
    "items": _items,
    "people": _people,
    "facts": _facts,
    "notes": _notes,
    "contact": _contact,
    "details": _details,
    "priced": _priced,
}
"""What cells show; each is given how many, how they are drawn, and what they are called or ""."""

Rows = tuple[tuple[str, ...], ...]


def _price_table(words: Words, count: int) -> tuple[str, Rows]:
    head = words.fields("column thing", 1) + words.fields("column price", 1)
    return "price table", (head, *((item.name, words.price_of(item.name)) for item in words.items(count)))


def _two_prices(words: Words, count: int) -> tuple[str, Rows]:
    head = words.fields("column thing", 1) + words.fields("column pair", 1)[0].partition("/")[::2]
    rows = (
        (item.name, words.money(low), words.money(low + words.amount()))
        for item in words.items(count)
        for low in (words.amount(),)
    )
    return "price table", (head, *rows)


def _timetable(words: Words, count: int) -> tuple[str, Rows]:
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat")[: int(words.rng.integers(3, 6))]
    names = [
        min(item.name.split(), key=lambda word: (len(word) < 4, len(word))).capitalize() for item in words.items(8)
    ]
    empty = words.phrase("closed")

    def cell() -> str:
        return empty if words.rng.random() < 0.12 else names[int(words.rng.integers(len(names)))]

    return "timetable", (("Time", *days), *((words.time(75 * i), *(cell() for _ in days)) for i in range(count)))


def _programme(words: Words, count: int) -> tuple[str, Rows]:
    head = ("Time", *words.fields("column act", 1), *words.fields("column who", 1))
    people = words.people(count)
    rows = (
        (words.time(35 * i), item.name, person.name)
        for i, (item, person) in enumerate(zip(words.items(count), people, strict=False))
    )
    return "programme", (head, *rows)


def _order(words: Words, count: int) -> tuple[str, Rows]:
    rows, total = [], 0
    for item in words.items(count):
        price, pieces = words.amount(), int(words.rng.integers(1, 9))
        total += price * pieces
        rows.append((item.name, str(pieces), words.money(price), words.money(price * pieces)))
    return "order table", (("Item", "Pcs", "Each", "Sum"), *rows, ("Total", "", "", words.money(total)))


def _dates(words: Words, count: int) -> tuple[str, Rows]:
    head = words.fields("column when", 1) + words.fields("column act", 1)
    return "table of dates", (
        head,
        *((words.short_date(7 * i), item.name) for i, item in enumerate(words.items(count))),
    )


def _values(words: Words, count: int) -> tuple[str, Rows]:
    rows = ((item.name, f"{words.rng.integers(3, 98)}", f"{words.rng.integers(3, 98)}") for item in words.items(count))
    return "table of figures", (
        (*words.fields("column thing", 1), *words.fields("column year", 1)[0].split("/")),
        *rows,
    )


TABLES: dict[str, Callable[[Words, int], tuple[str, Rows]]] = {
    "prices": _price_table,
    "two prices": _two_prices,
    "timetable": _timetable,
    "programme": _programme,
    "order": _order,
    "dates": _dates,
    "values": _values,
}
"""What tables show: their names, and their cells row by row."""
