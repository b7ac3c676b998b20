"""Exact feedback: an edit judged by the gold edit."""

from __future__ import annotations

from collections.abc import Collection

from ..scene.document import Document
from ..scoring.changes import ADDED, Changes, Key
from ..scoring.constraints import Constraint
from ..scoring.edit_evaluator import EditEvaluator
from ..tasks import DocumentTask
from .judgement import Judgement, judged


def exact_judgement(task: DocumentTask, document: Document) -> Judgement:
    """How a document stands to a task: right if every constraint is met and nothing else has changed.

    Args:
        task: with the gold edit.
        document: what came of the edit.
    """
    evaluator = EditEvaluator(task.before, document, task.expected, task.requested)
    broken = [one for one in task.request.constraints if not evaluator.holds(one)]
    extra = evaluator.unrequested_changes()
    if not broken and not extra:
        return judged("right")
    return judged(_mistake(evaluator.made, evaluator.requested, broken, extra))


def _mistake(made: Changes, asked: Changes, broken: Collection[Constraint], extra: Collection[Key]) -> str:
    if not made:
        return "nothing"
    if not broken:
        return "extra change"
    touched, meant = {name for name, _ in made}, {name for name, _ in asked}
    if any(_is_made(one, made) for one in broken) or _adds_otherwise(made, asked):
        return "wrong value"
    if not extra:
        return "incomplete"
    # Where something new is wanted, no element that is there is the right one.
    is_of_new = meant == {name for name, field in asked if field == ADDED}
    return "wrong action" if touched & meant or is_of_new else "wrong element"


def _is_made(constraint: Constraint, made: Changes) -> bool:
    """Whether something was made of what a constraint is about, although not what it asks."""
    field = ADDED if constraint.field in ("content", "region", "page", "looks", "over") else constraint.field
    return (constraint.element, field) in made


def _adds_otherwise(made: Changes, asked: Changes) -> bool:
    """Whether something new was wanted and something new is there, but too different to be taken for it."""
    wanted = {name for name, field in asked if field == ADDED}
    new = {name for name, field in made if field == ADDED}
    return bool(wanted and new and not wanted & new)
