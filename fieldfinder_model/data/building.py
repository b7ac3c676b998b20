"""Build FieldFinder's data: pages with answers erased, and their targets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...envs.core.boxes import Box, Rect, on_one_line, union
from ...envs.paper_forms.datasets.scanned_page import reading_order
from ...envs.paper_forms.examples import Example, ExamplePage, Gray, Word
from .answer_field import field_of
from .erasing import Cleared, cleared_of, gray_of, kept_cleared, picture_of
from .sources import AnswerPart, PageSource, sources

SEPARATOR = " | "
_TICK = re.compile(r"[\[(]?\s*[xX✓✔☑☒√×✗✘]{1,2}\s*[\])]?")
_SEVERAL_LINES = 1.9
"""An answer that is higher than its words by this factor has several lines."""


@dataclass(frozen=True)
class BuiltTarget:
    """A field to find.

    Attributes:
        text: the question, then what is above it, nearest first, separated by ``" | "``.
        labels: the boxes of these parts.
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
