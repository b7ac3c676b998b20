"""Average precision of locators on what people call things on pages of documents (COCO's AP).

``python benchmarks/grounding_metrics.py`` prints it for the test expressions, or ``-n`` of them; files of others
follow, with the folder of their documents as ``--documents``. ``--questions FOLDER`` adds a model that sees numbered
marks and answers through files: the first call writes a question for each expression, a later one reads the replies.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from file_replies import replied, sampling_parser
from numpy.typing import NDArray

from formgym.agents.mark_locator import MarkLocator
from formgym.agents.models.files import FilesModel
from formgym.agents.models.model import Model
from formgym.envs.core.boxes import Box, iou
from formgym.envs.core.locators import Detection
from formgym.envs.documents.grounding.expressions import (
    FOLDER,
    Expression,
    meant_box,
    opened_document,
    read_expressions,
)
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.scene.document import Document
from formgym.envs.documents.scoring.looks import ink_rect
from formgym.experiments.terminal.console import format_number, print_table, table_of
from formgym.fieldfinder_model.locators import DocumentLocator

THRESHOLDS = tuple(round(0.5 + 0.05 * i, 2) for i in range(10))
"""The intersections over union from which a box is right, over which AP is averaged (COCO)."""
_MAX_BOXES = 100
"""The most boxes that count for an expression (COCO)."""
_MAX_TOP = 5

Locate = Callable[[Document, Expression], Sequence[Detection]]
"""The places that an expression may mean, the likeliest first."""
Query = tuple[Document, Expression]
Found = tuple[Query, Sequence[Detection]]


class Grounded(NamedTuple):
    """The proposals for one expression.

    Attributes:
        scores: of the proposals, the likeliest first.
        overlaps: the intersection over union of each one's box with the right one.
        rank: the first proposal, counted from 1, that fits no element better than the right one; 0: none.
    """

    scores: Sequence[float]
    overlaps: Sequence[float]
    rank: int


def oracle(document: Document, expression: Expression) -> list[Detection]:
    """The right box."""
    return [Detection(meant_box(document, expression), 1.0)]


def noisy(document: Document, expression: Expression, accuracy: float = 0.7) -> list[Detection]:
    """The right box, or another element's in so many cases."""
    rng = np.random.default_rng(zlib.crc32(f"{document.name}{expression.text}".encode()))
    others = [e for e in document.pages[expression.page - 1].elements if e.id not in expression.ids]
    if rng.random() < accuracy or not others:
        return oracle(document, expression)
    return [Detection(ink_rect(document, others[int(rng.integers(len(others)))]), 1.0)]


def by_picture() -> Locate:
    """A ``DocumentLocator``, which sees the picture of the page."""
    locator = DocumentLocator()
    return lambda document, one: locator.locate(painted(document, one.page - 1), one.text)


def by_marks(model: Model) -> Locate:
    """A model that sees the page with a number at each element, as agents do."""

    def locate(document: Document, one: Expression) -> Sequence[Detection]:
        elements = document.pages[one.page - 1].elements
        locator = MarkLocator(model, lambda page: [ink_rect(document, element) for element in elements])
        return locator.locate(painted(document, one.page - 1), one.text)

    return locate


def found_by(locate: Locate, queries: Sequence[Query]) -> list[Found]:
    """What a locator finds for expressions, without those whose replies are awaited."""
    return list(replied(lambda one: locate(*one), queries))


def grounding_metrics(found: Sequence[Found]) -> dict[str, float]:
    """AP, AP50, AP75, top-1 and top-5 of what a locator found for expressions."""
    rows = [_grounded(document, one, places) for (document, one), places in found]
    precisions = {threshold: average_precision(rows, threshold) for threshold in THRESHOLDS}
    return {
        "expressions": len(rows),
        "AP": sum(precisions.values()) / len(precisions),
        "AP50": precisions[0.5],
        "AP75": precisions[0.75],
        "top-1": sum(row.rank == 1 for row in rows) / len(rows),
        "top-5": sum(0 < row.rank <= _MAX_TOP for row in rows) / len(rows),
    }


def expressions_in(files: Sequence[Path], documents: Path | None) -> Iterator[Query]:
    """The expressions in files that are named after their documents, with these."""
    for file in files:
        document = opened_document(file.stem, documents)
        for expression in read_expressions(file):
            yield document, expression


def _grounded(document: Document, expression: Expression, found: Sequence[Detection]) -> Grounded:
    right = meant_box(document, expression)
    elements = document.pages[expression.page - 1].elements
    others = [ink_rect(document, e) for e in elements if e.id not in expression.ids]
    fits = [_fits_best(box, right, others) for box, _ in found]
    rank = fits.index(True) + 1 if any(fits) else 0
    return Grounded([score for _, score in found], [iou(box, right) for box, _ in found], rank)


def _fits_best(box: Box, right: Box, others: Sequence[Box]) -> bool:
    """Whether no other element's box overlaps more than the right one."""
    overlap = iou(box, right)
    return overlap > 0 and overlap >= max((iou(box, other) for other in others), default=0.0)


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
    parser = sampling_parser("Average precision of locators on expressions of people.", n=None)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(FOLDER.glob("*.json")))
    parser.add_argument("--documents", type=Path, help="the folder of documents that are not shipped")
    options = parser.parse_args()
    locators = {"oracle": oracle, "noisy, .7": noisy, "document": by_picture()}
    if options.questions:
        locators["marks"] = by_marks(FilesModel(options.questions, batch=True))
    queries = list(expressions_in(options.files, options.documents))
    drawn = np.random.default_rng(options.seed).permutation(len(queries))[: options.n]
    rows = []
    for name, locate in locators.items():
        began = time.process_time()
        if found := found_by(locate, [queries[int(i)] for i in sorted(drawn)]):
            cost = (time.process_time() - began) / len(found)
            count, *shares = grounding_metrics(found).values()
            figures = (format_number(100 * one, 1) for one in shares)
            rows.append((name, int(count), *figures, format_number(cost, 2)))
    columns = ("locator", "expressions", "AP", "AP50", "AP75", "top-1", "top-5", "CPU-s each")
    print_table(table_of("Things on pages of documents, by what people call them", columns, rows))
