"""Generate training pages from seeds, and draw their known boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from PIL import Image, ImageDraw

from ...core.boxes import Box, union
from ...core.randomness import Random
from ..examples import Example, ExamplePage, Word
from ..scans.degradation import Skew
from . import augmentation, vocabulary
from .block_painters import block
from .field_extent import field_of
from .page_canvas import Area, Block, Canvas, Draft
from .page_decorations import MARKS, letterhead, title
from .page_settings import Genre, settings
from .style import draw_style

_ENGLISH = 0.88
_ERASED = 0.35
_FAILURES = 5
_LABEL, _BOX, _FIELD = (30, 60, 255), (255, 0, 0), (0, 170, 0)


def page(seed: int | Sequence[int], genre: str | None = None) -> ExamplePage:
    """A random page with empty fields, the same for the same seed.

    Args:
        seed: 0 or more; several numbers make one seed.
        genre: of ``settings().genres``; ``None``: drawn.

    Raises:
        ValueError: there is no such genre.
    """
    genres = settings().genres
    if genre is not None and genre not in genres:
        raise ValueError(f'there is no genre "{genre}"; there are: {", ".join(genres)}')
    random = Random(np.random.default_rng(seed))
    genre = genre or random.weighted({name: one.share for name, one in genres.items()})
    canvas = _blank_page(random, settings().dense_page_widths if genre == "application" else settings().page_widths)
    _compose(canvas, genres[genre])
    skew, size = augmentation.draw_skew(random), (canvas.height, canvas.width)
    gray = augmentation.damaged(skew.applied(np.asarray(canvas.picture)), random)
    # Of targets with the same name only the first is kept.
    drafts = {draft.target.lower(): draft for draft in reversed(canvas.drafts)}
    examples = [_example(canvas, draft, skew) for draft in reversed(drafts.values())]
    words = [Word(word.text, skew.moved(word.box, size, grow=True)) for word in canvas.words]
    if random.chance(_ERASED):
        gray = augmentation.erased(gray, [example.box for example in examples], [word.box for word in words], random)
    inside = [example for example in examples if _lies_inside(example.field, size)]
    return ExamplePage(f"page-{seed}", np.ascontiguousarray(gray), words, inside)


def _blank_page(random: Random, widths: Mapping[int, float]) -> Canvas:
    width = random.weighted(widths)
    height = round(1000 * width / 754) if random.chance(0.6) else round(width * random.uniform(1.25, 1.42))
    language = "en" if random.chance(_ENGLISH) else random.choice(vocabulary.LANGUAGES)
    return Canvas(random, draw_style(random, width, language), width, height)


def _example(canvas: Canvas, draft: Draft, skew: Skew) -> Example:
    size = (canvas.height, canvas.width)
    box = skew.moved(draft.box, size, grow=True)
    labels = tuple(skew.moved(part, size, grow=True) for _, part in draft.parts)
    field = union((skew.moved(field_of(canvas, draft), size), box))
    return Example(draft.target, box, field, draft.kind, labels)


def _lies_inside(field: Box, size: tuple[int, int]) -> bool:
    return field[0] >= 0 and field[1] >= 0 and field[2] <= size[1] and field[3] <= size[0]


# -- The content of a page ---------------------------------------------------------------------------------------------


def _compose(canvas: Canvas, genre: Genre) -> None:
    """Fill a canvas with a page of a genre."""
    random = canvas.random
    opening: list[Block] = []
    if random.chance(genre.letterhead):
        opening.append(letterhead)
    if random.chance(0.8):
        opening.append(title)
    if random.chance(0.75):
        opening.append(block(random.weighted(genre.first or genre.blocks)))
    y = canvas.top
    for drawn in opening:
        y = canvas.attempt(drawn, Area(canvas.left, y, canvas.right)) or y
    end = min(canvas.height * random.uniform(genre.fullness, 1.1), canvas.bottom)
    failures = 0
    while y < end and failures < _FAILURES:
        drawn = _in_columns(genre.blocks) if random.chance(genre.columns) else block(random.weighted(genre.blocks))
        below = canvas.attempt(drawn, Area(canvas.left, y, canvas.right))
        failures += below is None
        y = y if below is None else below + random.uniform(0.0, 1.6) * canvas.style.em
    for name, share in settings().marks.items():
        if random.chance(share):
            MARKS[name](canvas)


def _in_columns(blocks: Mapping[str, float]) -> Block:
    """A block of two columns, each with one to three of ``blocks``."""

    def columns(canvas: Canvas, area: Area) -> float:
        random, em = canvas.random, canvas.style.em
        middle = area.left + area.width * random.uniform(0.42, 0.58)
        bottoms = []
        for left, right in ((area.left, middle - em), (middle + em, area.right)):
            y = area.top
            for _ in range(random.between(1, 3)):
                y = canvas.attempt(block(random.weighted(blocks)), Area(left, y, right)) or y
            bottoms.append(y)
        canvas.sections.clear()
        if random.chance(0.2):
            canvas.upright(middle, area.top, max(bottoms))
        return max(bottoms)

    return columns


# -- Pictures for inspection -------------------------------------------------------------------------------------------


def draw(page: ExamplePage) -> Image.Image:
    """The page with labels (blue), answers (red) and fields (green)."""
    picture = Image.fromarray(page.gray).convert("RGB")
    pen = ImageDraw.Draw(picture)
    for example in page.examples:
        boxes: Sequence[Box] = [label for label in example.labels if label is not None]
        for box, colour in ((example.field, _FIELD), *((label, _LABEL) for label in boxes), (example.box, _BOX)):
            pen.rectangle(tuple(round(edge) for edge in box), outline=colour)
    return picture
