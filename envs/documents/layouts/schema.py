"""The schema of the data of layouts: blocks, words, palettes and type pairings."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

import pydantic
from pydantic import RootModel, field_validator, model_validator

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
LEAVES = ("text", "list", "table", "shape", "image", "line")
CONTAINERS = ("stack", "row", "split", "grid", "pinned")
"""The blocks from which all others are made; ``split``: a row on wide pages, else a stack."""
_FOLDER = ROOT / "document_layouts"
_READABLE = 7.0
Units = Annotated[float, pydantic.Field(ge=0)]
"""A length in sizes of the body text."""
Recipe = dict[str, str]
"""Values by name, for ``FactMaker.draw``."""
Phrases = Annotated[
    tuple[Annotated[str, pydantic.Field(min_length=1, max_length=160)], ...], pydantic.Field(min_length=3)
]


class Node(Data):
    """A block in the tree of a layout; in JSON, its name alone will do.

    Texts are templates over ``let`` and ``Words.scope``; in names ``{}`` stands for an ordinal.

    Attributes:
        block: one of ``LEAVES`` or ``CONTAINERS``, ``"any"`` (one of its children), or a name of ``Kit.blocks``, whose
            fields it has where it sets none.
        of: its children.
        words: the text of a text, list or shape, or the picture of an image; without any, the block is left out.
        name: of the element, or of the background.
        group: the name of the group of its elements.
        let: values for its texts and those of its children.
        what: the value ``what`` of texts; of a picture, a row of ``Kit.ratios``.
        topic: of the heading above its children.
        each: a row of ``Kit.things``: one of the children is chosen and repeated for each; of a table, its rows.
        noun: what such a thing is called.
        count: the minimum and the maximum of things, of rows, or of lines.
        roles: of a text: rows of ``Kit.styles``, one of which is chosen.
        lines: the maximum of a text's lines; 0: any number.
        plain: whether no word is set in another style.
        capitals: whether a short text may be set in capitals.
        maybe: how often a text is italic or underlined.
        ink, fill, stroke: colours of the text, the inside and the outline, by their roles in the palette; a container
            with a fill has a background.
        shape: of a shape or a background.
        angles: by which a shape is turned, one of which is chosen.
        size: of a shape's text, in units.
        thick: the thickness of a line or an outline in pixels.
        round: whether its corners are, if those of the document are.
        ornaments: of a background, one of which is chosen; "": none.
        wide, high: the size, in units; 0: as much as there is.
        column: the minimum width in a grid, in units.
        shares: the widths of a row's columns, as numbers or expressions; 0: as wide as the child is.
        gap, pad: between and around its children, in units.
        tight: whether gaps do not grow.
        top: whether lower blocks of a row are at its top, not in the middle.
        shuffled: whether its children may be in any order.
        optional: 0: always there; else only where there is room, those with lower numbers first.
        grow: how much it takes of height that is left; ``None``: as the block does.
        align: of its texts; "": as around it.
    """

    block: str
    of: tuple[Node, ...] = ()
    words: str = ""
    name: str = ""
    group: str = ""
    let: Recipe = pydantic.Field(default_factory=dict)
    what: str = ""
    topic: str = ""
    each: str = ""
    noun: str = ""
    count: tuple[int, int] = (3, 4)
    roles: tuple[str, ...] = ("body",)
    lines: int = 0
    plain: bool = False
    capitals: bool = False
    maybe: dict[Literal["italic", "underline"], float] = pydantic.Field(default_factory=dict)
    ink: str = ""
    fill: str = ""
    stroke: str = ""
    shape: str = "rectangle"
    angles: tuple[float, ...] = (0,)
    size: Units = 1
    thick: int = 1
    round: bool = False
    ornaments: tuple[str, ...] = ("",)
    wide: Units = 0
    high: Units = 0
    column: Units = 8
    shares: tuple[Units | str, ...] = ()
    gap: Units = 1
    pad: Units = 0
    tight: bool = False
    top: bool = False
    shuffled: bool = False
    optional: Annotated[int, pydantic.Field(ge=0, le=9)] = 0
    grow: Units | None = None
    align: Literal["", "left", "center", "right"] = ""

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, data: object) -> object:
        return {"block": data} if isinstance(data, str) else data

    def expanded(self) -> Node:
        """The node made of ``LEAVES`` and ``CONTAINERS`` alone.

        Raises:
            ValueError: if there is no such block.
        """
        if self.block in (*LEAVES, *CONTAINERS, "any"):
            return self.model_copy(update={"of": tuple(child.expanded() for child in self.of)})
        if self.block not in kit().blocks:
            raise ValueError(f"there is no block {self.block!r}")
        base = kit().blocks[self.block]
        changes = {field: getattr(self, field) for field in self.model_fields_set - {"block"}}
        return base.model_copy(update=changes | {"let": base.let | self.let}).expanded()


class Layout(Data):
    """A way to arrange a page.

    Attributes:
        name: unique in its file.
        fill: the palette's colour of the page.
        ornaments: of the page, one of which is chosen; "": none.
        tree: the content of the page, from edge to edge.
    """

    name: str
    fill: Literal["paper", "soft", "main"] = "paper"
    ornaments: tuple[str, ...] = ("",)
    tree: Node

    @field_validator("tree")
    @classmethod
    def _expanded(cls, tree: Node) -> Node:
        return tree.expanded()


class Layouts(Data):
    """The layouts of a kind of document.

    Attributes:
        subjects: the sorts of subjects that it is made about.
        first, inner: of the first page, and of the others.
    """

    subjects: Annotated[tuple[str, ...], pydantic.Field(min_length=1)]
    first: Annotated[tuple[Layout, ...], pydantic.Field(min_length=4)]
    inner: tuple[Layout, ...] = ()


class Palette(Data):
    """Matching colours: ``paper`` and ``soft`` grounds, the ``ink`` of text, and three of headings, panels, shapes."""

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
            if (found := contrast(self.ink, ground)) < _READABLE:
                raise ValueError(f"the contrast of ink to {ground} is {found:.1f}, below {_READABLE}")
        return self


class Pairing(Data):
    """Matching typefaces: of headings, texts, a line that looks written, and signatures.

    Attributes:
        head_size: how much larger headings are set than in other pairings.
        bold: whether headings are bold.
    """

    name: str
    head: Face
    body: Face
    script: Face = "Caveat"
    signature: Face = "Dancing Script"
    head_size: Annotated[float, pydantic.Field(ge=0.5, le=2)] = 1
    bold: bool = True


class TextStyle(Data):
    """A style of text: its size in units, face, ink, line height and weight."""

    units: float
    face: Literal["head", "body", "script", "signature"]
    ink: Literal["head", "ink", "muted", "accent"]
    line_height: float
    bold: Literal["always", "pairing", "never"]


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

    @property
    def word(self) -> str:
        """The shortest word of its name that says something."""
        return min(self.name.split(), key=lambda word: (len(word) < 4, len(word))).capitalize()


class Subject(Data):
    """The subject of a document: what it is called, who is behind it, what is on offer, and what can be said."""

    name: str
    sort: Literal["food", "event", "class", "shop", "place", "travel", "club"]
    titles: Phrases
    subtitles: Phrases
    hosts: Phrases
    roles: Phrases
    items: Annotated[tuple[Item, ...], pydantic.Field(min_length=6)]
    sentences: Annotated[tuple[str, ...], pydantic.Field(min_length=4)]
    notes: Annotated[tuple[str, ...], pydantic.Field(min_length=5)]
    prices: tuple[int, int]


class Things(Data):
    """Things that a block repeats, or the rows of a table.

    Attributes:
        noun: what one is called; of a table, its name.
        of: an expression for a list of ``count`` things.
        let: the fields of each by a recipe, which knows it as ``it`` and its number from 0 as ``i``; of a table, the
            last one is ``cells``.
        head, foot: expressions for the first and the last row of a table; the last one knows ``rows``; "": none.
    """

    noun: str
    of: str
    let: Recipe
    head: str = ""
    foot: str = ""


class OrnamentShape(Data):
    """A shape of an ornament; ``box``, ``fade`` (0: solid) and ``angle`` are expressions."""

    name: str
    box: str
    shape: Literal["rectangle", "ellipse", "triangle", "diamond", "star", "hexagon"] = "rectangle"
    fill: str = ""
    stroke: str = ""
    thick: int = 0
    round: bool = False
    fade: str = ""
    angle: str = "0"


class Ornament(Data):
    """Shapes behind a page or panel.

    Their expressions know its width ``w``, its height ``h``, the unit ``u``, and three chances ``a``, ``b``, ``c``.
    """

    let: Recipe = pydantic.Field(default_factory=dict)
    shapes: tuple[OrnamentShape, ...]


class BlocksFile(Data):
    """``blocks.json``: how documents are built.

    Attributes:
        blocks, things, styles, ornaments: by name.
        ratios: the minimum and the maximum height of pictures, in widths.
    """

    blocks: dict[str, Node]
    things: dict[str, Things]
    styles: dict[str, TextStyle]
    ornaments: dict[str, Ornament]
    ratios: dict[str, tuple[float, float]]


class PhrasesFile(Data):
    """``phrases.json``: words for any subject.

    Attributes:
        facts: of a document, such as its title and its day.
        scenes: the scenes of pictures that suit a sort of subject.
        scene_names: the names of pictures of a scene.
        banks: phrases by use; see ``Words.several``.
    """

    facts: Recipe
    scenes: dict[str, tuple[str, ...]]
    scene_names: dict[str, tuple[str, ...]]
    banks: dict[str, Phrases]


class Kit(BlocksFile, PhrasesFile):
    """All that documents of any kind are made from."""

    palettes: tuple[Palette, ...]
    pairings: tuple[Pairing, ...]
    subjects: tuple[Subject, ...]


@lru_cache(maxsize=1)
def kit() -> Kit:
    """The shipped kit.

    Raises:
        ValueError: if one of its files is against the schema.
    """
    return Kit.model_construct(
        **dict(load(BlocksFile, _FOLDER / "blocks.json")),
        **dict(load(PhrasesFile, _FOLDER / "phrases.json")),
        palettes=load(RootModel[tuple[Palette, ...]], _FOLDER / "palettes.json").root,
        pairings=load(RootModel[tuple[Pairing, ...]], _FOLDER / "pairings.json").root,
        subjects=load(RootModel[tuple[Subject, ...]], _FOLDER / "subjects.json").root,
    )


@lru_cache(maxsize=len(KINDS) + 1)
def layouts(kind: str) -> Layouts:
    """The layouts of a kind, with all blocks expanded; ``"inner"``: those of further pages of any kind.

    Raises:
        ValueError: if there is no such kind, or its file is against the schema.
    """
    if kind not in (*KINDS, "inner"):
        raise ValueError(f"no kind {kind!r}; there are {', '.join(KINDS)}")
    return load(Layouts, _FOLDER / f"{kind}.json")
