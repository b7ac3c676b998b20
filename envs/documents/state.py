"""Tasks, and the state of an episode of DocEdit: the edited document, its history and score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..core.asset_cache import CACHE, Keyed
from ..core.boxes import Rect
from ..core.env import MAX_SOURCE_LENGTH, FieldBox, State
from ..core.painting import Image, Layer
from ..core.scoring import FieldResult, Score
from ..core.tools import Call, ToolError
from .grounding.grounder import Grounder
from .grounding.placing import Find
from .operations.operation import OperationRecord
from .operations.table import OPERATIONS
from .painting.view import DocumentView, painted
from .programs.program import ProgramContext, operation_calls, program_of, run_program
from .programs.sandbox import ProgramError
from .requests.request import Request
from .scene.document import Changes, Document, changes, edit_key, without_names
from .scene.document_text import DocumentText
from .scene.elements import Element, rect_of
from .scoring.changes import changed_pages
from .scoring.edit_score import EditScore, Pair, agreement, edit_score, pairs_of
from .scoring.evaluator import Evaluation, Evaluator
from .scoring.layout import layout_problems
from .scoring.pictures import picture_metrics


@dataclass(slots=True, eq=False)
class Snapshot:
    """A document during an episode.

    Attributes:
        document: the document.
        operations: those that led to it.
        text: the document in the form that agents read, once it is computed.
        scores: its evaluation and its edit score, once they are computed.
        metrics: the metrics of these, once they are computed.
    """

    document: Document
    operations: tuple[OperationRecord, ...] = ()
    text: DocumentText | None = None
    scores: tuple[Evaluation, EditScore] | None = None
    metrics: dict[str, float] | None = None


def gold_edit(document: Document, request: Request) -> Snapshot:
    """The gold edit of a request for a document.

    Raises:
        ValueError: if it cannot be made.
    """
    try:
        if request.program:
            context = run_program(document, request.program, page=request.page)
        else:
            context = ProgramContext(document, page=request.page)
            for one in request.operations:
                context.apply(one.name, **one.arguments)
    except (ProgramError, ToolError) as error:
        raise ValueError(f"the gold edit for {request.text!r} cannot be made: {error}") from None
    return Snapshot(context.document, tuple(context.operations))


def _ids_in(arguments: Mapping[str, Any]) -> list[str]:
    """The ids of elements in the arguments of an operation."""
    values = [value for name, value in arguments.items() if name.startswith("object_id")]
    return [one for value in values for one in ([value] if isinstance(value, str) else value)]


@dataclass(frozen=True)
class DocumentTask:
    """A request for an edit of a document.

    Attributes:
        task_id: unique in its environment.
        before: the document.
        request: with its gold edit.
    """

    task_id: str
    before: Document
    request: Request

    def prepared(self, names: bool = True) -> DocumentTask:
        """The task with what is large computed, so that caches count its size.

        Args:
            names: whether the document keeps the names of its elements.
        """
        task = self if names else replace(self, before=without_names(self.before))
        _ = task.source, task.evaluator
        return task

    @cached_property
    def gold(self) -> Snapshot:
        """The document after the gold edit, and its operations.

        Raises:
            ValueError: if it cannot be made.
        """
        return gold_edit(self.before, self.request)

    @cached_property
    def gold_pairs(self) -> set[Pair]:
        """The actions of the gold edit, each with the type of what it edits."""
        return pairs_of(self.gold.operations)

    @property
    def expected(self) -> Document:
        """The document after the gold edit."""
        return self.gold.document

    @cached_property
    def mentioned(self) -> dict[str, tuple[str, ...]]:
        """The ids of the elements of the gold edit by themselves, and by the words of the request that mean them."""
        ids = [one for operation in self.gold.operations for one in _ids_in(operation.arguments)]
        return {one: (one,) for one in ids if self.before.find(one)} | {m.words: m.ids for m in self.request.mentions}

    @cached_property
    def evaluator(self) -> Evaluator:
        """What an edit must and may change."""
        return Evaluator(self.before, self.request.constraints, self.request.may_change)

    @cached_property
    def source(self) -> DocumentText:
        """The document in the form that agents read."""
        return DocumentText(self.before)

    @cached_property
    def first(self) -> Snapshot:
        """The document before the edit."""
        return Snapshot(self.before, text=self.source)

    @cached_property
    def requested(self) -> Changes:
        """The changes that the gold edit makes."""
        return changes(self.before, self.expected)


def _scored(edit: Keyed[tuple[DocumentTask, Document]]) -> tuple[Evaluation, EditScore]:
    task, document = edit.value
    score = edit_score(task.before, document, task.expected, task.requested)
    return task.evaluator.evaluate(document), score


_SCORES_BYTES = 8192
"""About how much memory the scores of an edit take: most of its document is that of others."""
_cached_scores = CACHE.cached(_scored, derived=True, size_of=lambda scores: _SCORES_BYTES)

MAX_CHANGED_PAGES = 4
"""The most pages that are shown beside the visible one after an edit."""
PASSES = (1, 5)
"""The numbers of programs after which success is reported (Agent-DocEdit)."""


class DocumentState(State):
    """A document during an episode.

    Args:
        task: what to do.
        grounder: finds what words mean; ``None``: nothing is searched by words.
        canvas: height and width of the image.
        by_program: whether whole programs edit it rather than single operations.
        is_strict: whether calls in programs must name every argument of the published signatures.
        marks: whether the elements have numbered marks on the page.

    Attributes:
        task: what to do.
        grounder: finds what words mean.
        history: the document at first, and after each operation, or after the last program.
        page: the visible page, counted from 0.
        runs: of each program that was tried: whether it could be run, and whether the edit was then right.
        code: the last program that could be run.
        skipped: how many proposals of the grounder are passed over, by the words that it was given.
    """

    def __init__(
        self,
        task: DocumentTask,
        grounder: Grounder | None,
        canvas: tuple[int, int],
        by_program: bool,
        is_strict: bool = False,
        marks: bool = True,
    ) -> None:
        self.task, self.grounder, self.by_program, self.is_strict = task, grounder, by_program, is_strict
        self.task_id, self.goal = task.task_id, task.request.text
        self.history = [task.first]
        self.page = task.request.page
        self.runs: list[tuple[bool, bool]] = []
        self.code = ""
        self.skipped: dict[str, int] = {}
        self.finished = False
        self._view, self._marks = DocumentView(task.before, self.page, canvas, marks), marks
        self._seen = task.before

    @property
    def document(self) -> Document:
        """The current document."""
        return self.history[-1].document

    @property
    def background(self) -> Image:  # type: ignore[override]
        """The empty page, on the canvas."""
        return self._view.background

    @property
    def layers(self) -> Sequence[Layer]:  # type: ignore[override]
        """The painted elements of the page."""
        return self._view.layers

    @property
    def source(self) -> str:  # type: ignore[override]
        """The current document as JSON; of a long one the page that is shown, and an outline."""
        return self._text(self.history[-1]).text(self.page)

    @property
    def places(self) -> Sequence[FieldBox]:  # type: ignore[override]
        """The boxes of the elements of the page, by their names or ids."""
        visible = self.document.elements_of_page(self.page)
        return tuple(FieldBox(element.name or element.id, rect_of(element.bbox)) for element in visible)

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call."""
        return self._view.take_dirty()

    def take_changed_pages(self) -> Sequence[tuple[str, Image]]:
        """Pages that changed since the last call but are not shown, at most ``MAX_CHANGED_PAGES``, as pictures."""
        seen, self._seen = self._seen, self.document
        numbers = [new for _, new in changed_pages(seen, self.document) if new is not None and new != self.page]
        return [(f"page {i + 1}", painted(self.document, i, self._marks)) for i in numbers[:MAX_CHANGED_PAGES]]

    def edit(self, document: Document, *operations: OperationRecord) -> None:
        """Continue with an edited document.

        Raises:
            ToolError: if it is too long for an observation.
        """
        self._show(Snapshot(document, (*self.history[-1].operations, *operations)), self.history)

    def undo(self) -> bool:
        """Undo the last operation and return whether there was one."""
        if len(self.history) == 1:
            return False
        *earlier, last, _ = self.history
        self._show(last, earlier)
        return True

    def replace_with_program_result(self, context: ProgramContext, code: str) -> None:
        """Replace the document by the result of a program on the original.

        Raises:
            ToolError: if it is too long for an observation.
        """
        self._show(Snapshot(context.document, tuple(context.operations)), self.history[:1])
        self.code = code
        self.runs.append((True, self._evaluation().success))

    def fail(self) -> None:
        """Count a program that could not be run."""
        self.runs.append((False, False))

    def turn_to(self, page: int) -> None:
        """Show another page, counted from 0."""
        self.page = page
        self._view.show(self.document, page)

    @property
    def find(self) -> Find | None:
        """Finds the elements that words may mean, the likeliest first, without skipped ones."""
        return self._find if self.grounder else None

    def _find(self, document: Document, words: str) -> Sequence[Element]:
        return self.proposals(document, words)[self.skipped.get(words, 0) :]

    def proposals(self, document: Document, words: str) -> list[Element]:
        """All elements that words may mean, the likeliest first.

        What is located is located on the page that an agent sees: programs look at it as it was at first.
        """
        seen = self.task.before if self.by_program else self.document
        return self.grounder.find(document, words, seen, self.page) if self.grounder else []

    def context(self) -> ProgramContext:
        """The current document for one operation or search."""
        return ProgramContext(self.document, self.find, self.page)

    def begin(self, task: DocumentTask) -> None:
        """Go on with another task, which begins with the current document."""
        text = self._text(self.history[-1])
        self.task, self.goal, self.history = task, task.request.text, [Snapshot(task.before, text=text)]
        self.runs, self.code, self.skipped = [], "", {}

    def metrics(self) -> dict[str, float]:
        """The metrics of the current score, without those of pictures."""
        return self.task_metrics()

    def task_metrics(self) -> dict[str, float]:
        """The metrics of the current task."""
        current = self.history[-1]
        if current.metrics is None:
            current.metrics = self._measured(current)
        return current.metrics | (self._passes(self._evaluation().success) if self.by_program else {})

    def score(self) -> Score:
        """The current score, each constraint as a field."""
        documents = (self.task.before, self.document, self.task.expected)
        pages = [painted(one, min(self.task.request.page, len(one.pages) - 1)) for one in documents]
        problems = layout_problems(self.task.before, self.document)
        metrics = self.metrics() | {"layout_problems": float(len(problems))} | picture_metrics(*pages)
        return Score(metrics, tuple(self._results(self._evaluation())))

    def solution(self) -> list[Call]:
        """Calls that make the gold edit, after undoing all operations."""
        request = self.task.request
        operations = [(one.action, one.arguments) for one in self.task.gold.operations]
        calls: list[Call] = []
        if self.page != request.page and any(OPERATIONS[name].takes_page for name, _ in operations):
            calls.append({"tool": "show_page", "number": request.page + 1})
        if self.by_program:
            known = self.grounder.known if self.grounder else {}
            words = {ids[0]: words for words, ids in known.items() if len(ids) == 1}
            code = (not words and request.program) or program_of(operations, words)
            calls.append({"tool": "run_program", "code": code})
        else:
            calls += [{"tool": "undo"}] * (len(self.history) - 1)
            calls += operation_calls(operations, self.history[0].document)
        return [*calls, {"tool": "terminate"}]

    def dump(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return {
            "task": self.task_id,
            "document": self.document.dump(),
            "operations": len(self.history) - 1,
            "page": self.page,
            "runs": [list(run) for run in self.runs],
            "skipped": dict(sorted(self.skipped.items())),
            "finished": self.finished,
        }

    def _show(self, snapshot: Snapshot, earlier: list[Snapshot]) -> None:
        longest = self._text(snapshot).longest
        if longest > MAX_SOURCE_LENGTH:
            raise ToolError(f"A page would be {longest:,} characters of JSON long; {MAX_SOURCE_LENGTH:,} are the most.")
        shown, ids = self.document.page_ids[self.page], snapshot.document.page_ids
        # The visible page stays in view where it is moved; what has come into its place, where it is gone.
        self.page = ids.index(shown) if shown in ids else min(self.page, len(ids) - 1)
        self.history = [*earlier, snapshot]
        self._view.show(snapshot.document, self.page)

    def _text(self, snapshot: Snapshot) -> DocumentText:
        """A document as agents read it."""
        if snapshot.text is None:
            snapshot.text = DocumentText(snapshot.document, self.history[-1].text)
        return snapshot.text

    def _evaluation(self) -> Evaluation:
        """The evaluation of the current document."""
        return self._scores_of(self.history[-1])[0]

    def _scores_of(self, current: Snapshot) -> tuple[Evaluation, EditScore]:
        if current.scores is None:
            key = id(self.task), edit_key(self.task.before, current.document)
            current.scores = _cached_scores(Keyed(key, (self.task, current.document)))
        return current.scores

    def _measured(self, current: Snapshot) -> dict[str, float]:
        """The metrics of a document, without those of programs that were tried."""
        (evaluation, score), gold = self._scores_of(current), self.task.gold_pairs
        done = pairs_of(current.operations, {action for action, _ in gold})
        return {
            "success": float(evaluation.success),
            "progress": evaluation.progress,
            "edit_f1": score.f1,
            "edit_precision": score.precision,
            "edit_recall": score.recall,
            "constraints": evaluation.newly_met,
            "preservation": score.preservation,
            "action_accuracy": agreement({action for action, _ in done}, {action for action, _ in gold}),
            "component_accuracy": agreement({component for _, component in done}, {component for _, component in gold}),
        }

    def _passes(self, is_right: bool) -> dict[str, float]:
        passes = {f"pass_{n}": float(any(right for _, right in self.runs[:n])) for n in PASSES}
        return passes | {"semantic_error": float(bool(self.runs) and self.runs[-1][0] and not is_right)}

    def _results(self, evaluation: Evaluation) -> list[FieldResult]:
        kind = " + ".join(sorted({action for action, _ in self.task.gold_pairs}))
        constraints = zip(evaluation.constraints, evaluation.held, strict=True)
        results = [
            FieldResult(
                name=f"{number}.{one.about}.{one.check}",
                label=one.label,
                matcher=one.check,
                expected=one.model_dump_json(exclude_defaults=True),
                entered=str(one.actual(evaluation.comparison)),
                correct=held,
                kind=kind,
            )
            for number, (one, held) in enumerate(constraints, 1)
        ]
        others = [
            FieldResult(f"unrequested.{number}", str(change), "unrequested", None, str(change), False, kind)
            for number, change in enumerate(evaluation.unrequested, 1)
        ]
        return results + others
