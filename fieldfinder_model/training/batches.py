"""Samples of the network, and batches of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, cast

import lz4.block
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...envs.core.boxes import Box, encloses, intersection_area, shift
from ...envs.paper_forms.examples import ExamplePage, Word
from ...envs.paper_forms.made_pages.page_generator import page as drawn_page
from ..network.inputs import (
    CHANNELS,
    MAX_TEXT_IDS,
    STRIDE,
    WINDOW,
    Picture,
    Plane,
    Scale,
    crossing_of,
    origin_of,
    picture_of,
    planes_of,
    text_ids,
)
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
    return sample_of(drawn_page(seed), np.random.default_rng(seed))


_SECOND_PART, _WITH_OTHER = 0.35, 0.85
_CROSSED = 2.5
"""How much more often the cell of a table is drawn than another field."""
_SHIFTED = 0.75
"""How often the window of a table's cell is where its row and column cross, if that is far."""
_NO_TEXT = 0.06
_CUT = 0.12
_CANVAS = (672, 528)
"""Height and width of the part of a scaled page to train on: one shape for all is several times as fast."""


class NoTargets(ValueError):
    """The drawn parts of pages have no label with its answer."""


@dataclass(frozen=True)
class Batch:
    """Pages, and windows in them.

    Attributes:
        pages: float (pages, CHANNELS, height, width), from 0 to 1.
        blanks: which cells belong to an answer, and to a field: float (pages, 2, height / 4, width / 4).
        windows: int (n, 3): the page, the row and the column of each window's first cell.
        planes: float (n, PLANES, 32, 104).
        ids: int (n, MAX_TEXT_IDS).
        boxes: the right ones in cells of the window, float (n, 4).
        there: float (n,): whether the place is in the window.
    """

    pages: Tensor
    blanks: Tensor
    windows: Tensor
    planes: Tensor
    ids: Tensor
    boxes: Tensor
    there: Tensor


@dataclass(frozen=True)
class BatchPart:
    """The part of a sample that fits the canvas; boxes are in its cells.

    Attributes:
        picture: uint8 (height, width, CHANNELS).
        fields: the targets whose label and answer lie in it.
        texts: boxes of printed text in it that is no label.
    """

    picture: Picture
    fields: tuple[SampleField, ...]
    texts: tuple[Box, ...]

    @property
    def cells(self) -> tuple[int, int]:
        """Height and width in cells."""
        return self.picture.shape[0] // STRIDE, self.picture.shape[1] // STRIDE


def part_of(sample: Sample, rng: np.random.Generator) -> BatchPart:
    """A random part of a sample that fits the canvas.

    Args:
        sample: the page.
        rng: the source of randomness.
    """
    top, left = (
        STRIDE * int(rng.integers(0, max(0, size - limit) // STRIDE + 1))
        for size, limit in zip(sample.size, _CANVAS, strict=True)
    )
    picture = sample.picture[top : top + _CANVAS[0], left : left + _CANVAS[1]]
    size = (picture.shape[0] / STRIDE, picture.shape[1] / STRIDE)
    right, down = left / STRIDE, top / STRIDE
    fields = (_moved(one, right, down) for one in sample.fields)
    inside = tuple(one for one in fields if _inside(one.box, size) and _inside(one.parts[0][1], size))
    texts = (shift(box, -right, -down) for box in sample.texts)
    return BatchPart(picture, inside, tuple(box for box in texts if _inside(box, size)))


def _moved(field: SampleField, right: float, down: float) -> SampleField:
    parts = tuple((text, shift(box, -right, -down)) for text, box in field.parts)
    return SampleField(parts, shift(field.box, -right, -down), shift(field.field, -right, -down), field.crossed)


def _inside(box: Box, size: tuple[float, float]) -> bool:
    return encloses((0, 0, size[1], size[0]), box)


@dataclass(frozen=True)
class _Look:
    page: int
    label: Box
    other: Box | None
    text: str
    box: Box | None
    crossed: bool = False


def batch_of(samples: Sequence[Sample], looks: int, rng: np.random.Generator) -> Batch:
    """A batch of pages.

    Args:
        samples: the pages.
        looks: the maximum number of labels of each.
        rng: the source of randomness.

    Raises:
        NoTargets: if no page has a target in its part.
    """
    parts = [part_of(sample, rng) for sample in samples]
    chosen = [look for i, part in enumerate(parts) for look in _looks(i, part, looks, rng)]
    number = len(samples) * looks
    if not chosen:
        raise NoTargets("no page of the batch has a target")
    chosen = [chosen[i % len(chosen)] for i in range(number)]
    made = [_window(look, parts[look.page].cells, rng) for look in chosen]
    windows, planes, ids, boxes, there = zip(*made, strict=True)
    return Batch(
        pages=_pages(parts, rng),
        blanks=_blanks(parts),
        windows=torch.tensor(windows),
        planes=torch.from_numpy(np.stack(planes)),
        ids=torch.from_numpy(np.stack(ids)),
        boxes=torch.tensor(boxes, dtype=torch.float32),
        there=torch.tensor(there, dtype=torch.float32),
    )


def _looks(page: int, sample: BatchPart, limit: int, rng: np.random.Generator) -> list[_Look]:
    # Cells of tables are few on most pages and the hardest to find; the lowest of exponential draws come first.
    waits = rng.exponential([1 / _CROSSED if field.crossed else 1.0 for field in sample.fields])
    order = np.argsort(waits)[:limit]
    looks = [_look(page, sample.fields[i], rng) for i in order]
    for box in sample.texts[: len(looks) // 6]:
        field = sample.fields[int(rng.integers(len(sample.fields)))]
        looks.append(_Look(page, box, None, field.parts[0][0], None))
    return looks


def _look(page: int, field: SampleField, rng: np.random.Generator) -> _Look:
    first = int(field.crossed and rng.random() < _SECOND_PART)
    rest = field.parts[1 - first] if len(field.parts) > 1 else None
    other = rest[1] if rest is not None and rng.random() < _WITH_OTHER else None
    text, label = field.parts[first]
    return _Look(page, _jittered(label, rng), other, text, field.box, field.crossed)


def _jittered(label: Box, rng: np.random.Generator) -> Box:
    """The label as it may be found: moved a little, and sometimes cut."""
    left, top, right, bottom = np.asarray(label) + rng.normal(0, 0.12, 4)
    width = right - left
    if rng.random() < _CUT:
        left += rng.uniform(0, 0.4) * width
    if rng.random() < _CUT:
        right -= rng.uniform(0, 0.4) * width
    return float(left), float(top), float(right), float(bottom)


def _window(
    look: _Look, size: tuple[int, int], rng: np.random.Generator
) -> tuple[tuple[int, int, int], Plane, NDArray[np.int64], Box, float]:
    jitter = (int(rng.integers(-3, 4)), int(rng.integers(-6, 7)))
    top, left = _origin(look, jitter, rng)
    planes = planes_of(look.label, look.other, (top, left), size)
    ids = text_ids(look.text) if rng.random() >= _NO_TEXT else np.zeros(MAX_TEXT_IDS, np.int64)
    where = (look.page, top, left)
    if look.box is None:
        return where, planes, ids, (0.0, 0.0, 1.0, 1.0), 0.0
    x0, y0, x1, y1 = look.box
    box = (x0 - left, y0 - top, x1 - left, y1 - top)
    inside = 0 < (box[0] + box[2]) / 2 < WINDOW[1] and 0 < (box[1] + box[3]) / 2 < WINDOW[0]
    return where, planes, ids, box, float(inside)


def _origin(look: _Look, jitter: tuple[int, int], rng: np.random.Generator) -> tuple[int, int]:
    """The window of a label, or of the place where it crosses another part."""
    crossing = crossing_of(look.label, look.other) if look.other else None
    if crossing is not None and rng.random() < (_SHIFTED if look.crossed else 1 - _SHIFTED):
        return crossing[0] + jitter[0], crossing[1] + jitter[1]
    return origin_of(look.label, jitter)


def _pages(parts: Sequence[BatchPart], rng: np.random.Generator) -> Tensor:
    pages = np.zeros((len(parts), *_CANVAS, CHANNELS), np.uint8)
    for page, part in zip(pages, parts, strict=True):
        page[: part.picture.shape[0], : part.picture.shape[1]] = part.picture
        if rng.random() < 0.1:
            page[..., 2] = 0
        if rng.random() < 0.08:
            page[..., 1] = 0
    return torch.from_numpy(pages).permute(0, 3, 1, 2).float() / 255


def _blanks(parts: Sequence[BatchPart]) -> Tensor:
    blanks = np.zeros((len(parts), 2, _CANVAS[0] // STRIDE, _CANVAS[1] // STRIDE), np.float32)
    for blank, part in zip(blanks, parts, strict=True):
        for field in part.fields:
            for plane, box in zip(blank, (field.box, field.field), strict=True):
                left, top, right, bottom = (max(0, round(edge)) for edge in box)
                plane[top : max(bottom, top + 1), left : max(right, left + 1)] = 1
    return torch.from_numpy(blanks)


class _Windows(torch.autograd.Function):
    """Cuts out windows; each plain slice would have a gradient as large as all pages."""

    @staticmethod
    def forward(ctx: Any, features: Tensor, corners: list[list[int]]) -> Tensor:
        """The windows."""
        height, width = WINDOW
        ctx.corners, ctx.shape = corners, features.shape
        padded = torch.nn.functional.pad(features, (width, width, height, height))
        return torch.stack([padded[page, :, y : y + height, x : x + width] for page, y, x in corners])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        """The windows' gradients, added up in their places."""
        height, width = WINDOW
        pages, features, rows, columns = ctx.shape
        total = gradient.new_zeros((pages, features, rows + 2 * height, columns + 2 * width))
        for (page, y, x), one in zip(ctx.corners, gradient, strict=True):
            total[page, :, y : y + height, x : x + width] += one
        return total[:, :, height:-height, width:-width], None


def windows_of(features: Tensor, windows: Tensor) -> Tensor:
    """Features in windows: float (n, features, 32, 104).

    Args:
        features: of the pages, (pages, features, height, width).
        windows: see ``Batch``; one that is off its page is empty.
    """
    height, width = WINDOW
    limit_y, limit_x = features.shape[2] + height, features.shape[3] + width
    corners = [
        [page, min(max(top + height, 0), limit_y), min(max(left + width, 0), limit_x)]
        for page, top, left in windows.tolist()
    ]
    return cast(Tensor, _Windows.apply(features, corners))  # type: ignore[no-untyped-call]
