"""Pictures of fields that were not found: target, its box and the found boxes."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from ... import __version__
from ...envs.core.boxes import Box, Rect, union
from ...envs.core.files import atomic_write
from ...envs.core.painting import Gray
from ...envs.paper_forms.examples import ExamplePage
from ...fieldfinder_model.evaluation.localisation_metrics import METRICS
from ...fieldfinder_model.evaluation.measuring import TargetResult
from ..reporting.page_images import webp
from ..reporting.report import template

MAX_CASES = 6
"""The size of the sample of each cause."""
_EDGE = 60
"""The margin in pixels around the boxes."""


@dataclass(frozen=True)
class Case:
    """An error of a locator.

    Attributes:
        order: drawn from the page and the target: the choice of cases depends on nothing else.
        result: what happened.
        picture: the part of the page that matters, as WebP.
        size: its width and height in pixels.
        marks: the boxes over it, each with what it marks and its CSS.
    """

    order: int
    result: TargetResult
    picture: bytes
    size: tuple[int, int]
    marks: tuple[tuple[str, str], ...]

    @property
    def source(self) -> str:
        """The picture as a URL."""
        return f"data:image/webp;base64,{base64.b64encode(self.picture).decode()}"


class Errors:
    """A sample of the cases of each cause, drawn evenly."""

    def __init__(self) -> None:
        self.by_cause: dict[str, list[Case]] = {}

    def add(self, page: ExamplePage, results: Sequence[TargetResult]) -> None:
        """Draw from the results of a page."""
        for result in (one for one in results if one.cause != "right"):
            cases = self.by_cause.setdefault(result.cause, [])
            order = crc32(f"{result.page}\n{result.target}".encode())
            if len(cases) < MAX_CASES or order < cases[-1].order:
                cases.append(_case(order, page.gray, result))
                cases.sort(key=lambda case: case.order)
                del cases[MAX_CASES:]


def write_error_gallery(file: Path, runs: Sequence[tuple[str, dict[str, Any], Errors]]) -> None:
    """Write a sample of errors as one web page.

    Args:
        file: the page.
        runs: of each evaluation its title, its summary, and its errors.

    Raises:
        OSError: if it cannot be written.
    """
    titles = {name: metric.title for name, metric in METRICS.items()}
    context = {"runs": runs, "titles": titles, "most": MAX_CASES, "version": __version__}
    html = template("fieldfinder_errors.html.jinja").render(context)
    atomic_write(file, html.encode())


def _case(order: int, gray: Gray, result: TargetResult) -> Case:
    window = _window(result, gray.shape)
    left, top, right, bottom = window
    part = np.repeat(gray[top:bottom, left:right, None], 3, axis=2)
    return Case(order, result, webp(part, 60), (right - left, bottom - top), tuple(_marks(result, window)))


def _boxes(result: TargetResult) -> Iterator[tuple[str, Box]]:
    yield "field", result.field
    yield "gold", result.box
    yield from (("label", label) for label in result.labels if label is not None)
    if result.best is not None:
        yield "found", result.best


def _window(result: TargetResult, shape: tuple[int, ...]) -> Rect:
    """The part of the page that holds the answer, its label and the detections."""
    left, top, right, bottom = map(int, union(box for kind, box in _boxes(result) if kind != "field"))
    far = min(shape[1], right + _EDGE), min(shape[0], bottom + _EDGE)
    return max(0, left - _EDGE), max(0, top - _EDGE), *far


def _marks(result: TargetResult, window: Rect) -> Iterator[tuple[str, str]]:
    left, top, right, bottom = window
    for kind, box in _boxes(result):
        x0, x1 = (min(max(x, left), right) for x in (box[0], box[2]))
        y0, y1 = (min(max(y, top), bottom) for y in (box[1], box[3]))
        across, down = 100 / (right - left), 100 / (bottom - top)
        sides = {"left": (x0 - left) * across, "top": (y0 - top) * down}
        sides |= {"width": (x1 - x0) * across, "height": (y1 - y0) * down}
        yield kind, ";".join(f"{side}:{round(per_cent, 3)}%" for side, per_cent in sides.items())
