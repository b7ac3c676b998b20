"""Targets: what fields are called after the links of an annotated page (FormGym, section FieldFinder)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ...envs.core.locators import Box
from ...envs.core.painting import Rect, envelope
from ...envs.paper_forms.datasets.scanned_page import reading_order
from .sources import Part, Source

SEPARATOR = " | "
_TICK = re.compile(r"[\[(]?\s*[xX✓✔☑☒√×✗✘]{1,2}\s*[\])]?")
_SEVERAL_LINES = 1.9
"""An answer that is higher than its words by this factor has several lines."""
_ON_A_LINE = 0.3
"""Boxes that share this much of the lower one's height stand on one line."""


@dataclass(frozen=True)
class Target:
    """A field that is asked for.

    Attributes:
        text: the question, then what stands above it, nearest first, parted by ``" | "``.
        labels: the boxes of these parts.
        answers: the ids of the answers that stood in the field.
        box: the envelope of the answers.
        kind: how the field is laid out: ``line``, ``left``, ``below``, ``above``, ``table``, ``tick`` or ``multi``.
    """

    text: str
    labels: tuple[Box, ...]
    answers: tuple[int, ...]
    box: Rect
    kind: str


def answer_targets(source: Source) -> Iterator[Target | str]:
    """One target an answer, or why an answer makes none; in reading order."""
    answers = {part.id: part for part in source.answers}
    children = _children(source)
    for key in reading_order({i: part.box for i, part in answers.items()}):
        part = answers[int(key)]
        above = _upwards(source, part)
        if not part.text:
            yield "empty text"
        elif not above:
            yield "no question"
        else:
            yield _target(above, [part], _kind(source, part, children))


def question_targets(source: Source) -> Iterator[Target | str]:
    """One target a question that has answers, or why a question makes none; in reading order."""
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
            yield _target([part, *_upwards(source, part)], answers, kind)


TARGETS: dict[str, Callable[[Source], Iterator[Target | str]]] = {
    "answers": answer_targets,
    "questions": question_targets,
    "single": answer_targets,
}
"""What is asked for under each protocol."""


def _target(named: list[Part], answers: list[Part], kind: str) -> Target:
    return Target(
        text=SEPARATOR.join(part.text for part in named),
        labels=tuple(part.box for part in named),
        answers=tuple(part.id for part in answers),
        box=envelope([part.box for part in answers]),
        kind=kind,
    )


def _upwards(source: Source, part: Part) -> list[Part]:
    """The named questions and headers above a part: breadth first.

    On one level questions come before headers, and before others what stands on the part's line: rows before columns.
    """
    found, level = dict[int, Part](), [part]

    def order(each: Part) -> tuple[bool, bool, int]:
        return each.label == "header", not _on_line(each.box, part.box), each.id

    while level:
        ids = {i for each in level for i in each.parents if i in source.parts and i not in found and i != part.id}
        level = sorted((source.parts[i] for i in ids), key=order)
        found |= {each.id: each for each in level}
    return [each for each in found.values() if each.text]


def _children(source: Source) -> dict[int, list[Part]]:
    """The answers right below each question, by its id."""
    children: dict[int, list[Part]] = {}
    for answer in source.answers:
        for i in answer.parents:
            children.setdefault(i, []).append(answer)
    return children


def _kind(source: Source, answer: Part, children: Mapping[int, list[Part]]) -> str:
    asked = [source.parts[i] for i in answer.parents if i in source.parts and source.parts[i].label == "question"]
    if _TICK.fullmatch(answer.text):
        return "tick"
    if len(asked) > 1 or any(len(children[question.id]) > 1 for question in asked):
        return "table"
    height = sorted(bottom - top for _, top, _, bottom in answer.boxes)[len(answer.boxes) // 2]
    if answer.box[3] - answer.box[1] > _SEVERAL_LINES * height:
        return "multi"
    return _side(asked[0].box, answer.box) if asked else "line"


def _side(question: Rect, answer: Rect) -> str:
    """Where an answer is, seen from its question."""
    if _on_line(question, answer):
        return "line" if answer[0] + answer[2] >= question[0] + question[2] else "left"
    return "below" if answer[1] + answer[3] > question[1] + question[3] else "above"


def _on_line(one: Rect, other: Rect) -> bool:
    shared = min(one[3], other[3]) - max(one[1], other[1])
    return shared > _ON_A_LINE * min(one[3] - one[1], other[3] - other[1])
