"""Training samples of the network, made from pages with known places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import cast

import lz4.block
import numpy as np

from ...envs.core.boxes import Box, intersection_area
from ...envs.paper_forms.examples import ExamplePage, Word
from ...envs.paper_forms.made_pages.page_generator import page
from ..network.inputs import CHANNELS, Picture, Scale, picture_of
from ..processors import processors
from ..reading.page_reading import PageReading, read_page

_UNREAD = 0.04
"""The share of words that OCR misses."""
_NEGATIVES = 12


@dataclass(frozen=True)
class SampleField:
    """A target of a page; boxes are in cells.

    Attributes:
        parts: its label and the headings above it: text and box of each that is known.
        box: of the answer.
        field: the blank space around it.
        crossed: whether the second part is as good a label as the first: the row and the column of a table.
    """

    parts: tuple[tuple[str, Box], ...]
    box: Box
    field: Box
    crossed: bool


@dataclass(frozen=True)
class Sample:
    """A page for the network.

    Attributes:
        packed: its picture, compressed by lz4.
        size: height and width of the picture.
        fields: its targets.
        texts: boxes, in cells, of printed text that is no label.
    """

    packed: bytes
    size: tuple[int, int]
    fields: tuple[SampleField, ...]
    texts: tuple[Box, ...]

    @property
    def picture(self) -> Picture:
        """uint8 (height, width, CHANNELS)."""
        raw = lz4.block.decompress(self.packed)
        return cast(Picture, np.frombuffer(raw, np.uint8).reshape(*self.size, CHANNELS))


def sample_of(page: ExamplePage, rng: np.random.Generator) -> Sample | None:
    """A sample of a page; ``None`` if it has no targets.

    Args:
        page: with its words as a perfect reader reads them.
        rng: draws the words that OCR would miss.
    """
    if not page.examples or len(page.words) < 3:
        return None
    reading = read_page(page.gray, page.words)
    picture, scale = picture_of(reading, misread(reading.words, rng))
    fields = tuple(_fields(page, scale))
    packed = lz4.block.compress(np.ascontiguousarray(picture).tobytes())
    size = (picture.shape[0], picture.shape[1])
    return Sample(packed, size, fields, _texts(page, reading, scale, rng)) if fields else None


def _fields(page: ExamplePage, scale: Scale) -> Iterator[SampleField]:
    for example in page.examples:
        texts = example.target.split(" | ")
        known = zip(texts, example.labels, strict=False)
        parts = tuple((text, scale.to_cells(box)) for text, box in known if box is not None)
        if parts and example.labels[0] is not None:
            crossed = example.kind == "table" and len(parts) > 1
            yield SampleField(parts, scale.to_cells(example.box), scale.to_cells(example.field), crossed)


def misread(words: Sequence[Word], rng: np.random.Generator) -> list[Word]:
    """Words as OCR finds them: some are missing, and all are moved a little.

    Args:
        words: as they are printed.
        rng: draws which, and how far.
    """
    kept = [word for word in words if rng.random() >= _UNREAD]
    return [Word(text, cast(Box, tuple(np.asarray(box) + rng.uniform(-0.7, 0.7, 4)))) for text, box in kept]


def _texts(page: ExamplePage, reading: PageReading, scale: Scale, rng: np.random.Generator) -> tuple[Box, ...]:
    labels = [box for example in page.examples for box in example.labels if box is not None]
    free = [box for box in reading.segment_boxes if not any(intersection_area(box, label) for label in labels)]
    chosen = rng.permutation(len(free))[:_NEGATIVES]
    return tuple(scale.to_cells(free[i]) for i in chosen)


def made_samples(seed: int, count: int) -> Iterator[Sample]:
    """Samples of the training pages from ``seed`` on that have targets.

    Args:
        seed: of the first page.
        count: how many pages.
    """
    if not count:
        return
    processes = min(processors(), count)
    # Threads of numerical libraries do not survive a fork.
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_use_one_thread) as pool:
        for sample in pool.map(_made, range(seed, seed + count), chunksize=16):
            if sample is not None:
                yield sample


def _use_one_thread() -> None:
    import cv2

    cv2.setNumThreads(1)


def _made(seed: int) -> Sample | None:
    return sample_of(page(seed), np.random.default_rng(seed))
