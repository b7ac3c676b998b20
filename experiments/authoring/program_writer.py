"""A model that edits documents as people's sentences say, by programs that are tried on a copy and repaired."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...agents.edit_programs import code_in, document_text, template_variables
from ...agents.model_agent import Conversation, Prompts
from ...agents.models.model import Block, ImageBlock, Model, TextBlock
from ...agents.replies import CUT_AT_LIMIT, ParsedReply, without_reasoning
from ...envs.documents.operations.table import OPERATIONS
from ...envs.documents.painting.view import painted
from ...envs.documents.programs.program import run_program
from ...envs.documents.programs.sandbox import ProgramError
from ...envs.documents.scene.document import Document
from ...envs.documents.scoring.layout import layout_problems
from .edit_preview import overview

MAX_PAGES = 8
"""The most pages that a model is shown at once: as many pictures as providers are sent by default."""
_MAX_REPAIRS = 3
_MAX_LOOKS = 4
"""How often a model may ask for pages of a long document for one sentence."""
_ON_SHEET, _MAX_SHEETS = 30, 3
_NAMED_PAGES = re.compile(r"\b(?:page|slide)s?\s+(\d+(?:\s*(?:,|and|&|to|–|-)\s*\d+)*)", re.I)
_RANGE = re.compile(r"(\d+)(?:\s*(?:to|–|-)\s*(\d+))?")
_END_PAGE = re.compile(r"\b(first|title|last)\s+(?:page|slide)\b", re.I)
_PAGES = re.compile(r"^\W*PAGES\W*((?:\d+[\s,]*)+)\W*$", re.M)
_CODE = re.compile(rf"```|\bdef main\b|\b(?:{'|'.join(OPERATIONS)})\(")


class EditFailed(Exception):
    """A sentence has not become an edit; the message says why, perhaps in the model's words."""


class ProgramWriter:
    """Edits documents as sentences say; a sentence may refer to earlier ones.

    Args:
        model: writes the programs.

    Attributes:
        usage: what its replies took; see ``Conversation``.
    """

    def __init__(self, model: Model) -> None:
        self._conversation, self._prompts, self._news = Conversation(model, seed=0), Prompts(), ""

    @property
    def usage(self) -> dict[str, float]:
        """What all replies took; see ``Conversation``."""
        return self._conversation.usage

    def reject(self) -> None:
        """Tell the model with the next sentence that its last edit was not taken."""
        self._news = "The last edit was not taken: the document is as it was before it."

    def edit(self, document: Document, sentence: str) -> Document:
        """The document edited as a sentence says.

        A program that cannot be run goes back to the model at most three times; one that makes new layout problems,
        once.

        Raises:
            EditFailed: if there is no program that can be run, or the model answers in words.
            ModelError: if the provider fails.
        """
        if not self._conversation.messages:
            self._conversation.say("system", TextBlock(self._rules(document)))
        self._conversation.say("user", *self._question(document, sentence))
        edited: Document | None = None
        problems: list[str] = []
        for repair in range(_MAX_REPAIRS + 1):
            if repair:
                words = self._prompts.render("repair", problems=problems, is_program=True)
                self._conversation.say("user", TextBlock(words))
            text, problems = self._reply(document)
            if not problems and not _CODE.search(text):
                break
            try:
                last, edited = edited, run_program(document, code_in(text)).document
            except ProgramError as error:
                problems.append(error.feedback)
                continue
            problems = [f"Look at the layout: {one.words}" for one in layout_problems(document, edited)]
            if not problems or last is not None:
                break
        if edited is None:
            raise EditFailed(" ".join(problems) or " ".join(text.split()) or "The reply of the model is empty.")
        return edited

    def _rules(self, document: Document) -> str:
        first = document.pages[0]
        return self._prompts.render(
            "edit",
            **template_variables((first.height, first.width), strict=False),
            max_rounds=None,
            feedback=False,
            max_pages=MAX_PAGES,
            n_pages=len(document.pages),
        )

    def _question(self, document: Document, sentence: str) -> list[Block]:
        """The document as it is, as text and pictures, and what to do with it."""
        n = len(document.pages)
        blocks: list[Block] = [TextBlock(self._news)] if self._news else []
        self._news = ""
        if n <= MAX_PAGES:
            blocks += _in_full(document, range(n))
        else:
            blocks += _outline(document)
            blocks += _in_full(document, named_pages(sentence, n)[: MAX_PAGES - _MAX_SHEETS])
        return [*blocks, TextBlock(f"The request: {sentence}")]

    def _reply(self, document: Document) -> tuple[str, list[str]]:
        """The text of the model's reply that asks for no more pages, and whether it was cut off."""
        for looks in range(_MAX_LOOKS + 1):
            parsed, reply = self._conversation.ask(lambda reply: ParsedReply([]))
            text = without_reasoning(reply.text).strip()
            called = None if _CODE.search(text) else _PAGES.search(text)
            if called is None or looks == _MAX_LOOKS:
                break
            numbers = [int(number) - 1 for number in re.findall(r"\d+", called[1])]
            shown = [i for i in dict.fromkeys(numbers) if 0 <= i < len(document.pages)][: MAX_PAGES - _MAX_SHEETS]
            none = [TextBlock(f"There are only pages 1 to {len(document.pages)}.")]
            self._conversation.say("user", *(_in_full(document, shown) or none))
        return text, [problem for problem in parsed.problems if problem == CUT_AT_LIMIT]


def named_pages(sentence: str, n: int) -> list[int]:
    """The pages of ``n`` that a sentence names, counted from 0, in its order.

    >>> named_pages("the tables on slides 8, 9 and 11 to 12 like that of the first slide", 20)
    [7, 8, 10, 11, 0]
    """
    ranges = [one for words in _NAMED_PAGES.findall(sentence) for one in _RANGE.findall(words)]
    numbers = [i for first, last in ranges for i in range(int(first), min(int(last or first), n) + 1)]
    ends = [n if word.lower() == "last" else 1 for word in _END_PAGE.findall(sentence)]
    return [i - 1 for i in dict.fromkeys([*numbers, *ends]) if 1 <= i <= n]


def _in_full(document: Document, pages: Sequence[int]) -> list[Block]:
    """The elements of pages as a list, and their pictures with numbered marks."""
    if not pages:
        return []
    blocks: list[Block] = [TextBlock(document_text(document, pages=pages))]
    for i in pages:
        blocks += [TextBlock(f"Page {i + 1}:"), ImageBlock(painted(document, i, marks=True), f"page_{i + 1}")]
    return blocks


def _outline(document: Document) -> Iterator[Block]:
    """A line for each page of a long document, and sheets of small pictures."""
    pages: Iterable[str] = (
        f"page {i}: {page.headline or 'without text'} ({len(page.elements)} elements)"
        for i, page in enumerate(document.pages, 1)
    )
    yield TextBlock("\n".join(("The document in outline:", *pages)))
    for i in range(0, min(len(document.pages), _ON_SHEET * _MAX_SHEETS), _ON_SHEET):
        numbers = range(i, min(i + _ON_SHEET, len(document.pages)))
        yield ImageBlock(overview(document, numbers), f"pages_{numbers[0] + 1}_to_{numbers[-1] + 1}")
