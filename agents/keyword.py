"""Rule-based agent of DocEdit: reads requests by their phrasings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..envs.core.tools import Call
from ..envs.documents.language.programs import RequestedEdit, requested_edit
from ..envs.documents.language.scope import Refused
from ..envs.documents.scene.document import Document
from .base import TaskInfo
from .editor import Editor

WRONG_ELEMENT = "wrong element"
"""Part of the feedback if only the element is wrong."""


class Keyword(Editor):
    """Carries out the edit that ``documents.language`` reads in a request.

    Where feedback says that the wrong element was edited, it tries the next element that the words may mean. A
    request that is not understood to its last word changes nothing.

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
            ValueError: if it is not a DocEdit task.
        """
        if not {"run_program", "modify"} & set(task.tools.names):
            raise ValueError(f"the keyword agent edits documents; {task.env_id} is no environment of DocEdit")
        super().reset(task, seed)

    def attempts(self, document: Document, request: str) -> Iterator[list[Call]]:
        """The calls of each attempt, for as long as the wrong element is edited."""
        try:
            edit = requested_edit(request, document)
        except Refused:
            return
        turned: list[Call] = [{"tool": "show_page", "number": edit.page + 1}] if edit.page else []
        by_program = "run_program" in self._task.tools.names
        attempts = self._programs(edit) if by_program else self._operations(edit)
        for number, calls in enumerate(attempts):
            yield [*turned, *calls] if not number else calls
            if WRONG_ELEMENT not in self.last_feedback.lower():
                return

    def _programs(self, edit: RequestedEdit) -> Iterator[list[Call]]:
        yield [{"tool": "run_program", "code": edit.code}]
        words = edit.descriptions
        for number in range(self.proposals if words else 0):
            yield [{"tool": "next_proposal", "component": words[number % len(words)] if len(words) > 1 else ""}]

    def _operations(self, edit: RequestedEdit) -> Iterator[list[Call]]:
        done = 0
        for calls in islice(edit.proposals, self.proposals + 1):
            yield [{"tool": "undo"}] * done + calls
            done = len(calls)
