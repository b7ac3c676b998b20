"""Whether tests and training are told in different words, and in enough of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jinja2 import meta

from ...core.matchers import fold
from .bundle import Kit
from .faults import Fault
from .recipe import SPLITS, Either, GoldValue, PhraseDraw, PhrasesDraw, Recipe, Split, Taken, TextDraw
from .templates import environment

LEAST_PROSE, LEAST_CUES = 8, 2
"""Texts of a pool that end in a textarea; cues of an option; each for a split."""
# Shorter ones, such as greetings, are anybody's.
_SHORTEST_SENTENCE = 5
_TAG = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def sentences(text: str) -> set[str]:
    """The sentences of a template, folded, with _ for what is filled in; those of few words left out."""
    bare = _PLACEHOLDER.sub("_", _TAG.sub("\n", text))
    parts = (fold(part).strip(" .!?:;,-*>#\"'") for part in re.split(r"\n+|(?<=[.!?])\s+", bare))
    return {part for part in parts if len(re.findall(r"[^\W\d_]+", part)) >= _SHORTEST_SENTENCE}


def shared_wordings(kit: Kit) -> Iterator[Fault]:
    """Sentences of tests that training has too, and cues and texts of pools that are the same."""
    train = {sentence: where for where, text in _texts(kit, "train") for sentence in sentences(text)}
    for where, text in _texts(kit, "test"):
        for sentence in sorted(sentences(text) & train.keys()):
            yield Fault("shared words", f"{where} and {train[sentence]}", repr(sentence))
    for where, test, train_texts in _phrasings(kit.recipe):
        for text in sorted(set(map(_bare, test)) & set(map(_bare, train_texts))):
            yield Fault("shared words", f"recipe.json: {where}", f"{text!r} in test and train")


def thin_wordings(kit: Kit) -> Iterator[Fault]:
    """Pools of prose and cues of options with too few texts."""
    prose = _prose_pools(kit)
    for name, phrasings in kit.recipe.pools.items():
        for split in SPLITS:
            if name in prose and len(phrasings.of(split)) < LEAST_PROSE:
                problem = f"{len(phrasings.of(split))} texts for {split} that end in a textarea, not {LEAST_PROSE}"
                yield Fault("pools", f"recipe.json: pools.{name}", problem)
    for name, options in kit.recipe.cues.items():
        for option, phrasings in options.items():
            for split in SPLITS:
                if len(phrasings.of(split)) < LEAST_CUES:
                    problem = f"{len(phrasings.of(split))} for {split}, not {LEAST_CUES}"
                    yield Fault("cues", f"recipe.json: cues.{name}.{option}", problem)


def _bare(text: str) -> str:
    return fold(text).strip(" .!?")


def _texts(kit: Kit, split: Split) -> Iterator[tuple[str, str]]:
    """Everything that is told in a split, with its place."""
    for source in kit.sources[split]:
        yield f"sources/{source.file}", source.text
    for where, test, train in _phrasings(kit.recipe):
        for text in test if split == "test" else train:
            yield f"recipe.json: {where}", text


def _phrasings(recipe: Recipe) -> Iterator[tuple[str, Iterable[str], Iterable[str]]]:
    for name, phrasings in recipe.pools.items():
        yield f"pools.{name}", phrasings.test, phrasings.train
    for name, options in recipe.cues.items():
        for option, phrasings in options.items():
            yield f"cues.{name}.{option}", phrasings.test, phrasings.train


def _prose_pools(kit: Kit) -> set[str]:
    """The pools whose texts end in a textarea."""
    areas = [field.name for field in kit.form.fields if field.control == "textarea"]
    return {pool for name in areas for pool in _pools_of(kit.recipe.values[name], kit.recipe)}


def _pools_of(value: GoldValue, recipe: Recipe) -> set[str]:
    if isinstance(value, Either):
        return _pools_of(value.then, recipe) | _pools_of(value.otherwise, recipe)
    if isinstance(value, Taken):
        return _pools_of_draw(value.source.split(".")[0], recipe)
    texts = [value] if isinstance(value, str) else list(value) if isinstance(value, tuple) else []
    return {pool for text in texts for name in _names(text) for pool in _pools_of_draw(name, recipe)}


def _pools_of_draw(name: str, recipe: Recipe) -> set[str]:
    draw = recipe.draws.get(name)
    if isinstance(draw, (PhraseDraw, PhrasesDraw)):
        return {draw.pool}
    return _pools_of(draw.text, recipe) if isinstance(draw, TextDraw) else set()


def _names(text: str) -> set[str]:
    return meta.find_undeclared_variables(environment().parse(text))
