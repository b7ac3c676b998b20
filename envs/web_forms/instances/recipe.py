"""Recipes as data: how the values of a form's fields are drawn, and the words that tell of them."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Generic, Literal, TypeVar

import pydantic
from pydantic import Discriminator, Tag

from ..fields import Data

Split = Literal["test", "train"]
SPLITS: tuple[Split, ...] = ("test", "train")

Identifier = Annotated[str, pydantic.Field(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, pydantic.Field(min_length=1)]


Cue = Annotated[str, pydantic.Field(min_length=1, pattern=r"^[^{}]*$")]
"""Words without anything to be filled in."""
Words = TypeVar("Words", bound=str)


class Phrasings(Data, Generic[Words]):
    """Different words for the same, those of tests and those of training apart."""

    test: Annotated[tuple[Words, ...], pydantic.Field(min_length=1)]
    train: Annotated[tuple[Words, ...], pydantic.Field(min_length=1)]

    def of(self, split: Split) -> tuple[Words, ...]:
        """Those of a split."""
        return self.test if split == "test" else self.train


class PersonDraw(Data):
    """Somebody who does not exist, born between two dates."""

    draw: Literal["person"]
    born: tuple[date, date] = (date(1950, 1, 1), date(2005, 12, 31))


class CompanyDraw(Data):
    """A firm that does not exist."""

    draw: Literal["company"]


class NumberDraw(Data):
    """A number from ``low`` to ``high`` in steps."""

    draw: Literal["number"]
    low: int | float
    high: int | float
    step: Annotated[int | float, pydantic.Field(gt=0)] = 1


class DateDraw(Data):
    """A day between two, both included."""

    draw: Literal["date"]
    start: Annotated[date, pydantic.Field(alias="from")]
    end: Annotated[date, pydantic.Field(alias="to")]


class DateAfterDraw(Data):
    """A day so many days after another; before it where they are negative."""

    draw: Literal["date_after"]
    of: str
    least: int
    most: int


class ChoiceDraw(Data):
    """One of some things."""

    draw: Literal["choice"]
    of: Annotated[tuple[Any, ...], pydantic.Field(min_length=1)]


class SampleDraw(Data):
    """Some of some things, in the given order."""

    draw: Literal["sample"]
    of: Annotated[tuple[Any, ...], pydantic.Field(min_length=1)]
    least: Annotated[int, pydantic.Field(ge=0)]
    most: Annotated[int, pydantic.Field(ge=0)]


class OptionDraw(Data):
    """One of a field's options; ``by`` is a draw with the value that they depend on."""

    draw: Literal["option"]
    field: str
    by: str | None = None


class OptionsDraw(Data):
    """Some of a field's options, in their order."""

    draw: Literal["options"]
    field: str
    least: Annotated[int, pydantic.Field(ge=0)]
    most: Annotated[int, pydantic.Field(ge=0)]


class ChanceDraw(Data):
    """True as often as ``of`` says."""

    draw: Literal["chance"]
    of: Annotated[float, pydantic.Field(ge=0, le=1)]


class CodeDraw(Data):
    """``pattern`` with a digit for each ``#`` and a capital letter for each ``?``."""

    draw: Literal["code"]
    pattern: Text


class PhraseDraw(Data):
    """A text of a pool."""

    draw: Literal["phrase"]
    pool: str


class PhrasesDraw(Data):
    """Different texts of a pool."""

    draw: Literal["phrases"]
    pool: str
    least: Annotated[int, pydantic.Field(ge=0)]
    most: Annotated[int, pydantic.Field(ge=0)]


class TextDraw(Data):
    """A text made of earlier draws."""

    draw: Literal["text"]
    text: Annotated[Text, pydantic.Field(alias="is")]


class FileDraw(Data):
    """A file that is to be uploaded."""

    draw: Literal["file"]
    name: Text


class FilesDraw(Data):
    """Files that lie beside it."""

    draw: Literal["files"]
    names: Annotated[tuple[Text, ...], pydantic.Field(min_length=1)]


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
    """What a draw gave, or a part of it, as it is."""

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
"""What goes into a field: a template, true or false, templates, or what a draw gave."""

Either.model_rebuild()


class Recipe(Data):
    """How the instances of a form are made.

    Attributes:
        draws: by name, in the order in which they are drawn.
        values: the gold value of each field.
        cues: words that tell an option of a field; of a checkbox ``yes`` or ``no``.
        pools: pieces of prose.
    """

    draws: dict[Identifier, Draw]
    values: dict[Identifier, GoldValue]
    cues: dict[Identifier, dict[str, Phrasings[Cue]]] = pydantic.Field(default_factory=dict)
    pools: dict[Identifier, Phrasings[Text]] = pydantic.Field(default_factory=dict)
