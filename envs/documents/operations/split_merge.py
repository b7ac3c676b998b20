"""SPLIT one text or list into several, and MERGE several (Agent-DocEdit)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from ...core.tools import ToolError
from ..painting.texts import text_height
from ..scene.document import Document, check_room, element_of, fresh_id, inserted, possible_box, without
from ..scene.elements import BBox, Element, Run, enclosing, split_runs
from .contents import MAX_LETTERS
from .draft import EditDraft, EditKind, EditScene, Numbers, of_one, operation, with_article
from .operation import EditOperation, OperationTool

_LETTERED = ("text", "list")
_ROOM = 40
"""The maximum distance of the parts of an element from its box, in pixels."""


def split(document: Document, object_id: Any, separator: Any = "\n") -> tuple[Document, tuple[str, ...]]:
    """Split a text or list at a separator into parts below each other.

    All parts keep the style of the whole.

    Returns:
        The document, and the ids of the parts; the first one keeps its own.

    Raises:
        ToolError: if it is no text or list, or does not contain the separator.
    """
    element = element_of(document, object_id)
    if element.type not in _LETTERED:
        raise ToolError(f"Only texts and lists can be split; {element.id} is {with_article(element.type)}.")
    if not isinstance(separator, str) or not separator:
        raise ToolError(f"A separator is a text such as ', ', not {separator!r}.")
    parts = [part for part in split_runs(element.runs, separator) if "".join(run.text for run in part).strip()]
    if len(parts) < 2:
        raise ToolError(f"{element.id} cannot be split: it does not say {separator!r} between words.")
    page, at = document.places[element.id]
    check_room(document, page, len(parts) - 1)
    made: list[Element] = []
    left, top, width, height = element.bbox
    top += round((height - text_height(element)) * {"top": 0, "middle": 0.5, "bottom": 1}[element.style.anchor])
    for number, part in enumerate(parts):
        name = element.id if not made else fresh_id(document, [one.id for one in made])
        levels = (element.level_of(number),) if element.levels and separator == "\n" else element.levels
        one = element.model_copy(update={"runs": tuple(part), "levels": levels, "id": name})
        height = text_height(one)
        made.append(one.model_copy(update={"bbox": _turned((left, top, width, height), element)}))
        top += max(height, 1)
    return inserted(without(document, {element.id}), page, at, *made), tuple(one.id for one in made)


def _turned(box: BBox, whole: Element) -> BBox:
    """The box of a part, whose middle turns with the whole around the middle of that."""
    turn = math.radians(whole.angle)
    across, down = (box[i] + box[i + 2] / 2 - whole.centre[i] for i in (0, 1))
    left = box[0] + round(across * math.cos(turn) - down * math.sin(turn) - across)
    return possible_box(left, box[1] + round(across * math.sin(turn) + down * math.cos(turn) - down), *box[2:])


def merge(document: Document, object_ids: Any, separator: Any = "\n") -> tuple[Document, str]:
    """Merge texts or lists of one page into the first of them, in its style.

    Returns:
        The document, and the id of the whole, which is the first one's.

    Raises:
        ToolError: if there are fewer than two, they are on several pages, or some are neither texts nor lists.
    """
    ids = list(object_ids) if isinstance(object_ids, Sequence) and not isinstance(object_ids, str) else []
    if len(ids) < 2 or len(set(map(str, ids))) < len(ids):
        raise ToolError(f"MERGE takes a list of at least two different ids, not {object_ids!r}.")
    elements = [element_of(document, one) for one in ids]
    first = elements[0]
    for other in (one for one in elements if one.type not in _LETTERED):
        raise ToolError(f"Only texts and lists can be merged; {other.id} is {with_article(other.type)}.")
    if len({document.places[one.id][0] for one in elements}) > 1:
        raise ToolError("What is on several pages cannot be merged.")
    runs = list(first.runs)
    for one in elements[1:]:
        runs += [Run(text=str(separator)), *one.runs]
    length = sum(len(run.text) for run in runs)
    if length > MAX_LETTERS:
        raise ToolError(f"A text of {length:,} characters would be too long; {MAX_LETTERS:,} are the most.")
    box = possible_box(*enclosing(one.bbox for one in elements))
    levels = [one.level_of(item) for one in elements for item in range(one.text.count("\n") + 1)]
    kept = tuple(levels) if first.type == "list" and any(levels) and separator == "\n" else first.levels
    whole = first.model_copy(update={"runs": tuple(runs), "levels": kept, "bbox": box})
    whole = whole.model_copy(update={"bbox": possible_box(*box[:3], max(box[3], text_height(whole)))})
    page, at = document.places[first.id]
    below = sum(document.places[one.id][1] < at for one in elements)
    return inserted(without(document, set(map(str, ids))), page, at - below, whole), first.id


def _split(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    if "\n" not in target.text.strip():
        return None
    return EditDraft({}, (target,), (operation("SPLIT", object_id=target.id, separator="\n"),))


def _with_margin(element: Element) -> BBox:
    left, top, width, height = element.bbox
    return left - _ROOM, top - _ROOM, width + 2 * _ROOM, height + 2 * _ROOM


def _merge(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    """EditDraft a merge of two texts, one right below the other."""
    left, top, _, height = target.bbox
    below = [
        e
        for e in scene.elements
        if e.type == target.type == "text"
        and 0 <= e.bbox[1] - (top + height) <= 40
        and abs(e.bbox[0] - left) <= 12
        and e.parent == target.parent
        and e.angle == target.angle
        and e.style == target.style
    ]
    if not below or not all(re.search("[A-Za-z]{3}", e.text) for e in (target, below[0])):
        return None
    call = operation("MERGE", object_ids=[target.id, below[0].id], separator="\n")
    return EditDraft({}, (target,), (call,), anchor=below[0])


SPLIT = EditOperation(
    split,
    "Split a text or a list at a separator; returns the ids of the parts.",
    (
        "Split the notes for visitors into one list for each line.",
        'notes = FIND_AND_GET("the notes for visitors", document)[0]\nSPLIT(notes, "\\n")',
    ),
    (
        OperationTool(
            "split",
            "Split a text or a list at each separator; the parts are placed one below the other.",
            ("object_id", "separator"),
        ),
    ),
    typesets="object_id",
    edits={
        "split": EditKind(
            ("target",), _LETTERED, of_one(_split), side_effects=("size", "position"), new_within=_with_margin
        )
    },
)
MERGE = EditOperation(
    merge,
    "Join texts or lists into the first of them; returns its id.",
    (
        "Merge the headline and the name of the band into one text.",
        'headline = FIND_AND_GET("the headline", document)[0]\n'
        'band = FIND_AND_GET("the name of the band", document)[0]\n'
        'MERGE([headline, band], "\\n")',
    ),
    (OperationTool("merge", "Join texts or lists into the first of them.", ("object_ids", "separator")),),
    typesets="object_ids",
    edits={"merge": EditKind(("target", "anchor"), ("text",), of_one(_merge), side_effects=("size", "position"))},
)
