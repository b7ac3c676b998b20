"""The schema of the data of layouts: blocks, palettes, type pairings and words."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import pydantic
from pydantic import RootModel, model_validator

from ....assets import ROOT
from ...core.files import Data, load
from ..painting.pictures import is_picture
from ..scene.colours import contrast
from ..scene.elements import Colour, Face

KINDS = (
    *("poster", "flyer", "menu", "card", "sheet", "notice", "slides", "form"),
    *("leaflet", "sign", "letterhead", "voucher", "timetable", "newsletter", "ticket"),
)
"""The kinds of documents."""
_FOLDER = ROOT / "document_layouts"
_READABLE = 7.0
Words = Annotated[
    tuple[Annotated[str, pydantic.Field(min_length=1, max_length=160)], ...], pydantic.Field(min_length=3)
]


class Node(Data):
    """A block in the tree of a layout, or a choice of blocks.

    Attributes:
        block: what it is: a row of ``blocks.LEAVES`` or ``blocks.CONTAINERS``, or ``"any"``: one of its children.
        what: which words it shows, or which topic, where the block leaves a choice.
        name: for people.
        of: its children.
        looks: variants, of which one is chosen.
        shares: widths of a row's columns, relative to each other.
        count: the minimum and the maximum of what is repeated.
        shuffled: whether its children may be in any order.
        optional: 0: always there; else only where there is room, those with lower numbers first.
        chance: the share of documents that have it.
        shape: of pages that have it: ``"tall"``, ``"wide"``, or any.
        grow: how much it takes of height that is left; ``None``: as the block does.
        gap, pad: between and around its children, in sizes of the body text.
        fill: the colour of its background.
        align: of its texts; "": as around it.
    """

    block: str
    what: str = ""
    name: str = ""
    of: tuple[Node, ...] = ()
    looks: tuple[str, ...] = ()
    shares: tuple[Annotated[float, pydantic.Field(gt=0)], ...] = ()
    count: tuple[int, int] = (3, 4)
    shuffled: bool = False
    optional: Annotated[int, pydantic.Field(ge=0, le=9)] = 0
    chance: Annotated[float, pydantic.Field(gt=0, le=1)] = 1
    shape: Literal["", "tall", "wide"] = ""
    grow: Annotated[float, pydantic.Field(ge=0)] | None = None
    gap: Annotated[float, pydantic.Field(ge=0, le=6)] | None = None
    pad: Annotated[float, pydantic.Field(ge=0, le=6)] | None = None
    fill: Literal["", "paper", "soft", "main", "accent", "second"] = ""
    align: Literal["", "left", "center", "right"] = ""


class Layout(Data):
    """A way to arrange a page.

    Attributes:
        name: unique in its file.
        fill: of the page.
        ornaments: decorations, of which one is chosen and drawn behind everything; "": none.
        tree: the content of the page, from edge to edge.
    """

    name: str
    fill: Literal["paper", "soft", "main"] = "paper"
    ornaments: tuple[str, ...] = ("",)
    tree: Node


class Layouts(Data):
    """The layouts of a kind of document: for first pages and for further pages.

    Attributes:
        subjects: the sorts of subjects that it is made about.
        first, inner: of the first page, and of the others.
    """

    subjects: Annotated[tuple[str, ...], pydantic.Field(min_length=1)]
    first: Annotated[tuple[Layout, ...], pydantic.Field(min_length=4)]
    inner: tuple[Layout, ...] = ()


class Palette(Data):
    """A palette of matching colours.

    Attributes:
        paper, soft: grounds.
        ink: of text.
        main, accent, second: of headings, panels and shapes.
    """

    name: str
    paper: Colour
    soft: Colour
    ink: Colour
    main: Colour
    accent: Colour
    second: Colour

    @model_validator(mode="after")
    def _can_be_read(self) -> Palette:
        for ground in (self.paper, self.soft):
            if contrast(self.ink, ground) < _READABLE:
                raise ValueError(
                    f"the contrast of ink to {ground} is {contrast(self.ink, ground):.1f}, below {_READABLE}"
                )
        return self


class Pairing(Data):
    """A pairing of matching typefaces.

    Attributes:
        head, body, script: of headings, of texts, and of a line that looks written.
        head_size: how much larger headings are set than in other pairings.
        bold: whether headings are bold.
    """

    name: str
    head: Face
    body: Face
    script: Face = "Caveat"
    head_size: Annotated[float, pydantic.Field(ge=0.5, le=2)] = 1
    bold: bool = True


class Item(Data):
    """Something on offer: its name, its caption and its icon."""

    name: Annotated[str, pydantic.Field(max_length=28)]
    caption: Annotated[str, pydantic.Field(max_length=48)]
    icon: str

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, data: object) -> object:
        return dict(zip(("name", "caption", "icon"), data, strict=True)) if isinstance(data, list) else data

    @model_validator(mode="after")
    def _is_drawn(self) -> Item:
        if not is_picture(f"icon/{self.icon}"):
            raise ValueError(f"there is no icon {self.icon!r}")
        return self


class Subject(Data):
    """The subject of a document.

    Attributes:
        name: of the subject.
        sort: one of those in ``Layouts.subjects``.
        titles, subtitles: of documents.
        hosts: names of organizers.
        roles: of people.
        items: on offer.
        sentences, notes: for texts and for lists.
        prices: the lowest and the highest.
    """

    name: str
    sort: Literal["food", "event", "class", "shop", "place", "travel", "club"]
    titles: Words
    subtitles: Words
    hosts: Words
    roles: Words
    items: Annotated[tuple[Item, ...], pydantic.Field(min_length=6)]
    sentences: Annotated[tuple[str, ...], pydantic.Field(min_length=4)]
    notes: Annotated[tuple[str, ...], pydantic.Field(min_length=5)]
    prices: tuple[int, int]


class Phrases(Data):
    """Words for any subject: phrases by use, and parts of names and places."""

    uses: dict[str, Words]
    headings: dict[str, Words]
    first_names: Words
    surnames: Words
    towns: tuple[Words, Words]
    streets: tuple[Words, Words]
    fields: dict[str, Words]


class TextKind(Data):
    """A kind of text.

    Attributes:
        template: its words; a slot stands for an attribute of ``Words``, with the number behind it as an argument, or
            for a phrase of that use.
        name: of the element; ``{}`` stands for its ordinal.
        style: a row of ``Content.styles``.
        max_lines: 0: any number.
        italics, capitals: whether some are set so.
        emphasis: whether some of its words may be set in another style.
        colour: of the palette; "": that of the style.
    """

    template: str
    name: str
    style: str
    max_lines: int = 0
    italics: bool = False
    capitals: bool = False
    emphasis: bool = True
    colour: str = ""


class TextStyle(Data):
    """A style of text: its size in units, face, ink, line height and weight."""

    units: float
    face: Literal["head", "body", "script"]
    ink: Literal["head", "ink", "muted", "accent"]
    line_height: float
    bold: Literal["always", "pairing", "never"]


class Content(Data):
    """The contents of blocks.

    Attributes:
        texts: the kinds of texts.
        styles: of texts.
        headings: the names of headings that are not named after their topic.
        scenes: the scenes that suit a sort of subject.
        scene_names: the names of pictures of a scene.
        picture_ratios: the minimum and the maximum height of pictures, in widths, by the name of their node.
    """

    texts: dict[str, TextKind]
    styles: dict[str, TextStyle]
    headings: dict[str, str]
    scenes: dict[str, tuple[str, ...]]
    scene_names: dict[str, tuple[str, ...]]
    picture_ratios: dict[str, tuple[float, float]]


@lru_cache(maxsize=len(KINDS) + 1)
def layouts(kind: str) -> Layouts:
    """The layouts of a kind; ``"inner"``: those of further pages of any kind.

    Raises:
        ValueError: if there is no such kind.
    """
    if kind not in (*KINDS, "inner"):
        raise ValueError(f"no kind {kind!r}; there are {', '.join(KINDS)}")
    return load(Layouts, _FOLDER / f"{kind}.json")


@lru_cache(maxsize=1)
def content() -> Content:
    """The contents of blocks."""
    return load(Content, Path(__file__).with_name("content.json"))


@lru_cache(maxsize=1)
def palettes() -> tuple[Palette, ...]:
    """All palettes."""
    return load(RootModel[tuple[Palette, ...]], _FOLDER / "palettes.json").root


@lru_cache(maxsize=1)
def pairings() -> tuple[Pairing, ...]:
    """All type pairings."""
    return load(RootModel[tuple[Pairing, ...]], _FOLDER / "pairings.json").root


@lru_cache(maxsize=1)
def subjects() -> tuple[Subject, ...]:
    """All subjects."""
    return load(RootModel[tuple[Subject, ...]], _FOLDER / "subjects.json").root


@lru_cache(maxsize=1)
def phrases() -> Phrases:
    """The words that go with any subject."""
    return load(Phrases, _FOLDER / "phrases.json")
