"""The agent that lets a model write and repair edit programs for DocEdit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..envs.core.tools import Call
from ..envs.documents.language.grounders import Grounder
from ..envs.documents.programs.budget import ProgramError
from ..envs.documents.programs.program import run_program
from ..envs.documents.scene.document import Document
from ..envs.documents.scene.elements import Element
from .base import TaskInfo
from .editor import Editor
from .program_prompt import code_in, program_prompt

_GROUNDER = Grounder()


class ProgramWriter(Editor):
    """Lets a model write edit programs (Agent-DocEdit).

    Each program is tried on a copy of the document first; the model repairs what cannot be run. Where feedback is
    observed that says that the edit is not right, it writes another program.

    Args:
        model: has ``generate(messages, tools)``, which returns a reply with its words in ``text``.
        repairs: how often it may repair a program that cannot be run.
        revisions: how many more programs it may write after feedback.
        strict: whether calls must name every argument of the published signatures.

    Raises:
        ValueError: if ``repairs`` or ``revisions`` is negative.
    """

    def __init__(self, model: Any, repairs: int = 5, revisions: int = 4, strict: bool = False) -> None:
        if min(repairs, revisions) < 0:
            raise ValueError(f"repairs and revisions must not be negative; they are {repairs} and {revisions}")
        self.model, self.repairs, self.revisions, self.strict = model, repairs, revisions, strict
        self.usage: dict[str, float] = {}

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode.

        Raises:
            ValueError: if the task takes no programs.
        """
        if "run_program" not in task.tools.names:
            raise ValueError(f"{task.env_id} takes no programs: make it with action_mode='program'")
        super().reset(task, seed)
        self.usage = {}

    def attempts(self, document: Document, request: str) -> Iterator[list[Call]]:
        """Yield a program in each round until no feedback says that the edit is wrong."""
        tried: list[tuple[str, str]] = []
        current = 0
        for _ in range(self.revisions + 1):
            code, page = self._written(document, request, tried)
            turned: list[Call] = [{"tool": "show_page", "number": page + 1}] if page != current else []
            current = page
            yield [*turned, {"tool": "run_program", "code": code}]
            if not _is_complaint(self.last_feedback):
                return
            tried.append((code, self.last_feedback))

    def _written(self, document: Document, request: str, tried: list[tuple[str, str]]) -> tuple[str, int]:
        """A program that runs, or the last one that was tried, and the page to show."""
        size = document.pages[0].height, document.pages[0].width
        for repair in range(self.repairs + 1):
            reply = self.model.generate(program_prompt(document, request, size, self.strict, tried), [])
            self._count(reply)
            code = code_in(reply.text)
            try:
                return code, _page_of(document, code, self.strict)
            except ProgramError as error:
                if repair < self.repairs:
                    tried.append((code, error.feedback))
        return code, 0

    def _count(self, reply: Any) -> None:
        """Add the usage of a reply to the total."""
        used = getattr(reply, "usage", None) or {}
        for name, amount in used.items() if isinstance(used, Mapping) else ():
            self.usage[name] = self.usage.get(name, 0) + amount
        self.usage["replies"] = self.usage.get("replies", 0) + 1


def _is_complaint(feedback: str) -> bool:
    """Whether feedback says that an edit is not as it should be, or could not be made."""
    return "as asked" not in feedback and bool(
        re.search(r"cannot be run|\b(?:wrong|nothing|only a part|something else|missing|not right)\b", feedback, re.I)
    )


def _page_of(document: Document, code: str, strict: bool) -> int:
    """The page of the first element that a program finds, if it adds any; else 0.

    Raises:
        ProgramError: if the program cannot be run.
    """
    pages: list[int] = []

    def find(edited: Document, words: str) -> list[Element]:
        found = _GROUNDER.find(edited, words)
        pages.extend(edited.places[one.id][0] for one in found[:1])
        return found

    def infer(edited: Document, words: str) -> tuple[int, int, int, int] | None:
        anchor = re.search(r"\b(?:below|above|under|over|of|beside|near|to) (the .+)", words)
        find(edited, anchor[1]) if anchor and len(edited.pages) > 1 else None
        return _GROUNDER.infer(edited, words, 0)

    context = run_program(document, code, find, infer, 0, strict)
    adds = any(operation.action == "ADD" for operation in context.operations)
    return pages[0] if adds and pages else 0
