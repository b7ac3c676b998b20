"""Measuring a locator: one result for each target of some pages."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...envs.core.files import atomic_write, cache_folder
from ...envs.core.locators import Box, Detection, Locator
from ...envs.core.painting import Image
from ..data.example_pages import document_of
from ..examples import Example, ExamplePage, Gray, Word
from ..locators.page_reader import PageReader
from ..processors import threads
from ..reading import ocr
from ..reading.boxes import centre, holds, iou
from .error_taxonomy import cause_of

_LIBRARIES = ("rapidocr", "onnxruntime", "opencv-python-headless")


class ReadWords(NamedTuple):
    """The words of a page, and the wall and CPU seconds that reading took when the page was read."""

    words: list[Word]
    seconds: float
    cpu_seconds: float


def read_words(gray: Gray) -> ReadWords:
    """The words of a page, read once on this machine for each version of what reads it, and number of threads.

    Args:
        gray: uint8 (height, width).

    Raises:
        ImportError: if the page must be read and RapidOCR is not installed.
    """
    digest = hashlib.sha256(f"{_reader()} {threads()} {gray.shape}".encode() + gray.tobytes()).hexdigest()[:32]
    file = cache_folder() / "words" / f"{digest}.json"
    kept = _kept(file)
    if kept is None:
        kept = _read(gray)
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(file, json.dumps(kept).encode())
    return kept


@lru_cache(maxsize=1)
def _reader() -> str:
    """What the words of a page depend on besides the page: our code, and the libraries that it calls."""
    code = hashlib.sha256(Path(ocr.__file__).read_bytes()).hexdigest()
    with suppress(PackageNotFoundError):
        return " ".join((code, *map(version, _LIBRARIES)))
    return code


def _read(gray: Gray) -> ReadWords:
    wall, cpu = time.perf_counter(), time.process_time()
    words = ocr.ocr_words(gray)
    return ReadWords(words, time.perf_counter() - wall, time.process_time() - cpu)


def _kept(file: Path) -> ReadWords | None:
    """What a file holds; ``None`` if it is missing or broken."""
    try:
        words, seconds, cpu_seconds = json.loads(file.read_bytes())
        return ReadWords([Word(text, tuple(box)) for text, box in words], float(seconds), float(cpu_seconds))
    except (OSError, ValueError, TypeError):
        return None


TOP = 5
"""How many places are kept of those that a locator finds."""


@dataclass(frozen=True)
class Result:
    """What a locator made of one target; boxes are in pixels of the page.

    Attributes:
        page: the name of the page.
        document: the name of the annotated page: pages of one are no independent trials.
        target: what the field is called.
        kind: how it is laid out; see ``Example``.
        box: where the answer stood.
        field: where it may stand.
        labels: where the parts of the target are printed, where that is known.
        found: the likeliest places, the likeliest first, ``TOP`` at most.
        iou: intersection over union of the likeliest place and ``box``; 0 if nothing was found.
        in_box: whether the centre of the likeliest place lies in ``box``, edges included.
        in_field: whether it lies in ``field``.
        rank: the place, counted from 1, of the first of ``found`` whose centre lies in ``field``; ``None``: of none.
        label_met: whether the locator says that it matched the label that is meant; ``None`` if it does not say.
        cause: ``"right"``, or what went wrong; see ``cause_of``.
        first: whether it was the first target of its page, with which the page was read.
        seconds: how long the locator took.
        cpu_seconds: the time that all threads of this process computed meanwhile.
    """

    page: str
    document: str
    target: str
    kind: str
    box: Box
    field: Box
    labels: tuple[Box | None, ...]
    found: tuple[Detection, ...]
    iou: float
    in_box: bool
    in_field: bool
    rank: int | None
    label_met: bool | None
    cause: str
    first: bool
    seconds: float
    cpu_seconds: float

    @property
    def best(self) -> Box | None:
        """The likeliest place, if anything was found."""
        return self.found[0].box if self.found else None


def measure(locator: Locator, pages: Iterable[ExamplePage], *, together: bool = True) -> list[Result]:
    """One result for each target of some pages, in their order.

    The first target of a page is located alone, and then all of them together: the further ones take equal parts of
    that time. A locator that keeps what it has read, and has a method ``forget()``, forgets before each page, so that
    the first target of each page pays for reading it; a ``PageReader`` is given the words of ``read_words``, and the
    time that reading them once took is added. One that has a method ``label(page, target)`` is asked for the box of
    the printed label that it matched.

    Args:
        locator: what is measured.
        pages: with the targets, such as those of ``example_pages.pages``.
        together: whether the targets of a page are located together, as by an agent that knows all names; else one
            by one.
    """
    return [result for page in pages for result in _of_page(locator, page, together)]


def _of_page(locator: Locator, page: ExamplePage, together: bool) -> Iterator[Result]:
    picture = np.repeat(page.gray[:, :, None], 3, axis=2)
    picture.flags.writeable = False
    forget = getattr(locator, "forget", None)
    if forget is not None:
        forget()
    targets = [example.target for example in page.examples]
    first = _first(locator, picture, page, targets[:1])
    wall, cpu = time.perf_counter(), time.process_time()
    found = locator.locate_all(picture, targets) if together else [locator.locate(picture, t) for t in targets]
    parts = max(len(targets) - 1, 1)
    further = (time.perf_counter() - wall) / parts, (time.process_time() - cpu) / parts
    for number, (example, places) in enumerate(zip(page.examples, found, strict=True)):
        best = tuple(Detection(*place) for place in places[:TOP])
        label_matched = _label_met(locator, picture, example)
        yield _result(page, example, best, label_matched, number == 0, further if number else first)


def _first(locator: Locator, picture: Image, page: ExamplePage, targets: Sequence[str]) -> tuple[float, float]:
    """The wall and CPU seconds of the first target of a page, with which the page is read."""
    read = read_words(page.gray) if isinstance(locator, PageReader) and targets else None
    wall, cpu = time.perf_counter(), time.process_time()
    if read is not None and isinstance(locator, PageReader):
        locator.add_words(picture, read.words)
    for target in targets:
        locator.locate(picture, target)
    spent = time.perf_counter() - wall, time.process_time() - cpu
    return (spent[0] + read.seconds, spent[1] + read.cpu_seconds) if read is not None else spent


def _result(
    page: ExamplePage,
    example: Example,
    found: tuple[Detection, ...],
    label_matched: bool | None,
    first: bool,
    spent: tuple[float, float],
) -> Result:
    inside = [holds(example.field, centre(place.box)) for place in found]
    best = found[0].box if found else None
    return Result(
        page=page.name,
        document=document_of(page.name),
        target=example.target,
        kind=example.kind,
        box=example.box,
        field=example.field,
        labels=tuple(example.labels),
        found=found,
        iou=iou(best, example.box) if best else 0.0,
        in_box=best is not None and holds(example.box, centre(best)),
        in_field=bool(inside) and inside[0],
        rank=inside.index(True) + 1 if any(inside) else None,
        label_met=label_matched,
        cause=cause_of(best, example, page, label_matched),
        first=first,
        seconds=spent[0],
        cpu_seconds=spent[1],
    )


def _label_met(locator: Locator, page: Image, example: Example) -> bool | None:
    """Whether the label that a locator matched is the one that is meant; ``None`` if either is not known."""
    ask = getattr(locator, "label", None)
    known: Sequence[Box | None] = example.labels[:1]
    if ask is None or not known or known[0] is None:
        return None
    matched: Any = ask(page, example.target)
    return matched is not None and iou(matched, known[0]) > 0
