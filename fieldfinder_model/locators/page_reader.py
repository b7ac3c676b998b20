"""Locators that read a page once, and assign its places to many names."""

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

from ...envs.core.boxes import Box, centre, contains, iou
from ...envs.core.locators import Detection
from ...envs.core.painting import Gray, Image
from ...envs.paper_forms.examples import Word
from ..matching.label import Label
from ..matching.label_search import labels_of
from ..matching.spans import Spans
from ..matching.target_words import query_of
from ..reading.page_reading import PageReading, gray_page, read_page

_NO_PLACE, _UNPROPOSED = 1e-4, 1e-6
"""The chance that a name has no place of its own, and that it has one that the locator did not propose."""
_SAME = 0.3
"""Boxes with a larger intersection over union than this are one place."""


def one_place_each(found: Sequence[Sequence[Detection]]) -> list[list[Detection]]:
    """The places of each name, reordered so that no two names share the first.

    The product of the chances of all first places is as large as possible. The other places keep their order, and so do
    all places of a name that gets none of them.

    Args:
        found: for each name its places, the most likely first.
    """
    places, ranks = _distinct(found)
    chances = np.full((len(found), len(places) + len(found)), _UNPROPOSED)
    chances[:, len(places) :] = _NO_PLACE
    for (name, place), rank in ranks.items():
        chances[name, place] += found[name][rank].score
    first = [ranks.get((name, int(place)), 0) for name, place in enumerate(assignment(-np.log(chances)))]
    return [[*each[rank : rank + 1], *each[:rank], *each[rank + 1 :]] for each, rank in zip(found, first, strict=True)]


def assignment(costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """The column of each row in the assignment of the lowest total cost.

    The Hungarian method (Kuhn 1955), by shortest augmenting paths.

    Args:
        costs: shape (rows, columns), finite; at least as many columns as rows.
    """
    n, m = costs.shape
    row_prices, prices = np.zeros(n + 1), np.zeros(m + 1)
    row_of, previous = np.zeros(m + 1, np.intp), np.zeros(m + 1, np.intp)
    for row in range(1, n + 1):
        row_of[0], column = row, 0
        distances, visited = np.full(m + 1, np.inf), np.zeros(m + 1, np.bool_)
        while row_of[column]:
            visited[column] = True
            reduced = costs[row_of[column] - 1] - row_prices[row_of[column]] - prices[1:]
            closer = ~visited[1:] & (reduced < distances[1:])
            distances[1:][closer], previous[1:][closer] = reduced[closer], column
            open_distances = np.where(visited, np.inf, distances)
            column = int(np.argmin(open_distances[1:])) + 1
            row_prices[row_of[visited]] += open_distances[column]
            prices[visited] -= open_distances[column]
            distances[~visited] -= open_distances[column]
        while column:
            row_of[column] = row_of[previous[column]]
            column = int(previous[column])
    columns = np.zeros(n, np.intp)
    taken = np.flatnonzero(row_of[1:])
    columns[row_of[1:][taken] - 1] = taken
    return columns


def _distinct(found: Sequence[Sequence[Detection]]) -> tuple[list[Box], dict[tuple[int, int], int]]:
    """The distinct places of all names, and the rank of each, by name and place."""
    places: list[Box] = []
    ranks: dict[tuple[int, int], int] = {}
    ordered = sorted(
        ((name, rank) for name, each in enumerate(found) for rank in range(len(each))),
        key=lambda item: -found[item[0]][item[1]].score,
    )
    for name, rank in ordered:
        box = found[name][rank].box
        place = next((i for i, other in enumerate(places) if _is_same(box, other)), len(places))
        if place == len(places):
            places.append(box)
        ranks.setdefault((name, place), rank)
    return places, ranks


def _is_same(one: Box, other: Box) -> bool:
    return iou(one, other) > _SAME or (contains(one, *centre(other)) and contains(other, *centre(one)))


_PAGES_KEPT = 16
_MAX_PLACES = 5
_LABELS = 3
"""The maximum number of labels to consider for a target."""
_NEAR = 6.0
"""Labels whose score is lower than the best by more than this are ignored."""
_UNLIKE, _ALIKE = 55.0, 92.0
"""Labels below the first similarity are not trusted at all, above the second fully."""
_INK = 128
_PATCH, _LOST = 16, 6
"""The side of a patch of a page, in pixels, and how many of its pixels may lose their ink."""
_SOFT = 5.0
"""The softmax temperature of label scores, in points of similarity."""


class _Page(NamedTuple):
    gray: Gray
    reading: PageReading
    spans: Spans
    found: dict[str, tuple[Detection, ...]]


class PageReader(ABC):
    """A locator that reads a page and works from the labels that a target may mean.

    Readings are cached by the hash of the page's pixels. A page on which something was written since is still the same
    form: it is not read again, and what an agent wrote is no label. Subclasses define ``places``.

    Args:
        reread: whether to read a page again when something was written on it, as windows with changing contents need.
    """

    def __init__(self, reread: bool = False) -> None:
        self._reread = reread
        self._lock = RLock()
        self._pages: OrderedDict[bytes, _Page] = OrderedDict()

    @abstractmethod
    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Detection]:
        """The places where the answer may go, in any order.

        Args:
            reading: of the page.
            labels: that the target may mean, the most likely first; at least one.
        """

    def locate(self, page: Image, target: str) -> list[Detection]:
        """See ``Locator``.

        Raises:
            ImportError: if the page must be read and RapidOCR is not installed.
            ValueError: if it is no page.
        """
        return self._found(self._page(page), target)

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The places of many targets, no two with the same first; raises as ``locate``."""
        entry = self._page(page)
        names = list(dict.fromkeys(targets))
        places = dict(zip(names, one_place_each([self._found(entry, name) for name in names]), strict=True))
        return [list(places[target]) for target in targets]

    def label(self, page: Image, target: str) -> Box | None:
        """The box of the label that a target is matched to; ``None`` if there is none.

        Args:
            page: uint8 (height, width, 3).
            target: see ``Locator``.
        """
        labels = _labels_for(self._page(page), target)
        return labels[0].box if labels else None

    def forget(self) -> None:
        """Forget all pages."""
        self._pages.clear()

    def add_words(self, page: Image, words: Sequence[Word]) -> None:
        """Use these words of a page, so that it need not be read.

        Args:
            page: uint8 (height, width, 3).
            words: on it.
        """
        self._keep(page_key(page), _read(gray_page(page), words))

    def _found(self, entry: _Page, target: str) -> list[Detection]:
        if target not in entry.found:
            labels = _labels_for(entry, target)
            places = self.places(entry.reading, labels) if labels else []
            best = sorted(places, key=lambda place: -place.score)[:_MAX_PLACES]
            entry.found[target] = tuple(Detection(_clipped(place.box, entry.gray.shape), place.score) for place in best)
        return list(entry.found[target])

    def _page(self, page: Image) -> _Page:
        key = page_key(page)
        with self._lock:
            if key not in self._pages:
                gray = gray_page(page)
                self._keep(key, self._same_form(gray) or _read(gray))
            self._pages.move_to_end(key)
            return self._pages[key]

    def _same_form(self, gray: Gray) -> _Page | None:
        """The known page that this one is, with something written on it."""
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
    """Whether the only change of a page is added ink, at most as much as it had.

    If an answer was erased, it is another page.
    """
    if before.shape != after.shape:
        return False
    old, new = before < _INK, after < _INK
    if np.count_nonzero(new & ~old) > np.count_nonzero(old):
        return False
    return _thickest(old & ~new) <= _LOST


def _thickest(mask: NDArray[np.bool_]) -> int:
    """The largest number of pixels that a mask has in a patch."""
    rows, columns = mask.shape[0] // _PATCH * _PATCH, mask.shape[1] // _PATCH * _PATCH
    patches = mask[:rows, :columns].reshape(rows // _PATCH, _PATCH, columns // _PATCH, _PATCH)
    return int(patches.sum(axis=(1, 3)).max(initial=0))


def shares(labels: Sequence[Label]) -> list[float]:
    """The trust in each label, from 0 to 1; the sum is 1 if the best match is certain."""
    trust = [exp((label.score - labels[0].score) / _SOFT) for label in labels]
    believed = min(1.0, max(0.0, (labels[0].score - _UNLIKE) / (_ALIKE - _UNLIKE)))
    total = sum(trust)
    return [believed * one / total for one in trust]


def _labels_for(entry: _Page, target: str) -> list[Label]:
    labels = labels_of(query_of(target), entry.spans, entry.reading)
    return [label for label in labels if label.score > labels[0].score - _NEAR][:_LABELS]


def _clipped(box: Box, size: tuple[int, ...]) -> Box:
    """A box clipped to a page of a height and width: at least one pixel."""
    left, top = min(max(0.0, box[0]), size[1] - 1.0), min(max(0.0, box[1]), size[0] - 1.0)
    return left, top, max(left + 1, min(box[2], float(size[1]))), max(top + 1, min(box[3], float(size[0])))


def page_key(page: Image) -> bytes:
    """The digest of a page's pixels."""
    # Pages are hashed at every query, and processors have instructions for this hash.
    digest = hashlib.sha256(str(page.shape).encode())
    digest.update(np.ascontiguousarray(page).data)
    return digest.digest()
