"""How training pages look, from ``pages.json``: genres of pages, layouts of blocks, fonts, and how often each occurs.

A new genre or layout is an entry of that file.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from ...envs.core.files import Data, load
from .vocabulary import Kind

Weights = dict[str, float]
"""Names, and how often each is drawn; weights need not sum to 1."""
Counts = dict[int, float]
"""Numbers, and how often each is drawn."""


class Layout(Data):
    """A kind of block.

    Attributes:
        draw: the function that draws it; see ``block_painters.PAINTERS``.
        size: of its type: ``"dense"``: small cells that fill the width of a page.
        ruling: of cells: ``"grid"``: all round; ``"rows"``: between rows alone; ``"marks"``: rows, and short marks
            between cells; ``"strips"``: a rule under each answer alone; ``"dots"``: leaders to the answer; ``"none"``.
            Of tables also ``"columns"``: between columns; ``"head"``: under the heads; ``"cells"``: under each cell.
        placing: of labels: ``"corner"``: the upper left of a cell; ``"beside"``: before the answer, on its line;
            ``"tab"``: likewise, and all answers of the block begin at one tab stop; ``"under"`` and ``"over"``: under
            and over the answer.
        fields: the fewest and the most.
        columns: how many cells stand side by side; empty: cells are as wide as what they ask for.
        labels: where its labels come from: genres whose labels stand together, ``"signers"``, ``"questions"``,
            ``"choices"`` (options to tick); empty: any labels.
        kinds: of values that are asked for; empty: any.
        lines: how many lines a long answer may take.
        options: how many options stand side by side at most; 0: as many as there is room for.
        head: ``"section"``: the name of a section; ``"who"``: several that are asked the same.
        beside: whether these stand side by side, not under each other.
        intro: whether sentences come first.
        narrow: whether answers have a narrow column at the right of their labels.
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
        share: how often it is drawn.
        first: the blocks that it may open with, after the title; empty: any of ``blocks``.
        blocks: what follows, and how often.
        letterhead: the share of pages with one.
        columns: the share of its blocks that are set in two columns.
        fullness: how far down the page it goes at the least, as a share of its height.
    """

    share: float
    first: Weights = Field({})
    blocks: Weights
    letterhead: float
    columns: float
    fullness: float


class Settings(Data):
    """The file.

    Attributes:
        families: of type by use: ``print``, ``typewriter``, ``handwriting``, ``signatures``.
        rules: how lines to write on are drawn.
        colons: what stands after labels.
        ticks: shapes of places for ticks.
        page_widths: in pixels; of forms in small type they are larger.
        kinds: how often forms ask for each kind of value, if not 1.
        cell_widths: how wide a cell is by what it asks for, in ems of its label.
        details: how often a dense cell asks for a kind of value in a way of its own; see ``cell_details.DETAILS``.
        combs: how many boxes a comb has at most.
        marks: the share of pages that have each mark; see ``page_decorations.MARKS``.
        stamps: what rubber stamps say.
        damage: what pages go through, and how often; see ``augmentation``.
        layouts: blocks by name.
        genres: pages by name.
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
    layouts: dict[str, Layout]
    genres: dict[str, Genre]


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings that ship."""
    return load(Settings, Path(__file__).with_name("pages.json"))
