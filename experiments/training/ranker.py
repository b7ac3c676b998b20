"""Train the ranker: feature weights by maximum likelihood on the train split.

``formgym train experiment=document_ranker`` writes ``assets/document_models/ranker.json``. It uses generated documents
and the train phrasings, and nothing of the test split.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...envs.core.files import atomic_write
from ...envs.documents.env import endless_document
from ...envs.documents.language.candidates import view_of
from ...envs.documents.language.features import FEATURES
from ...envs.documents.language.ranking import LEARNED, Weights, hand_set_weights, learned_weights, rows, vector
from ...envs.documents.language.referring_expressions import QUOTE, reference
from ...envs.documents.requests.frozen import planned_request
from ...envs.documents.requests.request import Mention
from ...envs.documents.scene.document import Document, shipped_documents
from ..terminal import console

Numbers = NDArray[np.float64]
Example = tuple[Document, Mention]

_SECRET = 1_000_003
"""The secret of the training documents; the weights are not trained on those of other secrets."""
_LAYOUTS, _REQUESTS = 2, 24
"""How many documents of each kind and size are made, and how many requests for each."""
_ROUNDS = 2
"""How often anchors are found again with the learned weights."""
_RIDGE = 3e-4
"""The L2 penalty per example of a distance from the manual weights, which unused features keep."""
_NOISE = ("", "{} unheard {} ofword", "{} {} ofword", "", "{} unheard {}")
"""Patterns, used in turn, that mix the first word and the rest with unknown words."""
_STEPS, _ENOUGH = 60, 1e-9
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Observations:
    """The features of all candidates of all examples.

    Attributes:
        features: a row for each candidate.
        shares: how much of the meaning of its example each candidate has; those of an example sum to 1.
        starts: the first row of each example.
        sizes: how many candidates each example has.
    """

    features: Numbers
    shares: Numbers
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]


def training_examples(layouts: int = _LAYOUTS, requests: int = _REQUESTS) -> Iterator[Example]:
    """Expressions of the train split that mean one element, each with its document.

    Args:
        layouts: how many documents are made for each shipped one, of its kind and size.
        requests: how many requests are made for each document.
    """
    for at, name in enumerate(shipped_documents()):
        for seed in range(layouts):
            document = endless_document(name, seed, _SECRET)
            for number in range(requests):
                # Numbers differ from document to document, as requests of one number are of one kind.
                request = planned_request(document, "train", 1000 * at + requests * seed + number, _SECRET)
                # Plurals are read by rules: what they mean is a set, not the likeliest one.
                single = (mention for mention in request.mentions if not mention.kind.startswith("all"))
                yield from ((document, mention) for mention in single)


def with_noise(examples: Sequence[Example]) -> list[Example]:
    """Examples, some of them again with unknown words or without quotation marks.

    People do not keep to the phrasings of the train split: the weights must not depend on every word being known.
    """
    noisy = [
        (document, mention.model_copy(update={"words": noise.format(*_parted(mention.words))}))
        for (document, mention), noise in zip(examples, cycle(_NOISE), strict=False)
        if noise
    ]
    return [*examples, *noisy, *(example for one in examples[::2] for example in _unquoted(*one))]


def _unquoted(document: Document, mention: Mention) -> Iterator[Example]:
    """An example without its quotation marks, if no element has the quoted name."""
    quoted = QUOTE.search(mention.words)
    if quoted is None:
        return
    quotation = next(part for part in quoted.groups() if part).lower()
    if all(element.name.lower() not in quotation for element in document.elements() if element.name):
        yield document, mention.model_copy(update={"words": mention.words.replace(quoted[0], quotation)})


def _parted(words: str) -> tuple[str, str]:
    """The first word, which is an article or similar, and the rest."""
    first, _, rest = words.partition(" ")
    return first, rest


def learned(examples: Sequence[Example], start: Weights) -> dict[str, float]:
    """The weights that maximise the likelihood of the right elements.

    Args:
        examples: expressions with their documents, and the elements they mean.
        start: the weights by which anchors are found at first; they stay where the examples have little evidence.
    """
    weights = dict(start)
    for _ in range(_ROUNDS):
        found = _fitted(observed(examples, weights), vector(start))
        weights = {name: round(float(weight), _DIGITS) for name, weight in zip(FEATURES, found, strict=True)}
    return weights


def observed(examples: Sequence[Example], weights: Weights) -> Observations:
    """The features of all elements of the documents of some examples.

    Args:
        examples: expressions with their documents, and what they mean.
        weights: by which anchors are found.
    """
    counts = vector(weights)
    tables, shares = [], []
    for document, mention in examples:
        view = view_of(document)
        tables.append(rows(view, reference(mention.words), view.candidates, counts))
        is_gold = [float(candidate.element.id in mention.ids) for candidate in view.candidates]
        shares.append(np.array(is_gold) / sum(is_gold))
    sizes = np.array([len(table) for table in tables])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return Observations(np.vstack(tables), np.concatenate(shares), starts, sizes)


def _fitted(seen: Observations, start: Numbers) -> Numbers:
    """The weights that maximise the likelihood less the ridge, by Newton's method."""
    weights = start
    loss = _loss(seen, weights, start)
    for _ in range(_STEPS):
        step = np.linalg.solve(*_slopes(seen, weights, start))
        while (tried := _loss(seen, weights - step, start)) > loss and np.abs(step).max() > _ENOUGH:
            step /= 2
        if loss - tried < _ENOUGH:
            break
        weights, loss = weights - step, tried
    return weights


def _chances(seen: Observations, weights: Numbers) -> Numbers:
    """The probability of each candidate."""
    scores = seen.features @ weights
    powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, seen.starts), seen.sizes))
    return np.asarray(powers / np.repeat(np.add.reduceat(powers, seen.starts), seen.sizes))


def _loss(seen: Observations, weights: Numbers, start: Numbers) -> float:
    likelihood = seen.shares @ np.log(np.maximum(_chances(seen, weights), 1e-300))
    return float(-likelihood / len(seen.sizes) + _RIDGE / 2 * (weights - start) @ (weights - start))


def _slopes(seen: Observations, weights: Numbers, start: Numbers) -> tuple[Numbers, Numbers]:
    """The second derivatives of the loss, and the first ones."""
    chances, count = _chances(seen, weights), len(seen.sizes)
    weighted = seen.features * chances[:, None]
    means = np.add.reduceat(weighted, seen.starts)
    second = (seen.features.T @ weighted - means.T @ means) / count + _RIDGE * np.eye(len(weights))
    first = seen.features.T @ (chances - seen.shares) / count + _RIDGE * (weights - start)
    return second, first


def train_ranker(path: Path = LEARNED) -> Path:
    """Learn the weights and write them, reproducibly to the byte; the written file."""
    began = time.perf_counter()
    examples = list(training_examples())
    console.print(f"{len(examples)} expressions were made in {time.perf_counter() - began:.0f} s.")
    weights = learned(with_noise(examples), hand_set_weights())
    found = vector(weights)
    loss = _loss(observed(examples, weights), found, found)
    atomic_write(path, (json.dumps(weights, indent=1) + "\n").encode())
    learned_weights.cache_clear()
    console.print(f"Learned in {time.perf_counter() - began:.0f} s; {loss:.4f} nats an expression.")
    return path
