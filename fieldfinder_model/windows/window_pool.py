"""Windows about the labels of pages, as pools of targets."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from gymnasium import spaces

from ...assets import INDEX
from ...envs.core.boxes import Box
from ...envs.core.files import atomic_write, cache_folder
from ...envs.core.grounding import Reward, hit
from ...envs.paper_forms.examples import ExamplePage, Word
from ..matching.label_search import labels_of
from ..matching.spans import Spans
from ..matching.target_words import query_of
from ..network.inputs import STRIDE, picture_of
from ..reading.page_reading import PageReading, read_page
from .label_windows import (
    CELLS,
    CHANNELS,
    COLUMNS,
    HALF,
    PLANES,
    ROWS,
    SIZE,
    Bytes,
    Flags,
    Floats,
    Ints,
    jittered,
    observations,
    origins_of,
    points_of,
    right_cells,
)

_CODE = (
    "envs/core/boxes.py",
    "envs/paper_forms/examples.py",
    "envs/paper_forms/made_pages",
    "fieldfinder_model/matching",
    "fieldfinder_model/network/inputs.py",
    "fieldfinder_model/reading",
    "fieldfinder_model/training/batches.py",
    "fieldfinder_model/windows/window_pool.py",
)
"""What the contents of a cached page depend on."""


class WindowTarget(NamedTuple):
    """A target of a page; boxes in its pixels.

    Attributes:
        name: see ``Example.target``.
        kind: see ``Example``.
        box: what a point must lie in.
        label: the printed words that the name is taken for; ``None``: there are none like it.
        other: the box of another part of the name, such as the head of a column.
    """

    name: str
    kind: str
    box: Box
    label: Box | None
    other: Box | None


@dataclass(frozen=True, eq=False)
class WindowPage:
    """A page with targets.

    Attributes:
        name: unique in its pool.
        size: height and width in pixels.
        scale: how many pixels of the scaled page a pixel is, across and down.
        picture: of the scaled page at half its size, uint8 (4, height, width).
        targets: all of them, also those without a label.
    """

    name: str
    size: tuple[int, int]
    scale: tuple[float, float]
    picture: Bytes
    targets: tuple[WindowTarget, ...]


EMPTY = WindowPage("", (1, 1), (1.0, 1.0), np.zeros((CHANNELS, 1, 1), np.uint8), ())
"""A page without targets."""


def window_page(page: ExamplePage, misread: Callable[[Sequence[Word]], Sequence[Word]] | None = None) -> WindowPage:
    """Read a page, and match the names of its targets to labels.

    Args:
        page: without words it is read by OCR.
        misread: gives the words that the picture shows, of those that were read; ``None``: the same.
    """
    reading = read_page(page.gray, page.words or None)
    picture, scale = page_picture(reading, misread(reading.words) if misread else None)
    spans = Spans(reading)
    targets = []
    for example in page.examples:
        labels = labels_of(query_of(example.target), spans, reading)
        label, other = (labels[0].box, labels[0].other) if labels else (None, None)
        targets.append(WindowTarget(example.target, example.kind, example.field, label, other))
    return WindowPage(page.name, reading.size, scale, picture, tuple(targets))


def page_picture(reading: PageReading, words: Sequence[Word] | None = None) -> tuple[Bytes, tuple[float, float]]:
    """The ``picture`` and ``scale`` of a ``WindowPage``.

    Args:
        reading: of the page.
        words: to show in place of those that were read.
    """
    picture, scale = picture_of(reading, words)
    height, width, channels = picture.shape
    halved = picture.reshape(height // HALF, HALF, width // HALF, HALF, channels).mean((1, 3)).astype(np.uint8)
    return np.ascontiguousarray(halved.transpose(2, 0, 1)), (scale.across * STRIDE, scale.down * STRIDE)


# -- Cache -------------------------------------------------------------------------------------------------------------


def cached_page(key: str, read: Callable[[], WindowPage]) -> WindowPage:
    """A page from the cache folder if it was read before by the same code.

    Args:
        key: names what the page depends on besides code and assets, such as ``content_key``.
        read: reads it.
    """
    digest = hashlib.sha256(f"{_code_version()} {HALF} {key}".encode()).hexdigest()[:32]
    file = cache_folder() / "windows" / f"{digest}.npz"
    kept = _load(file)
    if kept is None:
        kept = read()
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(file, _packed(kept))
    return kept


def content_key(page: ExamplePage) -> str:
    """A hash of all that is known of a page."""
    digest = hashlib.sha256(repr((page.name, page.gray.shape, list(page.words), list(page.examples))).encode())
    digest.update(np.ascontiguousarray(page.gray).data)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _code_version() -> str:
    """A hash of the code and the assets that pages are made and read by."""
    folder = Path(__file__).resolve().parents[2]
    paths = [folder / name for name in _CODE]
    files = [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*.*")))]
    digest = hashlib.sha256()
    for file in files:
        if file.suffix in (".py", ".json"):
            digest.update(file.read_bytes())
    assets = json.loads(INDEX.read_text(encoding="utf-8"))["files"]
    words = sorted((name, entry["sha256"]) for name, entry in assets.items() if name.startswith("fieldfinder/"))
    digest.update(repr(words).encode())
    return digest.hexdigest()


def _packed(page: WindowPage) -> bytes:
    buffer = io.BytesIO()
    facts = json.dumps([page.name, page.size, page.scale, page.targets])
    np.savez_compressed(buffer, picture=page.picture, facts=np.array(facts))
    return buffer.getvalue()


def _load(file: Path) -> WindowPage | None:
    """The page in a cache file; ``None`` if it is missing or broken."""
    try:
        with np.load(file) as arrays:
            picture, facts = arrays["picture"], json.loads(str(arrays["facts"]))
        name, size, scale, targets = facts
        found = tuple(_target(*target) for target in targets)
        return WindowPage(name, (size[0], size[1]), (scale[0], scale[1]), picture, found)
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _target(name: str, kind: str, *boxes: list[float] | None) -> WindowTarget:
    box, label, other = ((b[0], b[1], b[2], b[3]) if b else None for b in boxes)
    if box is None:
        raise ValueError(f"the target {name!r} has no box")
    return WindowTarget(name, kind, box, label, other)


_NO_BOX = (np.nan,) * 4


def _every(target: WindowTarget) -> bool:
    return True


class WindowPool:
    """Targets of pages, each seen in a window about its label.

    Args:
        pages: with targets.
        keep: which targets are in the pool, such as those of a split by names.

    Attributes:
        pages: the pages.
        targets: those with a label, by their index; observations, origins and boxes go by it.
        page_of: the number of each target's page, (n,).
        unmatched: targets without a label, each with the number of its page: a policy always misses them.
    """

    observation_space = spaces.Dict(
        {
            "picture": spaces.Box(0, 255, (CHANNELS, SIZE[0] // HALF, SIZE[1] // HALF), np.uint8),
            "planes": spaces.Box(0, 255, (PLANES, ROWS, COLUMNS), np.uint8),
        }
    )
    action_space = spaces.Discrete(CELLS)

    def __init__(self, pages: Sequence[WindowPage], keep: Callable[[WindowTarget], bool] = _every) -> None:
        self.pages = pages
        kept = [(number, target) for number, page in enumerate(pages) for target in page.targets if keep(target)]
        self.unmatched = [(number, target) for number, target in kept if target.label is None]
        matched = [(number, target) for number, target in kept if target.label is not None]
        self.targets: Sequence[WindowTarget] = [target for _, target in matched]
        self.page_of: Ints = np.array([number for number, _ in matched], np.int64)

    def __len__(self) -> int:
        return len(self.targets)

    def origins(self, index: Ints, rng: np.random.Generator | None = None) -> Ints:
        """The top and left of the windows of targets (n, 2), at random with ``rng``."""
        origins = self._origins[index]
        return origins if rng is None else jittered(origins, rng)

    def observe(self, index: Ints, origins: Ints) -> dict[str, Bytes]:
        """The observations of targets in windows: see ``label_windows.observations``."""
        pages = [self.pages[number].picture for number in self.page_of[index]]
        return observations(pages, self._labels[index], self._others[index], origins, self._sizes[self.page_of[index]])

    def points(self, index: Ints, cells: Ints, origins: Ints) -> Floats:
        """The middles of cells as fractions of the targets' pages: x and y, (n, 2)."""
        return points_of(cells, origins) / self._extents[self.page_of[index]]

    def boxes(self, index: Ints) -> Floats:
        """The boxes that points must lie in, as fractions of the targets' pages, (n, 4)."""
        return self._boxes[index] / np.tile(self._extents[self.page_of[index]], 2)

    def right_cells(self, index: Ints, origins: Ints) -> Flags:
        """Which cells of the windows are right, (n, CELLS)."""
        return right_cells(self._boxes[index], origins)

    def rewards(self, index: Ints, cells: Ints, origins: Ints, reward: Reward = hit) -> Floats:
        """The rewards of the middles of cells, (n,)."""
        return reward(np.tile(self.points(index, cells, origins), 2), self.boxes(index))

    @cached_property
    def _origins(self) -> Ints:
        return origins_of(self._labels, self._others)

    @cached_property
    def _scales(self) -> Floats:
        """Pixels of the scaled page to a pixel of each page, across and down."""
        return np.array([page.scale for page in self.pages], float).reshape(-1, 2)

    @cached_property
    def _extents(self) -> Floats:
        """Width and height of each page in pixels of the scaled page."""
        return np.array([page.size[::-1] for page in self.pages], float).reshape(-1, 2) * self._scales

    @cached_property
    def _sizes(self) -> Floats:
        """Height and width of the picture of each page in pixels of the scaled page."""
        return np.array([page.picture.shape[1:] for page in self.pages], float).reshape(-1, 2) * HALF

    @cached_property
    def _labels(self) -> Floats:
        return self._scaled([target.label or _NO_BOX for target in self.targets])

    @cached_property
    def _others(self) -> Floats:
        return self._scaled([target.other or _NO_BOX for target in self.targets])

    @cached_property
    def _boxes(self) -> Floats:
        return self._scaled([target.box for target in self.targets])

    def _scaled(self, boxes: Sequence[Sequence[float]]) -> Floats:
        """Boxes of the targets in pixels of the scaled pages, (n, 4)."""
        return np.array(boxes, float).reshape(-1, 4) * np.tile(self._scales[self.page_of], 2)
