"""Boxes of fields from files: our own JSON, COCO, or FUNSD."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, PositiveFloat

from ....envs.core.boxes import Box
from ....envs.core.files import MAX_FILE_BYTES, parse_json, read_foreign, validated
from ....envs.core.matchers import MATCHERS
from ....envs.core.texts import one_line, truncate
from ....envs.paper_forms.datasets.form_nlu import FormNluAnnotation
from ....envs.paper_forms.datasets.scanned_page import Entity
from ....envs.paper_forms.paper_form import FormField
from ..field_names import set_apart, slug_of

MAX_LABEL = 160
_TICKS = re.compile(r"check ?box|tick|radio|choice ?button|option", re.IGNORECASE)
_SLUG = re.compile(r"[a-z][a-z0-9_]{0,99}")
_SIGNED = re.compile(r"signature|initials|\bsign\b", re.IGNORECASE)


class DrawnField(BaseModel):
    """A field as a file or the browser gives it.

    Attributes:
        name: a slug; by default of its label.
        label: the kind of information; by default its name in words.
        kind: a matcher, or ``tick``.
        page: from 1 on.
        box: left, top, right, bottom in pixels of the page.
        comb: the number of cells of one character each.
        original: the index of the field that was changed in the browser to this one; ``None`` for a new one.
    """

    name: str = ""
    label: str = ""
    kind: str = "text"
    page: Annotated[int, Field(ge=1)] = 1
    box: Box
    comb: Annotated[int, Field(ge=0, le=40)] = 0
    original: Annotated[int, Field(ge=0)] | None = None


class _PageSize(BaseModel):
    width: PositiveFloat
    height: PositiveFloat


class BoxFile(BaseModel):
    """Our own format, which a ``form.json`` has as well; without sizes, boxes are in pixels of the pictures.

    Attributes:
        fields: the fields.
        pages: the size of each page in which the boxes are given.
    """

    fields: tuple[DrawnField, ...]
    pages: tuple[_PageSize, ...] = ()


class _FunsdFile(BaseModel):
    form: tuple[Entity, ...]


Size = tuple[int, int]
"""Height and width of a page in pixels."""


def drawn_fields(files: Sequence[Path], originals: Sequence[Size], pages: Sequence[Size]) -> list[FormField]:
    """The fields whose boxes are in some files.

    Args:
        files: one for all pages; of FUNSD, one for each page.
        originals: of the pictures as they came, by page.
        pages: of the pages of the form, to which the pictures may have been scaled.

    Raises:
        ValueError: if a file is broken or of none of the formats, or a box is on no page; it names every field.
        OSError: if one cannot be read.
    """
    drawn: list[DrawnField] = []
    for number, file in enumerate(files, start=1):
        drawn += _drawn(file, number, originals, pages)
    return form_fields(drawn, pages, str(files[0]))


def form_fields(drawn: Iterable[DrawnField], pages: Sequence[Size], origin: str) -> list[FormField]:
    """Fields of a form, each with a name of its own and a label, on pages of these sizes.

    Raises:
        ValueError: if there are none, or what is wrong with each.
    """
    taken, fields, problems = set[str](), list[FormField](), list[str]()
    for number, one in enumerate(drawn, start=1):
        called = one.name or one.label or f"number {number}"
        if problem := _problem(one, pages):
            problems.append(f"  field {called}: {problem}")
            continue
        label = truncate(one_line(one.label or one.name.replace("_", " ")) or f"Field {number}", MAX_LABEL)
        slug = one.name if _SLUG.fullmatch(one.name) else slug_of(one.name or label)
        if one.name and slug in taken:
            problems.append(f"  field {called}: there are two of this name")
            continue
        fields.append(
            FormField(
                name=set_apart(slug, taken),
                label=label,
                matcher=_matcher(one.kind),
                box=_on_page(one.box, pages[one.page - 1]),
                page=one.page,
                comb=one.comb,
            )
        )
    if problems:
        raise ValueError(f"{origin}: {len(problems)} fields cannot be used:\n" + "\n".join(problems[:20]))
    if not fields:
        raise ValueError(f"{origin} has no fields")
    return fields


def _matcher(kind: str) -> str:
    return "checkbox" if kind == "tick" else kind


def _problem(field: DrawnField, pages: Sequence[Size]) -> str:
    """What is wrong with a field; empty if nothing is."""
    if _matcher(field.kind) not in MATCHERS:
        return f"unknown kind {field.kind!r}; there are tick, {', '.join(MATCHERS)}"
    if field.page > len(pages):
        return f"there is no page {field.page}; the last is {len(pages)}"
    left, top, right, bottom = _on_page(field.box, pages[field.page - 1])
    if right - left < 1 or bottom - top < 1:
        height, width = pages[field.page - 1]
        return f"box {tuple(round(edge, 1) for edge in field.box)} is not on page {field.page} of {width} x {height} px"
    return ""


def _on_page(box: Box, page: Size) -> Box:
    height, width = page
    left, top, right, bottom = (round(edge, 2) for edge in box)
    return max(left, 0), max(top, 0), min(right, width), min(bottom, height)


def _drawn(file: Path, number: int, originals: Sequence[Size], pages: Sequence[Size]) -> list[DrawnField]:
    """The fields of a file, in pixels of the form's pages."""
    data = parse_json(read_foreign(file, MAX_FILE_BYTES), str(file))
    keys = set(data) if isinstance(data, Mapping) else set()
    stated: Sequence[tuple[float, float]]
    if {"images", "annotations"} <= keys:
        drawn, stated = _coco(validated(FormNluAnnotation, _with_ids(data), file), file)
    elif "form" in keys:
        drawn, stated = list(_funsd(validated(_FunsdFile, data, file).form, number)), originals
    elif "fields" in keys:
        own = validated(BoxFile, {key: data[key] for key in ("fields", "pages") if key in data}, file)
        drawn, stated = list(own.fields), [(page.height, page.width) for page in own.pages] or originals
    else:
        raise ValueError(f"{file} has none of fields (ours), images with annotations (COCO), or form (FUNSD)")
    return [_scaled(field, stated, pages) for field in drawn]


def _scaled(field: DrawnField, stated: Sequence[tuple[float, float]], pages: Sequence[Size]) -> DrawnField:
    if field.page > min(len(stated), len(pages)):
        return field
    (height, width), (page_height, page_width) = stated[field.page - 1], pages[field.page - 1]
    across, down = page_width / width, page_height / height
    left, top, right, bottom = field.box
    return field.model_copy(update={"box": (left * across, top * down, right * across, bottom * down)})


def _with_ids(data: Mapping[str, Any]) -> dict[str, Any]:
    """A COCO file whose annotations all have ids."""
    annotations = data["annotations"]
    if isinstance(annotations, Sequence):
        annotations = [{"id": i, **one} if isinstance(one, Mapping) else one for i, one in enumerate(annotations)]
    return {"categories": [], **data, "annotations": annotations}


def _coco(file: FormNluAnnotation, path: Path) -> tuple[list[DrawnField], list[tuple[float, float]]]:
    """The annotations of a COCO file whose pictures are the pages, and the sizes of these."""
    page_of = {picture.id: number for number, picture in enumerate(file.images, start=1)}
    kinds = {category.id: category.name for category in file.categories}
    if lost := next((one for one in file.annotations if one.image_id not in page_of), None):
        raise ValueError(f"{path}: annotation {lost.id}: there is no image {lost.image_id}")
    drawn = []
    for one in file.annotations:
        left, top, width, height = one.bbox
        kind = kinds.get(one.category_id, "")
        drawn.append(
            DrawnField(
                label=one.text or kind,
                kind=_kind(kind, one.text or ""),
                page=page_of[one.image_id],
                box=(left, top, left + width, top + height),
            )
        )
    return drawn, [(picture.height, picture.width) for picture in file.images]


def _kind(category: str, label: str) -> str:
    """The kind of a field by the name of its class, or by its label."""
    if category.lower() in MATCHERS:
        return category.lower()
    if _TICKS.search(category):
        return "checkbox"
    return kind_by_label(f"{category} {label}")


def kind_by_label(label: str) -> str:
    """The kind of a field for text by its label."""
    return "signature" if _SIGNED.search(label) else "text"


def _funsd(entities: Sequence[Entity], page: int) -> Iterator[DrawnField]:
    """The answers of a FUNSD file, by the questions that they are linked to."""
    questions = {one.id: one_line(one.text).rstrip(" :") for one in entities if one.label == "question"}
    for entity in entities:
        if entity.label == "answer":
            linked = sorted({other for pair in entity.linking for other in pair if other in questions})
            label = " | ".join(questions[one] for one in linked if questions[one])
            left, top, right, bottom = map(float, entity.box)
            yield DrawnField(label=label, kind=kind_by_label(label), page=page, box=(left, top, right, bottom))
