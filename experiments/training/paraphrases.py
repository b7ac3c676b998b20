"""Terse and chatty paraphrases of requests, to train the learned feedback on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from ...assets import ROOT
from ...envs.core.files import Data, load
from ...envs.documents.operations.draft import pick, with_article
from ...envs.documents.operations.table import EDITS
from ...envs.documents.operations.values import COLOURS, FACES, SHAPES
from ...envs.documents.painting.pictures import icons
from ...envs.documents.requests.generate import new_texts
from ...envs.documents.requests.phrasings import phrasings

FILE = ROOT / "document_models" / "feedback_phrasings.json"
"""The file of the shipped ones."""
Words = dict[str, tuple[str, ...]]


class Paraphrases(Data):
    """Ways to request edits, which neither test nor train requests use.

    Attributes:
        imperative: templates for each of ``phrasings.EDITS``.
        frames, joins: sentences around one request, and around two.
        directions, sides, turns, axes, places: words for each, as in ``Phrasings``.
    """

    imperative: Words
    frames: tuple[str, ...]
    joins: tuple[str, ...]
    directions: Words
    sides: Words
    turns: Words
    axes: Words
    places: Words


@lru_cache(maxsize=1)
def paraphrases() -> Paraphrases:
    """The shipped ones.

    Raises:
        ValueError: if the file is missing or against the schema.
    """
    return load(Paraphrases, FILE)


def paraphrased_requests(
    mentions: Sequence[str], texts: Sequence[str], rng: np.random.Generator
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A request for each kind of edit, and requests for two, with the kinds.

    Args:
        mentions: expressions for elements of a document.
        texts: some of its words.
        rng: chooses.
    """
    bank, more = phrasings("train"), paraphrases()
    clauses = {edit: _clause(edit, mentions, texts, rng) for edit in EDITS}
    for edit, clause in clauses.items():
        frame = pick(rng, (*bank.frames, *more.frames)) if rng.random() < 0.5 else "{request}"
        yield frame.format(request=clause), (edit,)
    for _ in range(len(EDITS) // 4):
        first, second = (str(edit) for edit in rng.choice(list(EDITS), 2, replace=False))
        yield (
            pick(rng, (*bank.joins, *more.joins)).format(first=clauses[first], second=clauses[second]),
            (first, second),
        )


def _clause(edit: str, mentions: Sequence[str], texts: Sequence[str], rng: np.random.Generator) -> str:
    bank = paraphrases()
    anchor = pick(rng, mentions)
    slots: Mapping[str, str] = {
        "target": pick(rng, mentions),
        "anchor": anchor,
        "direction": _word(bank.directions, rng),
        "side": _word(bank.sides, rng),
        "turn": _word(bank.turns, rng),
        "axis": _word(bank.axes, rng),
        "place": _word(bank.places, rng).format(anchor=anchor),
        "edge": pick(rng, ("left", "right", "top", "bottom")),
        "alignment": pick(rng, ("left", "right", "center")),
        "text": pick(rng, new_texts()["train"]),
        "old": pick(rng, texts),
        "new": str(rng.integers(1, 2000)),
        "colour": pick(rng, list(COLOURS)),
        "shape": pick(rng, ["circle" if shape == "ellipse" else shape for shape in SHAPES]),
        "picture": with_article(pick(rng, list(icons()))),
        "face": pick(rng, FACES),
        **{name: str(5 * rng.integers(1, 160)) for name in ("x", "y")},
        **{name: str(5 * rng.integers(1, 20)) for name in ("pixels", "percent", "degrees")},
        "size": str(rng.integers(12, 49)),
        "amount": str(rng.integers(2, 9)),
    }
    return pick(rng, bank.imperative[edit]).format(**slots)


def _word(words: Words, rng: np.random.Generator) -> str:
    return pick(rng, pick(rng, list(words.values())))
