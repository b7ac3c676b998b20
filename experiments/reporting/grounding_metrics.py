"""``formgym grounding``: average precision of the ranker by kind of expression."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.core.files import atomic_write
from ...envs.documents.env import endless_document
from ...envs.documents.language.grounders import rank_elements, resolve_plural
from ...envs.documents.requests.frozen import PLAN, frozen_requests, planned_request
from ...envs.documents.requests.request import Mention
from ...envs.documents.scene.document import Document, shipped_document, shipped_documents
from ...envs.documents.scene.elements import rect_of
from ...envs.documents.scoring.pictures import box_iou
from ..terminal import format_number, print_table, table_of, track

Example = tuple[Document, Mention]

OVERALL = "overall"
THRESHOLDS = tuple(round(0.5 + 0.05 * i, 2) for i in range(10))
"""The intersections over union from which a box is right, over which AP is averaged (COCO)."""
_RECALLS = np.linspace(0, 1, 101)
_MAX_BOXES = 100
"""The most boxes that count for an expression (COCO)."""
_SECRET = 77
"""The secret of the train documents for metrics: no ranker is trained on them."""


@dataclass(frozen=True)
class Detection:
    """The ranker's result for one expression.

    Attributes:
        kind: of expression, one of ``phrasings.REFERENCES``.
        scores: of the proposals, the likeliest first.
        overlaps: the intersection over union of each one's box with the right one.
        rank: the place of the right element, counted from 1.
    """

    kind: str
    scores: Sequence[float] = field(repr=False)
    overlaps: Sequence[float] = field(repr=False)
    rank: int


def grounding_metrics(split: str = "test", n: int | None = None) -> dict[str, Any]:
    """The metrics of the ranker on the expressions of a split.

    Args:
        split: ``"test"``: shipped documents and expressions; ``"train"``: endless ones that it was not trained on.
        n: how many expressions, at most; ``None``: all that are shipped, or a request of each plan for each document.

    Returns:
        ``split``, and two tables by kind of expression and ``"overall"``: ``singular`` with
        ``expressions``, ``ap``, ``ap50``, ``ap75``, ``top_1`` and ``top_5``; ``plural`` with
        ``expressions`` and ``set_f1``, the F1 of the set of elements.

    Raises:
        ValueError: if there is no such split.
    """
    examples = list(islice(expressions(split), n))
    singular, plural = defaultdict(list), defaultdict(list)
    for document, mention in track(examples, "grounding"):
        if mention.kind.startswith("all"):
            f1 = set_f1({element.id for element in resolve_plural(document, mention.words)}, set(mention.ids))
            for kind in (OVERALL, mention.kind):
                plural[kind].append(f1)
        else:
            found = _found(document, mention)
            for kind in (OVERALL, mention.kind):
                singular[kind].append(found)
    return {
        "split": split,
        "singular": {kind: _metrics(found) for kind, found in singular.items()},
        "plural": {kind: {"expressions": len(f1), "set_f1": sum(f1) / len(f1)} for kind, f1 in plural.items()},
    }


def expressions(split: str) -> Iterator[Example]:
    """The different expressions of a split, each with its document.

    Raises:
        ValueError: if there is no such split.
    """
    if split not in ("test", "train"):
        raise ValueError(f"no split {split!r}; there are test and train")
    names = shipped_documents()
    seen = set()
    for number, (at, name) in product(range(len(PLAN)), enumerate(names)):
        for document, mention in _mentions(split, name, at, number):
            # Endless documents of one name differ from seed to seed.
            key = (name, number * (split == "train"), mention.words, mention.ids)
            if key not in seen:
                seen.add(key)
                yield document, mention


def _mentions(split: str, name: str, at: int, number: int) -> Iterator[Example]:
    if split == "test":
        document, requests = shipped_document(name), frozen_requests(name)
        request = requests[(number + at) % len(requests)]
    else:
        document = endless_document(name, number, _SECRET)
        request = planned_request(document, "train", number + at, _SECRET)
    yield from ((document, mention) for mention in request.mentions)


def _found(document: Document, mention: Mention) -> Detection:
    proposals = rank_elements(document, mention.words)
    gold = document.find(mention.ids[0])
    assert gold is not None
    page = document.places[gold.id][0]
    overlaps = [
        box_iou(rect_of(one.element.bbox), rect_of(gold.bbox)) if document.places[one.element.id][0] == page else 0.0
        for one in proposals
    ]
    rank = 1 + [one.element.id for one in proposals].index(gold.id)
    return Detection(mention.kind, [one.score for one in proposals], overlaps, rank)


def _metrics(found: Sequence[Detection]) -> dict[str, float]:
    precisions = {threshold: average_precision(found, threshold) for threshold in THRESHOLDS}
    return {
        "expressions": len(found),
        "ap": sum(precisions.values()) / len(precisions),
        "ap50": precisions[0.5],
        "ap75": precisions[0.75],
        "top_1": sum(one.rank == 1 for one in found) / len(found),
        "top_5": sum(one.rank <= 5 for one in found) / len(found),
    }


def average_precision(found: Sequence[Detection], threshold: float) -> float:
    """Average precision as in COCO, with one right box for each expression.

    Precision is made monotone and read at 101 recalls. Of an expression's boxes the first one that overlaps enough is
    right; all others are wrong.

    Args:
        found: the result for each expression.
        threshold: the intersection over union from which a box is right.
    """
    scores: list[float] = []
    right: list[bool] = []
    for one in found:
        overlaps = one.overlaps[:_MAX_BOXES]
        hit = next((i for i, overlap in enumerate(overlaps) if overlap >= threshold), None)
        scores += one.scores[:_MAX_BOXES]
        right += [i == hit for i in range(len(overlaps))]
    order = np.argsort(-np.array(scores), kind="stable")
    hits: NDArray[np.int64] = np.cumsum(np.array(right)[order])
    precision = np.maximum.accumulate((hits / np.arange(1, len(hits) + 1))[::-1])[::-1]
    at = np.searchsorted(hits / len(found), _RECALLS, side="left")
    return float(np.mean([precision[i] if i < len(precision) else 0.0 for i in at]))


def set_f1(made: set[str], gold: set[str]) -> float:
    """The F1 of a set of ids."""
    return 2 * len(made & gold) / (len(made) + len(gold)) if made or gold else 1.0


def report_grounding(split: str = "test", out: Path | None = None) -> None:
    """Print the metrics of the ranker, and write them as JSON if a file is named.

    Args:
        split: see ``grounding_metrics``.
        out: the file to write.

    Raises:
        ValueError: if there is no such split.
    """
    metrics = grounding_metrics(split)
    print_grounding(metrics)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(out, (json.dumps(metrics, indent=1) + "\n").encode())


def print_grounding(metrics: Mapping[str, Any]) -> None:
    """A table of expressions for one element by kind, and one of plurals."""
    single = f"Grounding, {metrics['split']} split: expressions for one element"
    _print_kinds(single, ("AP", "AP50", "AP75", "top-1", "top-5"), metrics["singular"])
    _print_kinds("Expressions for several elements", ("F1 of the set",), metrics["plural"])


def _print_kinds(title: str, shares: Sequence[str], kinds: Mapping[str, Mapping[str, float]]) -> None:
    rows = []
    for kind, row in kinds.items():
        count, *values = row.values()
        rows.append((kind, count, *(format_number(100 * value, 1) for value in values)))
    print_table(table_of(title, ("kind", "expressions", *shares), rows))
