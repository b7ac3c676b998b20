"""Recipes: how the values of a form's fields are drawn and described."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import numpy as np
import pydantic

from ...core.facts import SPLITS, FactMaker, Split
from ...core.files import Data, load
from ...core.templates import check_recipe, evaluate, names_in, render
from ..forms.form import WebForm, form_folder, web_form
from ..forms.form_fields import Field

Identifier = Annotated[str, pydantic.Field(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, pydantic.Field(min_length=1)]
Cue = Annotated[str, pydantic.Field(min_length=1, pattern=r"^[^{}]*$")]
"""Words without anything to be filled in."""
Words = TypeVar("Words", bound=str)

GoldValue = bool | str | tuple[str, ...]
"""The value of a field: true or false, a template, or templates; a template that is one ``{{ … }}`` keeps its type."""
_SOURCE_NAME = re.compile(r"(test|train)_\d+_(\w+)")
_ONE_EXPRESSION = re.compile(r"\{\{((?:(?!\{\{|\}\}).)*)\}\}", re.DOTALL)
_IN_TEXTS = ("v", "said")
"""The names that texts use for the gold values and for the cues of options."""


class SplitPhrasings(Data, Generic[Words]):
    """Phrasings with the same meaning: those of tests, and those of training."""

    test: Annotated[tuple[Words, ...], pydantic.Field(min_length=1)]
    train: Annotated[tuple[Words, ...], pydantic.Field(min_length=1)]

    def of(self, split: Split) -> tuple[Words, ...]:
        """The phrasings of a split."""
        return self.test if split == "test" else self.train


class FormRecipe(Data):
    """How the instances of a form are made.

    Attributes:
        draws: expressions and templates by name, evaluated in their order; see ``InstanceMaker``.
        values: the gold value of each field, made of draws.
        cues: words that mean an option of a field; of a checkbox ``yes`` or ``no``.
        pools: pieces of prose.
    """

    draws: dict[Identifier, Text]
    values: dict[Identifier, GoldValue]
    cues: dict[Identifier, dict[str, SplitPhrasings[Cue]]] = pydantic.Field(default_factory=dict)
    pools: dict[Identifier, SplitPhrasings[Text]] = pydantic.Field(default_factory=dict)

    @pydantic.model_validator(mode="after")
    def _known_names(self) -> FormRecipe:
        try:
            check_recipe(self.draws, _FUNCTIONS)
        except ValueError as error:
            raise ValueError(f"draws.{error}") from None
        for name, value in self.values.items():
            for text in (value,) if isinstance(value, str) else () if isinstance(value, bool) else value:
                if unknown := sorted(names_in(text) - self.draws.keys()):
                    raise ValueError(f"values.{name}: no draw {unknown[0]!r}")
        if taken := sorted(self.draws.keys() & {*_IN_TEXTS, *_FUNCTIONS}):
            raise ValueError(f"draws: {taken[0]!r} is a name that texts or draws use")
        return self


class InstanceMaker(FactMaker):
    """The ``FactMaker`` of an instance: draws can call its functions.

    They are ``person``, ``company``, ``number``, ``date``, ``date_after``, ``choice``, ``subset``, ``chance`` and
    ``code`` of all fact makers, ``option`` and ``options`` of fields, ``phrase`` and ``phrases`` of pools, and ``file``
    and ``files``, which add to the files of the task.

    Args:
        rng: of all draws.
        form: whose instance it is.
        recipe: of that form.
        split: whose people, firms and pools are used.

    Attributes:
        facts: the results of the draws, by name.
        task_files: the names of the files of the task.
    """

    def __init__(self, rng: np.random.Generator, form: WebForm, recipe: FormRecipe, split: Split) -> None:
        super().__init__(rng, int(rng.integers(2**32)), split=split)
        self.form, self.recipe, self.split = form, recipe, split
        self.facts: dict[str, Any] = {}
        self.task_files: list[str] = []

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions of draws by name."""
        return {name: getattr(self, name) for name in _FUNCTIONS}

    def draw_all(self) -> None:
        """Make the draws of the recipe in their order, into ``facts``.

        Raises:
            ValueError: naming the draw that cannot be made.
        """
        self.draw(self.recipe.draws, {}, "draws", self.facts)

    def value_of(self, spec: GoldValue, where: str) -> Any:
        """A gold value, made of the draws."""
        if isinstance(spec, bool):
            return spec
        if isinstance(spec, tuple):
            return [render(text, self.facts, where) for text in spec]
        one = _ONE_EXPRESSION.fullmatch(spec)
        return evaluate(one[1], self.facts, where) if one else render(spec, self.facts, where)

    def option(self, field: str, other: Any = None) -> str:
        """One of a field's options, given the value ``other`` of the field they depend on."""
        return self.choice(self._options_of(field, other))

    def options(self, field: str, least: int, most: int) -> list[str]:
        """Some of a field's options."""
        return self.subset(self._options_of(field), least, most)

    def phrase(self, pool: str) -> str:
        """A text of a pool."""
        return render(self.choice(self._pool(pool)), self.facts, f"pool {pool}")

    def phrases(self, pool: str, least: int, most: int) -> list[str]:
        """Different texts of a pool."""
        return [render(text, self.facts, f"pool {pool}") for text in self.subset(self._pool(pool), least, most)]

    def file(self, name: str) -> str:
        """A file to upload."""
        return self.files([name])[0]

    def files(self, names: Iterable[str]) -> list[str]:
        """Further files of the task."""
        added = list(names)
        for name in added:
            if name in self.task_files:
                raise ValueError(f"two files are called {name!r}")
            self.task_files.append(name)
        return added

    def _options_of(self, name: str, other: Any = None) -> tuple[str, ...]:
        named = next((field for field in self.form.fields if name in (field.name, field.base_name)), None)
        if named is None:
            raise ValueError(f"no field {name!r}")
        if not (options := named.options_for(other)):
            raise ValueError(f"field {name!r} has no options" + (f" for {other!r}" if named.options_by else ""))
        return options

    def _pool(self, name: str) -> tuple[str, ...]:
        if name not in self.recipe.pools:
            raise ValueError(f"no pool {name!r}; there are {', '.join(self.recipe.pools)}")
        return self.recipe.pools[name].of(self.split)


_FUNCTIONS = (
    *("person", "company", "number", "date", "date_after", "choice", "subset", "chance", "code"),
    *("option", "options", "phrase", "phrases", "file", "files"),
)


# -- The files of a form -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """A template of source texts: the file's name, its genre and its text."""

    file: str
    genre: str
    text: str


@dataclass(frozen=True)
class FormBundle:
    """The definition, recipe and templates of a form."""

    form: WebForm
    recipe: FormRecipe
    sources: Mapping[Split, tuple[Source, ...]]


@lru_cache(maxsize=256)
def form_bundle(form: str) -> FormBundle:
    """The bundle of a form, by its name or folder.

    Raises:
        ValueError: if there is no such form, or a file of it is broken.
    """
    definition, folder = web_form(form), form_folder(form)
    recipe = load(FormRecipe, folder / "recipe.json")
    if problems := _mismatches(definition, recipe):
        raise ValueError(f"{folder / 'recipe.json'} is not valid:\n" + "\n".join(f"  {line}" for line in problems))
    return FormBundle(definition, recipe, {split: _sources(folder / "sources", split) for split in SPLITS})


def cues_of(recipe: FormRecipe, field: Field, split: Split) -> dict[str, tuple[str, ...]]:
    """The cues of a field's options in a split; a row's own, or those of all rows."""
    own = recipe.cues.get(field.name) or recipe.cues.get(field.base_name) or {}
    return {option: phrasings.of(split) for option, phrasings in own.items()}


def _sources(folder: Path, split: Split) -> tuple[Source, ...]:
    sources = []
    for path in sorted(folder.glob("*.md")):
        named = _SOURCE_NAME.fullmatch(path.stem)
        if named is None:
            raise ValueError(f"{path}: the name must be <test or train>_<number>_<register>.md")
        if named[1] == split:
            sources.append(Source(path.name, named[2], path.read_text(encoding="utf-8")))
    if not sources:
        raise ValueError(f"{folder} has no text of the split {split}")
    return tuple(sources)


def _mismatches(form: WebForm, recipe: FormRecipe) -> list[str]:
    """The mismatches of a recipe and its form."""
    fields = form.by_name
    problems = [f"values: no value of field {name}" for name in fields if name not in recipe.values]
    problems += [f"values: no field {name}" for name in recipe.values if name not in fields]
    named = {name: field for field in form.fields for name in (field.name, field.base_name)}
    for name, options in recipe.cues.items():
        if name not in named:
            problems.append(f"cues: no field {name}")
            continue
        field = named[name]
        is_box = field.control == "checkbox"
        known = {"yes", "no"} if is_box else {option for group in field.option_groups for option in group}
        problems += [f"cues.{name}: no option {option!r}" for option in options if option not in known]
    return problems
