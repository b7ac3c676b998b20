"""EditJudge: a model that says by pictures whether an edit does what was requested."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..envs.core.painting import Image
from .base import ModelError
from .model_agent import Prompts
from .models.model import Block, ImageBlock, Message, Model, TextBlock
from .replies import without_reasoning

_MAX_ASKED = 3
_VERDICT = re.compile(r"\b(yes|no)\b", re.I)


class Verdict(NamedTuple):
    """Whether an edit does what was requested, and why."""

    is_right: bool
    why: str


class EditJudge:
    """Asks a vision-language model about the pages before and after an edit (Agent-DocEdit's feedback).

    It sees pictures and the request, nothing of the document or of the right edit.

    >>> import numpy as np
    >>> from formgym.agents.models.scripted import Scripted
    >>> page = np.zeros((4, 4, 3), np.uint8)
    >>> EditJudge(Scripted(["No. The headline is still black."]))("Make the headline red.", [page], [page])
    Verdict(is_right=False, why='The headline is still black.')

    Args:
        model: is asked.
        prompts: a folder of templates of your own, which replace ours of the same name; ``None``: ours.

    Raises:
        ValueError: if there is no model, or the prompts are no folder of templates.
    """

    def __init__(self, model: Model | None, prompts: str | Path | None = None) -> None:
        if model is None:
            raise ValueError("a judge needs a model: add model=openai_compatible, inspect, files or scripted")
        self._model, self._prompts = model, Prompts(prompts)

    def __call__(self, request: str, before: Sequence[Image], after: Sequence[Image]) -> Verdict:
        """The model's verdict on an edit.

        Args:
            request: in words.
            before: the pages that differ, as they were, each uint8 (height, width, 3).
            after: the same pages now.

        Raises:
            ModelError: if the provider fails, or three replies say neither yes nor no.
        """
        blocks: list[Block] = [TextBlock(f"The request: {request}")]
        for title, pages in (("before", before), ("after", after)):
            blocks += [TextBlock(f"The document {title} the edit:"), *(ImageBlock(page, title) for page in pages)]
        messages = [Message("system", [TextBlock(self._prompts.render("judge"))]), Message("user", blocks)]
        for seed in range(_MAX_ASKED):
            text = without_reasoning(self._model.generate(messages, seed=seed).text).strip()
            if found := _VERDICT.search(text):
                return Verdict(found[1].lower() == "yes", text[found.end() :].lstrip(" *_.,:;-\n"))
        raise ModelError(f"{_MAX_ASKED} replies of {self._model.name} say neither yes nor no about an edit")
