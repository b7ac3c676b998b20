"""Annotated pages with their answers erased, cached on disk."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage
from PIL.PngImagePlugin import PngInfo

from ...envs.core.boxes import Rect, union
from ...envs.core.files import atomic_write, cache_folder
from ...envs.core.pages import page_image
from ...envs.core.painting import Gray, Image, Patch
from ...envs.paper_forms.datasets.erase import erased, padded
from ...envs.paper_forms.datasets.rules import CONTRAST, MIN_RULE, Mask, frame_of, ink_in
from ...envs.paper_forms.scans.degradation import long_runs
from .sources import AnswerPart, PageSource

_WHITE = (255, 255, 255)
_BESIDE, _SHADE = 24, 6
"""How far around an answer to look for its rules, and for the shade of the paper."""
_TRIES = 60
"""Random places to try for each decoy."""
_BLANK = 0.003
"""Paper is blank if less than this share of it is ink."""
_CHANGED = 12
"""Pixels that erasing made lighter by this much were ink of the answer."""


@dataclass(frozen=True, eq=False)
class Cleared:
    """A page without its answers.

    Attributes:
        gray: the picture.
        left: for each answer, by its id, the share of its ink that is left, without rules.
    """

    gray: Gray
    left: Mapping[int, float]


def picture_of(source: PageSource) -> Image:
    """The page as it is annotated, uint8 (height, width, 3), read-only.

    Raises:
        ValueError: if it cannot be read.
    """
    try:
        height, width = source.size
        return page_image(source.image, source.canvas, _WHITE)[:height, :width]
    except (OSError, PillowImage.DecompressionBombError) as error:
        raise ValueError(f"{source.image} is no picture that can be read: {error}") from error


def gray_of(page: Image) -> Gray:
    """A page in gray."""
    return np.asarray(PillowImage.fromarray(page).convert("L"))


def cleared(source: PageSource, decoys: bool = False) -> Cleared:
    """The page without any of its answers.

    Rules stay and are repaired. All other print keeps its ink.

    Args:
        source: the page.
        decoys: whether each answer's ink is also put on blank paper somewhere else, and erased there.
    """
    before = picture_of(source)
    pixels = before.copy()
    gone: set[int] = set()
    inks = []
    for part in source.answers:
        gone.add(part.id)
        # Ink left of an answer that is already erased may go too: only the rest is protected.
        patch = erased(pixels, part.boxes, _other_boxes(source, gone))
        inks.append(_ink_of(pixels, patch))
        _paste(pixels, patch)
    gray, full = gray_of(pixels), gray_of(before)
    printed = [box for part in source.parts.values() if part.label != "answer" for box in part.boxes]
    left = {part.id: _ink_left(full, gray, part, printed) for part in source.answers}
    if decoys:
        _add_decoys(pixels, inks, source)
        gray = gray_of(pixels)
    return Cleared(gray, left)


def cleared_of(source: PageSource, part: AnswerPart) -> Cleared:
    """The page without one answer, as environments with ``answers="one"`` show it."""
    before = picture_of(source)
    pixels = before.copy()
    _paste(pixels, erased(pixels, part.boxes, _other_boxes(source, {part.id})))
    gray = gray_of(pixels)
    others = _other_boxes(source, {part.id})
    return Cleared(gray, {part.id: _ink_left(gray_of(before), gray, part, others)})


def _other_boxes(source: PageSource, gone: set[int]) -> list[Rect]:
    return [box for part in source.parts.values() if part.id not in gone for box in part.boxes]


def _paste(pixels: Image, patch: Patch) -> None:
    left, top, right, bottom = patch.rect
    pixels[top:bottom, left:right] = patch.pixels


# -- What is left of an answer ---------------------------------------------------------------------------------------


def _ink_left(before: Gray, after: Gray, part: AnswerPart, others: Sequence[Rect]) -> float:
    """The share of an answer's ink that is left in its boxes, outside other boxes.

    Rules and the frames of tick boxes do not count, nor does the shade of the paper, measured beside the answer.
    """
    rect = union(part.boxes)
    wide = _grown(rect, _BESIDE, before.shape)
    own, foreign = _within(part.boxes, wide), _within(others, wide)
    once, still = (_letters(gray, wide, part.boxes) for gray in (before, after))
    beside = _within([_grown(rect, _SHADE, before.shape)], wide) & ~_within([rect], wide) & ~foreign
    shade = float(still[beside].mean()) if beside.any() else 0.0
    here = own & ~foreign
    ink = int(once[here].sum())
    ink_left = int((once & still)[here].sum()) - shade * int(here.sum())
    return max(0.0, ink_left) / ink if ink else 0.0


def _letters(gray: Gray, window: Rect, boxes: Sequence[Rect]) -> Mask:
    """The ink in a window that is neither a rule nor the frame of a tick box."""
    ink = ink_in(gray, window)
    tallest = max(bottom - top for _, top, _, bottom in boxes)
    rules = long_runs(ink, max(MIN_RULE, round(1.2 * tallest)))
    rules |= long_runs(ink.T, max(MIN_RULE, round(1.6 * tallest))).T
    if len(boxes) == 1:
        left, top, right, bottom = boxes[0]
        rules |= frame_of(ink, (left - window[0], top - window[1], right - window[0], bottom - window[1]))
    # The blurred edges of a rule belong to it.
    edges = rules.copy()
    edges[1:] |= rules[:-1]
    edges[:-1] |= rules[1:]
    edges[:, 1:] |= rules[:, :-1]
    edges[:, :-1] |= rules[:, 1:]
    letters: Mask = ink & ~edges
    return letters


def _grown(rect: Rect, by: int, shape: tuple[int, ...]) -> Rect:
    return max(rect[0] - by, 0), max(rect[1] - by, 0), min(rect[2] + by, shape[1]), min(rect[3] + by, shape[0])


def _within(boxes: Sequence[Rect], rect: Rect) -> Mask:
    left, top, right, bottom = rect
    mask = np.zeros((bottom - top, right - left), np.bool_)
    for box in boxes:
        mask[max(box[1] - top, 0) : max(box[3] - top, 0), max(box[0] - left, 0) : max(box[2] - left, 0)] = True
    return mask


# -- Decoys ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Ink:
    """What was erased: the pixels before, and which of them were ink."""

    pixels: Image
    mask: Mask


def _ink_of(pixels: Image, patch: Patch) -> _Ink:
    left, top, right, bottom = patch.rect
    stood = pixels[top:bottom, left:right].copy()
    lighter: Mask = (patch.pixels.astype(np.int16) - stood).max(axis=2) > _CHANGED
    return _Ink(stood, lighter)


def _add_decoys(pixels: Image, inks: Sequence[_Ink], source: PageSource) -> None:
    """Copy the ink of each answer to blank paper and erase it there, in place.

    Answers without a blank place of their size are left out.
    """
    rng = np.random.default_rng(int(source.content[:12], 16))
    taken = [box for part in source.parts.values() for box in part.boxes]
    for part, ink in zip(source.answers, inks, strict=True):
        rect = padded(part.boxes, source.size)
        place = _blank_place(gray_of(pixels), rect, taken, rng)
        if place is not None:
            dx, dy = place[0] - rect[0], place[1] - rect[1]
            boxes = [(b[0] + dx, b[1] + dy, b[2] + dx, b[3] + dy) for b in part.boxes]
            _write_and_erase(pixels, ink, place, boxes, taken)
            taken.append(place)


def _write_and_erase(pixels: Image, ink: _Ink, place: Rect, boxes: Sequence[Rect], taken: Sequence[Rect]) -> None:
    """Write ink and erase it again; restore the blank paper if some of it is left."""
    area = pixels[place[1] : place[3], place[0] : place[2]]
    blank = area.copy()
    area[ink.mask] = ink.pixels[ink.mask]
    _paste(pixels, erased(pixels, boxes, taken))
    if ink_in(gray_of(pixels), place).mean() >= _BLANK:
        area[:] = blank


def _blank_place(gray: Gray, rect: Rect, taken: Sequence[Rect], rng: np.random.Generator) -> Rect | None:
    """A random blank rectangle of the size of ``rect`` that overlaps nothing."""
    width, height = rect[2] - rect[0], rect[3] - rect[1]
    boxes = np.array(taken, np.float64).reshape(-1, 4)
    # Scans may have black margins, which are no paper.
    paper = float(np.percentile(gray, 80))
    for _ in range(_TRIES):
        left = int(rng.integers(0, max(1, gray.shape[1] - width)))
        top = int(rng.integers(0, max(1, gray.shape[0] - height)))
        place = left, top, left + width, top + height
        apart = (boxes[:, 0] >= place[2]) | (boxes[:, 2] <= left) | (boxes[:, 1] >= place[3]) | (boxes[:, 3] <= top)
        light = gray[top : top + height, left : left + width] > paper - CONTRAST
        if apart.all() and light.mean() > 0.5 and ink_in(gray, place).mean() < _BLANK:
            return place
    return None


_VERSION = 7
"""To be raised whenever the pages or their file format change."""
_LEFT = "ink left of the answers"


def kept_cleared(source: PageSource, decoys: bool = False) -> Cleared:
    """``cleared``, from the cache folder if the page has been erased before."""
    file = cache_folder() / f"fieldfinder-{_VERSION}" / f"{source.content[:32]}{'-decoys' * decoys}.png"
    kept = _read(file)
    if kept is None:
        kept = cleared(source, decoys)
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(file, _as_png(kept))
    return kept


def _read(file: Path) -> Cleared | None:
    """The page in a file; ``None`` if it is missing or broken."""
    try:
        with PillowImage.open(file) as picture:
            left = json.loads(picture.info[_LEFT])
            return Cleared(np.asarray(picture), {int(key): float(share) for key, share in left.items()})
    except (OSError, KeyError, ValueError, SyntaxError):
        return None


def _as_png(made: Cleared) -> bytes:
    """A page as PNG, with the ink left of its answers in a comment."""
    comment = PngInfo()
    comment.add_text(_LEFT, json.dumps(dict(made.left)))
    file = io.BytesIO()
    PillowImage.fromarray(made.gray).save(file, "PNG", pnginfo=comment)
    return file.getvalue()
