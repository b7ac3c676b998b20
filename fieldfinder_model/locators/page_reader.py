"""The base of locators that read a page once and match targets to its labels."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from math import exp
from threading import RLock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.core.locators import Box, Detection
from ...envs.core.painting import Image
from ..examples import Gray, Word
from ..matching.label import Label
from ..matching.label_search import labels_of
from ..matching.spans import Spans
from ..matching.target_words import query_of
from ..reading.page_reading import PageReading, read_page
from .assignment import one_place_each

_PAGES_KEPT = 16
_MAX_PLACES = 5
_LABELS = 3
"""How many labels a target may mean at most."""
_NEAR = 6.0
"""Labels that are worse than the best by more are not looked at."""
_UNLIKE, _ALIKE = 55.0, 92.0
"""Labels up to the one similarity are not trusted at all, from the other on fully."""
_INK = 128
_PATCH, _LOST = 16, 6
"""The side of a patch of a page, and how many of its pixels may lose their ink, in pixels."""
_SOFT = 5.0
"""From how many points of similarity on a label is trusted the less."""


class _Page(NamedTuple):
    gray: Gray
    reading: PageReading
    spans: Spans
    found: dict[str, tuple[Detection, ...]]


class PageReader(ABC):
    """A locator that reads a page and goes on from the labels that a target may mean.

    Pages that were read are kept by the hash of their pixels. A page on which something was written since is the same
    form still: it is not read again, and what an agent wrote is no label. Subclasses define ``places``.

    Args:
        reread: whether a page is read again when something was written on it, as windows need it whose contents change.
    """

    def __init__(self, reread: bool = False) -> None:
        self._reread = reread
        self._lock = RLock()
        self._pages: OrderedDict[bytes, _Page] = OrderedDict()

    @abstractmethod
    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Detection]:
        """Where the answer to labels may be, in any order.

        Args:
            reading: of the page.
            labels: that the target may mean, the likeliest first; at least one.
        """

    def locate(self, page: Image, target: str) -> list[Detection]:
        """See ``Locator``.

        Raises:
            ImportError: if the page must be read and RapidOCR is not installed.
            ValueError: if it is no page.
        """
        return self._found(self._page(page), target)

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The places of many targets, no two of which have the same first; raises what ``locate`` does."""
        entry = self._page(page)
        names = list(dict.fromkeys(targets))
        places = dict(zip(names, one_place_each([self._found(entry, name) for name in names]), strict=True))
        return [list(places[target]) for target in targets]

    def label(self, page: Image, target: str) -> Box | None:
        """The box of the printed words that a target is taken for; ``None`` if there are none like it.

        Args:
            page: uint8 (height, width, 3).
            target: see ``Locator``.
        """
        labels = _meant(self._page(page), target)
        return labels[0].box if labels else None

    def forget(self) -> None:
        """Forget all pages."""
        self._pages.clear()

    def add_words(self, page: Image, words: Sequence[Word]) -> None:
        """Take the words of a page as given, so that it need not be read.

        Args:
            page: uint8 (height, width, 3).
            words: on it.
        """
        self._keep(_key(page), _read(_gray(page), words))

    def _found(self, entry: _Page, target: str) -> list[Detection]:
        if target not in entry.found:
            labels = _meant(entry, target)
            places = self.places(entry.reading, labels) if labels else []
            best = sorted(places, key=lambda place: -place.score)[:_MAX_PLACES]
            entry.found[target] = tuple(Detection(_on_page(place.box, entry.gray.shape), place.score) for place in best)
        return list(entry.found[target])

    def _page(self, page: Image) -> _Page:
        key = _key(page)
        with self._lock:
            if key not in self._pages:
                gray = _gray(page)
                self._keep(key, self._same_form(gray) or _read(gray))
            self._pages.move_to_end(key)
            return self._pages[key]

    def _same_form(self, gray: Gray) -> _Page | None:
        """The page that one is, with something written on it."""
        if self._reread:
            return None
        kept = {id(entry): entry for entry in reversed(self._pages.values())}
        return next((entry for entry in kept.values() if _written_on(entry.gray, gray)), None)

    def _keep(self, key: bytes, entry: _Page) -> None:
        self._pages[key] = entry
        while len(self._pages) > _PAGES_KEPT:
            self._pages.popitem(last=False)


def _read(gray: Gray, words: Sequence[Word] | None = None) -> _Page:
    reading = read_page(gray, words)
    return _Page(gray, reading, Spans(reading), {})


def _written_on(before: Gray, after: Gray) -> bool:
    """Whether one page is another with something written on it: ink came, at most as much as there was; none went.

    An answer that is printed on one and erased on the other makes them two.
    """
    if before.shape != after.shape:
        return False
    old, new = before < _INK, after < _INK
    if np.count_nonzero(new & ~old) > np.count_nonzero(old):
        return False
    return _thickest(old & ~new) <= _LOST


def _thickest(mask: NDArray[np.bool_]) -> int:
    """The most pixels that a mask has in a patch."""
    rows, columns = mask.shape[0] // _PATCH * _PATCH, mask.shape[1] // _PATCH * _PATCH
    patches = mask[:rows, :columns].reshape(rows // _PATCH, _PATCH, columns // _PATCH, _PATCH)
    return int(patches.sum(axis=(1, 3)).max(initial=0))


def shares(labels: Sequence[Label]) -> list[float]:
    """How much each label is trusted, from 0 to 1; they sum to 1 if the best is what was asked for."""
    trust = [exp((label.score - labels[0].score) / _SOFT) for label in labels]
    believed = min(1.0, max(0.0, (labels[0].score - _UNLIKE) / (_ALIKE - _UNLIKE)))
    total = sum(trust)
    return [believed * one / total for one in trust]


def _meant(entry: _Page, target: str) -> list[Label]:
    labels = labels_of(query_of(target), entry.spans, entry.reading)
    return [label for label in labels if label.score > labels[0].score - _NEAR][:_LABELS]


def _on_page(box: Box, size: tuple[int, ...]) -> Box:
    """As much of a box as lies on a page of a height and width: a pixel at least."""
    left, top = min(max(0.0, box[0]), size[1] - 1.0), min(max(0.0, box[1]), size[0] - 1.0)
    return left, top, max(left + 1, min(box[2], float(size[1]))), max(top + 1, min(box[3], float(size[0])))


def _key(page: Image) -> bytes:
    # Of the sound hashes the one that processors have instructions for: pages are hashed at every query.
    digest = hashlib.sha256(str(page.shape).encode())
    digest.update(np.ascontiguousarray(page).data)
    return digest.digest()


def _gray(page: Image) -> Gray:
    """The darkest channel of a page: coloured print is as dark as black."""
    if page.ndim != 3 or page.shape[2] != 3 or page.dtype != np.uint8:
        raise ValueError(f"a page is uint8 (height, width, 3), not {page.dtype} {page.shape}")
    return np.minimum(np.minimum(page[..., 0], page[..., 1]), page[..., 2])
