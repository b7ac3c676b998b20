"""Instances of a form: made from a seed, or frozen in a file for the test split."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np
import pydantic
from pydantic import RootModel

from ...core.asset_cache import cached
from ...core.facts import SPLITS, Split
from ...core.files import Data, load
from ...core.randomness import Sampler
from ...core.templates import render, series, written
from ..forms.form import form_folder, web_form
from ..forms.form_fields import LISTS, Field, Value
from .recipe import GoldValue, InstanceMaker, Source, cues_of, form_bundle


class Instance(Data):
    """One filling of a form.

    Attributes:
        form: its name.
        split: ``test`` or ``train``.
        number: counted from 0; its seed.
        genre: the kind of text that the source is, such as ``letter``.
        values: the expected value of each field, rows by ``name_1``, …; ``None``: empty or hidden.
        source: the text with these facts.
        files: the names of the files that the task has.
    """

    form: str
    split: Split
    number: Annotated[int, pydantic.Field(ge=0)]
    genre: str
    values: dict[str, Value]
    source: str
    files: tuple[str, ...]


def make_instance(form: str, split: Split, seed: int, secret: int = 0) -> Instance:
    """The instance of a seed.

    Args:
        form: a shipped form's name, or the folder of a custom form.
        split: whose words, texts and persons are used.
        seed: not negative; texts are taken in turn.
        secret: another one makes another instance of each seed; not negative.

    Raises:
        ValueError: if a file of the form is broken, or a template uses an unknown name.
    """
    bundle = form_bundle(form)
    numbers = np.random.SeedSequence([_number_of(bundle.form.name), SPLITS.index(split), seed, secret])
    drawing, wording = (np.random.default_rng(part) for part in numbers.spawn(2))
    maker = InstanceMaker(drawing, bundle.form, bundle.recipe, split)
    maker.draw_all()
    values = _values(maker)
    source = bundle.sources[split][seed % len(bundle.sources[split])]
    return Instance.model_construct(
        form=bundle.form.name,
        split=split,
        number=seed,
        genre=source.genre,
        values=values,
        source=_source_text(source, values, maker, Sampler(wording)),
        files=tuple(sorted(maker.task_files)),
    )


def _number_of(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big")


def _values(maker: InstanceMaker) -> dict[str, Value]:
    """The gold value of each field, ``None`` where it is hidden."""
    recipe = maker.recipe
    values = {f.name: _gold(f, recipe.values[f.name], maker) for f in maker.form.fields}
    visible = {field.name for field in maker.form.visible_fields(values)}
    return {name: value if name in visible else None for name, value in values.items()}


def _gold(field: Field, spec: GoldValue, maker: InstanceMaker) -> Value:
    raw = maker.value_of(spec, f"values.{field.name}")
    if field.control == "checkbox":
        return _ticked(raw, field)
    if field.control in LISTS or field.several:
        texts = [raw] if isinstance(raw, str) else raw or []
        return _in_order([text for text in map(written, texts) if text], field) or None
    if isinstance(raw, (list, dict, bool)):
        raise ValueError(f"values.{field.name}: {raw!r} is no value of a {field.control}")
    return written(raw).strip() or None


def _in_order(texts: list[str], field: Field) -> list[str]:
    options = field.options or ()
    return sorted(texts, key=options.index) if set(texts) <= set(options) else texts


def _ticked(raw: Any, field: Field) -> bool:
    ticked = {"true": True, "yes": True, "false": False, "no": False, "": False}.get(written(raw).casefold())
    if ticked is None:
        raise ValueError(f"values.{field.name}: {raw!r} is not true or false")
    return ticked


def _source_text(source: Source, values: dict[str, Value], maker: InstanceMaker, rng: Sampler) -> str:
    """The source text of the values."""
    facts = {**maker.facts, "v": SimpleNamespace(**values), "said": _cue_function(values, maker, rng)}
    return render(source.text, facts, f"sources/{source.file}")


def _cue_function(values: dict[str, Value], maker: InstanceMaker, rng: Sampler) -> Callable[[str], str]:
    """The function ``said`` of templates: a cue for a field's value, or the value."""

    def cue_of_value(name: str) -> str:
        if name not in values:
            raise ValueError(f"said: no field {name!r}")
        field, value = maker.form.by_name[name], values[name]
        if isinstance(value, list):
            return series([cue(field, option) for option in value])
        if isinstance(value, bool):
            return cue(field, "yes" if value else "no")
        return cue(field, value) if value else ""

    def cue(field: Field, option: str) -> str:
        if cues := cues_of(maker.recipe, field, maker.split).get(option):
            return rng.choice(cues)
        if field.control != "checkbox":
            return option
        if option == "no":
            return ""
        raise ValueError(f"said: checkbox {field.name} has no cue {option!r}")

    return cue_of_value


NUMBER = 50
"""The number of test instances of each shipped form."""


class _Instances(RootModel[Annotated[tuple[Instance, ...], pydantic.Field(min_length=1)]]):
    """The instances of a form, in the order of their numbers."""


@cached
def frozen_instances(form: str) -> tuple[Instance, ...]:
    """The test instances of a form, by its name or folder, in order.

    Raises:
        ValueError: if there is no such form, or the file is missing or does not fit the form.
    """
    definition, path = web_form(form), form_folder(form) / "instances.json"
    instances = load(_Instances, path).root
    for i, instance in enumerate(instances):
        if instance.form != definition.name or instance.number != i or instance.split != "test":
            raise ValueError(f"{path} is not valid:\n  {i}: not number {i} of the test instances of {definition.name}")
        if unlike := sorted(instance.values.keys() ^ definition.by_name.keys()):
            raise ValueError(f"{path} is not valid:\n  {i}.values: missing or unknown fields: {', '.join(unlike)}")
    return instances
