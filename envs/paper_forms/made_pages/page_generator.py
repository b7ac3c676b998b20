"""Generate training pages from seeds, and draw their known boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np
from PIL import Image, ImageDraw

from ...core.boxes import Box, are_near, area, encloses, overlap_height, overlap_width, union
from ...core.randomness import Sampler
from ..examples import Example, ExamplePage, Word
from ..scans.degradation import Skew
from . import augmentation, vocabulary
from .cell_block import cells
from .page_canvas import Area, Block, Canvas, Draft
from .page_decorations import MARKS, letterhead, paragraph, section_head, separator, title
from .page_settings import BlockLayout, Genre, settings
from .style import draw_style
from .table_block import table
from .vocabulary import Blank

# -- Blocks ------------------------------------------------------------------------------------------------------------


def prose(layout: BlockLayout, canvas: Canvas, area: Area) -> float:
    """Draw sentences with blanks as running text."""
    random, style = canvas.random, canvas.style
    type_ = style.body if random.chance(0.5) else style.label
    step = type_.line * max(style.spacing * 0.85, 1.2)
    x, y = area.left + random.choice([0.0, 0.0, 2.0]) * style.em, area.top + step
    for part in random.choice(vocabulary.english().prose):
        if isinstance(part, Blank):
            x, y = _blank(canvas, part, (x, y), area, step)
            continue
        for word in part.split():
            if x + type_.width(word) > area.right:
                x, y = area.left, y + step
            canvas.text(x, y, word, type_)
            x += type_.width(f"{word} ")
    return y + step * 0.6


def _blank(canvas: Canvas, blank: Blank, at: tuple[float, float], area: Area, step: float) -> tuple[float, float]:
    """Draw a blank, named by the words before it on its line, and return where the text goes on."""
    random, em, (x, y) = canvas.random, canvas.style.em, at
    short = blank.kind in ("small_number", "date", "state", "percent")
    width = random.uniform(4, 8) * em if short else random.uniform(7, 18) * em
    if x + width > area.right:
        x, y = area.left, y + step
    end = min(x + width, area.right)
    words = [word.box for word in canvas.words[-len(blank.ask.split()) :]]
    canvas.rule(x, y + 0.14 * em, end)
    answer = canvas.answer(blank.kind, end - x)
    if answer is not None and words:
        before = union(box for box in words if abs(box[3] - words[-1][3]) < 6)
        start = x + random.uniform(0, 0.5) * max(end - x - answer.width, 0)
        reach = (x, y - min(step, 1.3 * em), end, y + 0.14 * em)
        canvas.ask([(blank.ask, before)], answer, start, y, reach, "prose")
    return end + 0.35 * em, y


PAINTERS: Mapping[str, Callable[[BlockLayout, Canvas, Area], float]] = {
    "cells": cells,
    "table": table,
    "prose": prose,
    "head": section_head,
    "paragraph": paragraph,
    "separator": separator,
}
"""The function that draws each kind of block; see ``BlockLayout.draw``."""


def block(name: str) -> Block:
    """The block of a name; see ``PageSettings.layouts``."""
    layout = settings().layouts[name]
    return partial(PAINTERS[layout.draw], layout)


# -- The extent of fields ----------------------------------------------------------------------------------------------


def field_of(canvas: Canvas, draft: Draft) -> Box:
    """The blank space that an answer may fill: its reach on the page, up to print."""
    # A large answer may touch the upper and the lower quarter of a word.
    quarters = [(word.box, 0.25 * (word.box[3] - word.box[1])) for word in canvas.words]
    printed = [(box[0], box[1] + slack, box[2], box[3] - slack) for box, slack in quarters]
    if draft.kind not in ("lines", "comb"):
        # Rules end a field, except where several lines, or the boxes of a comb, are one field.
        printed += canvas.rules
    left, top, right, bottom = draft.reach
    reach = (max(left, 1.0), max(top, 1.0), min(right, canvas.width - 1.0), min(bottom, canvas.height - 1.0))
    return cut(reach, draft.box, printed)


def cut(reach: Box, answer: Box, printed: Iterable[Box]) -> Box:
    """The blank space around ``answer`` within ``reach``, which is extended to include it.

    Print in ``reach`` but not in ``answer`` removes the side that costs the least area. Print in the answer's own place
    (a rule that it is written on) removes nothing.
    """
    blank = union((reach, answer))

    def distance(box: Box) -> float:
        return max(-overlap_width(answer, box), 0.0) + max(-overlap_height(answer, box), 0.0)

    for box in sorted((box for box in printed if are_near(blank, box)), key=distance):
        if are_near(blank, box) and not are_near(answer, box):
            blank = max(_sides(blank, answer, box), key=area, default=blank)
    return blank


def _sides(blank: Box, answer: Box, box: Box) -> list[Box]:
    """The parts of a blank that include ``answer`` and are a pixel away from ``box``."""
    left, top, right, bottom = blank
    cuts = [
        (box[2] <= answer[0], (min(box[2] + 1, answer[0]), top, right, bottom)),
        (box[0] >= answer[2], (left, top, max(box[0] - 1, answer[2]), bottom)),
        (box[3] <= answer[1], (left, min(box[3] + 1, answer[1]), right, bottom)),
        (box[1] >= answer[3], (left, top, right, max(box[1] - 1, answer[3]))),
    ]
    return [part for is_apart, part in cuts if is_apart]


# -- Pages -------------------------------------------------------------------------------------------------------------


_ENGLISH = 0.88
_ERASED = 0.35
_FAILURES = 5
_LABEL, _BOX, _FIELD = (30, 60, 255), (255, 0, 0), (0, 170, 0)


def page(seed: int | Sequence[int], genre: str | None = None) -> ExamplePage:
    """A random page with empty fields, the same for the same seed (several numbers make one).

    Without a ``genre`` (of ``settings().genres``) it is drawn.

    Raises:
        ValueError: there is no such genre.
    """
    genres = settings().genres
    if genre is not None and genre not in genres:
        raise ValueError(f'there is no genre "{genre}"; there are: {", ".join(genres)}')
    random = Sampler(np.random.default_rng(seed))
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
    inside = [example for example in examples if encloses((0, 0, canvas.width, canvas.height), example.field)]
    return ExamplePage(f"page-{seed}", np.ascontiguousarray(gray), words, inside)


def _blank_page(random: Sampler, widths: Mapping[int, float]) -> Canvas:
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


# -- The content of a page ---------------------------------------------------------------------------------------------


def _compose(canvas: Canvas, genre: Genre) -> None:
    """Fill a canvas with a page of a genre."""
    random = canvas.random
    usual: Mapping[Block, float] = {letterhead: genre.letterhead, title: 0.8}
    opening = [part for part, share in usual.items() if random.chance(share)]
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
        labels = [(label, _LABEL) for label in example.labels if label is not None]
        for box, colour in ((example.field, _FIELD), *labels, (example.box, _BOX)):
            pen.rectangle(tuple(round(edge) for edge in box), outline=colour)
    return picture
