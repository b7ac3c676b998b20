"""Crello's designs (Yamaguchi, CanvasVAE, ICCV 2021) as documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from ..scene.document import Document, Page
from ..scene.elements import Colour
from .crello_elements import Scale, element_of
from .crello_rows import CrelloDocument, CrelloElement, crello_row
from .naming import with_names
from .rows import json_rows, problem

LAYOUT = "*.json (one design, or a list of them) or *.jsonl (one a line), pictures beside them"
REQUESTS = "requests.jsonl"
LONGEST_SIDE, SHORTEST_SIDE, MAX_SIDE = 960, 100, 2048
"""Pixels of a page's longer side, of its shorter one at least, and of any side at most."""


def read_crello(path: Path) -> list[Document]:
    """All designs in a file or a folder; see ``crello_documents``.

    The pictures beside them are kept in memory: of a large data set, ask for some with ``crello_documents``.
    """
    return [document for _, document in crello_documents(path)]


def crello_documents(path: Path, only: Collection[str] | None = None) -> Iterator[tuple[str, Document]]:
    """The designs in a file or a folder, one after the other, each with its id in the file.

    A canvas is scaled so that its longer side has 960 pixels at most, unless the shorter one would have less than 100.
    A coloured background below everything that fills the canvas becomes the page's own. Elements get ids by kind and
    number in the order of painting, ``text_1``, ``image_2``, unless the file has ids, and names by what is seen.

    Args:
        path: a file, or a folder with files.
        only: the ids of the designs that are wanted; ``None``: all. Pictures of others are not loaded.

    Raises:
        ValueError: if there is nothing, a row is broken, or an id is used twice; the message names file and line.
    """
    files = [path] if path.is_file() else sorted([*path.glob("*.json"), *path.glob("*.jsonl")])
    files = [file for file in files if file.name != REQUESTS]
    if not files:
        raise ValueError(f"no designs in {path}: expected is {LAYOUT}")
    ids: set[str] = set()
    names: set[str] = set()
    for file in files:
        for place, row in json_rows(file):
            try:
                design = crello_row(row)
                if design.id in ids:
                    raise ValueError(f"the id {design.id!r} is used twice")
                ids.add(design.id)
                if only is not None and design.id not in only:
                    continue
                document = _document(design, file.parent, names)
            except ValueError as error:
                raise problem(place, error) from None
            names.add(document.name)
            yield design.id, document


def _document(design: CrelloDocument, folder: Path, taken: set[str]) -> Document:
    scale = _scale(design)
    background, rest = _parted(design.elements)
    ids: set[str] = set()
    elements = []
    for element in rest:
        elements.append(element_of(element, scale, folder, ids))
        ids.add(elements[-1].id)
    page = Page(
        width=scale.width, height=scale.height, background=background, elements=with_names(elements, scale.size)
    )
    format_ = design.format if isinstance(design.format, str) else ""
    return Document(
        name=_name(design.id, taken),
        title=(" ".join(design.title.split()) or f"Design {design.id}")[:80],
        kind=format_.strip().lower()[:30] or "design",
        pages=(page,),
    )


def _scale(design: CrelloDocument) -> Scale:
    width, height = design.canvas_width, design.canvas_height
    factor = max(min(1.0, LONGEST_SIDE / max(width, height)), SHORTEST_SIDE / min(width, height))
    if max(width, height) * factor > MAX_SIDE:
        raise ValueError(f"a canvas of {width} x {height} is too narrow for a page")
    return Scale(round(width * factor), round(height * factor), factor)


def _parted(elements: tuple[CrelloElement, ...]) -> tuple[Colour, tuple[CrelloElement, ...]]:
    """The colour of the page, and the elements on it."""
    first = elements[0] if elements else None
    if first is None or first.type != "background" or first.color is None or first.opacity < 1 or first.angle:
        return (255, 255, 255), elements
    covers = first.left <= 0.01 and first.top <= 0.01 and first.left + first.width >= 0.99
    if not covers or first.top + first.height < 0.99:
        return (255, 255, 255), elements
    return first.color, elements[1:]


def _name(design_id: str, taken: set[str]) -> str:
    stem = re.sub(r"[^a-z0-9]+", "_", design_id.lower()).strip("_")[:50] or "design"
    stem = stem if stem[0].isalpha() else f"design_{stem}"
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    return name
