"""Score an edited document against the expected one; doing nothing scores 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Levenshtein

from ..operations.operation import OperationRecord
from ..scene.colours import colour_difference
from ..scene.document import ADDED, ORDER, REMOVED, Changes, Document, changes, fields_of
from ..scene.elements import Element

_FAR = 100.0
"""The distance at which a place scores 0, in pixels."""
_COLOUR_FAR = 50.0
"""The difference at which a colour scores 0 (CIE76)."""


def field_similarity(field: str, value: Any, expected: Any) -> float:
    """Similarity of a field's value to the expected one, from 0 to 1.

    Texts are compared by characters, colours by ΔE, places by distance.
    """
    if value == expected:
        return 1.0
    if value is None or expected is None:
        return 0.0
    if field == "text":
        return float(Levenshtein.normalized_similarity(value, expected))
    if field == "cells":
        return _cells(value, expected)
    if field in ("style.colour", "style.fill", "style.stroke"):
        return max(0.0, 1 - colour_difference(value, expected) / _COLOUR_FAR)
    if field == "position":
        return float(max(0.0, 1 - max(abs(a - b) for a, b in zip(value, expected, strict=True)) / _FAR))
    if field == "size":
        return float(math.prod(min(a, b) / max(a, b) for a, b in zip(value, expected, strict=True)))
    if field in ("style.size", "style.stroke_width", "style.line_height", "style.radius", "opacity"):
        return float(min(value, expected) / max(value, expected)) if min(value, expected) > 0 else 0.0
    if field == "angle":
        return float(max(0.0, 1 - angle_difference(value, expected) / 90))
    return 0.0


def angle_difference(one: float, other: float) -> float:
    """The difference of two angles in degrees, the shorter way."""
    between = abs(one - other) % 360
    return min(between, 360 - between)


def element_similarity(one: Element, other: Element) -> float:
    """Similarity of two elements: the mean over their fields; 0 if their types differ."""
    if one.type != other.type:
        return 0.0
    mine, theirs = fields_of(one), fields_of(other)
    compared = ("text", "position", "size", "asset", "shape", "cells", "style.colour", "style.fill")
    return sum(field_similarity(field, mine[field], theirs[field]) for field in compared) / len(compared)


def _cells(value: tuple[tuple[str, ...], ...], expected: tuple[tuple[str, ...], ...]) -> float:
    if len(value) != len(expected) or len(value[0]) != len(expected[0]):
        return 0.0
    pairs = [(a, b) for mine, theirs in zip(value, expected, strict=True) for a, b in zip(mine, theirs, strict=True)]
    return sum(Levenshtein.normalized_similarity(a, b) for a, b in pairs) / len(pairs)


_ALIKE = 0.3
"""The minimum similarity of an element to an expected one with another id."""


def counterparts(source: Document, edited: Document, expected: Document) -> dict[str, str]:
    """For new elements of ``edited``, the ids of the most similar expected elements."""
    known, there = expected.places, edited.places
    if there.keys() <= source.places.keys() and known.keys() <= there.keys():
        return {}
    made = [e for e in edited.elements() if e.id not in source.places]
    # Ids of new elements say nothing: they follow from how the edit was made.
    new = [e for e in made if e.id not in known] + [e for e in made if e.id in known]
    lacking = [e for e in expected.elements() if e.id not in there or e.id not in source.places]
    return dict(_matched(new, lacking))


def _matched(new: list[Element], lacking: list[Element]) -> list[tuple[str, str]]:
    """Pairs of ids, the most similar first; new ids where an element has no pair."""
    pairs = sorted(
        ((element_similarity(a, b), i, k) for i, a in enumerate(new) for k, b in enumerate(lacking)),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    found: dict[int, int] = {}
    for alike, i, k in pairs:
        if alike >= _ALIKE and i not in found and k not in found.values():
            found[i] = k
    return [(one.id, lacking[found[i]].id if i in found else f"{one.id} (new)") for i, one in enumerate(new)]


@dataclass(frozen=True, slots=True)
class EditScore:
    """The comparison of an edit with the expected one; all from 0 to 1.

    Attributes:
        precision: the share of the changes that were requested; near misses count in part.
        recall: the share of the requested changes that were made.
        preservation: the share of the other elements that did not change; unrequested new ones count as changed.
    """

    precision: float
    recall: float
    preservation: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def is_exact(self) -> bool:
        """Whether the expected edit was made, and nothing else."""
        return self.f1 == 1.0 == self.preservation


def edit_score(source: Document, edited: Document, expected: Document, requested: Changes | None = None) -> EditScore:
    """Compare an edit with the expected one.

    REPLACE, and DELETE with ADD in either order, are equivalent, as are MODIFY and REPLACE of a text (Agent-DocEdit):
    only the final document counts, and elements whose ids differ are matched by similarity.

    Args:
        source: before the edit.
        edited: after it.
        expected: after the expected edit.
        requested: ``changes(source, expected)``, if that is known.
    """
    made = changes(source, edited, counterparts(source, edited, expected))
    requested = changes(source, expected) if requested is None else requested
    # Sets have no order; the exact sum is the same in any.
    credit = math.fsum(_credit(key, made, requested) for key in made.keys() & requested.keys())
    precision = credit / len(made) if made else float(not requested)
    recall = credit / len(requested) if requested else float(not made)
    return EditScore(precision, recall, _preservation(source, made, requested))


def _credit(key: tuple[str, str], made: Changes, requested: Changes) -> float:
    field = key[1]
    if field in (REMOVED, ORDER):
        return 1.0
    if field == ADDED:
        return float(made[key] == requested[key])
    return field_similarity(field, made[key], requested[key])


def _preservation(source: Document, made: Changes, requested: Changes) -> float:
    touched, meant = {name for name, _ in made}, {name for name, _ in requested}
    stay = source.places.keys() - meant
    extra = sum(field == ADDED and name not in meant for name, field in made)
    return (len(stay) - len(stay & touched)) / (len(stay) + extra) if stay or extra else 1.0


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
    done = [
        ("MODIFY" if one.action == "REPLACE" and {one.component, one.made} <= _LETTERED else one.action, one.component)
        for one in operations
    ]
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
