"""Damage: what scanners, copiers, fax machines and erasers do to a training page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image

from ...core.boxes import Box, are_near, shift
from ...core.painting import Gray
from ...core.randomness import Sampler
from ..scans.degradation import MACHINES, Skew, blurred, mottled, packed_as_jpeg, speckled
from .page_settings import settings

_MAX_SKEW = 1.5


def draw_skew(random: Sampler) -> Skew:
    """A random skew of a page: none in a third of cases, rarely more than a degree."""
    if random.chance(0.35):
        return Skew(0.0, (0, 0))
    angle = float(np.clip(random.rng.normal(0, 0.45), -_MAX_SKEW, _MAX_SKEW))
    return Skew(angle, (random.between(-6, 6), random.between(-6, 6)))


def damaged(page: Gray, random: Sampler) -> Gray:
    """The page after a random damage of ``settings().damage``.

    All but clean pages also have dirt and may have dark edges.
    """
    name = random.weighted(settings().damage)
    if name == "clean":
        return page
    machine = MACHINES.get(name)
    result = machine(page, random.rng) if machine else DAMAGE[name](page, random)
    result = speckled(result, random.rng, random.choice([1, 4, 12, 40]))
    if random.chance(0.35):
        _darken_edges(result, random)
    return result


# -- Damage by machines, besides those of the scans --------------------------------------------------------------------


def _bilevel(page: Gray, random: Sampler) -> Gray:
    """Black and white with ragged edges: white stays white, strokes are dark."""
    soft = blurred(page, random.uniform(0.45, 0.85)).astype(np.float32)
    middle, slope = random.uniform(120, 205), random.uniform(3, 9)
    # More noise would blacken white paper, which real scanners of this kind do not.
    noise = random.rng.standard_normal(page.shape, np.float32) * random.uniform(4, (255 - middle) / 3.8)
    return np.clip((soft + noise - middle) * slope + 128, 0, 255).astype(np.uint8)


def _coarse(page: Gray, random: Sampler) -> Gray:
    """A page scanned at low resolution and enlarged again."""
    picture, share = Image.fromarray(page), random.uniform(0.5, 0.8)
    small = picture.resize((round(picture.width * share), round(picture.height * share)), Image.Resampling.BOX)
    return _bilevel(np.asarray(small.resize(picture.size, Image.Resampling.BICUBIC)), random)


def _faded(page: Gray, random: Sampler) -> Gray:
    """A page with letters and rules broken where the ink was thin."""
    lost = np.clip(mottled(page.shape, random.rng, 1.0, grain=7) - random.uniform(1.0, 1.9), 0, 1)
    return _bilevel(np.clip(page + 400 * lost, 0, 255).astype(np.uint8), random)


def _soft(page: Gray, random: Sampler) -> Gray:
    """A blurred page on gray paper, compressed as JPEG."""
    paper, ink = random.uniform(225, 255), random.uniform(0, 90)
    gray = ink + (paper - ink) * (blurred(page, random.uniform(0.4, 1.0)).astype(np.float32) / 255)
    gray += random.rng.standard_normal(page.shape, np.float32) * random.uniform(0, 6)
    return packed_as_jpeg(np.clip(gray, 0, 255).astype(np.uint8), random.between(30, 80))


DAMAGE: dict[str, Callable[[Gray, Sampler], Gray]] = {
    "bilevel": _bilevel,
    "coarse": _coarse,
    "faded": _faded,
    "soft": _soft,
}
"""Kinds of damage besides ``MACHINES``; ``pages.json`` has their frequencies."""


def _darken_edges(page: Gray, random: Sampler) -> None:
    """Draw black along edges of the page, where the paper ended on the glass."""
    for turns in range(4):
        side = np.rot90(page, turns)
        if random.chance(0.55):
            continue
        begin, end = sorted((random.between(0, side.shape[1]), random.between(0, side.shape[1])))
        away = random.choice([0, 0, 4, 12])
        side[away : away + random.choice([1, 2, 3, 6, 14]), begin:end] = random.between(0, 60)


# -- Traces of erasing -------------------------------------------------------------------------------------------------


def erased(page: Gray, boxes: Sequence[Box], printed: Sequence[Box], random: Sampler) -> Gray:
    """The page with traces of erasing in ``boxes`` and in as many other places.

    So a trace does not show where a field is. The boxes are filled with the shade of the paper; in some the rules are
    lost, in some a little ink is left. The ``printed`` words stay.
    """
    height, width = page.shape
    result = page.copy()
    paper = float(np.percentile(page[::7, ::7], 75))
    spread, wipes = random.choice([0.0, 0.0, 2.0, 5.0]), random.chance(0.4)
    for box in [*boxes, *_decoys(boxes, [*boxes, *printed], (height, width), random)]:
        left, top, right, bottom = (max(round(edge), 0) for edge in box)
        region = result[top:bottom, left:right]
        if not region.size:
            continue
        fill = np.clip(paper + random.rng.normal(0, spread, region.shape), 0, 255).astype(np.uint8)
        region[...] = np.where((region > 140) | (wipes and random.chance(0.5)), fill, region)
        if random.chance(0.06):
            result[min(bottom, height - 1), left : left + random.between(1, 4)] = random.between(0, 120)
    return result


def _decoys(boxes: Sequence[Box], taken: Sequence[Box], size: tuple[int, int], random: Sampler) -> list[Box]:
    """Boxes of the same sizes in other places that do not overlap ``taken`` ones."""
    found: list[Box] = []
    for box in boxes:
        right, down = random.uniform(-0.8, 0.8) * size[1], random.uniform(-0.3, 0.3) * size[0]
        moved = shift(box, right, down)
        inside = moved[0] > 0 and moved[1] > 0 and moved[2] < size[1] and moved[3] < size[0]
        if inside and not any(are_near(moved, other) for other in taken):
            found.append(moved)
    return found
