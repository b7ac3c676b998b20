"""Deeds: which operations were used on which kinds of elements, against the gold ones (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..programs.functions import Deed

Pair = tuple[str, str]
"""An action, and the type of the element that it is about."""
_LETTERED = {"text", "list"}


def pairs_of(deeds: Sequence[Deed], gold: Iterable[str] = ()) -> set[Pair]:
    """What was done, equal deeds once, after the published equivalences.

    DELETE with ADD, in either order, is REPLACE where the gold edit has that; REPLACE of a text by a text is MODIFY.

    Args:
        deeds: what was done.
        gold: the actions of the gold edit.
    """
    done = [("MODIFY", d.component) if _is_rewording(d) else (d.action, d.component) for d in deeds]
    deleted = [component for action, component in done if action == "DELETE"]
    added = [component for action, component in done if action == "ADD"]
    wanted = set(gold)
    if "REPLACE" in wanted and not wanted & {"ADD", "DELETE"} and deleted and added:
        done = [pair for pair in done if pair[0] not in ("ADD", "DELETE")] + [("REPLACE", deleted[0])]
    elif "MODIFY" in wanted and not wanted & {"ADD", "DELETE"} and deleted and set(deleted + added) <= _LETTERED:
        done = [pair for pair in done if pair[0] not in ("ADD", "DELETE")] + [("MODIFY", deleted[0])]
    return set(done)


def agreement(done: Iterable[str], gold: Iterable[str]) -> float:
    """The share of what was done or wanted that was both; from 0 to 1."""
    mine, wanted = set(done), set(gold)
    return len(mine & wanted) / len(mine | wanted) if mine | wanted else 1.0


def _is_rewording(deed: Deed) -> bool:
    return deed.action == "REPLACE" and {deed.component, deed.made} <= _LETTERED
