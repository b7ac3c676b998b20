"""What commands for a person's own files share: texts to read, the model's settings and costs, and questions."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..running.run_spec import RunSpec
from ..terminal.console import say

_SETTING = re.compile(r"\+{0,2}(?:model|model_cache|prices|budget)(?:\.[\w.]+)?=.*", re.S)


def is_setting(word: str) -> bool:
    """Whether a word of a command is a setting of the model, its cache, its prices or its budget."""
    return _SETTING.fullmatch(word) is not None


def model_spec(settings: Sequence[str], ask: Path | None, missing: str) -> RunSpec:
    """The model that settings describe, as that of a run; no cache keeps its replies unless a setting says so.

    Args:
        settings: such as ``model=openai_compatible`` and ``budget.dollars=1``.
        ask: the folder where questions are written and replies are read, as of ``model=files``, or ``None``.
        missing: what is wrong if there is neither a model nor a folder.

    Raises:
        ValueError: if there is neither or both, or a setting is wrong.
    """
    from ..running.command_line import config_errors
    from ..running.sweep import spec_of

    chosen = any(one.startswith("model=") for one in settings)
    if chosen == (ask is not None):
        raise ValueError(missing)
    with config_errors():
        spec = spec_of("agent=vlm", "model_cache=null", *(["model=files"] if ask else []), *settings)
    if ask and spec.model:
        spec = spec.model_copy(update={"model": {**spec.model, "folder": str(ask)}})
        say(
            f"Questions are folders in {ask}: give prompt.md and the pictures of the newest to a model, and save "
            "its reply beside them as reply.md. The same command goes on where it was ended."
        )
    return spec


def cost_in_words(usage: Mapping[str, float]) -> str:
    """What the replies of a model took, in words."""
    replies = f"{usage['model_calls']:.0f} {'reply' if usage['model_calls'] == 1 else 'replies'}"
    if not usage.get("input_tokens"):
        return replies
    cost = f", ${usage['cost']:.4f}" if usage["cost"] else ""
    return f"{replies}, {usage['input_tokens']:,.0f} + {usage['output_tokens']:,.0f} tokens{cost}"


def answer(question: str) -> str:
    """What a person answers in the terminal; nothing at its end."""
    try:
        return input(question).strip()
    except EOFError:
        return ""


def text_of(file: str, what: str) -> str:
    """The text of a file, or with ``"-"`` of standard input.

    Raises:
        ValueError: if it is no UTF-8.
        OSError: if it cannot be read.
    """
    content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"the {what} {file} is no text in UTF-8") from None
