"""The rule-based agent of DocEdit: it reads requests with rules, and learns nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..envs.core.tools import Call
from ..envs.documents.programs.interpreter import ProgramError
from ..envs.documents.programs.program import words_sought
from ..envs.documents.scene.document import Document
from ..envs.documents.solution import operation_calls
from .base import Action, TaskInfo
from .rules.operations import operations_of
from .rules.programs import edits_for, page_for, program_of_edits
from .rules.understanding import NotUnderstood

WRONG_ELEMENT = "wrong element"
"""What feedback says if the edit was right but for the element."""


class Keyword:
    """Writes an edit program after the words of the request, and carries it out.

    Where feedback is observed that says that the wrong element was edited, it goes on to the next element that the
    words may mean. What it does not understand it leaves alone.

    Args:
        proposals: how many other elements it tries at most.

    Raises:
        ValueError: if ``proposals`` is negative.
    """

    def __init__(self, proposals: int = 4) -> None:
        if proposals < 0:
            raise ValueError(f"proposals must not be negative; it is {proposals}")
        self.proposals = proposals

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode; nothing is random.

        Raises:
            ValueError: if the task is none of DocEdit.
        """
        if not {"run_program", "modify"} & set(task.tools.names):
            raise ValueError(f"the keyword agent edits documents; {task.env_id} is no environment of DocEdit")
        self._task = task
        self._rounds: Iterator[list[Call]] | None = None
        self._waiting: list[Call] = []
        self._feedback: str | None = None

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the next round; without feedback, all of them at once."""
        self._feedback = observation.get("feedback")
        if self._rounds is None:
            self._rounds = self._attempts(str(observation["goal"]), str(observation["source"]))
        if not self._waiting:
            self._waiting = next(self._rounds, [])
            # Without feedback there is nothing to wait for.
            if self._feedback is None or not self._waiting:
                self._waiting = [*self._waiting, {"tool": "terminate"}]
        count = self._task.max_actions or len(self._waiting)
        calls, self._waiting = self._waiting[:count], self._waiting[count:]
        return [self._task.tools.from_call(call) for call in calls]

    def _attempts(self, request: str, source: str) -> Iterator[list[Call]]:
        """The calls of each attempt, for as long as the wrong element is edited."""
        document = Document.model_validate(json.loads(source))
        try:
            edits = edits_for(request, document)
            page, code = page_for(edits, document), program_of_edits(edits, document)
        except NotUnderstood:
            return
        turned: list[Call] = [{"tool": "show_page", "number": page + 1}] if page else []
        by_program = "run_program" in self._task.tools.names
        attempts = self._programs(code) if by_program else self._operations(code, document, page)
        for number, calls in enumerate(attempts):
            yield [*turned, *calls] if not number else calls
            # What came of the last call stands in the last line.
            if WRONG_ELEMENT not in (self._feedback or "").strip().rpartition("\n")[2].lower():
                return

    def _programs(self, code: str) -> Iterator[list[Call]]:
        yield [{"tool": "run_program", "code": code}]
        words = words_sought(code)
        for number in range(self.proposals if words else 0):
            yield [{"tool": "next_proposal", "component": words[number % len(words)] if len(words) > 1 else ""}]

    def _operations(self, code: str, document: Document, page: int) -> Iterator[list[Call]]:
        done = 0
        for skipped in range(self.proposals + 1 if words_sought(code) else 1):
            try:
                calls = operation_calls(operations_of(code, document, page, skipped))
            except ProgramError:
                # What the words may mean else cannot be edited so; the next one may.
                continue
            yield [{"tool": "undo"}] * done + calls
            done = len(calls)
