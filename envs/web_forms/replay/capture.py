"""Captures: the data and pictures of a photographed form."""

from __future__ import annotations

from functools import cached_property
from os.path import normpath
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pydantic

from ...core.asset_cache import cached
from ...core.files import Data, load
from ...core.pages import MAX_PIXELS, PACKED, PackedPixels, page_image, unpacked
from ...core.painting import Image, Patch
from .fonts import Face, load_face
from .lines import Even

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels of the page; Chromium lays out in 64ths of a pixel."""
Colour = tuple[int, int, int]
Picture = tuple[int, int, int]
"""The number of a picture in the sheet, and where it lies right of and below the box's whole pixel."""
Looks = dict[str, Picture]
"""Sprites of a control's states other than that in the page's picture, by flags in this order: ``c`` ticked, ``v`` not
empty, ``h`` hovered, ``f`` focused by mouse or ``F`` by key."""


class ListOption(Data):
    """An option of a list."""

    text: str
    value: str
    selected: bool = False


class Control(Data):
    """An interactive element of the page.

    Attributes:
        id: its number in the order of the page.
        kind: how it behaves.
        name: of its value in a submission.
        page: the page it is on.
        condition: the number of the condition under which it is visible, if any.
        row: the block and row it belongs to, if any.
        radio, value, listed, group_required: of a tick.
        file, several, accept, empty_text, options, depends, options_by: of a box.
        selection: the colour behind selected text.
        selection_band: top and bottom of that, of the first line, from the whole pixel of its box's top.
        type, placeholder, max_length, min_length, pattern, title, least, most, step: of a text.
        action, block: of a button.
    """

    id: int
    kind: Literal["text", "area", "tick", "box", "button"]
    name: str
    page: int
    condition: int | None = None
    row: tuple[int, int] | None = None
    required: bool = False
    radio: bool = False
    value: str = ""
    listed: bool = False
    group_required: bool = False
    file: bool = False
    several: bool = False
    accept: str = ""
    empty_text: str = ""
    options: tuple[ListOption, ...] = ()
    depends: str | None = None
    options_by: dict[str, tuple[str, ...]] | None = None
    type: str = ""
    placeholder: bool = False
    max_length: int = -1
    min_length: int = -1
    pattern: str | None = None
    title: str = ""
    least: str = ""
    most: str = ""
    step: str = ""
    selection: Colour = (181, 213, 255)
    selection_band: tuple[int, int] = (0, 0)
    action: Literal["", "back", "next", "submit", "add", "remove"] = ""
    block: int = -1


class ControlPlace(Data):
    """The place of a control in a layout.

    Attributes:
        id: the control's.
        box: its border box.
        padding: inside its borders.
        content: where its text goes.
        labels: boxes of its labels.
        line_height: of its text.
        radius: of its corners.
        calendar_button: where a date's calendar is opened.
        baseline: the origin of its first line, from the whole pixel of its box's top.
        looks: the number of its looks.
        caret: how far under the top of its line the caret begins, and its height.
    """

    id: int
    box: Box
    padding: Box
    content: Box
    labels: tuple[Box, ...] = ()
    line_height: float = 0
    radius: float = 0
    calendar_button: Box | None = None
    baseline: int = 0
    caret: tuple[int, int] = (0, 0)
    looks: int = 0


class PageLayout(Data):
    """A page under some conditions and with a number of rows.

    Attributes:
        page: its number.
        met: the conditions of this page that hold.
        rows: the number of visible rows of each block.
        picture: the file of its picture, without texts that can change, with placeholders.
        height: of all that can be scrolled to.
        places: of the visible controls.
    """

    page: int
    met: tuple[int, ...]
    rows: tuple[int, ...]
    picture: Annotated[str, pydantic.Field(pattern=r"^\w[\w.-]*$")]
    height: int
    places: tuple[ControlPlace, ...]


class VisibilityCondition(Data):
    """The value of a control on which the visibility of others depends."""

    page: int
    field: str
    values: tuple[str, ...]


class RowBlock(Data):
    """Rows that can be added."""

    page: int
    most: int


class Parts(Data):
    """The parts that open over the page: colours, and pictures by number in the sheet.

    Attributes:
        ink: the colour of all texts, of controls too.
        paper, edge, hover, chosen, bubble: other colours.
        row_baseline, bubble_baseline, month_baseline: origins of lines, from the tops of a row, the bubble, the
            calendar.
        ticks: of a list of several: not chosen, chosen, each plain and active.
        calendar: a calendar without days and month.
        turns: the buttons of the calendar under the pointer, from the left.
        days: the days from 1 to 31: plain, chosen, active.
    """

    ink: Colour
    paper: Colour
    edge: Colour
    hover: Colour
    chosen: Colour
    bubble: Colour
    row_baseline: int
    bubble_baseline: int
    month_baseline: int
    ticks: tuple[int, int, int, int]
    calendar: int
    turns: tuple[int, int, int, int]
    days: Annotated[tuple[tuple[int, int, int], ...], pydantic.Field(min_length=31, max_length=31)]


class Capture(Data):
    """The capture of a form.

    Attributes:
        today: the day that calendars open at.
        browser: name and version of the browser.
        source_sha256: of the HTML.
        viewport: width and height of the visible part.
        face: the file of the face of all texts, without suffix, from the capture's folder.
        conditions, blocks, controls, layouts: see there.
        pages: how many there are; the last is the one after submission.
        looks: of controls; edges are smoothed differently where the browser's tiles meet, so one may have several.
        sheet: boxes of the small pictures in ``sheet.lz4``: left, top, width, height.
        parts: the parts that open over the page.
    """

    today: str
    browser: str
    source_sha256: str
    viewport: tuple[int, int]
    face: Annotated[str, pydantic.Field(pattern=r"^(\.\./){0,3}faces/\w+$")]
    conditions: tuple[VisibilityCondition, ...]
    blocks: tuple[RowBlock, ...]
    pages: int
    controls: tuple[Control, ...]
    layouts: tuple[PageLayout, ...]
    looks: tuple[Looks, ...]
    sheet: tuple[tuple[int, int, int, int], ...]
    parts: Parts

    @pydantic.model_validator(mode="after")
    def _fits_into_memory(self) -> Capture:
        width, height = self.viewport
        if min(width, height) < 1 or width * max([height, *(one.height for one in self.layouts)]) > MAX_PIXELS:
            raise ValueError(f"a page without area, or with more than {MAX_PIXELS} pixels")
        return self

    @cached_property
    def decisive(self) -> frozenset[str]:
        """The names of the fields that others depend on."""
        depended = {control.depends for control in self.controls if control.depends}
        return frozenset(depended | {condition.field for condition in self.conditions})

    @cached_property
    def layout_numbers(self) -> dict[tuple[int, tuple[int, ...], tuple[int, ...]], int]:
        """The numbers of layouts by page, conditions that hold and rows that are open."""
        return {(layout.page, layout.met, layout.rows): i for i, layout in enumerate(self.layouts)}


def load_capture(folder: Path) -> Capture:
    """The capture in a folder.

    Raises:
        ValueError: if it is missing or broken.
    """
    return load(Capture, folder / "capture.json")


class Pictures:
    """The pictures of a capture.

    Args:
        folder: the capture's.

    Attributes:
        face: of all texts.
        even: by layout, control and its flags: the area of text, and its colour if it has only one.
        patches: likewise: the look of the control; ``None``: as in the page's picture.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.capture: Capture = load_capture(folder)
        sheet = unpacked(PackedPixels.load((folder / f"sheet{PACKED}").read_bytes()))
        self.small = [np.ascontiguousarray(sheet[y : y + h, x : x + w]) for x, y, w, h in self.capture.sheet]
        self._areas: dict[int, list[tuple[int, float, float, float, float]]] = {}
        self.even: dict[tuple[int, int, str], Even | None] = {}
        self.patches: dict[tuple[int, int, str], Patch | None] = {}
        self.face: Face = load_face(Path(normpath(folder / self.capture.face)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the folder alone: each process loads its pictures once."""
        return load_pictures, (self.folder,)

    @property
    def n_bytes(self) -> int:
        """The approximate memory of the sheet and of the capture; the face has its own entry in the cache."""
        n_places = sum(len(layout.places) for layout in self.capture.layouts)
        return sum(picture.nbytes + 300 for picture in self.small) + 1000 * (len(self.capture.controls) + n_places)

    def near(self, number: int, x: float, y: float) -> list[int]:
        """The numbers of the controls that may be at a point of a layout, in order.

        A control's labels and buttons count as the control.
        """
        areas = self._areas.get(number)
        if areas is None:
            areas = [(place.id, *_around(place)) for place in self.capture.layouts[number].places]
            self._areas[number] = areas
        return [i for i, left, top, right, bottom in areas if left <= x < right and top <= y < bottom]

    def page(self, layout: PageLayout) -> Image:
        """The picture of a page: uint8 (layout.height, viewport width, 3), read-only."""
        return page_image(self.folder / layout.picture, (layout.height, self.capture.viewport[0]))


def _around(place: ControlPlace) -> Box:
    boxes = [place.box, *place.labels, *([place.calendar_button] if place.calendar_button else [])]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


@cached
def load_pictures(folder: Path) -> Pictures:
    """The pictures of the capture in a folder.

    Raises:
        ValueError: if the capture is missing or broken.
        OSError: if a picture is missing.
    """
    return Pictures(folder)
