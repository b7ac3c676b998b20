"""Phrases: a baseline that takes requests apart by their verbs and prepositions."""

from __future__ import annotations

from ..scene.document import Document
from .ranking import Proposal, rank
from .weights import hand_set_weights


def rank_by_phrases(document: Document, words: str) -> list[Proposal]:
    """Ranked by the noun phrases."""
    return rank(document, words, hand_set_weights())
