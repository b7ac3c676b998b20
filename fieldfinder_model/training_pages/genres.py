"""Genres: which blocks make a page of which kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from . import (
    blocks_boxed,
    blocks_captions,
    blocks_dense,
    blocks_lines,
    blocks_long,
    blocks_plain,
    blocks_tables,
    blocks_ticks,
)
from .blocks_boxed import ledger, sheet_of_cells
from .blocks_captions import captions, over_lines, signatures
from .blocks_lines import aligned, fax_cover, figures, memo_head, pairs
from .blocks_long import comments, prose, questionnaire, under_label
from .blocks_plain import head, paragraph, separator
from .blocks_tables import table
from .blocks_ticks import listed, row
from .canvas import Block, Sheet

_FAILURES = 5


class Genre(NamedTuple):
    """A kind of page.

    Attributes:
        first: the blocks that it may open with, after the title.
        blocks: what follows, and how often each is met.
        letterhead: the share of pages with one.
        columns: the share of its blocks that are set in two columns.
        fullness: how far down the page it goes at the least, as a share of its height.
    """

    first: Mapping[Block, float]
    blocks: Mapping[Block, float]
    letterhead: float
    columns: float
    fullness: float


GENRES: dict[str, Genre] = {
    "form": Genre(
        first={aligned: 1, pairs: 2, memo_head: 1},
        blocks={
            **blocks_lines.BLOCKS,
            **blocks_boxed.BLOCKS,
            **blocks_captions.BLOCKS,
            **blocks_long.BLOCKS,
            **blocks_ticks.BLOCKS,
            **blocks_tables.BLOCKS,
            **blocks_plain.BLOCKS,
        },
        letterhead=0.25,
        columns=0.12,
        fullness=0.6,
    ),
    "memo": Genre(
        first={memo_head: 4, aligned: 1},
        blocks={
            paragraph: 14,
            aligned: 20,
            comments: 10,
            signatures: 7,
            pairs: 8,
            head: 6,
            table: 6,
            separator: 4,
            figures: 6,
        },
        letterhead=0.55,
        columns=0.05,
        fullness=0.4,
    ),
    "fax": Genre(
        first={fax_cover: 4, memo_head: 1},
        blocks={fax_cover: 8, aligned: 12, comments: 20, prose: 10, row: 6, paragraph: 14, pairs: 10, under_label: 8},
        letterhead=0.65,
        columns=0.08,
        fullness=0.45,
    ),
    "report": Genre(
        first={memo_head: 2, aligned: 3, pairs: 3},
        blocks={
            table: 34,
            sheet_of_cells: 8,
            ledger: 10,
            comments: 18,
            aligned: 10,
            pairs: 10,
            figures: 12,
            head: 14,
            signatures: 8,
            under_label: 10,
            row: 4,
        },
        letterhead=0.25,
        columns=0.08,
        fullness=0.6,
    ),
    "survey": Genre(
        first={pairs: 2, aligned: 1},
        blocks={questionnaire: 40, row: 16, listed: 7, under_label: 8, head: 8, table: 6, comments: 8, paragraph: 6},
        letterhead=0.15,
        columns=0.08,
        fullness=0.7,
    ),
    "approval": Genre(
        first={aligned: 3, pairs: 2},
        blocks={signatures: 22, captions: 10, over_lines: 12, aligned: 14, comments: 14, row: 5, head: 8, pairs: 14},
        letterhead=0.2,
        columns=0.1,
        fullness=0.6,
    ),
    "application": Genre(
        first=blocks_dense.BLOCKS,
        blocks={**blocks_dense.BLOCKS, head: 4, paragraph: 3, signatures: 2},
        letterhead=0.3,
        columns=0.0,
        fullness=0.85,
    ),
}
"""Kinds of pages by name."""

SHARES: dict[str, float] = {
    "form": 28,
    "memo": 13,
    "fax": 13,
    "report": 20,
    "survey": 7,
    "approval": 9,
    "application": 22,
}
"""How often each genre is met."""


def compose(sheet: Sheet, name: str) -> None:
    """Fills a sheet with a page of the genre ``name``."""
    genre, dice = GENRES[name], sheet.dice
    y = sheet.top
    if dice.chance(genre.letterhead):
        y = _drawn(sheet, blocks_plain.letterhead, y)
    if dice.chance(0.8):
        y = _drawn(sheet, blocks_plain.title, y)
    if dice.chance(0.75):
        y = _drawn(sheet, dice.weighted(genre.first), y)
    end = sheet.height * dice.between(genre.fullness, 1.1)
    failures = 0
    while y < min(end, sheet.bottom) and failures < _FAILURES:
        block = dice.weighted(genre.blocks)
        below = _drawn(sheet, _in_columns(genre.blocks) if dice.chance(genre.columns) else block, y)
        failures += below == y
        y = below + (below > y) * dice.between(0.0, 1.6) * sheet.style.em
    for mark, share in blocks_plain.MARKS.items():
        if dice.chance(share):
            mark(sheet)


def _drawn(sheet: Sheet, block: Block, top: float) -> float:
    """Where a block ends that starts at ``top``; ``top`` if there is no room for it."""
    end = sheet.tried(block, sheet.left, top, sheet.right)
    return top if end is None else end


def _in_columns(blocks: Mapping[Block, float]) -> Block:
    """A block of two columns, each with one to three of ``blocks`` under each other."""

    def columns(sheet: Sheet, left: float, top: float, right: float) -> float:
        dice, em = sheet.dice, sheet.style.em
        middle = left + (right - left) * dice.between(0.42, 0.58)
        bottoms = []
        for a, b in ((left, middle - em), (middle + em, right)):
            y = top
            for _ in range(dice.count(1, 3)):
                y = sheet.tried(dice.weighted(blocks), a, y, b) or y
            bottoms.append(y)
        sheet.sections.clear()
        if dice.chance(0.2):
            sheet.upright(middle, top, max(bottoms))
        return max(bottoms)

    return columns
