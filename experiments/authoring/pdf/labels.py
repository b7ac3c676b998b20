"""What is printed beside the boxes of a form's fields: their labels, where a PDF has no tooltips."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from ....envs.core.boxes import Box, centre, union

_FAR = 1_000.0
"""Added to the distance of what comes last, such as the heading of a column above other rows."""
_REACH = {"left": 900.0, "right": 150.0, "above": 60.0, "below": 30.0}
"""How far from a field its label is at most, in pixels at 144 dpi."""
Side = Literal["before", "right", "left"]
"""Where the label of a field is: before it, as of fields for text, or at one side of a box to be ticked."""
_WEIGHTS: dict[Side, dict[str, tuple[float, float]]] = {
    "before": {"inside": (1.0, 0.0), "left": (1.0, 0.0), "above": (1.5, 12.0), "below": (1.0, 3 * _FAR)},
    "right": {"inside": (1.0, 0.0), "right": (1.0, 0.0), "left": (1.0, 150.0), "above": (1.0, _FAR)},
    "left": {"left": (1.0, 0.0)},
}
"""Factor and summand of the distance in each direction."""
_SECTION = 500.0
"""How far below its heading a field is at most."""
_BESIDE = 30.0
"""How far a box to be ticked is at most from the words beside it."""
_ALIGNED = 4.0
"""How much the edges of boxes of one column differ at most."""


class Printed(NamedTuple):
    """Printed text in one line, or in several that go on from each other, and its box in pixels."""

    text: str
    box: Box


def lines_of(parts: Iterable[Printed]) -> list[Printed]:
    """Parts of lines joined to lines."""
    return _merged(sorted(parts, key=lambda part: (round(centre(part.box)[1] / 4), part.box[0])), goes_on)


def paragraphs_of(lines: Iterable[Printed], fields: Sequence[Box]) -> list[Printed]:
    """Lines joined to paragraphs, but for those with a field of their own beside them."""

    def follows(first: Box, second: Box) -> bool:
        return _is_next_line(first, second) and not any(_is_beside(field, second) for field in fields)

    return _merged(sorted(lines, key=lambda line: line.box[1]), follows)


def label_of(box: Box, printed: Sequence[Printed], fields: Sequence[Box], side: Side = "before") -> str:
    """The printed text that is nearest to a field; empty if there is none.

    Args:
        box: of the field.
        printed: what is printed on its page.
        fields: the boxes of all fields of the page: a text beyond another field belongs to that one.
        side: where the label is.
    """
    found = nearest(box, printed, fields, side)
    return found.text if found else ""


def nearest(box: Box, printed: Sequence[Printed], fields: Sequence[Box], side: Side = "before") -> Printed | None:
    """What :func:`label_of` is the text of."""
    ranked = ((_rank(box, one.box, fields, side), one) for one in printed)
    return min(((rank, one) for rank, one in ranked if rank is not None), default=(0.0, None))[1]


def column_of(box: Box, label: Box, printed: Sequence[Printed], fields: Mapping[Box, Box]) -> Printed | None:
    """The head of the column of a field whose label begins the row of a table; ``None`` if it begins none.

    Args:
        box: of the field.
        label: the box of the label beside it.
        printed: what is printed on its page.
        fields: the boxes of all fields of the page, with those of their labels.
    """
    row = [other for other in fields if other[0] >= box[2] and box[1] <= centre(other)[1] <= box[3]]
    if not row or not label[2] <= box[0]:
        return None
    level = fields[min(row)]
    heads = [
        one for one in printed if one.box != level and abs(centre(one.box)[1] - centre(level)[1]) < _REACH["below"] / 2
    ]
    found = nearest(box, [one for one in heads if one.box[3] <= box[1] + _ALIGNED], list(fields))
    return found if level[3] <= box[1] + _ALIGNED and found and found.box[0] >= label[0] + _ALIGNED else None


def context_of(box: Box, beside: Iterable[Printed], above: Iterable[Printed]) -> tuple[str, str]:
    """What tells a field from others of its label: the beginning of its row, and the heading above; empty without any.

    Args:
        box: of the field.
        beside: texts that may begin its row.
        above: texts that may be headings.
    """
    low = max(2 * (box[3] - box[1]), 40.0)
    row = [(-one.box[2], one.text) for one in beside if _between(box, one.box)[0] == "left" and _height(one) < low]
    headings = [(box[1] - one.box[3], one.text) for one in above if 0 <= box[1] - one.box[3] <= _SECTION]
    return min(row, default=(0.0, ""))[1], min(headings, default=(0.0, ""))[1]


def is_alone(heading: Printed, printed: Iterable[Printed], fields: Iterable[Box]) -> bool:
    """Whether no field, and no other text, is at the left or right of a heading."""
    texts = (one.box for one in printed if one is not heading and re.search(r"\w{3}", one.text))
    return not any(heading.box[1] < centre(other)[1] < heading.box[3] for other in (*texts, *fields))


def _height(one: Printed) -> float:
    return one.box[3] - one.box[1]


def _is_beside(field: Box, line: Box) -> bool:
    """Whether a small box is level with a line, right before or behind it."""
    level = field[1] - 2 <= centre(line)[1] <= field[3] + 2 and field[3] - field[1] < 2.5 * (line[3] - line[1])
    return level and (0 <= line[0] - field[2] < _BESIDE or 0 <= field[0] - line[2] < _BESIDE)


def _rank(box: Box, text: Box, fields: Sequence[Box], side: Side) -> float | None:
    """How far a text is from a field; ``None`` if it cannot be its label."""
    direction, corridor = _between(box, text)
    factor, summand = _WEIGHTS[side].get(direction, (0.0, 0.0))
    if not factor:
        return None
    across = direction in ("left", "right")
    distance = max(corridor[2] - corridor[0] if across else corridor[3] - corridor[1], 0.0)
    between = [other for other in fields if other != box and _meets(other, corridor)]
    if between and direction == "above" and all(_is_in_column(other, box) for other in between):
        is_head = min(other[1] for other in between) - text[3] <= _REACH["above"]
        return 2 * _FAR + distance if is_head else None
    is_near = distance <= _REACH.get(direction, 0.0)
    return factor * distance + summand if is_near and not between else None


def _between(box: Box, text: Box) -> tuple[str, Box]:
    """The direction in which a text is from a field, and what is between them."""
    x, y = centre(text)
    half = (text[3] - text[1]) / 2
    low, high = max(box[1], text[1]), min(box[3], text[3])
    if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
        return "inside", (x, y, x, y)
    is_level = box[1] - half <= y <= box[3] + half
    if text[0] < box[2] - _ALIGNED and box[0] < text[2] - _ALIGNED and not box[1] <= y <= box[3]:
        left, right = max(box[0], text[0]), min(box[2], text[2])
        return ("above", (left, text[3], right, box[1])) if y < box[1] else ("below", (left, box[3], right, text[1]))
    if not is_level:
        return "nowhere", box
    return ("left", (text[2], low, box[0], high)) if x < box[0] else ("right", (box[2], low, text[0], high))


def _meets(box: Box, corridor: Box) -> bool:
    left, top, right, bottom = corridor
    return box[0] < max(left, right) and left < box[2] and box[1] < max(top, bottom) and top < box[3]


def _is_in_column(other: Box, box: Box) -> bool:
    return abs(other[0] - box[0]) <= _ALIGNED and abs(other[2] - box[2]) <= _ALIGNED


def _merged(parts: Sequence[Printed], follows: Callable[[Box, Box], bool]) -> list[Printed]:
    """Texts in a sequence joined to the last before them that they follow."""
    found: list[Printed] = []
    for part in parts:
        last = next((index for index in reversed(range(len(found))) if follows(found[index].box, part.box)), None)
        if last is None:
            found.append(part)
        else:
            text, box = found[last]
            apart = "" if part.box[0] - box[2] < (box[3] - box[1]) / 8 and centre(part.box)[1] < box[3] else " "
            found[last] = Printed(f"{text}{apart}{part.text}", union([box, part.box]))
    return found


def goes_on(first: Box, second: Box, reach: float = 0.75) -> bool:
    """Whether a part goes on with the line of another, at most so many heights from its end."""
    height = max(first[3] - first[1], second[3] - second[1])
    return abs(centre(first)[1] - centre(second)[1]) < 0.7 * height and -height < second[0] - first[2] < reach * height


def _is_next_line(first: Box, second: Box) -> bool:
    """Whether a line goes on with the paragraph that ends with another, in the same size of print."""
    height = second[3] - second[1]
    is_aligned = min(abs(second[0] - first[0]), abs(centre(second)[0] - centre(first)[0])) < _ALIGNED
    return is_aligned and -height / 4 < second[1] - first[3] < height * 0.35
