"""Training pages from seeds, and pictures of what is known of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from PIL import Image, ImageDraw

from ...envs.core.locators import Box
from ...envs.core.randomness import Random
from ..examples import Example, ExamplePage, Word
from ..reading.boxes import around
from . import augmentation, furniture, style, vocabulary
from .blocks import block
from .canvas import Block, Canvas, Draft, cut
from .settings import Genre, settings

_ENGLISH = 0.88
_RUBBED = 0.35
_FAILURES = 5
_LABEL, _BOX, _FIELD = (30, 60, 255), (255, 0, 0), (0, 170, 0)


def page(seed: int, genre: str | None = None) -> ExamplePage:
    """A page with empty fields, the same for the same seed.

    Args:
        seed: 0 or more.
        genre: of ``settings().genres``; ``None``: drawn.

    Raises:
        ValueError: there is no such genre.
    """
    genres = settings().genres
    if genre is not None and genre not in genres:
        raise ValueError(f'there is no genre "{genre}"; there are: {", ".join(genres)}')
    random = Random(np.random.default_rng(seed))
    chosen = genre or random.weighted({name: one.share for name, one in genres.items()})
    canvas = _sheet(random, settings().dense_page_widths if chosen == "application" else settings().page_widths)
    _compose(canvas, genres[chosen])
    drafts = _distinct(canvas.drafts)
    fields = [_field(canvas, draft) for draft in drafts]
    gray, size = np.asarray(canvas.picture), (canvas.height, canvas.width)
    slip = augmentation.slip(random)
    gray = augmentation.worn(slip.laid(gray), random)
    examples = [_example(draft, field, slip, size) for draft, field in zip(drafts, fields, strict=True)]
    words = [Word(word.text, slip.moved(word.box, size)) for word in canvas.words]
    if random.chance(_RUBBED):
        gray = augmentation.erased(gray, [example.box for example in examples], [word.box for word in words], random)
    return ExamplePage(f"page-{seed}", np.ascontiguousarray(gray), words, [e for e in examples if _inside(e, size)])


def pages(seed: int, count: int) -> Iterator[ExamplePage]:
    """``count`` pages: those of the seeds from ``seed`` on."""
    return (page(seed + i) for i in range(count))


def _sheet(random: Random, widths: Mapping[int, float]) -> Canvas:
    width = random.weighted(widths)
    height = round(1000 * width / 754) if random.chance(0.6) else round(width * random.uniform(1.25, 1.42))
    language = "en" if random.chance(_ENGLISH) else random.choice(vocabulary.LANGUAGES)
    return Canvas(random, style.drawn(random, width, language), width, height)


def _distinct(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts less those whose targets read like an earlier one's."""
    found: dict[str, Draft] = {}
    for draft in drafts:
        found.setdefault(_target(draft).lower(), draft)
    return list(found.values())


def _target(draft: Draft) -> str:
    return " | ".join(text for text, _ in draft.parts)


def _field(canvas: Canvas, draft: Draft) -> Box:
    printed = [_core(word.box) for word in canvas.words]
    if draft.kind not in ("lines", "comb"):
        # Rules end a field but where several lines, or the boxes of a comb, are one.
        printed += canvas.rules
    inside = (1.0, 1.0, canvas.width - 1.0, canvas.height - 1.0)
    reach = draft.reach
    held = (max(reach[0], inside[0]), max(reach[1], inside[1]), min(reach[2], inside[2]), min(reach[3], inside[3]))
    return cut(held, draft.box, printed)


def _core(word: Box) -> Box:
    """A word less a quarter of its height above and below: what an answer written large may touch."""
    slack = 0.25 * (word[3] - word[1])
    return word[0], word[1] + slack, word[2], word[3] - slack


def _example(draft: Draft, field: Box, slip: augmentation.Slip, size: tuple[int, int]) -> Example:
    box = slip.moved(draft.box, size)
    labels = tuple(slip.moved(part, size) for _, part in draft.parts)
    return Example(_target(draft), box, around((slip.moved(field, size, grow=False), box)), draft.kind, labels)


def _inside(example: Example, size: tuple[int, int]) -> bool:
    left, top, right, bottom = example.field
    return left >= 0 and top >= 0 and right <= size[1] and bottom <= size[0]


# -- What stands on a page ---------------------------------------------------------------------------------------------


def _compose(canvas: Canvas, genre: Genre) -> None:
    """Fills a canvas with a page of a genre."""
    random = canvas.random
    y = canvas.top
    if random.chance(genre.letterhead):
        y = _drawn(canvas, furniture.letterhead, y)
    if random.chance(0.8):
        y = _drawn(canvas, furniture.title, y)
    if random.chance(0.75):
        y = _drawn(canvas, block(random.weighted(genre.first or genre.blocks)), y)
    end = canvas.height * random.uniform(genre.fullness, 1.1)
    failures = 0
    while y < min(end, canvas.bottom) and failures < _FAILURES:
        drawn = block(random.weighted(genre.blocks))
        below = _drawn(canvas, _in_columns(genre.blocks) if random.chance(genre.columns) else drawn, y)
        failures += below == y
        y = below + (below > y) * random.uniform(0.0, 1.6) * canvas.style.em
    for mark, share in furniture.MARKS.items():
        if random.chance(share):
            mark(canvas)


def _drawn(canvas: Canvas, drawn: Block, top: float) -> float:
    """Where a block ends that starts at ``top``; ``top`` if there is no room for it."""
    end = canvas.tried(drawn, canvas.left, top, canvas.right)
    return top if end is None else end


def _in_columns(blocks: Mapping[str, float]) -> Block:
    """A block of two columns, each with one to three of ``blocks`` under each other."""

    def columns(canvas: Canvas, left: float, top: float, right: float) -> float:
        random, em = canvas.random, canvas.style.em
        middle = left + (right - left) * random.uniform(0.42, 0.58)
        bottoms = []
        for a, b in ((left, middle - em), (middle + em, right)):
            y = top
            for _ in range(random.between(1, 3)):
                y = canvas.tried(block(random.weighted(blocks)), a, y, b) or y
            bottoms.append(y)
        canvas.sections.clear()
        if random.chance(0.2):
            canvas.upright(middle, top, max(bottoms))
        return max(bottoms)

    return columns


# -- Pictures to look at -----------------------------------------------------------------------------------------------


def draw(page: ExamplePage) -> Image.Image:
    """The page with labels (blue), answers (red) and fields (green)."""
    picture = Image.fromarray(page.gray).convert("RGB")
    pen = ImageDraw.Draw(picture)
    for example in page.examples:
        _outline(pen, example.field, _FIELD)
        for label in example.labels:
            if label is not None:
                _outline(pen, label, _LABEL)
        _outline(pen, example.box, _BOX)
    return picture


def _outline(pen: ImageDraw.ImageDraw, box: Box, colour: tuple[int, int, int]) -> None:
    pen.rectangle(tuple(round(edge) for edge in box), outline=colour)
