"""Wear: what scanners, copiers, fax machines and rubbers do to a page, and where its boxes go meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ...envs.core.locators import Box
from ...envs.core.randomness import Random
from ...envs.paper_forms.scans.degradation import MACHINES, blurred, packed_as_jpeg
from ..examples import Gray
from .canvas import overlap

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


def slip(random: Random, most: float = _MOST_SKEW) -> Slip:
    """How a page lies, drawn: straight in a third of all cases, seldom more than a degree askew."""
    if random.chance(0.35):
        return Slip(0.0, 0, 0)
    angle = float(np.clip(random.rng.normal(0, 0.45), -most, most))
    return Slip(angle, random.between(-6, 6), random.between(-6, 6))


# -- What machines do ----------------------------------------------------------------------------------------------


def clean(page: Gray, random: Random) -> Gray:
    """As it was drawn."""
    return page


def bilevel(page: Gray, random: Random) -> Gray:
    """Black and white with ragged edges, then made smaller: white stays white, strokes are dark."""
    soft = blurred(page, random.uniform(0.45, 0.85)).astype(np.float32)
    middle, slope = random.uniform(120, 205), random.uniform(3, 9)
    # More noise would blacken white paper, which real scanners of this kind do not.
    ragged = soft + _noise(page.shape, random, random.uniform(4, (255 - middle) / 3.8))
    return _gray((ragged - middle) * slope + 128)


def coarse(page: Gray, random: Random) -> Gray:
    """Of low resolution, made larger again."""
    height, width = page.shape
    share = random.uniform(0.5, 0.8)
    picture = Image.fromarray(page).resize((round(width * share), round(height * share)), Image.Resampling.BOX)
    return bilevel(np.asarray(picture.resize((width, height), Image.Resampling.BICUBIC)), random)


def faded(page: Gray, random: Random) -> Gray:
    """Letters and rules broken where the ink was thin."""
    height, width = page.shape
    small = random.rng.normal(0, 1, (height // 7 + 1, width // 7 + 1)).astype(np.float32)
    patches = np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BILINEAR))
    lost = page.astype(np.float32) + np.clip(patches - random.uniform(1.0, 1.9), 0, 1) * 400
    return bilevel(_gray(lost), random)


def soft(page: Gray, random: Random) -> Gray:
    """Gray paper, blurred, packed as JPEG."""
    paper, ink = random.uniform(225, 255), random.uniform(0, 90)
    gray = ink + (paper - ink) * (blurred(page, random.uniform(0.4, 1.0)).astype(np.float32) / 255)
    return packed_as_jpeg(_gray(gray + _noise(page.shape, random, random.uniform(0, 6))), random.between(30, 80))


def _by(machine: str) -> Callable[[Gray, Random], Gray]:
    def through(page: Gray, random: Random) -> Gray:
        return MACHINES[machine](page, random.rng)

    return through


LOOKS: dict[Callable[[Gray, Random], Gray], float] = {
    clean: 22,
    bilevel: 42,
    coarse: 8,
    faded: 6,
    soft: 8,
    **{_by(machine): 3 for machine in MACHINES},
}
"""What a page goes through, and how often."""


def worn(page: Gray, random: Random) -> Gray:
    """The page after one machine; scanned ones have dirt and dark edges too."""
    look = random.weighted(LOOKS)
    seen = np.array(look(page, random))
    if look is clean:
        return seen
    _speckle(seen, random)
    if random.chance(0.35):
        _darken_edges(seen, random)
    return seen


def _speckle(page: Gray, random: Random) -> None:
    """Dirt, mostly near the edges of the page."""
    height, width = page.shape
    for _ in range(int(random.rng.poisson(random.choice([1, 4, 12, 40])))):
        size = random.choice([1, 1, 2, 2, 3])
        x = random.between(0, width) if random.chance(0.5) else round(abs(random.rng.normal(0, 0.06)) * width)
        y = random.between(0, height - 1)
        page[y : y + size, x : x + size + random.between(-1, 2)] = random.between(0, 110)


def _darken_edges(page: Gray, random: Random) -> None:
    """Black along edges of the page, where the paper ended on the glass."""
    height, width = page.shape
    for edge in range(4):
        if random.chance(0.55):
            continue
        depth = random.choice([1, 2, 3, 6, 14])
        along = height if edge % 2 else width
        begin, end = sorted((random.between(0, along), random.between(0, along)))
        strip = page if edge % 2 == 0 else page.T
        strip = strip if edge < 2 else strip[::-1]
        away = random.choice([0, 0, 4, 12])
        strip[away : away + depth, begin:end] = random.between(0, 60)


# -- What rubbers do -----------------------------------------------------------------------------------------------


def erased(page: Gray, boxes: Sequence[Box], printed: Sequence[Box], random: Random) -> Gray:
    """The page as if answers had stood in ``boxes`` and been removed, and as often elsewhere, so that no trace tells.

    The boxes are filled with the shade of the paper; in some the rules are lost, in some a little ink is left. What is
    ``printed`` stays.
    """
    height, width = page.shape
    rubbed = page.copy()
    paper = float(np.percentile(page[::7, ::7], 75))
    spread, wipes = random.choice([0.0, 0.0, 2.0, 5.0]), random.chance(0.4)
    for box in [*boxes, *_decoys(boxes, [*boxes, *printed], (height, width), random)]:
        left, top, right, bottom = (max(round(edge), 0) for edge in box)
        region = rubbed[top:bottom, left:right]
        if not region.size:
            continue
        fill = _gray(paper + random.rng.normal(0, spread, region.shape))
        region[...] = np.where((region > 140) | (wipes and random.chance(0.5)), fill, region)
        if random.chance(0.06):
            rubbed[min(bottom, height - 1), left : left + random.between(1, 4)] = random.between(0, 120)
    return rubbed


def _decoys(boxes: Sequence[Box], taken: Sequence[Box], size: tuple[int, int], random: Random) -> list[Box]:
    """Boxes like the given ones, elsewhere, clear of what is ``taken``."""
    found: list[Box] = []
    for box in boxes:
        right, down = random.uniform(-0.8, 0.8) * size[1], random.uniform(-0.3, 0.3) * size[0]
        moved = (box[0] + right, box[1] + down, box[2] + right, box[3] + down)
        inside = moved[0] > 0 and moved[1] > 0 and moved[2] < size[1] and moved[3] < size[0]
        if inside and not any(overlap(moved, other) for other in taken):
            found.append(moved)
    return found


# -- Helpers -------------------------------------------------------------------------------------------------------


def _gray(values: NDArray[np.floating]) -> Gray:
    clipped: Gray = np.clip(values, 0, 255).astype(np.uint8)
    return clipped


def _noise(shape: tuple[int, ...], random: Random, deviation: float) -> NDArray[np.float32]:
    return random.rng.standard_normal(shape, np.float32) * np.float32(deviation)
