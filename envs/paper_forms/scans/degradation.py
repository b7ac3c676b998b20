"""Degrade a clean page like a fax, photocopy, scan or carbon copy, from a seed."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage
from PIL import ImageFilter

from ...core.painting import Gray

_MAX_SKEW = 1.6
_MAX_SHIFT = 9
_MIN_RULE = 41
"""A stroke of at least this many pixels is a rule, not part of a letter."""
_LEVELS = 16
"""The number of shades of gray, small so that a page compresses well."""


@dataclass(frozen=True)
class Skew:
    """The position of a page on the scanner's glass.

    Attributes:
        angle: in degrees, counter-clockwise about the page's middle.
        shift: right and down, in pixels.
    """

    angle: float
    shift: tuple[int, int]

    def applied(self, page: Gray) -> Gray:
        """The page rotated and shifted; new pixels at the edges are white."""
        picture = PillowImage.fromarray(page)
        turned = picture.rotate(self.angle, PillowImage.Resampling.BICUBIC, translate=self.shift, fillcolor=255)
        return np.asarray(turned)

    def moved(
        self, box: tuple[float, float, float, float], size: tuple[int, int], grow: bool = False
    ) -> tuple[float, float, float, float]:
        """The place of a box after the skew, upright; ``size`` is of the page.

        With ``grow`` it becomes the envelope of its rotated corners, else it keeps its size.
        """
        left, top, right, bottom = box
        x, y = (left + right) / 2 - size[1] / 2, (top + bottom) / 2 - size[0] / 2
        cos, sin = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        dx = x * cos + y * sin + self.shift[0] - x
        dy = -x * sin + y * cos + self.shift[1] - y
        width, height = right - left, bottom - top
        right_by, down_by = (
            (height * abs(sin) + width * (cos - 1), width * abs(sin) + height * (cos - 1)) if grow else (0, 0)
        )
        return left + dx - right_by / 2, top + dy - down_by / 2, right + dx + right_by / 2, bottom + dy + down_by / 2


@dataclass(frozen=True)
class Degradation(Skew):
    """The damage to a page: its skew and the machine it went through.

    Attributes:
        machine: a name in ``MACHINES``.
        seed: of the machine's damage.
    """

    machine: str
    seed: int

    @staticmethod
    def drawn(rng: np.random.Generator) -> Degradation:
        """A random degradation."""
        angle = float(rng.uniform(-_MAX_SKEW, _MAX_SKEW))
        dx, dy = (int(n) for n in rng.integers(-_MAX_SHIFT, _MAX_SHIFT + 1, 2))
        machine = list(MACHINES)[int(rng.integers(len(MACHINES)))]
        return Degradation(angle, (dx, dy), machine, int(rng.integers(2**31)))

    def applied(self, page: Gray) -> Gray:
        """The degraded page: of the same shape, in 16 shades."""
        rng = np.random.default_rng(self.seed)
        page = MACHINES[self.machine](super().applied(page), rng)
        step = 255 / (_LEVELS - 1)
        shades: Gray = np.round(np.round(page / step) * step).astype(np.uint8)
        return shades


# -- What machines do ----------------------------------------------------------------------------------------------


def _faxed(page: Gray, rng: np.random.Generator) -> Gray:
    """Black and white only, with vertical streaks, and often only every other line."""
    page = _streaked(_broken(page, rng, 0.35), rng)
    height, width = page.shape
    coarse = np.repeat(page[::2], 2, axis=0)[:height] if rng.random() < 0.5 else page
    threshold = rng.uniform(135, 175) + rng.normal(0, 14, (height, width))
    bilevel: Gray = np.where(blurred(coarse, 0.5) < threshold, 0, 255).astype(np.uint8)
    return speckled(bilevel, rng, 25)


def _photocopied(page: Gray, rng: np.random.Generator) -> Gray:
    """Hard contrast, dirt, a shadow along an edge, and holes punched at the left."""
    page = speckled(_broken(page, rng, 0.2), rng, 60)
    soft = blurred(page, rng.uniform(0.6, 0.9)).astype(np.float64)
    contrast = np.clip((soft - 128) * rng.uniform(1.4, 2.0) + rng.uniform(130, 150), 0, 255)
    shaded = contrast - _edge_shadow(page.shape, rng)
    return _punched(np.clip(shaded + rng.normal(0, 5, page.shape), 0, 255).astype(np.uint8), rng)


def _scanned(page: Gray, rng: np.random.Generator) -> Gray:
    """Gray paper through which the other side shines, blurred and saved as JPEG."""
    mirrored = np.roll(page[:, ::-1], tuple(rng.integers(-60, 60, 2)), (0, 1))
    bleed = (255 - blurred(mirrored, 1.6)).astype(np.float64) * rng.uniform(0.05, 0.12)
    paper = rng.uniform(225, 250)
    mixed = paper * (1 - rng.uniform(0.85, 0.95) * (1 - page / 255)) - bleed
    soft = blurred(np.clip(mixed, 0, 255).astype(np.uint8), rng.uniform(0.4, 0.8))
    return packed_as_jpeg(speckled(soft, rng, 15), int(rng.integers(30, 65)))


def _typed_carbon(page: Gray, rng: np.random.Generator) -> Gray:
    """A carbon copy: pale, uneven, slightly blurred ink, with punched holes."""
    ink = (255 - blurred(page, rng.uniform(0.7, 1.1))).astype(np.float64)
    uneven = 0.72 + mottled(page.shape, rng, 0.16)
    paper = rng.uniform(228, 245) + rng.normal(0, 4, page.shape)
    return _punched(np.clip(paper - ink * uneven, 0, 255).astype(np.uint8), rng)


MACHINES: dict[str, Callable[[Gray, np.random.Generator], Gray]] = {
    "fax": _faxed,
    "photocopier": _photocopied,
    "scanner": _scanned,
    "carbon copy": _typed_carbon,
}
"""The degradation of each machine, by name."""


# -- What they are made of -----------------------------------------------------------------------------------------


def blurred(page: Gray, radius: float) -> Gray:
    """The page after a Gaussian blur; ``radius`` in pixels."""
    return np.asarray(PillowImage.fromarray(page).filter(ImageFilter.GaussianBlur(radius)))


def _broken(page: Gray, rng: np.random.Generator, share: float) -> Gray:
    """The page with gaps in its rules: long horizontal strokes lose patches of ink."""
    long = long_runs(page < 140, _MIN_RULE)
    noise = mottled(page.shape, rng, 1.0, grain=9)
    left: Gray = np.where(long & (noise > np.quantile(noise, 1 - share)), 255, page).astype(np.uint8)
    return left


def long_runs(ink: NDArray[np.bool_], shortest: int) -> NDArray[np.bool_]:
    """The ink in horizontal runs of at least ``shortest`` pixels."""
    if ink.shape[1] < shortest or not ink.any():
        return np.zeros_like(ink)
    sums = np.pad(ink.cumsum(axis=1, dtype=np.int32), ((0, 0), (1, 0)))
    full = (sums[:, shortest:] - sums[:, :-shortest]) == shortest
    # A window full of ink begins in each of these columns: all pixels in it are part of a run.
    counts = np.pad(full.cumsum(axis=1, dtype=np.int32), ((0, 0), (shortest, shortest - 1)), mode="constant")
    counts[:, full.shape[1] + shortest :] = counts[:, full.shape[1] + shortest - 1][:, None]
    covered: NDArray[np.bool_] = (counts[:, shortest:] - counts[:, : ink.shape[1]]) > 0
    return covered


def mottled(shape: tuple[int, ...], rng: np.random.Generator, strength: float, grain: int = 40) -> NDArray[np.float64]:
    """Smooth noise about 0 with patches of ``grain`` pixels."""
    height, width = shape
    small = rng.normal(0, 1, (height // grain + 2, width // grain + 2)).astype(np.float32)
    large = PillowImage.fromarray(small).resize((width, height), PillowImage.Resampling.BILINEAR)
    return np.asarray(large, np.float64) * strength


def speckled(page: Gray, rng: np.random.Generator, per_page: int) -> Gray:
    """Dirt: dark dots of one to three pixels."""
    dirty = page.copy()
    for _ in range(int(rng.poisson(per_page))):
        y, x, size = rng.integers(page.shape[0]), rng.integers(page.shape[1]), rng.integers(1, 4)
        dirty[y : y + size, x : x + size] = rng.integers(0, 120)
    return dirty


def _streaked(page: Gray, rng: np.random.Generator) -> Gray:
    """A few vertical lines, dark or white."""
    streaked = page.copy()
    for _ in range(int(rng.integers(0, 4))):
        x = int(rng.integers(page.shape[1]))
        top, bottom = sorted(rng.integers(0, page.shape[0], 2))
        streaked[top:bottom, x] = 255 if rng.random() < 0.6 else 60
    return streaked


def _edge_shadow(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """The darkness to subtract near the left or right side of the page."""
    width = shape[1]
    reach = rng.uniform(10, 40)
    fall = np.exp(-np.arange(width) / reach) * rng.uniform(60, 170)
    return np.broadcast_to(fall if rng.random() < 0.5 else fall[::-1], shape)


def _punched(page: Gray, rng: np.random.Generator) -> Gray:
    """Two or three holes at the left, as dark discs."""
    height, _ = page.shape
    y, x = np.ogrid[:height, : page.shape[1]]
    holes = page.copy()
    at_x, radius = rng.uniform(16, 24), rng.uniform(8, 11)
    for part in (1 / 6, 1 / 2, 5 / 6)[:: int(rng.integers(1, 3))]:
        distance = (x - at_x) ** 2 + (y - part * height - rng.normal(0, 3)) ** 2
        holes[distance < radius**2] = 35
    return holes


def packed_as_jpeg(page: Gray, quality: int) -> Gray:
    """The page after JPEG compression at a quality from 1 to 95."""
    file = io.BytesIO()
    PillowImage.fromarray(page).save(file, "JPEG", quality=quality)
    return np.asarray(PillowImage.open(file).convert("L"))
