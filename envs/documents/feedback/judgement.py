"""Judgement: what a provider of feedback says of an edit."""

from __future__ import annotations

from dataclasses import dataclass

KINDS: dict[str, str] = {
    "right": "The edit is as asked.",
    "nothing": "Nothing has changed: the edit is still to be made.",
    "wrong element": "The wrong element was edited: try the next proposal, or find the element anew.",
    "wrong action": "The right element was edited in the wrong way: use another operation.",
    "wrong value": "The right kind of edit was made, but a value is wrong: amount, direction, colour, text or place.",
    "incomplete": "Only a part of the edit was made: something that was asked for is missing.",
    "extra change": "What was asked for was done, but something else was changed as well: take that back.",
}  # fmt: skip
"""The kinds of judgements, and what agents are told."""
MISTAKES = tuple(kind for kind in KINDS if kind != "right")


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an edit is right.

    Attributes:
        is_right: whether the document is as the request asks.
        kind: one of ``KINDS``: the kind of mistake that there is, or ``"right"``.
        confidence: how sure the provider is that ``is_right`` is true, from 0 to 1.
    """

    is_right: bool
    kind: str
    confidence: float

    @property
    def words(self) -> str:
        """What an agent is told."""
        return KINDS[self.kind]


def judged(kind: str, confidence: float = 1.0) -> Judgement:
    """A judgement of a kind."""
    return Judgement(kind == "right", kind, confidence)
