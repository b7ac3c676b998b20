"""Recipes: how the values of a form's fields are drawn and described."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar

import pydantic
from pydantic import Discriminator, Tag

from ...core.facts import FactMaker, Split
from ..forms.form import WebForm
from ..forms.form_fields import Data
from .source_templates import Amount, render

Identifier = Annotated[str, pydantic.Field(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, pydantic.Field(min_length=1)]


Cue = Annotated[str, pydantic.Field(min_length=1, pattern=r"^[^{}]*$")]
"""Words without anything to be filled in."""
Words = TypeVar("Words", bound=str)
T = TypeVar("T")


class Phrasings(Data, Generic[Words]):
    """Phrasings with the same meaning: those of tests, and those of training."""

    test: Annotated[tuple[Words, ...], pydantic.Field(min_length=1)]
    train: Annotated[tuple[Words, ...], pydantic.Field(min_length=1)]

    def of(self, split: Split) -> tuple[Words, ...]:
        """The phrasings of a split."""
        return self.test if split == "test" else self.train


@dataclass
class Context:
    """The data that the draws of one instance can use.

    Attributes:
        form: whose instance it is.
        recipe: of that form.
        split: whose pools are used.
        people: the source of persons, firms and all other draws.
        facts: the results of earlier draws, by name.
        files: that the task has.
    """

    form: WebForm
    recipe: Recipe
    split: Split
    people: FactMaker
    facts: dict[str, Any] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    def text(self, template: str, where: str) -> str:
        """A template filled in with earlier draws."""
        return render(template, self.facts, where)

    def options_of(self, name: str, other: Any = None) -> tuple[str, ...]:
        """The options of a field, given the value ``other`` of the field they depend on."""
        named = next((field for field in self.form.fields if name in (field.name, field.base_name)), None)
        if named is None:
            raise ValueError(f"no field {name!r}")
        if not (options := named.options_for(other)):
            raise ValueError(f"field {name!r} has no options" + (f" for {other!r}" if named.options_by else ""))
        return options

    def pool(self, name: str) -> tuple[str, ...]:
        """The texts of a pool."""
        if name not in self.recipe.pools:
            raise ValueError(f"no pool {name!r}; there are {', '.join(self.recipe.pools)}")
        return self.recipe.pools[name].of(self.split)

    def add_files(self, names: Iterable[str]) -> list[str]:
        """Add files to the task."""
        added = list(names)
        for name in added:
            if name in self.files:
                raise ValueError(f"two files are called {name!r}")
            self.files.append(name)
        return added


class PersonDraw(Data):
    """A fictitious person, born between two dates."""

    draw: Literal["person"]
    born: tuple[date, date] = (date(1950, 1, 1), date(2005, 12, 31))

    def make(self, context: Context) -> dict[str, str]:
        """Draw it."""
        return context.people.person(*(day.isoformat() for day in self.born))


class CompanyDraw(Data):
    """A fictitious firm."""

    draw: Literal["company"]

    def make(self, context: Context) -> dict[str, str]:
        """Draw it."""
        return context.people.company()


class NumberDraw(Data):
    """A number from ``low`` to ``high`` in steps."""

    draw: Literal["number"]
    low: int | float
    high: int | float
    step: Annotated[int | float, pydantic.Field(gt=0)] = 1

    def make(self, context: Context) -> int | Amount:
        """Draw it."""
        low, high, step = (Decimal(str(number)) for number in (self.low, self.high, self.step))
        value = low + step * context.people.between(0, int((high - low) // step))
        decimals = max(-int(number.normalize().as_tuple().exponent) for number in (low, step))
        return Amount.of(float(value), decimals) if decimals > 0 else int(value)


class DateDraw(Data):
    """A day between two, both included."""

    draw: Literal["date"]
    start: Annotated[date, pydantic.Field(alias="from")]
    end: Annotated[date, pydantic.Field(alias="to")]

    def make(self, context: Context) -> str:
        """Draw it."""
        return context.people.day(self.start, self.end).isoformat()


class DateAfterDraw(Data):
    """A day a number of days after another; before it if the number is negative."""

    draw: Literal["date_after"]
    of: str
    least: int
    most: int

    def make(self, context: Context) -> str:
        """Draw it."""
        start = date.fromisoformat(look_up(context.facts, self.of))
        return (start + timedelta(context.people.between(self.least, self.most))).isoformat()


class ChoiceDraw(Data):
    """One of some items."""

    draw: Literal["choice"]
    of: Annotated[tuple[Any, ...], pydantic.Field(min_length=1)]

    def make(self, context: Context) -> Any:
        """Draw it."""
        return context.people.choice(self.of)


class _SubsetDraw(Data):
    """A subset of between ``least`` and ``most`` items, in the given order."""

    least: Annotated[int, pydantic.Field(ge=0)]
    most: Annotated[int, pydantic.Field(ge=0)]

    def _subset(self, context: Context, items: Sequence[T]) -> list[T]:
        return context.people.subset(items, self.least, self.most)


class SampleDraw(_SubsetDraw):
    """A subset of some items."""

    draw: Literal["sample"]
    of: Annotated[tuple[Any, ...], pydantic.Field(min_length=1)]

    def make(self, context: Context) -> list[Any]:
        """Draw it."""
        return self._subset(context, self.of)


class OptionDraw(Data):
    """One of a field's options; ``by`` is the draw on which they depend."""

    draw: Literal["option"]
    field: str
    by: str | None = None

    def make(self, context: Context) -> str:
        """Draw it."""
        other = look_up(context.facts, self.by) if self.by else None
        return context.people.choice(context.options_of(self.field, other))


class OptionsDraw(_SubsetDraw):
    """Some of a field's options."""

    draw: Literal["options"]
    field: str

    def make(self, context: Context) -> list[str]:
        """Draw it."""
        return self._subset(context, context.options_of(self.field))


class ChanceDraw(Data):
    """True with the probability ``of``."""

    draw: Literal["chance"]
    of: Annotated[float, pydantic.Field(ge=0, le=1)]

    def make(self, context: Context) -> bool:
        """Draw it."""
        return context.people.chance(self.of)


class CodeDraw(Data):
    """``pattern`` with a digit for each ``#`` and a capital letter for each ``?``."""

    draw: Literal["code"]
    pattern: Text

    def make(self, context: Context) -> str:
        """Draw it."""
        return context.people.code(self.pattern)


class PhraseDraw(Data):
    """A text of a pool."""

    draw: Literal["phrase"]
    pool: str

    def make(self, context: Context) -> str:
        """Draw it."""
        return context.text(context.people.choice(context.pool(self.pool)), f"pool {self.pool}")


class PhrasesDraw(_SubsetDraw):
    """Different texts of a pool."""

    draw: Literal["phrases"]
    pool: str

    def make(self, context: Context) -> list[str]:
        """Draw it."""
        chosen = self._subset(context, context.pool(self.pool))
        return [context.text(text, f"pool {self.pool}") for text in chosen]


class TextDraw(Data):
    """A text made of earlier draws."""

    draw: Literal["text"]
    text: Annotated[Text, pydantic.Field(alias="is")]

    def make(self, context: Context) -> str:
        """Fill it in."""
        return context.text(self.text, "is")


class FileDraw(Data):
    """A file to upload."""

    draw: Literal["file"]
    name: Text

    def make(self, context: Context) -> str:
        """Add it to the task."""
        return context.add_files([context.text(self.name, "name")])[0]


class FilesDraw(Data):
    """Further files of the task."""

    draw: Literal["files"]
    names: Annotated[tuple[Text, ...], pydantic.Field(min_length=1)]

    def make(self, context: Context) -> list[str]:
        """Add them to the task."""
        return context.add_files(context.text(name, "names") for name in self.names)


Draw = Annotated[
    PersonDraw
    | CompanyDraw
    | NumberDraw
    | DateDraw
    | DateAfterDraw
    | ChoiceDraw
    | SampleDraw
    | OptionDraw
    | OptionsDraw
    | ChanceDraw
    | CodeDraw
    | PhraseDraw
    | PhrasesDraw
    | TextDraw
    | FileDraw
    | FilesDraw,
    pydantic.Field(discriminator="draw"),
]


class Taken(Data):
    """The result of a draw, or a part of it, unchanged."""

    source: Annotated[Text, pydantic.Field(alias="from")]


class Either(Data):
    """One value or another."""

    condition: Annotated[Text, pydantic.Field(alias="if")]
    then: GoldValue
    otherwise: Annotated[GoldValue, pydantic.Field(alias="else")] = ""


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return "either" if "if" in value else "taken"
    kinds: dict[type, str] = {bool: "boolean", list: "list", tuple: "list", Taken: "taken", Either: "either"}
    return kinds.get(type(value), "text")


GoldValue = Annotated[
    Annotated[str, Tag("text")]
    | Annotated[bool, Tag("boolean")]
    | Annotated[tuple[str, ...], Tag("list")]
    | Annotated[Taken, Tag("taken")]
    | Annotated[Either, Tag("either")],
    Discriminator(_kind),
]
"""The value of a field: a template, true or false, templates, or the result of a draw."""

Either.model_rebuild()


class Recipe(Data):
    """How the instances of a form are made.

    Attributes:
        draws: by name, in the order in which they are drawn.
        values: the gold value of each field.
        cues: words that mean an option of a field; of a checkbox ``yes`` or ``no``.
        pools: pieces of prose.
    """

    draws: dict[Identifier, Draw]
    values: dict[Identifier, GoldValue]
    cues: dict[Identifier, dict[str, Phrasings[Cue]]] = pydantic.Field(default_factory=dict)
    pools: dict[Identifier, Phrasings[Text]] = pydantic.Field(default_factory=dict)


def look_up(facts: Mapping[str, Any], path: str) -> Any:
    """The result of a draw, or a part of it: ``person``, ``person.email``, ``list.0``.

    Raises:
        ValueError: if there is no such draw or part.
    """
    found: Any = facts
    for part in path.split("."):
        try:
            found = found[int(part)] if isinstance(found, list) else found[part]
        except (LookupError, TypeError, ValueError):
            raise ValueError(f"no draw or part {path!r}") from None
    return found


def draw_all(context: Context) -> None:
    """Make the draws of the recipe in their order, into ``context.facts``.

    Raises:
        ValueError: naming the draw that cannot be made.
    """
    for name, spec in context.recipe.draws.items():
        try:
            context.facts[name] = spec.make(context)
        except ValueError as error:
            raise ValueError(f"draws.{name}: {error}") from error
