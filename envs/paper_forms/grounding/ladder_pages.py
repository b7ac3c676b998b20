"""Small painted pages for stock learners: a ladder of levels, each harder to ground than the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from ...core.asset_cache import cached
from ...core.grounding import GroundingTarget
from ...core.painting import Gray, Image, read_only
from ...core.tasks import EndlessTasks
from ...core.text_sprites import TYPED_FACE, font
from .grounding_pages import Domain, Split

_PAPER, _INK, _FAINT = 255, 0, 150
_LETTERS = 9
"""The size of the print in pixels."""
_ROW = 14
"""The height of a row with a label and its blank."""
_PAGES = {"dev": 200, "test": 400}
"""How many pages a split has that is not endless."""
_WORDS = ("Name", "Date", "City", "Sum", "Phone", "Email", "Bank", "Trade", "Street", "VAT", "Rent", "Unit")


@dataclass(frozen=True)
class Level:
    """What the pages of a level look like.

    Attributes:
        size: height and width in pixels.
        words: that labels are drawn from.
        rows: the fewest and the most rows of a column.
        columns: beside each other; with more than one, labels stand above their blanks or left of them.
        sections: printed headings, one above another, each with rows of its own; names end with theirs.
    """

    size: tuple[int, int]
    words: Sequence[str] = ()
    rows: tuple[int, int] = (1, 1)
    columns: int = 1
    sections: Sequence[str] = ("",)


LEVELS: Sequence[Level] = (
    Level((48, 48)),
    Level((48, 64), _WORDS[:4], (3, 3)),
    Level((64, 128), _WORDS, (2, 4), columns=2),
    Level((128, 128), _WORDS, (2, 4), columns=2, sections=("Buyer", "Seller")),
)
"""A blank alone; words beside blanks; two columns of these; two sections with the same words."""


class LadderPages(Domain):
    """The pages of a level below the last. The words are the same in all splits; the pages are not.

    Args:
        level: an index of ``LEVELS``.
        split: of the pages; endless in the train split.
        secret: of the train split, another number gives other pages.
    """

    def __init__(self, level: int, split: Split, secret: int) -> None:
        super().__init__(split)
        self._level, self._secret = level, secret
        self.canvas = LEVELS[level].size
        group = f"level_{level}"
        self.task_ids = EndlessTasks((group,))
        if split != "train":
            self.task_ids = tuple(f"{group}/{split}_{number}" for number in range(_PAGES[split]))

    def image(self, name: str) -> Image:
        """The painted page."""
        return read_only(np.repeat(_painted(self._level, self._seed(name))[0][:, :, None], 3, axis=2))

    def targets(self, name: str) -> Sequence[GroundingTarget]:
        """All blanks of the page."""
        return _painted(self._level, self._seed(name))[1]

    def names(self, split: Split) -> Iterable[str]:
        """None: every word is asked for in every split."""
        return ()

    def _seed(self, name: str) -> tuple[int, ...]:
        split, _, number = name.rpartition("_")
        # Of other lengths, so that no two splits share a seed.
        return (int(number), self._secret, 1) if not split else (int(number), 2 if split == "dev" else 3)


@cached
def _painted(level: int, seed: tuple[int, ...]) -> tuple[Gray, tuple[GroundingTarget, ...]]:
    """Grey pixels and targets of a page."""
    look, rng = LEVELS[level], np.random.default_rng((level, *seed))
    page = np.full(look.size, _PAPER, np.uint8)
    targets: list[GroundingTarget] = []
    if not look.words:
        return page, (_blank_alone(page, rng),)
    height, width = look.size[0] // len(look.sections), look.size[1] // look.columns
    for number, section in enumerate(look.sections):
        top = height * number
        if section:
            _write(page, section.upper(), 2, top + 2)
            top += _ROW - 2
        words = iter(rng.permutation(look.words))
        for column in range(look.columns):
            area = width * column, top, width * (column + 1), height * (number + 1)
            targets += _column(page, area, words, section, look.rows, rng)
    return page, tuple(targets)


def _blank_alone(page: NDArray[np.uint8], rng: np.random.Generator) -> GroundingTarget:
    """A framed blank anywhere."""
    height, width = int(rng.integers(8, 13)), int(rng.integers(16, 29))
    top, left = (int(rng.integers(1, page.shape[i] - side - 1)) for i, side in enumerate((height, width)))
    box = left, top, left + width, top + height
    _frame(page, box)
    return GroundingTarget("Blank", box, "line")


def _column(
    page: NDArray[np.uint8],
    area: tuple[int, int, int, int],
    words: Iterable[str],
    section: str,
    rows: tuple[int, int],
    rng: np.random.Generator,
) -> list[GroundingTarget]:
    """Rows of a label and its blank, spread over an area of the page."""
    left, top, right, bottom = area
    count = min(int(rng.integers(rows[0], rows[1] + 1)), (bottom - top) // _ROW)
    slack = np.sort(rng.integers(0, bottom - top - count * _ROW + 1, count))
    framed = rng.random() < 0.5
    targets = []
    for number, word in zip(range(count), words, strict=False):
        y = top + number * _ROW + int(slack[number])
        _write(page, word, left + 2, y + 2)
        box = left + 31, y + 1, right - int(rng.integers(2, 7)), y + _ROW - 2
        _frame(page, box) if framed else _underline(page, box)
        targets.append(GroundingTarget(f"{word} | {section}" if section else word, box, "line"))
    return targets


def _frame(page: NDArray[np.uint8], box: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = box
    page[top:bottom, left:right] = _INK
    page[top + 1 : bottom - 1, left + 1 : right - 1] = _PAPER


def _underline(page: NDArray[np.uint8], box: tuple[int, int, int, int]) -> None:
    page[box[3] - 2, box[0] : box[2]] = _INK


def _write(page: NDArray[np.uint8], text: str, left: int, top: int) -> None:
    mask = _print(str(text))
    place = page[top : top + mask.shape[0], left : left + mask.shape[1]]
    np.minimum(place, mask[: place.shape[0], : place.shape[1]], out=place)


@lru_cache(maxsize=64)
def _print(text: str) -> Gray:
    """A word in black on white."""
    mask, _ = font(TYPED_FACE, _LETTERS).getmask2(text, "L", anchor="lt")
    return 255 - np.frombuffer(bytes(mask), np.uint8).reshape(mask.size[1], mask.size[0])


def _ladder_pages(level: int, split: Split, secret: int, _root: str | None) -> Domain:
    return LadderPages(level, split, secret)


LADDER: Mapping[str, Callable[[Split, int, str | None], Domain]] = {
    f"level_{level}": partial(_ladder_pages, level) for level in range(len(LEVELS))
}
"""Makes the pages of a level from split and secret; see ``DOMAINS``."""
