"""Batches of examples for Florence-2, and one update of its weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image as PillowImage
from torch import Tensor
from torch.nn.functional import cross_entropy

from ...envs.paper_forms.examples import Example, ExamplePage
from .box_tokens import bins_text, box_bins, prompt
from .loading import pixels, prompt_tokens
from .recipe import Precision, Recipe

_MAX_GRADIENT = 1.0
"""The maximum norm of all gradients together; longer ones are clipped."""
NO_TOKEN = -100
"""The label of tokens without a loss, which torch's cross entropy ignores."""

Batch = dict[str, Tensor]
"""``input_ids``, ``attention_mask`` (n, length); ``pixel_values`` (n, 3, height, width); ``labels`` (n, answer)."""


class PromptedExample(NamedTuple):
    """A page with a prompt and its answer as texts."""

    page: ExamplePage
    prompt: str
    answer: str

    @property
    def image(self) -> PillowImage.Image:
        """The page in RGB."""
        return PillowImage.fromarray(self.page.gray).convert("RGB")


def prompted_examples(pages: Sequence[ExamplePage]) -> list[PromptedExample]:
    """The examples of all pages, page after page.

    Raises:
        ValueError: if there is no example at all, or one without a valid prompt and answer; the message names the page.
    """
    examples = [_prompted(page, example) for page in pages for example in page.examples]
    if not examples:
        raise ValueError("there is no example on these pages: nothing can be learned or measured")
    return examples


def _prompted(page: ExamplePage, example: Example) -> PromptedExample:
    height, width = page.gray.shape
    try:
        return PromptedExample(page, prompt(example.target), bins_text(box_bins(example.box, width, height)))
    except ValueError as error:
        raise ValueError(f"page {page.name!r}, target {example.target!r}: {error}") from None


def collate(processor: Any, examples: Sequence[PromptedExample]) -> Batch:
    """Examples as one batch; prompts and answers are padded to the longest of them."""
    return {
        **prompt_tokens(processor, [example.prompt for example in examples]),
        "pixel_values": pixels(processor, [example.image for example in examples]),
        "labels": answer_labels(processor, [example.answer for example in examples]),
    }


def answer_labels(processor: Any, answers: Sequence[str]) -> Tensor:
    """The target tokens: int64 (n, longest answer), with ``NO_TOKEN`` as padding.

    The attention mask decides what is padding, because an answer might have the padding token.
    """
    tokens = processor.tokenizer(list(answers), padding=True, padding_side="right", return_tensors="pt")
    labels: Tensor = tokens["input_ids"].masked_fill(tokens["attention_mask"] == 0, NO_TOKEN)
    return labels


def shuffled_batches(count: int, batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """The batches of an epoch, as numbers of examples, shuffled by seed and epoch.

    Args:
        count: of examples.
        batch_size: of all batches but the last, which may be smaller.
        seed: of the run.
        epoch: from 0.
    """
    order = np.random.default_rng([seed, epoch]).permutation(count).tolist()
    return [order[start : start + batch_size] for start in range(0, count, batch_size)]


def batches_of(
    examples: Sequence[PromptedExample], processor: Any, batches: Iterable[Sequence[int]], micro: int | None
) -> Iterator[list[Batch]]:
    """Batches as tensors, each in parts that go through the network at once.

    Args:
        examples: all examples.
        processor: a ``Florence2Processor``.
        batches: for each batch the numbers of its examples.
        micro: the maximum number of examples in a part; ``None``: a batch is one part.
    """
    for batch in batches:
        size = micro or len(batch)
        parts = (batch[at : at + size] for at in range(0, len(batch), size))
        yield [collate(processor, [examples[number] for number in part]) for part in parts]


class Trainer:
    """Trains a model: updates of the weights, validation loss and checkpoints.

    Args:
        model: a ``Florence2ForConditionalGeneration``, on its device.
        recipe: the hyperparameters.
    """

    def __init__(self, model: Any, recipe: Recipe) -> None:
        self._model = model
        self._freeze_vision = recipe.freeze_vision
        self._device = torch.device(model.device)
        model.requires_grad_(True)
        vision_tower(model).requires_grad_(not recipe.freeze_vision)
        self._learned = [weights for weights in model.parameters() if weights.requires_grad]
        # Each update sets its own rate; this one is never used.
        self._optimizer = torch.optim.AdamW(self._learned, lr=0.0, weight_decay=recipe.weight_decay)
        self._dtype = working_dtype(recipe.precision, self._device)
        self._scaler: Any = torch.amp.GradScaler(self._device.type, enabled=self._dtype is torch.float16)

    def learn(self, parts: Sequence[Batch], rate: float) -> float:
        """Make one update of the weights.

        Args:
            parts: of the batch; their gradients are accumulated, and every token counts the same.
            rate: the learning rate.

        Returns:
            The mean loss of a token, in nats.
        """
        self._set_training()
        self._optimizer.zero_grad(set_to_none=True)
        tokens = sum(map(_tokens, parts))
        losses = [self._share(part, tokens) for part in parts]
        self._scaler.unscale_(self._optimizer)
        torch.nn.utils.clip_grad_norm_(self._learned, _MAX_GRADIENT)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._scaler.step(self._optimizer)
        self._scaler.update()
        return math.fsum(losses)

    def loss(self, batches: Iterable[Sequence[Batch]]) -> float:
        """The mean loss of a token, in nats, without dropout or an update."""
        self._model.eval()
        with torch.inference_mode():
            taken = [(self._sum(part).item(), _tokens(part)) for parts in batches for part in parts]
        return math.fsum(loss for loss, _ in taken) / sum(tokens for _, tokens in taken)

    def state(self) -> dict[str, Any]:
        """The training state: weights, moments, the loss scale and the random generators."""
        return {
            "model": self._model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "scaler": self._scaler.state_dict(),
            "random": torch.get_rng_state(),
            "random_gpu": torch.cuda.get_rng_state_all() if self._device.type == "cuda" else [],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a result of ``state``."""
        self._model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._scaler.load_state_dict(state["scaler"])
        torch.set_rng_state(state["random"])
        if self._device.type == "cuda" and len(state["random_gpu"]) == torch.cuda.device_count():
            torch.cuda.set_rng_state_all(state["random_gpu"])

    def _set_training(self) -> None:
        """Set training mode, but not for a frozen tower.

        There neither dropout nor the running means of batch normalisation, which are no weights, may be active.
        """
        self._model.train()
        vision_tower(self._model).train(not self._freeze_vision)

    def _share(self, part: Batch, tokens: int) -> float:
        """The share of a part in the loss of a batch of ``tokens``; adds its gradients."""
        loss = self._sum(part) / tokens
        self._scaler.scale(loss).backward()
        return loss.item()

    def _sum(self, part: Batch) -> Tensor:
        """The summed loss of the tokens of a part."""
        inputs = {name: values.to(self._device) for name, values in part.items()}
        with torch.autocast(self._device.type, dtype=self._dtype, enabled=self._dtype is not None):
            logits = self._model(**inputs).logits
        return cross_entropy(
            logits.float().flatten(0, 1), inputs["labels"].flatten(), ignore_index=NO_TOKEN, reduction="sum"
        )


def vision_tower(model: Any) -> torch.nn.Module:
    """The image encoder of Florence-2, without its projection to word embeddings."""
    tower: torch.nn.Module = model.model.vision_tower
    return tower


def working_dtype(precision: Precision, device: torch.device) -> torch.dtype | None:
    """The data type for autocast; ``None``: float32 throughout. See ``Recipe``."""
    if precision != "auto":
        return {"float32": None, "bfloat16": torch.bfloat16, "float16": torch.float16}[precision]
    if device.type != "cuda":
        return None
    return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16


def _tokens(part: Batch) -> int:
    return int((part["labels"] != NO_TOKEN).sum())
