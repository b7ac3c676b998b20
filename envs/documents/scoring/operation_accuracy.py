"""Compare operations and types of elements with the gold edit (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..operations.operation import OperationRecord

Pair = tuple[str, str]
"""An action, and the type of the edited element."""
_LETTERED = {"text", "list"}


def pairs_of(operations: Sequence[OperationRecord], gold: Iterable[str] = ()) -> set[Pair]:
    """The distinct operations of an edit, after the published equivalences.

    DELETE with ADD, in either order, is REPLACE where the gold edit has that; REPLACE of a text by a text is MODIFY.

    Args:
        operations: that were carried out.
        gold: the actions of the gold edit.
    """
    done = [("MODIFY", d.component) if _is_text_replacement(d) else (d.action, d.component) for d in operations]
    deleted = [component for action, component in done if action == "DELETE"]
    added = [component for action, component in done if action == "ADD"]
    expected = set(gold)
    if "REPLACE" in expected and not expected & {"ADD", "DELETE"} and deleted and added:
        done = [pair for pair in done if pair[0] not in ("ADD", "DELETE")] + [("REPLACE", deleted[0])]
    elif "MODIFY" in expected and not expected & {"ADD", "DELETE"} and deleted and set(deleted + added) <= _LETTERED:
        done = [pair for pair in done if pair[0] not in ("ADD", "DELETE")] + [("MODIFY", deleted[0])]
    return set(done)


def agreement(done: Iterable[str], gold: Iterable[str]) -> float:
    """Jaccard index of performed and expected operations, from 0 to 1."""
    mine, expected = set(done), set(gold)
    return len(mine & expected) / len(mine | expected) if mine | expected else 1.0


def _is_text_replacement(operation: OperationRecord) -> bool:
    return operation.action == "REPLACE" and {operation.component, operation.made} <= _LETTERED
