"""Build example pages: the field of an answer, and its labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...envs.core.boxes import Box, Rect, on_one_line, overlap_height, overlap_width, union
from ...envs.core.painting import Gray
from ...envs.paper_forms.datasets.rules import MIN_RULE, Mask, ink_in
from ...envs.paper_forms.datasets.scanned_page import reading_order
from ...envs.paper_forms.examples import Example, ExamplePage, Word
from ...envs.paper_forms.scans.degradation import long_runs
from .erasing import Cleared, cleared_of, gray_of, kept_cleared, picture_of
from .sources import AnswerPart, PageSource, sources

_MARGIN = 0.02
"""The left and right margins, as a share of the page's width."""
_SHARED = 0.25
"""A box that shares this much of the lower one's height is on the answer's line."""
_REACH = 2.0
"""Rules so many pixels inside of an answer still bound its field."""
_TOUCHING = 3
"""Boxes may overlap by this many pixels and still count as side by side."""
_RULE = 0.6
"""Rules run along this much of the answer's width or height."""
_TAILS = 0.35
"""This share of an answer's height may hang below the rule it is written on."""
_MAX_LINE = 30


def field_of(box: Rect, gray: Gray, taken: Sequence[Box]) -> Rect:
    """The blank space that an answer may fill.

    To the left and right it goes up to the next thing on the answer's line, the next vertical rule or the margin (2 %
    of the page's width); up and down by half a line (half the answer's height, of 30 pixels at most), and no further
    than the next thing or rule. It holds the answer's box in any case.

    Args:
        box: of the answer, in pixels.
        gray: the page without the answer.
        taken: boxes of everything else on the page, erased or not: printed words and other answers.
    """
    height, width = gray.shape
    left, top, right, bottom = box
    half = max(min(bottom - top, _MAX_LINE), 8) / 2
    margin = round(_MARGIN * width)
    limits = margin, max(0, round(top - half)), round((1 - _MARGIN) * width), min(height, round(bottom + half))
    beside = [other for other in taken if overlap_height(other, box) > _SHARED * min(other[3] - other[1], bottom - top)]
    over = [other for other in taken if overlap_width(other, box) > 2]
    across, down = _rules(gray, box, limits)
    return (
        _before(left, limits[0], [o[2] for o in beside if o[2] <= left + _TOUCHING], down),
        _before(top, limits[1], [o[3] for o in over if o[3] <= top + _TOUCHING], across),
        _after(right, limits[2], [o[0] for o in beside if o[0] >= right - _TOUCHING], down),
        _after(bottom, limits[3], [o[1] for o in over if o[1] >= bottom - _TOUCHING], across, _TAILS * (bottom - top)),
    )


def _before(edge: int, furthest: int, ends: Iterable[float], rules: Sequence[int]) -> int:
    """Where a field begins: at the nearest thing or rule to the left or above."""
    stops = [furthest, *(int(np.ceil(end)) for end in ends), *(rule + 1 for rule in rules if rule < edge + _REACH)]
    return min(max(stops), edge)


def _after(edge: int, furthest: int, starts: Iterable[float], rules: Sequence[int], reach: float = _REACH) -> int:
    """Where a field ends: at the nearest thing or rule to the right or below."""
    stops = [furthest, *(int(start) for start in starts), *(rule for rule in rules if rule >= edge - reach)]
    return max(min(stops), edge)


def _rules(gray: Gray, box: Rect, room: Rect) -> tuple[list[int], list[int]]:
    """The rows of horizontal and the columns of vertical rules around an answer."""
    left, top, right, bottom = box
    above, below = (max(top - MIN_RULE, 0), min(bottom + MIN_RULE, len(gray)))
    band = min(room[0], left), above, max(room[2], right), below
    ink = ink_in(gray, band)
    down = _thickened(long_runs(ink.T, max(MIN_RULE, int(0.9 * (bottom - top)))).T, axis=1)
    across = _thickened(long_runs(ink, max(MIN_RULE, min(right - left, 60))), axis=0)
    rows = across[:, left - band[0] : right - band[0]].mean(axis=1) > _RULE
    columns = down[top - above : bottom - above].mean(axis=0) > _RULE
    inner = [int(i) + above for i in np.flatnonzero(rows)]
    return inner, [int(i) + band[0] for i in np.flatnonzero(columns)]


def _thickened(rules: Mask, axis: int) -> Mask:
    """The rules, one pixel thicker on both sides, so that tilted ones are unbroken."""
    wide = rules.copy()
    before, after = np.moveaxis(wide, axis, 0), np.moveaxis(rules, axis, 0)
    before[1:] |= after[:-1]
    before[:-1] |= after[1:]
    return wide


SEPARATOR = " | "
_TICK = re.compile(r"[\[(]?\s*[xX✓✔☑☒√×✗✘]{1,2}\s*[\])]?")
_SEVERAL_LINES = 1.9
"""An answer that is higher than its words by this factor has several lines."""


@dataclass(frozen=True)
class BuiltTarget:
    """A field to find.

    Attributes:
        text: the question and what is above it, nearest first, separated by ``" | "``.
        labels: the box of each of these parts, in the same order.
        answers: the ids of the answers in the field.
        box: the envelope of the answers.
        kind: how the field is laid out: ``line``, ``left``, ``below``, ``above``, ``table``, ``tick`` or ``multi``.
    """

    text: str
    labels: tuple[Box, ...]
    answers: tuple[int, ...]
    box: Rect
    kind: str


def answer_targets(source: PageSource) -> Iterator[BuiltTarget | str]:
    """For each answer, in reading order, a target or the reason why it has none."""
    answers = {part.id: part for part in source.answers}
    children = _children(source)
    for key in reading_order({i: part.box for i, part in answers.items()}):
        part = answers[int(key)]
        above = _ancestors(source, part)
        if not part.text:
            yield "empty text"
        elif not above:
            yield "no question"
        else:
            yield _target(above, [part], _kind(source, part, children))


def question_targets(source: PageSource) -> Iterator[BuiltTarget | str]:
    """For each question, in reading order, a target or the reason why it has none."""
    children = _children(source)
    questions = {part.id: part for part in source.parts.values() if part.label == "question"}
    for key in reading_order({i: part.box for i, part in questions.items()}):
        part = questions[int(key)]
        answers = [answer for answer in children.get(part.id, []) if answer.text]
        if not answers:
            yield "no answer"
        elif not part.text:
            yield "no question"
        else:
            kind = "table" if len(answers) > 1 else _kind(source, answers[0], children)
            yield _target([part, *_ancestors(source, part)], answers, kind)


TARGETS: dict[str, Callable[[PageSource], Iterator[BuiltTarget | str]]] = {
    "answers": answer_targets,
    "questions": question_targets,
    "single": answer_targets,
}
"""The targets of a page under each protocol."""


def _target(named: list[AnswerPart], answers: list[AnswerPart], kind: str) -> BuiltTarget:
    return BuiltTarget(
        text=SEPARATOR.join(part.text for part in named),
        labels=tuple(part.box for part in named),
        answers=tuple(part.id for part in answers),
        box=union([part.box for part in answers]),
        kind=kind,
    )


def _ancestors(source: PageSource, part: AnswerPart) -> list[AnswerPart]:
    """The questions and headers with a text that are above a part, breadth first.

    On one level questions come before headers, and those on the part's line before others: rows before columns.
    """
    found, level = dict[int, AnswerPart](), [part]

    def order(each: AnswerPart) -> tuple[bool, bool, int]:
        return each.label == "header", not on_one_line(each.box, part.box), each.id

    while level:
        ids = {i for each in level for i in each.parents if i in source.parts and i not in found and i != part.id}
        level = sorted((source.parts[i] for i in ids), key=order)
        found |= {each.id: each for each in level}
    return [each for each in found.values() if each.text]


def _children(source: PageSource) -> dict[int, list[AnswerPart]]:
    """The answers right below each question, by its id."""
    children: dict[int, list[AnswerPart]] = {}
    for answer in source.answers:
        for i in answer.parents:
            children.setdefault(i, []).append(answer)
    return children


def _kind(source: PageSource, answer: AnswerPart, children: Mapping[int, list[AnswerPart]]) -> str:
    questions = [source.parts[i] for i in answer.parents if i in source.parts and source.parts[i].label == "question"]
    if _TICK.fullmatch(answer.text):
        return "tick"
    if len(questions) > 1 or any(len(children[question.id]) > 1 for question in questions):
        return "table"
    height = sorted(bottom - top for _, top, _, bottom in answer.boxes)[len(answer.boxes) // 2]
    if answer.box[3] - answer.box[1] > _SEVERAL_LINES * height:
        return "multi"
    return _side(questions[0].box, answer.box) if questions else "line"


def _side(question: Rect, answer: Rect) -> str:
    """The side of its question that an answer is on."""
    if on_one_line(question, answer):
        return "line" if answer[0] + answer[2] >= question[0] + question[2] else "left"
    return "below" if answer[1] + answer[3] > question[1] + question[3] else "above"


_VISIBLE = 0.1
"""An erased answer is still visible if more than this share of its ink is left."""


@dataclass(frozen=True, eq=False)
class Built:
    """A page, the document it is made of, and the targets left out.

    Attributes:
        page: with its targets; there may be none.
        document: the name of the annotated page: with the protocol ``"single"`` many pages are of one.
        dropped: why targets were left out, and how many.
    """

    page: ExamplePage
    document: str
    dropped: Counter[str]


def blank_page(name: str, gray: Gray, fields: Iterable[Example]) -> Built:
    """A page that is already blank, with a target for each field.

    Of fields with the same name only the first is a target.

    Args:
        name: of the page.
        gray: the picture.
        fields: in their order.
    """
    first: dict[str, Example] = {}
    repeated = 0
    for field in fields:
        repeated += field.target in first
        first.setdefault(field.target, field)
    dropped = Counter({"same name as another": repeated} if repeated else {})
    return Built(ExamplePage(name, gray, (), list(first.values())), name, dropped)


def build(name: str, protocol: str, root: str | None, split: str | None, decoys: bool) -> Iterator[Built]:
    """The pages of an annotated data set; see ``pages``."""
    for source in sources(name, root, split):
        targets, dropped = _distinct(TARGETS[protocol](source))
        if protocol == "single":
            yield from _one_page_each(source, targets, dropped)
        else:
            yield _one_page(source, targets, dropped, decoys)


def _distinct(targets: Iterable[BuiltTarget | str]) -> tuple[list[BuiltTarget], Counter[str]]:
    """The first target of each text, and a count of why others are left out."""
    first, dropped = dict[str, BuiltTarget](), Counter[str]()
    for target in targets:
        if isinstance(target, str):
            dropped[target] += 1
        elif target.text in first:
            dropped["same name as another"] += 1
        else:
            first[target.text] = target
    return list(first.values()), dropped


def _one_page(source: PageSource, targets: Sequence[BuiltTarget], dropped: Counter[str], decoys: bool) -> Built:
    """The page with all answers erased."""
    blank = kept_cleared(source, decoys)
    examples = []
    for target in targets:
        if max(blank.left[i] for i in target.answers) > _VISIBLE:
            dropped["still visible"] += 1
        else:
            examples.append(_example(source, target, blank))
    words = _words(source, {part.id for part in source.answers})
    return Built(ExamplePage(source.name, blank.gray, words, examples), source.name, dropped)


def _one_page_each(source: PageSource, targets: Sequence[BuiltTarget], dropped: Counter[str]) -> Iterator[Built]:
    """For each target a page with its answer erased and all others kept."""
    for target in targets:
        key = target.answers[0]
        blank = cleared_of(source, source.parts[key])
        if blank.left[key] > _VISIBLE:
            dropped["still visible"] += 1
            continue
        page = ExamplePage(f"{source.name}#{key}", blank.gray, _words(source, {key}), [_example(source, target, blank)])
        yield Built(page, source.name, dropped)
        dropped = Counter()
    if dropped:
        # What was left out last is counted with a page without targets.
        yield Built(ExamplePage(source.name, gray_of(picture_of(source)), (), ()), source.name, dropped)


def _words(source: PageSource, gone: set[int]) -> list[Word]:
    return [word for part in source.parts.values() if part.id not in gone for word in part.words]


def _example(source: PageSource, target: BuiltTarget, blank: Cleared) -> Example:
    own = set(target.answers)
    taken: list[Rect | Box] = [box for part in source.parts.values() if part.id not in own for box in part.boxes]
    return Example(target.text, target.box, field_of(target.box, blank.gray, taken), target.kind, target.labels)
