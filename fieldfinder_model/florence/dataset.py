"""Examples as Florence-2 is trained on them: pictures, prompts and answers, in batches of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image as PillowImage
from torch import Tensor
from torch.utils.data import DataLoader

from ..examples import Example, ExamplePage
from .boxes import bins_text, box_bins
from .inputs import pixels, prompt_tokens
from .prompting import prompt

NO_TOKEN = -100
"""What stands in labels where there is nothing to learn; torch's cross entropy passes over it."""

Batch = dict[str, Tensor]
"""``input_ids``, ``attention_mask`` (n, length); ``pixel_values`` (n, 3, height, width); ``labels`` (n, answer)."""


class Asked(NamedTuple):
    """An example in words."""

    page: PillowImage.Image
    prompt: str
    answer: str


class FieldExamples:
    """The examples of pages, page after page: a map-style data set for torch.

    Args:
        pages: with their examples; a page without any is passed over.

    Raises:
        ValueError: if there is no example at all, or one that cannot be asked for; the message names the page.
    """

    def __init__(self, pages: Sequence[ExamplePage]) -> None:
        self._items = [(page, *_words(page, example)) for page in pages for example in page.examples]
        if not self._items:
            raise ValueError("there is no example on these pages: nothing can be learned or measured")

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Asked:
        page, question, answer = self._items[index]
        return Asked(PillowImage.fromarray(page.gray).convert("RGB"), question, answer)


class Collator:
    """Puts examples together to a batch.

    Args:
        processor: a ``Florence2Processor``.
    """

    def __init__(self, processor: Any) -> None:
        self._processor = processor

    def __call__(self, examples: Sequence[Asked]) -> Batch:
        """Prompts and answers are padded to the longest of the batch."""
        return {
            **prompt_tokens(self._processor, [example.prompt for example in examples]),
            "pixel_values": pixels(self._processor, [example.page for example in examples]),
            "labels": answer_labels(self._processor, [example.answer for example in examples]),
        }


def answer_labels(processor: Any, answers: Sequence[str]) -> Tensor:
    """The tokens that are to be learned: int64 (n, longest answer), ``NO_TOKEN`` where an answer is padded.

    Padding is told by the attention mask and not by its token, which an answer might have.
    """
    tokens = processor.tokenizer(list(answers), padding=True, padding_side="right", return_tensors="pt")
    labels: Tensor = tokens["input_ids"].masked_fill(tokens["attention_mask"] == 0, NO_TOKEN)
    return labels


def shuffled_batches(count: int, batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """The examples of an epoch, each once, in an order that follows from seed and epoch alone.

    Args:
        count: of examples.
        batch_size: of all batches but the last, which may be smaller.
        seed: of the run.
        epoch: from 0.
    """
    order = np.random.default_rng([seed, epoch]).permutation(count).tolist()
    return [order[start : start + batch_size] for start in range(0, count, batch_size)]


def loaded(
    examples: FieldExamples, processor: Any, batches: Sequence[Sequence[int]], micro: int | None, workers: int
) -> Iterator[list[Batch]]:
    """Batches as tensors, each in parts that go through the network at once.

    Args:
        examples: what the batches are of.
        processor: a ``Florence2Processor``.
        batches: the numbers of their examples.
        micro: examples a part has at most; ``None``: a batch is one part.
        workers: processes that make them ready.
    """
    parts = [_parts(batch, micro or len(batch)) for batch in batches]
    source: Any = examples
    loader = DataLoader(
        source,
        batch_sampler=[part for batch in parts for part in batch],
        collate_fn=Collator(processor),
        num_workers=workers,
        # Its own, or making a loader would move the generator that dropout draws from.
        generator=torch.Generator(),
    )
    tensors = iter(loader)
    for batch in parts:
        yield [next(tensors) for _ in batch]


def _parts(batch: Sequence[int], size: int) -> list[list[int]]:
    return [list(batch[at : at + size]) for at in range(0, len(batch), size)]


def _words(page: ExamplePage, example: Example) -> tuple[str, str]:
    height, width = page.gray.shape
    try:
        return prompt(example.target), bins_text(box_bins(example.box, width, height))
    except ValueError as error:
        raise ValueError(f"page {page.name!r}, target {example.target!r}: {error}") from None
