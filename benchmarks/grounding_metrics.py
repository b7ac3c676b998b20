"""Average precision of looking elements up by words (COCO's AP).

``python benchmarks/grounding_metrics.py`` prints it for the expressions of the test split.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from formgym.envs.core.boxes import iou
from formgym.envs.documents.grounding.lookup import rank_elements
from formgym.envs.documents.requests.frozen import frozen_requests
from formgym.envs.documents.requests.request import Mention
from formgym.envs.documents.scene.document import Document, shipped_document, shipped_documents
from formgym.envs.documents.scene.elements import rect_of
from formgym.experiments.terminal.console import format_number, print_table, table_of

THRESHOLDS = tuple(round(0.5 + 0.05 * i, 2) for i in range(10))
"""The intersections over union from which a box is right, over which AP is averaged (COCO)."""
_MAX_BOXES = 100
"""The most boxes that count for an expression (COCO)."""


class Grounded(NamedTuple):
    """The proposals for one expression.

    Attributes:
        scores: of the proposals, the likeliest first.
        overlaps: the intersection over union of each one's box with the right one.
        rank: the place of the right element, counted from 1.
    """

    scores: Sequence[float]
    overlaps: Sequence[float]
    rank: int


def grounding_metrics() -> dict[str, dict[str, float]]:
    """By kind of expression and ``overall``: AP, AP50, AP75, top-1 and top-5."""
    results = defaultdict(list)
    for document, mention in expressions():
        grounded = _grounded(document, mention)
        for kind in ("overall", mention.kind):
            results[kind].append(grounded)
    return {kind: _metrics(rows) for kind, rows in results.items()}


def expressions() -> Iterator[tuple[Document, Mention]]:
    """The expressions of the test split for one element, with their documents."""
    for name in shipped_documents():
        mentions = (m for request in frozen_requests(name) for m in request.mentions if len(m.ids) == 1)
        for mention in {(mention.words, mention.ids): mention for mention in mentions}.values():
            yield shipped_document(name), mention


def _grounded(document: Document, mention: Mention) -> Grounded:
    matches = rank_elements(document, mention.words)
    gold = document.find(mention.ids[0])
    assert gold is not None
    page = document.places[gold.id][0]
    overlaps = [
        iou(rect_of(element.bbox), rect_of(gold.bbox)) if document.places[element.id][0] == page else 0.0
        for element, _ in matches
    ]
    rank = 1 + [match.element.id for match in matches].index(gold.id)
    return Grounded([match.score for match in matches], overlaps, rank)


def _metrics(rows: Sequence[Grounded]) -> dict[str, float]:
    precisions = {threshold: average_precision(rows, threshold) for threshold in THRESHOLDS}
    return {
        "expressions": len(rows),
        "AP": sum(precisions.values()) / len(precisions),
        "AP50": precisions[0.5],
        "AP75": precisions[0.75],
        "top-1": sum(row.rank == 1 for row in rows) / len(rows),
        "top-5": sum(row.rank <= 5 for row in rows) / len(rows),
    }


def average_precision(rows: Sequence[Grounded], threshold: float) -> float:
    """Average precision as in COCO, with one right box for each expression.

    Precision is made monotone and read at 101 recalls. Of an expression's boxes the first one that overlaps enough is
    right; all others are wrong.

    Args:
        rows: the proposals for each expression.
        threshold: the intersection over union from which a box is right.
    """
    scores: list[float] = []
    right: list[bool] = []
    for row in rows:
        overlaps = row.overlaps[:_MAX_BOXES]
        hit = next((i for i, overlap in enumerate(overlaps) if overlap >= threshold), None)
        scores += row.scores[:_MAX_BOXES]
        right += [i == hit for i in range(len(overlaps))]
    order = np.argsort(-np.array(scores), kind="stable")
    hits: NDArray[np.int64] = np.cumsum(np.array(right)[order])
    precision = np.maximum.accumulate((hits / np.arange(1, len(hits) + 1))[::-1])[::-1]
    at = np.searchsorted(hits / len(rows), np.linspace(0, 1, 101), side="left")
    return float(np.mean([precision[i] if i < len(precision) else 0.0 for i in at]))


if __name__ == "__main__":
    rows = []
    for kind, (count, *shares) in ((kind, metrics.values()) for kind, metrics in grounding_metrics().items()):
        rows.append((kind, int(count), *(format_number(100 * share, 1) for share in shares)))
    columns = ("kind", "expressions", "AP", "AP50", "AP75", "top-1", "top-5")
    print_table(table_of("Grounding of expressions for one element", columns, rows))
