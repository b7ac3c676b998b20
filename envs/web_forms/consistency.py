"""What is wrong with the fields of a form together, in words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from .fields import CONTROLLING, Field


def alike(fields: Sequence[Field]) -> Iterator[str]:
    """Fields that are called alike."""
    names = [field.name for field in fields]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"field {name}: there are two of this name"


def dependences(fields: Sequence[Field]) -> Iterator[str]:
    """Fields that depend on what is not before them on their page, or cannot be."""
    for i, field in enumerate(fields):
        before = {other.name: other for other in fields[:i] if other.page == field.page}
        for key, other in (("when", field.when), ("options_by", field.options_by)):
            if other is None:
                continue
            if other.field not in before:
                yield f"field {field.name}: {key}: no field {other.field!r} before it on its page"
            else:
                yield from _dependence(field, key, before[other.field])


def _dependence(field: Field, key: str, other: Field) -> Iterator[str]:
    known = ("yes", "no") if other.control == "checkbox" else _all_options(other)
    if key == "when":
        if other.control not in CONTROLLING:
            yield f"field {field.name}: when: {other.name} is a {other.control}, not one of {', '.join(CONTROLLING)}"
        for value in field.when.values if field.when else ():
            if value not in known:
                yield f"field {field.name}: when: {other.name} cannot be {value!r}"
        return
    given = set(field.options_by.options) if field.options_by else set()
    if other.control not in ("select", "radio"):
        yield f"field {field.name}: options_by: {other.name} is a {other.control}, not a select or radio"
    elif given != set(known):
        yield f"field {field.name}: options_by: missing or unknown values of {other.name}: {sorted(given ^ set(known))}"


def _all_options(field: Field) -> tuple[str, ...]:
    return tuple(option for group in field.option_groups for option in group)


def foreign_letters(text: str) -> Iterator[str]:
    """Letters that are not Latin: the faces that draw the page may lack them."""
    letters = {c for c in text if c.isalpha()}
    if foreign := sorted(c for c in letters if "LATIN" not in unicodedata.name(c, "") and c not in "ªº"):
        yield f"letters that are not Latin: {' '.join(foreign)}"
