"""The settings of training pages from ``pages.json``: genres, layouts and fonts.

A new genre or layout is an entry of that file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from ...core.files import Data, load_once
from .vocabulary import Kind

Weights = dict[str, float]
"""Names, and how often each is drawn; weights need not sum to 1."""
Counts = dict[int, float]
"""Numbers, and how often each is drawn."""


class BlockLayout(Data):
    """A kind of block.

    Attributes:
        draw: the function that draws it; see ``page_generator.PAINTERS``.
        size: of its type: ``"dense"``: small cells that fill the width of a page.
        ruling: of cells: ``"grid"``: on all sides; ``"rows"``: only between rows; ``"marks"``: rows, and short marks
            between cells; ``"strips"``: only a rule under each answer; ``"dots"``: leaders to the answer; ``"none"``.
            Of tables also ``"columns"``: between columns; ``"head"``: under the headings; ``"cells"``: under each cell.
        placing: of labels: ``"corner"``: the upper left of a cell; ``"beside"``: before the answer, on its line;
            ``"tab"``: likewise, and all answers of the block begin at one tab stop; ``"under"`` and ``"over"``: under
            and over the answer.
        fields: the minimum and maximum number.
        columns: the number of cells in a row; empty: cells are as wide as their content requires.
        labels: the source of its labels: genres with sets of labels, ``"signers"``, ``"questions"``,
            ``"choices"`` (options to tick); empty: any labels.
        kinds: of values of its fields; empty: any.
        lines: the maximum number of lines of a long answer.
        options: the maximum number of options in a row; 0: as many as there is room for.
        head: ``"section"``: the name of a section; ``"who"``: several persons with the same fields.
        beside: whether these are side by side rather than below each other.
        intro: whether sentences come first.
        narrow: whether answers are in a narrow column right of their labels.
        numbered: the share of such blocks whose labels are numbered.
    """

    draw: Literal["cells", "table", "prose", "head", "paragraph", "separator"]
    size: Literal["label", "small", "dense"] = "label"
    ruling: Weights = Field({"none": 1})
    placing: Weights = Field({"beside": 1})
    fields: tuple[int, int] = (1, 1)
    columns: Counts = Field({})
    labels: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    lines: Counts = Field({1: 1})
    options: Counts = Field({0: 1})
    head: Literal["", "section", "who"] = ""
    beside: bool = False
    intro: bool = False
    narrow: bool = False
    numbered: float = 0.0


class Genre(Data):
    """A kind of page.

    Attributes:
        first: the blocks that it may open with, after the title; empty: any of ``blocks``.
        blocks: its further blocks, and how often each is drawn.
        letterhead: the share of pages with one.
        columns: the share of its blocks that are set in two columns.
        fullness: the minimum share of the page's height that it fills.
    """

    share: float
    first: Weights = Field({})
    blocks: Weights
    letterhead: float
    columns: float
    fullness: float


class PageSettings(Data):
    """The content of ``pages.json``.

    Attributes:
        families: of type by use: ``print``, ``typewriter``, ``handwriting``, ``signatures``.
        rules: how lines to write on are drawn.
        page_widths: in pixels; of forms in small type they are larger.
        kinds: how often forms ask for each kind of value, if not 1.
        cell_widths: the width of a cell by its kind of value, in ems of its label.
        details: how often a dense cell of a kind of value has each detail; see ``cell_block.DETAILS``.
        combs: the maximum number of boxes in a comb.
        marks: the share of pages that have each mark; see ``page_decorations.MARKS``.
        damage: how often pages have each kind of damage; see ``augmentation``.
    """

    families: dict[str, Weights]
    rules: Weights
    colons: Weights
    ticks: Weights
    page_widths: Counts
    dense_page_widths: Counts
    kinds: dict[Kind, float]
    cell_widths: dict[Kind, float]
    details: dict[Kind, Weights]
    combs: dict[Kind, int]
    marks: Weights
    stamps: tuple[str, ...]
    damage: Weights
    layouts: dict[str, BlockLayout]
    genres: dict[str, Genre]


settings = load_once(PageSettings, Path(__file__).with_name("pages.json"))
"""The shipped settings."""
