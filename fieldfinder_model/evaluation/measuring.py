"""Run a locator on pages and return one result for each target."""

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

from ...envs.core.boxes import Box, centre, contains, iou
from ...envs.core.files import atomic_write, cache_folder
from ...envs.core.locators import Detection, Locator
from ...envs.core.painting import Gray, Image
from ...envs.paper_forms.examples import Example, ExamplePage, Word
from ..data.example_pages import document_of
from ..locators.page_reader import PageReader
from ..processors import threads
from ..reading import ocr
from .error_taxonomy import cause_of

_LIBRARIES = ("rapidocr", "onnxruntime", "opencv-python-headless")


class ReadWords(NamedTuple):
    """The words of a page, and the wall and CPU seconds that it took to read them."""

    words: list[Word]
    seconds: float
    cpu_seconds: float


def read_words(gray: Gray) -> ReadWords:
    """The words of a page, read by OCR or taken from the cache folder.

    A page is read again when the reader or the number of threads changes.

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
    """The version of the reader: a hash of our code and the versions of its libraries."""
    code = hashlib.sha256(Path(ocr.__file__).read_bytes()).hexdigest()
    with suppress(PackageNotFoundError):
        return " ".join((code, *map(version, _LIBRARIES)))
    return code


def _read(gray: Gray) -> ReadWords:
    wall, cpu = time.perf_counter(), time.process_time()
    words = ocr.ocr_words(gray)
    return ReadWords(words, time.perf_counter() - wall, time.process_time() - cpu)


def _kept(file: Path) -> ReadWords | None:
    """The content of a cache file; ``None`` if it is missing or broken."""
    try:
        words, seconds, cpu_seconds = json.loads(file.read_bytes())
        return ReadWords([Word(text, tuple(box)) for text, box in words], float(seconds), float(cpu_seconds))
    except (OSError, ValueError, TypeError):
        return None


TOP = 5
"""How many of the places that a locator finds are kept."""


@dataclass(frozen=True)
class TargetResult:
    """What a locator found for one target; boxes are in pixels of the page.

    Attributes:
        page: the name of the page.
        document: the name of the annotated page: pages of one document are no independent trials.
        target: the name of the field.
        kind: how it is laid out; see ``Example``.
        box: where the answer was.
        field: where it may be written.
        labels: where the parts of the target are printed, where that is known.
        found: the most likely places, best first, ``TOP`` at most.
        iou: intersection over union of the best place and ``box``; 0 if nothing was found.
        in_box: whether the centre of the best place lies in ``box``, edges included.
        in_field: whether this centre lies in ``field``.
        rank: the rank, from 1, of the first of ``found`` whose centre lies in ``field``; ``None`` if there is none.
        label_met: whether the locator matched the right label; ``None`` if it does not say.
        cause: ``"right"``, or what went wrong; see ``cause_of``.
        first: whether it was the first target of its page, whose time includes reading the page.
        seconds: how long the locator took.
        cpu_seconds: the CPU time of all threads of this process meanwhile.
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
        """The most likely place, if anything was found."""
        return self.found[0].box if self.found else None


def measure(locator: Locator, pages: Iterable[ExamplePage], *, together: bool = True) -> list[TargetResult]:
    """One result for each target of the pages, in their order.

    The first target of a page is located alone, and then all of them together: the others share that time equally. If
    a locator has a method ``forget()``, it is called before each page, so that the time of the first target includes
    reading the page; a ``PageReader`` gets the words of ``read_words``, and the time that reading them took is added.
    If it has a method ``label(page, target)``, that returns the box of the printed label that it matched.

    Args:
        locator: the locator to measure.
        pages: pages with targets, such as those of ``example_pages.pages``.
        together: whether to locate the targets of a page together, like an agent that knows all names, or one by one.
    """
    return [result for page in pages for result in _of_page(locator, page, together)]


def _of_page(locator: Locator, page: ExamplePage, together: bool) -> Iterator[TargetResult]:
    picture = np.repeat(page.gray[:, :, None], 3, axis=2)
    picture.flags.writeable = False
    forget = getattr(locator, "forget", None)
    if forget is not None:
        forget()
    targets = [example.target for example in page.examples]
    first = _first_seconds(locator, picture, page, targets[:1])
    wall, cpu = time.perf_counter(), time.process_time()
    found = locator.locate_all(picture, targets) if together else [locator.locate(picture, t) for t in targets]
    parts = max(len(targets) - 1, 1)
    further = (time.perf_counter() - wall) / parts, (time.process_time() - cpu) / parts
    for number, (example, places) in enumerate(zip(page.examples, found, strict=True)):
        best = tuple(Detection(*place) for place in places[:TOP])
        label_matched = _label_met(locator, picture, example)
        yield _result(page, example, best, label_matched, number == 0, further if number else first)


def _first_seconds(locator: Locator, picture: Image, page: ExamplePage, targets: Sequence[str]) -> tuple[float, float]:
    """The wall and CPU seconds of the first target, including reading the page."""
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
) -> TargetResult:
    inside = [contains(example.field, *centre(place.box)) for place in found]
    best = found[0].box if found else None
    return TargetResult(
        page=page.name,
        document=document_of(page.name),
        target=example.target,
        kind=example.kind,
        box=example.box,
        field=example.field,
        labels=tuple(example.labels),
        found=found,
        iou=iou(best, example.box) if best else 0.0,
        in_box=best is not None and contains(example.box, *centre(best)),
        in_field=bool(inside) and inside[0],
        rank=inside.index(True) + 1 if any(inside) else None,
        label_met=label_matched,
        cause=cause_of(best, example, page, label_matched),
        first=first,
        seconds=spent[0],
        cpu_seconds=spent[1],
    )


def _label_met(locator: Locator, page: Image, example: Example) -> bool | None:
    """Whether the locator matched the right label; ``None`` if that is not known."""
    ask = getattr(locator, "label", None)
    known: Sequence[Box | None] = example.labels[:1]
    if ask is None or not known or known[0] is None:
        return None
    matched: Any = ask(page, example.target)
    return matched is not None and iou(matched, known[0]) > 0
