"""Wear: what scanners, copiers, fax machines and rubbers do to a page, and where its boxes go meanwhile."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from ...envs.core.locators import Box
from ...envs.paper_forms.scans.degradation import MACHINES
from ..examples import Gray
from .blanks import overlap
from .rng_utils import Dice

_MOST_SKEW = 1.5


class Slip(NamedTuple):
    """How a page lies on the glass.

    Attributes:
        angle: in degrees, counter-clockwise about the page's middle.
        right, down: the shift, in pixels.
    """

    angle: float
    right: int
    down: int

    def laid(self, page: Gray) -> Gray:
        """The page as it lies; what comes in at the edges is white."""
        if self == (0.0, 0, 0):
            return page
        turned = Image.fromarray(page).rotate(
            self.angle, Image.Resampling.BILINEAR, translate=(self.right, self.down), fillcolor=255
        )
        return np.asarray(turned)

    def moved(self, box: Box, size: tuple[int, int], grow: bool = True) -> Box:
        """Where a box of a page of ``size`` (height, width) has slipped to.

        With ``grow`` it becomes the envelope of its turned corners, else it stays as large as it was.
        """
        cos, sin = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        middle_x, middle_y = size[1] / 2, size[0] / 2
        x, y = (box[0] + box[2]) / 2 - middle_x, (box[1] + box[3]) / 2 - middle_y
        wide, high = (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
        x, y = x * cos + y * sin + self.right + middle_x, -x * sin + y * cos + self.down + middle_y
        if grow:
            wide, high = wide * cos + high * abs(sin), wide * abs(sin) + high * cos
        return x - wide, y - high, x + wide, y + high


def slip(dice: Dice, most: float = _MOST_SKEW) -> Slip:
    """How a page lies, drawn: straight in a third of all cases, seldom more than a degree askew."""
    if dice.chance(0.35):
        return Slip(0.0, 0, 0)
    angle = float(np.clip(dice.rng.normal(0, 0.45), -most, most))
    return Slip(angle, dice.count(-6, 6), dice.count(-6, 6))


# -- What machines do ----------------------------------------------------------------------------------------------


def clean(page: Gray, dice: Dice) -> Gray:
    """As it was drawn."""
    return page


def bilevel(page: Gray, dice: Dice) -> Gray:
    """Black and white with ragged edges, then made smaller: white stays white, strokes are dark."""
    soft = _blurred(page, dice.between(0.45, 0.85)).astype(np.float32)
    middle, slope = dice.between(120, 205), dice.between(3, 9)
    # More noise would blacken white paper, which real scanners of this kind do not.
    ragged = soft + _noise(page.shape, dice, dice.between(4, (255 - middle) / 3.8))
    return _gray((ragged - middle) * slope + 128)


def coarse(page: Gray, dice: Dice) -> Gray:
    """Of low resolution, made larger again."""
    height, width = page.shape
    share = dice.between(0.5, 0.8)
    picture = Image.fromarray(page).resize((round(width * share), round(height * share)), Image.Resampling.BOX)
    return bilevel(np.asarray(picture.resize((width, height), Image.Resampling.BICUBIC)), dice)


def faded(page: Gray, dice: Dice) -> Gray:
    """Letters and rules broken where the ink was thin."""
    height, width = page.shape
    small = dice.rng.normal(0, 1, (height // 7 + 1, width // 7 + 1)).astype(np.float32)
    patches = np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BILINEAR))
    lost = page.astype(np.float32) + np.clip(patches - dice.between(1.0, 1.9), 0, 1) * 400
    return bilevel(_gray(lost), dice)


def soft(page: Gray, dice: Dice) -> Gray:
    """Gray paper, blurred, packed as JPEG."""
    paper, ink = dice.between(225, 255), dice.between(0, 90)
    gray = ink + (paper - ink) * (_blurred(page, dice.between(0.4, 1.0)).astype(np.float32) / 255)
    return _packed(_gray(gray + _noise(page.shape, dice, dice.between(0, 6))), dice.count(30, 80))


def _by(machine: str) -> Callable[[Gray, Dice], Gray]:
    def through(page: Gray, dice: Dice) -> Gray:
        return MACHINES[machine](page, dice.rng)

    return through


LOOKS: dict[Callable[[Gray, Dice], Gray], float] = {
    clean: 22,
    bilevel: 42,
    coarse: 8,
    faded: 6,
    soft: 8,
    **{_by(machine): 3 for machine in MACHINES},
}
"""What a page goes through, and how often."""


def worn(page: Gray, dice: Dice) -> Gray:
    """The page after one machine; scanned ones have dirt and dark edges too."""
    look = dice.weighted(LOOKS)
    seen = np.array(look(page, dice))
    if look is clean:
        return seen
    _speckle(seen, dice)
    if dice.chance(0.35):
        _darken_edges(seen, dice)
    return seen


def _speckle(page: Gray, dice: Dice) -> None:
    """Dirt, mostly near the edges of the page."""
    height, width = page.shape
    for _ in range(int(dice.rng.poisson(dice.pick([1, 4, 12, 40])))):
        size = dice.pick([1, 1, 2, 2, 3])
        x = dice.count(0, width) if dice.chance(0.5) else round(abs(dice.rng.normal(0, 0.06)) * width)
        y = dice.count(0, height - 1)
        page[y : y + size, x : x + size + dice.count(-1, 2)] = dice.count(0, 110)


def _darken_edges(page: Gray, dice: Dice) -> None:
    """Black along edges of the page, where the paper ended on the glass."""
    height, width = page.shape
    for edge in range(4):
        if dice.chance(0.55):
            continue
        depth = dice.pick([1, 2, 3, 6, 14])
        along = height if edge % 2 else width
        begin, end = sorted((dice.count(0, along), dice.count(0, along)))
        strip = page if edge % 2 == 0 else page.T
        strip = strip if edge < 2 else strip[::-1]
        away = dice.pick([0, 0, 4, 12])
        strip[away : away + depth, begin:end] = dice.count(0, 60)


# -- What rubbers do -----------------------------------------------------------------------------------------------


def erased(page: Gray, boxes: Sequence[Box], printed: Sequence[Box], dice: Dice) -> Gray:
    """The page as if answers had stood in ``boxes`` and been removed, and as often elsewhere, so that no trace tells.

    The boxes are filled with the shade of the paper; in some the rules are lost, in some a little ink is left. What is
    ``printed`` stays.
    """
    height, width = page.shape
    rubbed = page.copy()
    paper = float(np.percentile(page[::7, ::7], 75))
    spread, wipes = dice.pick([0.0, 0.0, 2.0, 5.0]), dice.chance(0.4)
    for box in [*boxes, *_decoys(boxes, [*boxes, *printed], (height, width), dice)]:
        left, top, right, bottom = (max(round(edge), 0) for edge in box)
        region = rubbed[top:bottom, left:right]
        if not region.size:
            continue
        fill = _gray(paper + dice.rng.normal(0, spread, region.shape))
        region[...] = np.where((region > 140) | (wipes and dice.chance(0.5)), fill, region)
        if dice.chance(0.06):
            rubbed[min(bottom, height - 1), left : left + dice.count(1, 4)] = dice.count(0, 120)
    return rubbed


def _decoys(boxes: Sequence[Box], taken: Sequence[Box], size: tuple[int, int], dice: Dice) -> list[Box]:
    """Boxes like the given ones, elsewhere, clear of what is ``taken``."""
    found: list[Box] = []
    for box in boxes:
        right, down = dice.between(-0.8, 0.8) * size[1], dice.between(-0.3, 0.3) * size[0]
        moved = (box[0] + right, box[1] + down, box[2] + right, box[3] + down)
        inside = moved[0] > 0 and moved[1] > 0 and moved[2] < size[1] and moved[3] < size[0]
        if inside and not any(overlap(moved, other) for other in taken):
            found.append(moved)
    return found


# -- Helpers -------------------------------------------------------------------------------------------------------


def _gray(values: NDArray[np.floating]) -> Gray:
    clipped: Gray = np.clip(values, 0, 255).astype(np.uint8)
    return clipped


def _noise(shape: tuple[int, ...], dice: Dice, deviation: float) -> NDArray[np.float32]:
    return dice.rng.standard_normal(shape, np.float32) * np.float32(deviation)


def _blurred(page: Gray, radius: float) -> Gray:
    return np.asarray(Image.fromarray(page).filter(ImageFilter.GaussianBlur(radius)))


def _packed(page: Gray, quality: int) -> Gray:
    file = io.BytesIO()
    Image.fromarray(page).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file).convert("L"))
