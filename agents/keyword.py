"""The rule-based agent of DocEdit: it reads requests with rules, and learns nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ..envs.core.tools import Call
from ..envs.documents.programs.errors import ProgramError
from ..envs.documents.programs.program import words_sought
from ..envs.documents.scene.document import Document
from .base import TaskInfo
from .editor import Editor
from .rules.operations import calls_of
from .rules.programs import edits_for, page_for, program_of_edits
from .rules.understanding import NotUnderstood

WRONG_ELEMENT = "wrong element"
"""What feedback says if the edit was right but for the element."""


class Keyword(Editor):
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
        super().reset(task, seed)

    def attempts(self, document: Document, request: str) -> Iterator[list[Call]]:
        """The calls of each attempt, for as long as the wrong element is edited."""
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
            if WRONG_ELEMENT not in self.told.lower():
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
                calls = calls_of(code, document, page, skipped)
            except ProgramError:
                # What the words may mean else cannot be edited so; the next one may.
                continue
            yield [{"tool": "undo"}] * done + calls
            done = len(calls)
