"""Rows of Crello (Yamaguchi, CanvasVAE, ICCV 2021): designs as canvases with elements.

The fields are those of the data set's own description, releases 1 and 2: positions and sizes are fractions of the
canvas, angles are radians clockwise, sizes of letters are pixels of the canvas, ``color`` is the element's main colour.
The data set is published as TFRecord and, later, on a hub; whoever exports it writes JSON, with the names of classes,
not their numbers. Of later releases we could not see all fields.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pydantic
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict

from ..operations.values import colour_of
from ..scene.elements import Colour
from .rows import Row

Sort = Literal["text", "image", "shape", "background"]
SORTS: dict[str, Sort] = {
    "text": "text",
    "image": "image",
    "photo": "image",
    "mask": "image",
    "svgmask": "image",
    "svg": "shape",
    "shape": "shape",
    "coloredbackground": "background",
}
"""What elements are by their type in small letters, without ``Element`` at its end."""
_FARTHEST = 20
"""Positions and sizes beyond so many canvases are taken to be pixels."""
_SMALLEST = 16
"""Pixels of a canvas's side, at least."""


def _sort(value: Any) -> Any:
    return SORTS.get(_class(value).lower().removesuffix("element"), value)


def _class(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(f"{value!r} is no name; where classes are numbers, write their names instead")


def _length(value: Any) -> Any:
    # The name of a class of sizes is its number of pixels.
    length = int(value) if isinstance(value, str) and value.strip().isdecimal() else value
    if isinstance(length, int) and length < _SMALLEST:
        raise ValueError(f"{value!r} is too small for pixels; where classes are numbers, write their names instead")
    return length


def _align(value: Any) -> str:
    return _class(value).strip().lower() or "left"


def _colour(value: Any) -> Colour | None:
    """A colour: red, green, blue, or several of them, of which the first counts, or a text that names one."""
    if value is None or value == []:
        return None
    if isinstance(value, list) and isinstance(value[0], list):
        return _colour(value[0])
    return colour_of(value[:3] if isinstance(value, list) else value)


Fraction = Annotated[float, pydantic.Field(ge=-_FARTHEST, le=_FARTHEST, allow_inf_nan=False)]
Pixels = Annotated[int, pydantic.Field(ge=_SMALLEST, le=50_000), BeforeValidator(_length)]


class CrelloElement(BaseModel):
    """An element; ``image`` is the file of its picture, relative to the file that the row is in."""

    model_config = ConfigDict(frozen=True)

    id: str = ""
    type: Annotated[Sort, BeforeValidator(_sort)]
    left: Fraction
    top: Fraction
    width: Annotated[Fraction, pydantic.Field(ge=0)]
    height: Annotated[Fraction, pydantic.Field(ge=0)]
    angle: Annotated[float, pydantic.Field(ge=-100, le=100, allow_inf_nan=False)] = 0
    opacity: Annotated[float, pydantic.Field(ge=0, le=1, allow_inf_nan=False)] = 1
    color: Annotated[Colour | None, BeforeValidator(_colour)] = None
    text: str = ""
    font: Annotated[str, BeforeValidator(_class)] = ""
    font_size: Annotated[float, pydantic.Field(ge=0, le=5000, allow_inf_nan=False)] = 0
    text_align: Annotated[Literal["left", "center", "right"], BeforeValidator(_align)] = "left"
    image: str = pydantic.Field("", validation_alias=AliasChoices("image", "image_file"))


class CrelloDocument(BaseModel):
    """A canvas, its size in pixels, and its elements, the lowest first."""

    model_config = ConfigDict(frozen=True)

    id: Annotated[str, pydantic.Field(min_length=1)]
    canvas_width: Pixels
    canvas_height: Pixels
    title: str = ""
    format: Any = ""
    elements: tuple[CrelloElement, ...]


def crello_row(row: Row) -> CrelloDocument:
    """The design in a row: its ``elements`` a list of objects, or, as published, a list for each of their fields.

    Raises:
        ValueError: if a field is missing or wrong, or lists are of different lengths.
    """
    elements = row["elements"] if isinstance(row.get("elements"), list) else _transposed(row)
    # What a file writes as null is left to be as by default.
    told = [{k: v for k, v in e.items() if v is not None} if isinstance(e, dict) else e for e in elements]
    return CrelloDocument.model_validate({k: v for k, v in row.items() if v is not None} | {"elements": told})


def _transposed(row: Row) -> list[Row]:
    names = [*CrelloElement.model_fields, "image_file"]
    lists = {name: row[name] for name in names if isinstance(row.get(name), list)}
    count = row.get("length", len(lists.get("type", ())))
    if "type" not in lists:
        raise ValueError("there are neither elements nor lists of their fields (type, left, top, width, height, ...)")
    if other := sorted(name for name, values in lists.items() if len(values) != count):
        raise ValueError(f"there are {count} elements, but {len(lists[other[0]])} values of {other[0]}")
    return [{name: values[i] for name, values in lists.items()} for i in range(count)]
