"""Edit score: an edited document against the one that was asked for; doing nothing is worth nothing."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene.document import Document
from .changes import ADDED, ORDER, REMOVED, Changes, changes
from .matching import counterparts
from .similarity import field_similarity


@dataclass(frozen=True, slots=True)
class EditScore:
    """How an edit compares with the wanted one; all from 0 to 1.

    Attributes:
        precision: of what was changed, how much should have been, near misses in part.
        recall: of what should have been changed, how much was.
        preservation: of the elements that should have stayed as they were, how many did; new ones that nobody
            asked for count as if they had not.
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
        """Whether the wanted edit was made, and nothing else."""
        return self.f1 == 1.0 == self.preservation


def edit_score(source: Document, edited: Document, expected: Document) -> EditScore:
    """Compare an edit with the expected one.

    REPLACE, and DELETE with ADD in either order, come to the same, as do MODIFY and REPLACE of a text (Agent-DocEdit):
    what counts is what the document is in the end, and elements are told by what they are where their ids differ.

    Args:
        source: before the edit.
        edited: after it.
        expected: after the expected edit.
    """
    names = counterparts(source, edited, expected)
    return score_of(source, changes(source, edited, names), changes(source, expected))


def score_of(source: Document, made: Changes, requested: Changes) -> EditScore:
    """Compare changes of a document with those that were asked for."""
    credit = sum(_credit(key, made, requested) for key in made.keys() & requested.keys())
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
    stay = {element.id for element in source.elements()} - meant
    extra = sum(field == ADDED and name not in meant for name, field in made)
    return (len(stay) - len(stay & touched)) / (len(stay) + extra) if stay or extra else 1.0
