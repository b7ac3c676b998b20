"""The forms, values and texts in a checkout of the published FormFactory, read as data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ...core.data_sets import ROOT_VARIABLE, DataSet
from ...core.env import MAX_SOURCE_LENGTH
from ...core.files import Data, load_once, parse_json, read_foreign
from ...core.matchers import fold

FORMFACTORY = DataSet(
    "FormFactory",
    ("formfactory_official", "FormFactory", "formfactory"),
    ("data/data1",),
    "Clone https://github.com/formfactory-ai/formfactory (Li et al., 2025) and pass root=, or set "
    f"{ROOT_VARIABLE}, to the checkout: it holds app.py, templates, data/data1 and data/data2",
)
_MAX_BYTES = 16_000_000
_NUMBER = re.compile(r"([ \t]*)(\d{1,3})([.)])(?!\d)\s*")
_MAX_GAP = 3
"""How many numbers of texts may be missing in a row."""


class PublishedForm(Data):
    """A form.

    Attributes:
        id: the paper's.
        name: ours, in ids of tasks.
        title: in goals.
        routes: where the app may serve it; the first that answers counts.
        data: the name of its files.
    """

    id: str
    name: str
    title: str
    routes: tuple[str, ...]
    data: str


class _Forms(Data):
    forms: tuple[PublishedForm, ...]


_table = load_once(_Forms, Path(__file__).with_name("forms.json"))


class PublishedInstance(NamedTuple):
    """The values of a form by their keys, and a text with the same facts; the number counts from 1."""

    number: int
    values: Mapping[str, Any]
    source: str


def published_forms() -> tuple[PublishedForm, ...]:
    """The 25 forms, in the paper's order."""
    return _table().forms


def instances(folder: Path, form: PublishedForm) -> tuple[list[PublishedInstance], Counter[str]]:
    """The instances of a form whose text states some of its values, and counts of those left out, by the reason."""
    try:
        golds = _golds(folder / f"data/data1/{form.data}.json")
        texts = split_texts(_text(folder / f"data/data2/{form.data}.txt"), golds)
    except OSError as error:
        return [], Counter([f"{form.name}: {error.filename} cannot be read: {error.strerror}"])
    except ValueError as error:
        return [], Counter([f"{form.name}: {error}"])
    kept, skipped = [], Counter[str]()
    for number, gold in enumerate(golds, start=1):
        if problem := _mismatch(gold, texts.get(number)):
            skipped[f"{form.name}: {problem}"] += 1
        else:
            kept.append(PublishedInstance(number, gold, texts[number]))
    return kept, skipped


class _Mark(NamedTuple):
    """A number at the beginning of a line, and what it looks like."""

    line: int
    number: int
    style: str


def split_texts(text: str, golds: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """The numbered texts of a file.

    Lists inside a text are numbered too: of all ascending numbers those are taken whose texts state most of the values.

    Args:
        text: of the file.
        golds: the values that the texts state, in their order.
    """
    lines = text.splitlines()
    folded = [_folded(line) for line in lines]
    found = [_Mark(i, int(m[2]), m[1] + m[3]) for i, line in enumerate(lines) if (m := _NUMBER.match(line))]
    best: list[tuple[float, list[_Mark]]] = []
    for mark in [mark for mark in found if 1 <= mark.number <= len(golds)] + [_Mark(len(lines), len(golds) + 1, "")]:
        score, chain = 0.0, list[_Mark]()
        for before, (score_before, chain_before) in zip([c[-1] for _, c in best], best, strict=True):
            if 0 < mark.number - before.number <= _MAX_GAP or mark.line == len(lines):
                stated = agreement(golds[before.number - 1], " ".join(folded[before.line : mark.line]))
                gained = score_before + stated + 0.1 + 0.02 * (before.style == mark.style)
                # Of equals the last: a number inside a text is before that of the next text.
                if gained >= score:
                    score, chain = gained, chain_before
        begins_paragraph = mark.line == 0 or not folded[mark.line - 1]
        if chain or mark.number <= _MAX_GAP or mark.line == len(lines):
            best.append((score + 0.05 * begins_paragraph, [*chain, mark]))
    chain = best[-1][1]
    return {
        mark.number: _NUMBER.sub("", "\n".join(lines[mark.line : end.line]), 1).strip() for mark, end in pairwise(chain)
    }


def agreement(values: Mapping[str, Any], folded: str) -> float:
    """The share of values, but for ticks, that a folded text states: from 0 to 1; of no values 1."""
    stated = [item in folded for item in _items(values)]
    return sum(stated) / len(stated) if stated else 1.0


def _items(values: Mapping[str, Any]) -> Iterator[str]:
    for value in values.values():
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, bool | None) and (text := _folded(str(item))):
                yield text


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    """A text to be found in another one: without commas and signs of currency."""
    return fold(re.sub(r"[,$]", "", text))


def _mismatch(gold: Mapping[str, Any], text: str | None) -> str | None:
    if text is None:
        return "an instance without a text"
    if len(text) > MAX_SOURCE_LENGTH:
        return "a text that is too long"
    return None if agreement(gold, _folded(text)) else "a text that states none of the values"


def _golds(path: Path) -> list[Mapping[str, Any]]:
    """The values of every instance; none for what is no object."""
    found = parse_json(read_foreign(path, _MAX_BYTES), str(path))
    if not isinstance(found, list):
        raise ValueError(f"{path} is no list of instances")
    return [item if isinstance(item, dict) else {} for item in found]


def _text(path: Path) -> str:
    content = read_foreign(path, _MAX_BYTES, is_json=False)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
