"""Train the learned feedback on the train split, reproducibly to the byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...envs.core.files import atomic_write
from ...envs.documents.env import endless_document
from ...envs.documents.feedback.edit_type_classifier import (
    EDIT_NAMES,
    cue_patterns,
    edit_type_features,
    edit_type_inputs,
    predict_edit_types,
)
from ...envs.documents.feedback.evidence import EVIDENCE, Case
from ...envs.documents.feedback.judgement import KINDS
from ...envs.documents.feedback.network import SHIPPED, Network, Numbers
from ...envs.documents.feedback.request_features import read_request
from ...envs.documents.feedback.wrong_edits import right_edits, wrong_edits
from ...envs.documents.operations.values import COLOURS, FACES, SHAPES
from ...envs.documents.painting.pictures import icons
from ...envs.documents.requests.frozen import PLAN, planned_request
from ...envs.documents.requests.request import Request
from ...envs.documents.scene.document import Document, shipped_documents
from ...envs.documents.tasks import DocumentTask
from .paraphrases import paraphrased_requests

DOCUMENTS, JUDGED_EACH = 240, 5
"""How many documents are made, and how many requests for each the judge learns from; the reader takes all."""
_SECRET = 20_000
"""Keeps the documents of training apart from those of episodes."""
_UNHEARD = 0.25
"""The share of cues that are dropped in training: other people use other words."""
_UNKNOWN = 0.15
"""The share of words of a request that become unknown in training."""
_VALUES = {word for value in (*COLOURS, *SHAPES, *icons(), *FACES) for word in value.lower().split()} | set(
    "up down left right upwards downwards leftwards rightwards top bottom middle centre center above below clockwise "
    "counterclockwise horizontally vertically circle horizontal vertical".split()
)
_READER_UNITS, _JUDGE_UNITS = 96, 32
_STEPS, _BATCH, _RATE, _DECAY = 5_000, 128, 0.002, 5e-4


def documents(count: int) -> Iterator[tuple[Document, list[Request]]]:
    """Documents of the train split, each with a request for every entry of the plan."""
    names = shipped_documents()
    for i in range(count):
        document = endless_document(names[i % len(names)], i, _SECRET)
        yield document, [planned_request(document, "train", number, _SECRET + i) for number in range(len(PLAN))]


def trained(count: int = DOCUMENTS) -> dict[str, Network]:
    """The reader and the judge, trained on ``count`` documents."""
    made = list(documents(count))
    reader = _reader(made)
    return {"reader": reader, "judge": _judge(made, reader)}


def _reader(made: list[tuple[Document, list[Request]]]) -> Network:
    examples = [
        (edit_type_features(read_request(text, document)), edits)
        for document, requests in made
        for text, edits in _requests(document, requests)
    ]
    inputs = np.array([values for values, _ in examples])
    outputs = np.array([[float(edit in edits) for edit in EDIT_NAMES] for _, edits in examples])
    return _fitted(inputs, outputs, edit_type_inputs(), EDIT_NAMES, _READER_UNITS, deaf=len(cue_patterns()))


def _requests(document: Document, requests: list[Request]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Requests for a document and as many paraphrases, with the kinds of their edits."""
    yield from ((request.text, request.edits) for request in requests)
    mentions = [mention.words for request in requests for mention in request.mentions]
    texts = [element.text.split()[0] for element in document.elements() if element.text.split()]
    yield from paraphrased_requests(mentions, texts, np.random.default_rng([len(texts), len(mentions), _SECRET]))


def _judge(made: list[tuple[Document, list[Request]]], reader: Network) -> Network:
    rng = np.random.default_rng(_SECRET)
    rows: list[tuple[Numbers, str]] = []
    for at, (document, requests) in enumerate(made):
        for k in range(JUDGED_EACH):
            request = requests[(at * JUDGED_EACH + k) % len(requests)]
            rows += _examples(DocumentTask(f"{document.name}/{at}", document, request), reader, rng)
    inputs = np.array([values for values, _ in rows])
    outputs = np.array([[float(kind == one) for one in KINDS] for _, kind in rows])
    return _fitted(inputs, outputs, EVIDENCE, tuple(KINDS), _JUDGE_UNITS, is_one_of=True)


def _examples(task: DocumentTask, reader: Network, rng: np.random.Generator) -> Iterator[tuple[Numbers, str]]:
    """Equally many right and wrong edits, as evidence and kind."""
    case = Case(_misheard(task.request.text, task.before, rng), task.before)
    right, wrong = right_edits(task, rng), wrong_edits(task, rng)
    balanced = [("right", right[i % len(right)]) for i in range(len(wrong))]
    for kind, document in (*balanced, *wrong):
        values = edit_type_features(case.request)
        values[: len(cue_patterns())] *= rng.random(len(cue_patterns())) >= _UNHEARD
        yield case.evidence(predict_edit_types(values, reader), document), kind


def _misheard(text: str, document: Document, rng: np.random.Generator) -> str:
    """A request with some unknown words, but with its values and names."""
    kept = {word for element in document.elements() for word in element.name.lower().split()} | _VALUES
    quoted = re.split(r"(\"[^\"]*\")", text)
    for i, piece in enumerate(quoted[::2]):
        quoted[2 * i] = " ".join(_known(word, kept, rng) for word in piece.split(" "))
    return "".join(quoted)


def _known(word: str, kept: set[str], rng: np.random.Generator) -> str:
    is_kept = word[:1].isdigit() or re.sub(r"\W", "", word.lower()) in kept
    return word if is_kept or rng.random() >= _UNKNOWN else "vex"


def _fitted(
    inputs: Numbers,
    outputs: Numbers,
    names: tuple[str, ...],
    answers: tuple[str, ...],
    units: int,
    is_one_of: bool = False,
    deaf: int = 0,
) -> Network:
    """A network fitted by Adam to the likelihood of the outputs.

    Args:
        inputs: a row for each example.
        outputs: 0 or 1, a row for each example.
        names: of the columns of the inputs.
        answers: of the columns of the outputs.
        units: how many hidden ones.
        is_one_of: whether exactly one output is 1.
        deaf: how many of the first inputs are left out at random.
    """
    rng = np.random.default_rng(len(inputs))
    means, scales = np.round(inputs.mean(axis=0), 4), np.round(np.maximum(inputs.std(axis=0), 0.05), 4)
    sizes = ((inputs.shape[1], units), (units,), (units, outputs.shape[1]), (outputs.shape[1],))
    weights = [rng.normal(0, (2 / size[0]) ** 0.5, size) if len(size) > 1 else np.zeros(size) for size in sizes]
    first, second = [np.zeros(size) for size in sizes], [np.zeros(size) for size in sizes]
    for step in range(1, _STEPS + 1):
        rows = rng.integers(len(inputs), size=_BATCH)
        batch = inputs[rows].copy()
        batch[:, :deaf] *= rng.random((_BATCH, deaf)) >= _UNHEARD
        slopes = _slopes((batch - means) / scales, outputs[rows], weights, is_one_of)
        rate = _RATE * min(1.0, 2 * (1 - step / _STEPS) + 0.02)
        for i, slope in enumerate(slopes):
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.999 * second[i] + 0.001 * slope**2
            size = (first[i] / (1 - 0.9**step)) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)
            weights[i] = weights[i] - rate * (size + _DECAY * weights[i] / _RATE)
    hidden, hidden_bias, out, out_bias = (np.round(one, 3).tolist() for one in weights)
    return Network(
        inputs=names, outputs=answers, means=means.tolist(), scales=scales.tolist(),
        hidden=hidden, hidden_bias=hidden_bias, out=out, out_bias=out_bias,
    )  # fmt: skip


def _slopes(batch: Numbers, expected: Numbers, weights: list[Numbers], is_one_of: bool) -> list[Numbers]:
    """The gradients of the mean negative log-likelihood."""
    hidden, hidden_bias, out, out_bias = weights
    units = np.maximum(batch @ hidden + hidden_bias, 0)
    scores = np.clip(units @ out + out_bias, -30, 30)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True)) if is_one_of else 1 / (1 + np.exp(-scores))
    if is_one_of:
        shares /= shares.sum(axis=1, keepdims=True)
    error = (shares - expected) / len(batch)
    back = (error @ out.T) * (units > 0)
    return [batch.T @ back, back.sum(axis=0), units.T @ error, error.sum(axis=0)]


def write_feedback(path: Path = SHIPPED) -> Path:
    """Train, and write the weights; the file that was written."""
    weights = {name: network.model_dump(mode="json") for name, network in trained().items()}
    path.parent.mkdir(exist_ok=True)
    atomic_write(path, (json.dumps(weights) + "\n").encode())
    return path
