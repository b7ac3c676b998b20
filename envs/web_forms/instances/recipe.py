"""Recipes: how the values of a form's fields are drawn, and the words that describe them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar, cast

import numpy as np
import pydantic
from pydantic import Discriminator, Tag

from ..forms.fields import Data
from ..forms.form import WebForm
from .people import People, Split
from .templates import Amount, render

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


T = TypeVar("T")
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


@dataclass
class Context:
    """What the draws of one instance can use.

    Attributes:
        form: whose instance it is.
        recipe: of that form.
        split: whose pools are used.
        people: who makes persons and firms.
        facts: what was drawn before, by name.
        files: that the task has.
    """

    form: WebForm
    recipe: Recipe
    split: Split
    people: People
    facts: dict[str, Any] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    def text(self, template: str, where: str) -> str:
        """A template filled in with what was drawn before."""
        return render(template, self.facts, where)


def look_up(facts: Mapping[str, Any], path: str) -> Any:
    """What a draw gave, or a part of it: ``person``, ``person.email``, ``list.0``.

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


def one_of(rng: np.random.Generator, items: Sequence[T]) -> T:
    """One of ``items``, all alike."""
    return items[int(rng.integers(len(items)))]


def some_of(rng: np.random.Generator, items: Sequence[T], least: int, most: int) -> list[T]:
    """Between ``least`` and ``most`` different ones of ``items``, in their order."""
    most = min(most, len(items))
    number = int(rng.integers(min(least, most), most + 1))
    return [items[i] for i in sorted(rng.permutation(len(items))[:number])]


def _person(rng: np.random.Generator, spec: PersonDraw, context: Context) -> dict[str, str]:
    return context.people.person(*spec.born)


def _company(rng: np.random.Generator, spec: CompanyDraw, context: Context) -> dict[str, str]:
    return context.people.company()


def _number(rng: np.random.Generator, spec: NumberDraw, context: Context) -> int | Amount:
    low, high, step = (Decimal(str(number)) for number in (spec.low, spec.high, spec.step))
    value = low + step * int(rng.integers(int((high - low) // step) + 1))
    decimals = max(-int(number.normalize().as_tuple().exponent) for number in (low, step))
    return Amount.of(float(value), decimals) if decimals > 0 else int(value)


def _date(rng: np.random.Generator, spec: DateDraw, context: Context) -> str:
    return (spec.start + timedelta(days=int(rng.integers((spec.end - spec.start).days + 1)))).isoformat()


def _date_after(rng: np.random.Generator, spec: DateAfterDraw, context: Context) -> str:
    start = date.fromisoformat(look_up(context.facts, spec.of))
    return (start + timedelta(days=int(rng.integers(spec.least, spec.most + 1)))).isoformat()


def _choice(rng: np.random.Generator, spec: ChoiceDraw, context: Context) -> Any:
    return one_of(rng, spec.of)


def _sample(rng: np.random.Generator, spec: SampleDraw, context: Context) -> list[Any]:
    return some_of(rng, spec.of, spec.least, spec.most)


def _option(rng: np.random.Generator, spec: OptionDraw, context: Context) -> str:
    other = look_up(context.facts, spec.by) if spec.by else None
    return one_of(rng, _options_of(context.form, spec.field, other))


def _options(rng: np.random.Generator, spec: OptionsDraw, context: Context) -> list[str]:
    return some_of(rng, _options_of(context.form, spec.field, None), spec.least, spec.most)


def _options_of(form: WebForm, name: str, other: Any) -> tuple[str, ...]:
    named = next((field for field in form.fields if name in (field.name, field.base_name)), None)
    if named is None:
        raise ValueError(f"no field {name!r}")
    if not (options := named.options_for(other)):
        raise ValueError(f"field {name!r} has no options" + (f" for {other!r}" if named.options_by else ""))
    return options


def _chance(rng: np.random.Generator, spec: ChanceDraw, context: Context) -> bool:
    return float(rng.random()) < spec.of


def _code(rng: np.random.Generator, spec: CodeDraw, context: Context) -> str:
    drawn = {"#": "0123456789", "?": _LETTERS}
    return "".join(one_of(rng, drawn[c]) if c in drawn else c for c in spec.pattern)


def _phrase(rng: np.random.Generator, spec: PhraseDraw, context: Context) -> str:
    return context.text(one_of(rng, _pool(spec.pool, context)), f"pool {spec.pool}")


def _phrases(rng: np.random.Generator, spec: PhrasesDraw, context: Context) -> list[str]:
    chosen = some_of(rng, _pool(spec.pool, context), spec.least, spec.most)
    return [context.text(text, f"pool {spec.pool}") for text in chosen]


def _pool(name: str, context: Context) -> tuple[str, ...]:
    if name not in context.recipe.pools:
        raise ValueError(f"no pool {name!r}; there are {', '.join(context.recipe.pools)}")
    return context.recipe.pools[name].of(context.split)


def _text(rng: np.random.Generator, spec: TextDraw, context: Context) -> str:
    return context.text(spec.text, "is")


def _file(rng: np.random.Generator, spec: FileDraw, context: Context) -> str:
    return _added(context, [context.text(spec.name, "name")])[0]


def _files(rng: np.random.Generator, spec: FilesDraw, context: Context) -> list[str]:
    return _added(context, [context.text(name, "names") for name in spec.names])


def _added(context: Context, names: list[str]) -> list[str]:
    for name in names:
        if name in context.files:
            raise ValueError(f"two files are called {name!r}")
        context.files.append(name)
    return names


DRAWS: dict[str, Callable[[np.random.Generator, Any, Context], Any]] = {
    "person": _person,
    "company": _company,
    "number": _number,
    "date": _date,
    "date_after": _date_after,
    "choice": _choice,
    "sample": _sample,
    "option": _option,
    "options": _options,
    "chance": _chance,
    "code": _code,
    "phrase": _phrase,
    "phrases": _phrases,
    "text": _text,
    "file": _file,
    "files": _files,
}
"""What makes each kind of draw of a recipe."""


def draw_all(rng: np.random.Generator, context: Context) -> None:
    """Make the draws of the recipe in their order, into ``context.facts``.

    Raises:
        ValueError: naming the draw that cannot be made.
    """
    for name, spec in context.recipe.draws.items():
        try:
            context.facts[name] = DRAWS[cast(str, spec.draw)](rng, spec, context)
        except ValueError as error:
            raise ValueError(f"draws.{name}: {error}") from error
