"""Episodes of one turn and of a whole session, with the published scores beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from ...core.asset_cache import cached
from ...core.tools import Call
from ..grounding.grounder import Grounder
from ..programs.program import operation_calls, program_of
from ..requests.request import Request
from ..scene.document import Document
from ..scoring.evaluator import Evaluation, Evaluator
from ..scoring.requirements import Requirements
from ..state import DocumentState, DocumentTask
from .gold import GoldEdit
from .pptc import Session, turned
from .published import deck_text
from .tasks import ExternalTask, about, external_task, neutral_ids, requirements


@dataclass(frozen=True)
class TurnTask(DocumentTask):
    """A turn as a task.

    Attributes:
        external: as it was published.
    """

    external: ExternalTask

    @cached_property
    def expected_text(self) -> str:
        """The expected deck as text."""
        return deck_text(self.external.expected)

    def is_right(self, document: Document) -> bool:
        """Whether a document is right as PPTC has it."""
        one = self.external
        restricted = (restriction.holds(document, one.names, one.emu) for restriction in one.restrictions)
        return deck_text(document) == self.expected_text and all(restricted)


class TurnState(DocumentState):
    """A document during an episode of one turn."""

    task: TurnTask

    def task_metrics(self) -> dict[str, float]:
        """The metrics of the current turn, with the published accuracy."""
        return super().task_metrics() | {"turn_accuracy": float(self.task.is_right(self.document))}


def turn_task(task_id: str, session: Session, number: int, request: Request, names: bool) -> TurnTask:
    """A turn that begins with what is right.

    Args:
        task_id: of the task.
        session: that holds it.
        number: of the turn, counted from 0.
        request: with its gold edit.
        names: whether the elements have the names that the deck gives them.
    """
    one = external_task(task_id, session.turns[number], turned(session, number))
    return TurnTask(task_id, _named(one) if names else one.document, request, one)


def _named(one: ExternalTask) -> Document:
    pages = (
        page.model_copy(
            update={"elements": tuple(e.model_copy(update={"name": one.names[e.id]}) for e in page.elements)}
        )
        for page in one.document.pages
    )
    return one.document.with_pages(tuple(pages))


# -- Sessions ----------------------------------------------------------------------------------------------------------


class TurnOfSession(NamedTuple):
    """A turn of a session.

    Attributes:
        task: the turn itself.
        required: what must hold after it.
        so_far: all turns up to it, as one edit of the first document.
        required_so_far: what must hold of that.
    """

    task: ExternalTask
    required: Requirements
    so_far: ExternalTask
    required_so_far: Requirements


@cached
def session_turns(session: Session) -> tuple[TurnOfSession, ...]:
    """The turns of a session, without those that change nothing that can be seen."""
    decks = [turned(session, number) for number in range(len(session.turns))]
    ids = neutral_ids([decks[0].before, *(deck.after for deck in decks)])
    found = []
    for number, (turn, deck) in enumerate(zip(session.turns, decks, strict=True)):
        past = session.turns[: number + 1]
        joined = replace(
            turn,
            calls=";".join(one.calls for one in past),
            restrictions=tuple(text for one in past for text in one.restrictions),
        )
        one = external_task(f"pptc/{session.id}", turn, deck, ids)
        so_far = external_task(one.id, joined, deck._replace(before=decks[0].before), ids)
        if turn.instruction and (required := requirements(one)).constraints:
            found.append(TurnOfSession(one, required, so_far, requirements(so_far)))
    return tuple(found)


class SessionState(TurnState):
    """A document during an episode of several requests; what ends one begins the next.

    Args:
        turns: see ``session_turns``.
        names: whether the elements have the names that the deck gives them.
        grounder, **kwargs: see ``DocumentState``.
    """

    def __init__(self, turns: Sequence[TurnOfSession], names: bool, grounder: Grounder | None, **kwargs: Any) -> None:
        self._turns, self._number, self._is_over = turns, 0, False
        self._scores: list[dict[str, float]] = []
        first = turns[0].task
        self._gold = GoldEdit(_named(first) if names else first.document)
        super().__init__(self._task(), grounder, **kwargs)

    @property
    def finished(self) -> bool:
        """Whether the last request has been ended."""
        return self._is_over

    @finished.setter
    def finished(self, is_over: bool) -> None:
        if is_over and self._number + 1 < len(self._turns):
            self._scores.append(self.task_metrics())
            self._gold = GoldEdit(self.document, self._so_far().comparison.names)
            self._number += 1
            self.begin(self._task())
        else:
            self._is_over = is_over

    def metrics(self) -> dict[str, float]:
        """The means over all turns, those to come as 0, and whether the session has ended right."""
        now, turn = self.task_metrics(), self._turns[self._number]
        means = {name: sum(one[name] for one in (*self._scores, now)) / len(self._turns) for name in now}
        if self._number + 1 < len(self._turns):
            return means | {"session_success": 0.0, "session_accuracy": 0.0}
        is_right = replace(self.task, external=turn.so_far).is_right(self.document)
        return means | {"session_success": float(self._so_far().success), "session_accuracy": float(is_right)}

    def solution(self) -> list[Call]:
        """Calls that make the gold edits of this turn and of those to come."""
        calls, gold = super().solution(), self._gold
        for turn in self._turns[self._number + 1 :]:
            before = gold.document
            gold = GoldEdit(before, gold.names)
            gold.edit_to(turn.task.expected)
            operations = [(made.name, made.arguments) for made in gold.operations]
            if self.by_program and operations:
                calls.append({"tool": "run_program", "code": program_of(operations)})
            else:
                calls += operation_calls(operations, before)
            calls.append({"tool": "terminate"})
        return calls

    def dump(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return super().dump() | {"turn": self._number, "scores": self._scores}

    def _so_far(self) -> Evaluation:
        """The evaluation of what all turns so far have made of the first document."""
        turn = self._turns[self._number]
        return Evaluator(turn.so_far.document, *turn.required_so_far).evaluate(self.document)

    def _task(self) -> TurnTask:
        """The current turn as a task, which begins with the document as it is."""
        turn, document, names = self._turns[self._number], self._gold.document, dict(self._gold.names)
        self._gold.edit_to(turn.task.expected)
        # Where an agent has done it already, there is no gold edit.
        request = Request.model_construct(
            document=document.name,
            text=turn.task.request,
            page=0,
            operations=tuple(self._gold.operations),
            constraints=tuple(about(one, names) for one in turn.required.constraints),
            may_change=tuple(about(one, names) for one in turn.required.may_change),
        )
        return TurnTask(turn.task.id, document, request, turn.task)
