"""Phrases: a baseline that takes requests apart into a predicate and its arguments, and compares words.

After Agent-DocEdit's grounding by semantic roles: the object of the predicate is what is meant. It knows words, not
orders, places or relations. Noun phrases are spaCy's where it and a model of English are installed
(``pip install spacy``, ``python -m spacy download en_core_web_sm``), else those of a small chunker.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from ..scene.document import Document
from .expressions import bare, words_of
from .lexicon import HEADS
from .ranking import Proposal
from .visual_features import Sight, View, view_of

MODEL = "en_core_web_sm"
"""The model of English that spaCy is asked for."""
VERBS = frozenset(
    "add adjust align apply bring center centre change colour convert copy create decrease delete discard drag draw "
    "duplicate edit eliminate enlarge erase exchange fill flip format give increase insert join lower make merge "
    "modify move paint place position print put raise recolour reduce relocate remove rename replace resize rewrite "
    "rotate scale separate set shift shrink split substitute swap switch take tilt turn underline update use "
    "write".split()
)
"""The verbs of editing."""
PREPOSITIONS = frozenset(
    "about above across after against along among around at before behind below beneath beside besides between beyond "
    "by down for from in inside into near of off on onto out outside over past through to towards under underneath "
    "until up upon with within without".split()
)
_ENDS = frozenset("that which who whose and or so then but until is are was be lies stands should must to".split())
_SAID = re.compile(r"(?:says?|saying|reads?|reading|words|wording|with|contain\w*) (\"[^\"]*\")")
"""What something says belongs to its phrase."""
_SHARPNESS = 6.0
"""How much surer a better match is."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """A request taken apart.

    Attributes:
        predicate: the verb of editing; "" where there is none, as in a bare expression.
        patient: the noun phrase that is its object.
        others: the other noun phrases, each with the preposition before it.
    """

    predicate: str
    patient: str
    others: tuple[tuple[str, str], ...] = ()


def phrases(words: str) -> Phrases:
    """Predicate and arguments of a request or an expression, in lower case.

    Args:
        words: such as ``"Move the headline to the top"`` or ``"the second icon from the left"``.
    """
    told = re.findall(r"\"[^\"]*\"|[^\W_][\w'’-]*|[^\w\s]", words.lower())
    at = next((i for i, word in enumerate(told) if word in VERBS), None)
    predicate = "" if at is None else told[at]
    rest = told if at is None else told[at + 1 :]
    chunks = _chunks(rest)
    patient = next((chunk for preposition, chunk in chunks if not preposition), chunks[0][1] if chunks else "")
    others = [(preposition, chunk) for preposition, chunk in chunks if chunk != patient]
    quoted = _SAID.search(" ".join(rest))
    patient += f" {quoted[1]}" if quoted and quoted[1] not in patient else ""
    return Phrases(predicate, patient, tuple(others))


def rank_by_phrases(document: Document, words: str) -> list[Proposal]:
    """All elements, those first whose name, text and type share most words with what words are about.

    Args:
        document: what is spoken of.
        words: a request or an expression.
    """
    view = view_of(document)
    if not view.sights:
        return []
    said = bare(words_of(phrases(words).patient)) or bare(words_of(words))
    scores = np.array([_shared(view, said, sight) for sight in view.sights])
    powers = np.exp(_SHARPNESS * (scores - scores.max()))
    chances = powers / powers.sum()
    order = np.argsort(-chances, kind="stable")
    return [Proposal(view.sights[i].element, float(chances[i])) for i in order]


def _shared(view: View, said: Sequence[str], sight: Sight) -> float:
    """What part of the words are in the name, the text or the type, the rarer ones counting more; at most 1 each."""
    weights = {word: view.weights.get(word, 1.0) for word in said}
    total = sum(weights.values()) or 1.0

    def part(words: Iterable[str]) -> float:
        return sum(weights[word] for word in set(words) & weights.keys()) / total

    missing = sum(view.weights.get(word, 1.0) for word in set(sight.named) - weights.keys())
    return (
        part(sight.named) - 0.2 * missing / (total + missing) + 0.7 * part(sight.texted) + 0.5 * part(nouns(sight.kind))
    )


@lru_cache(maxsize=32)
def nouns(kind: str) -> frozenset[str]:
    """The nouns for a kind of element."""
    found = (words for words, (kinds, _) in HEADS.items() if kind in kinds)
    return frozenset(noun for words in found for noun in words.split("|") if noun.isalpha())


def _chunks(told: Sequence[str]) -> list[tuple[str, str]]:
    """The noun phrases of some words, each with the preposition before it; "": none."""
    english = _english()
    return _own_chunks(told) if english is None else _spacy_chunks(english(" ".join(told)))


def _own_chunks(told: Sequence[str]) -> list[tuple[str, str]]:
    """Noun phrases after a rule: they go on until a preposition, a relative, a conjunction or a stop."""
    found: list[tuple[str, str]] = []
    preposition, chunk = "", []
    for word in (*told, "."):
        if word not in PREPOSITIONS and word not in _ENDS and (word[0].isalnum() or word[0] == '"'):
            chunk.append(word)
            continue
        # Of what is "of" something, the one goes with the other: "the name of the band".
        if word == "of" and chunk:
            chunk.append(word)
            continue
        if chunk:
            found.append((preposition, " ".join(chunk)))
            preposition, chunk = "", []
        preposition = word if word in PREPOSITIONS else preposition
    return found


def _spacy_chunks(parsed: Any) -> list[tuple[str, str]]:
    """SpaCy's noun chunks; what is "of" something goes with it."""
    found: list[tuple[str, str]] = []
    for chunk in parsed.noun_chunks:
        head = chunk.root.head
        preposition = head.text if head.pos_ == "ADP" else ""
        if preposition == "of" and found:
            before, text = found[-1]
            found[-1] = (before, f"{text} of {chunk.text}")
        else:
            found.append((preposition, chunk.text))
    return found


@lru_cache(maxsize=1)
def _english() -> Any | None:
    """SpaCy's parser of English; ``None`` if it or its model is not installed."""
    try:
        return import_module("spacy").load(MODEL, disable=["ner", "lemmatizer"])
    except (ImportError, OSError):
        return None
