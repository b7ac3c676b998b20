"""A page of the published FormGym in one episode, scored by its own grading beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import and_
from typing import Any

from ...core.painting import Image, Layer
from ...core.scoring import Score, ratio
from ...core.tools import Call
from ..marks import Mark
from ..state import PaperFormState
from .grading import is_answered, is_right
from .tasks import PublishedTask

SCORERS = ("strict", "published")
_SHARES = (0.5, 0.25, 0.75, 0.1, 0.9)


class PublishedFormState(PaperFormState):
    """A page whose fields have two verdicts: of our matchers, and of the published code.

    Args:
        task: what to do.
        background: the page as it was printed.
        scorer: by whose verdicts a field is right, ``"strict"`` or ``"published"``.
        under: see ``PaperFormState``, and so for the others.
    """

    task: PublishedTask

    def __init__(
        self, task: PublishedTask, background: Image, scorer: str, under: Sequence[Layer] = (), *others: Any
    ) -> None:
        super().__init__(task, background, under, *others)
        self._scorer, self._under = scorer, under
        self._answered = [is_answered(target.value) for target in task.targets]
        self._verdicts = [is_right(target.kind, target.value, (), task.version) for target in task.targets]

    def write(self, x: float, y: float, text: str, *, signed: bool = False, at: int | None = None) -> Mark:
        """See ``PaperFormState.write``."""
        mark = super().write(x, y, text, signed=signed, at=at)
        self._grade(mark)
        return mark

    def remove(self, mark: Mark) -> None:
        """See ``PaperFormState.remove``."""
        super().remove(mark)
        self._grade(mark)

    def metrics(self) -> dict[str, float]:
        """The metrics of the score; ``field_accuracy`` is by the chosen scorer.

        ``published_accuracy``: fields with an answer that are right by the published grading, among all fields of the
        page (the paper's tables); ``published_field_accuracy``: the same among those with an answer.
        """
        n_right = sum(map(and_, self._verdicts, self._answered))
        metrics = super().metrics() | {
            "published_accuracy": ratio(n_right, len(self._verdicts)),
            "published_field_accuracy": ratio(n_right, sum(self._answered)),
        }
        if self._scorer == "published":
            metrics["field_accuracy"] = metrics["published_field_accuracy"]
        return metrics

    def score(self) -> Score:
        """The score; each field has both verdicts among its metrics, and its published kind."""
        results = []
        for result, target, verdict in zip(super().score().fields, self.task.targets, self._verdicts, strict=True):
            both = {"strict": float(result.correct), "published": float(verdict)}
            results.append(replace(result, kind=target.kind, correct=both[self._scorer] == 1, metrics=both))
        return Score(self.metrics(), tuple(results))

    def solution(self) -> list[Call]:
        """Calls after which every field is right by both scorers, if it can be; the last is ``terminate``."""
        draft, calls = self.copy(), list[Call]()
        while wrong := draft._first_mark_of_a_wrong_field():
            draft.delete(wrong.x, wrong.y)
            calls.append({"tool": "delete_text", "x": wrong.x, "y": wrong.y})
        filled = {i for mark in draft.marks for i in self._targets_at(mark.x, mark.y)}
        for i, target in enumerate(self.task.targets):
            if target.gold.value is not None and i not in filled:
                x, y = self._spot(i)
                tool = "sign_or_initial" if target.signed else "place_text"
                calls.append({"tool": tool, "x": x, "y": y, "text": target.gold.value})
        return [*calls, {"tool": "terminate"}]

    def copy(self) -> PublishedFormState:
        """A copy of the page with the same marks, without a database."""
        draft = PublishedFormState(self.task, self.background, self._scorer, self._under)
        for mark in self.marks:
            draft.write(mark.x, mark.y, mark.text, signed=mark.signed)
        return draft

    def _grade(self, mark: Mark) -> None:
        """Grade the fields that a mark lies in anew."""
        for i in self._targets_at(mark.x, mark.y):
            target = self.task.targets[i]
            inside = [other for other in self.marks if target.holds(other.x, other.y)]
            self._verdicts[i] = is_right(target.kind, target.value, inside, self.task.version)

    def _targets_at(self, x: float, y: float) -> list[int]:
        """The indices of all fields at a point; where boxes overlap, each is graded by its own."""
        return [i for i, target in enumerate(self.task.targets) if target.holds(x, y)]

    def _first_mark_of_a_wrong_field(self) -> Mark | None:
        """The first mark that is in no field, or in one that is wrong by one of the scorers."""
        right = [all(result.metrics.values()) for result in self.score().fields]
        touched = ((mark, {*self._targets_at(mark.x, mark.y), mark.target} - {None}) for mark in self.marks)
        return next((mark for mark, fields in touched if not fields or not all(right[i or 0] for i in fields)), None)

    def _spot(self, index: int) -> tuple[float, float]:
        """A point where a mark counts for a field by both scorers, and for no other: its middle, if that is one."""
        left, top, right, bottom = self.task.targets[index].place
        spots = [(left + a * (right - left), top + b * (bottom - top)) for b in _SHARES for a in _SHARES]
        own = (xy for xy in spots if self.task.field_at(xy[0] * self.width, xy[1] * self.height) == index)
        return next((xy for xy in own if self._targets_at(*xy) == [index]), spots[0])
