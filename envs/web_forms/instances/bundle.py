"""The files that instances of a form are made from: definition, recipe, templates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...core.facts import SPLITS, Split
from ...core.files import load
from ..forms.form import WebForm, form_folder, web_form
from ..forms.form_fields import Field
from .value_recipe import Recipe

_SOURCE_NAME = re.compile(r"(test|train)_\d+_(\w+)")


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
    recipe: Recipe
    sources: dict[Split, tuple[Source, ...]]


@lru_cache(maxsize=256)
def form_bundle(form: str) -> FormBundle:
    """The bundle of a form, by its name or folder.

    Raises:
        ValueError: if there is no such form, or a file of it is broken.
    """
    definition, folder = web_form(form), form_folder(form)
    recipe = load(Recipe, folder / "recipe.json")
    if problems := _mismatches(definition, recipe):
        raise ValueError(f"{folder / 'recipe.json'} is not valid:\n" + "\n".join(f"  {line}" for line in problems))
    return FormBundle(definition, recipe, {split: _sources(folder / "sources", split) for split in SPLITS})


def cues_of(recipe: Recipe, field: Field, split: Split) -> dict[str, tuple[str, ...]]:
    """The cues of a field's options in a split; a row's own, or those of all rows."""
    own = recipe.cues.get(field.name) or recipe.cues.get(field.base_name) or {}
    return {option: phrasings.of(split) for option, phrasings in own.items()}


def _sources(folder: Path, split: Split) -> tuple[Source, ...]:
    found = []
    for path in sorted(folder.glob("*.md")):
        named = _SOURCE_NAME.fullmatch(path.stem)
        if named is None:
            raise ValueError(f"{path}: the name must be <test or train>_<number>_<register>.md")
        if named[1] == split:
            found.append(Source(path.name, named[2], path.read_text(encoding="utf-8")))
    if not found:
        raise ValueError(f"{folder} has no text of the split {split}")
    return tuple(found)


def _mismatches(form: WebForm, recipe: Recipe) -> list[str]:
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
    return problems + [f"draws: {name!r} is a name that texts use" for name in ("v", "said") if name in recipe.draws]
