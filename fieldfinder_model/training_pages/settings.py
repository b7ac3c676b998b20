"""How training pages look, from ``pages.json``: genres, layouts of blocks, faces, and how often each is drawn."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from ...envs.core.files import Data, load
from .vocabulary import Kind

Weights = dict[str, float]
"""Names, and how often each is drawn; weights need not sum to 1."""


class Layout(Data):
    """A kind of block.

    Attributes:
        draw: the function that draws it, of ``blocks.PAINTERS``.
        size: of its type: ``"dense"``: small cells that fill the width of a page.
        ruling: of cells: ``"grid"``: all round; ``"rows"``: between rows alone; ``"marks"``: rows, and short marks
            between cells; ``"strips"``: a rule under each answer alone; ``"dots"``: leaders to the answer; ``"none"``.
        placing: of labels: ``"corner"``: the upper left of a cell; ``"beside"``: before the answer, on its line;
            ``"under"`` and ``"over"``: under and over the line for the answer; of options and long answers likewise.
        fields: the fewest and the most.
        columns: how many stand side by side; empty: cells are as wide as what they ask for.
        labels: genres whose labels stand together here, or ``"signers"``; empty: any labels.
        kinds: of values that are asked for; empty: any.
        head: ``"section"``: the name of a section; ``"who"``: several that are asked the same.
        beside: whether these stand side by side, not under each other.
        text: what comes first: ``"sentences"``, or nothing.
    """

    draw: str
    size: Literal["label", "small", "dense"] = "label"
    ruling: Weights = Field({"none": 1})
    placing: Weights = Field({"beside": 1})
    fields: tuple[int, int] = (1, 1)
    columns: dict[int, float] = Field({})
    labels: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    head: Literal["", "section", "who"] = ""
    beside: bool = False
    text: Literal["", "sentences"] = ""


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
        layouts: blocks by name.
        genres: pages by name.
    """

    families: dict[str, Weights]
    rules: Weights
    colons: Weights
    ticks: Weights
    page_widths: dict[int, float]
    dense_page_widths: dict[int, float]
    kinds: dict[Kind, float]
    cell_widths: dict[Kind, float]
    layouts: dict[str, Layout]
    genres: dict[str, Genre]


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings that ship."""
    return load(Settings, Path(__file__).with_name("pages.json"))
