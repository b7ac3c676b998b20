"""How well requests are understood: the action and the component that they mean (Mathur et al., DocEdit, AAAI 2023)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from .commands import ACTIONS, Command, component_kind
from .docedit_csv import LanguageRequest

Understand = Callable[[str], tuple[str, str] | None]
"""From a request to the action and the component that an agent takes it to mean; ``None``: it cannot tell."""


def language_accuracy(requests: Iterable[LanguageRequest], understand: Understand) -> dict[str, float]:
    """The shares of requests whose action, and whose component, is understood.

    Args:
        requests: of DocEdit; those whose command cannot be read are left out and counted.
        understand: what is measured. Its action is one of the eight operations, or ``"DELETE ADD"``, the two that a
            REPLACE is; its component a kind of element, or a word for one.

    Returns:
        ``action_accuracy`` and ``component_accuracy`` (0 to 1), ``n`` (requests they are shares of), ``unreadable``.

    Raises:
        ValueError: if no command at all can be read.
    """
    actions = components = n = unreadable = 0
    for request in requests:
        if request.command is None:
            unreadable += 1
            continue
        n += 1
        action, component = understand(request.request) or ("", "")
        actions += same_action(action, request.command)
        components += component_kind(component) == request.command.component
    if not n:
        raise ValueError(f"of {unreadable} commands none can be read: there is nothing to measure")
    return {"action_accuracy": actions / n, "component_accuracy": components / n, "n": n, "unreadable": unreadable}


def same_action(said: str, command: Command) -> bool:
    """Whether what an agent says is the action of a command.

    REPLACE is DELETE and then ADD; a text that is replaced is modified, and the other way round (Agent-DocEdit, 2024).
    """
    words = tuple(ACTIONS.get(word.lower(), word) for word in re.findall(r"[A-Za-z]+", said))
    if words == ("DELETE", "ADD"):
        words = ("REPLACE",)
    if words == (command.action,):
        return True
    return command.component == "text" and len(words) == 1 and {*words, command.action} == {"REPLACE", "MODIFY"}
