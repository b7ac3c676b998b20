"""Hyperparameters of fine-tuning Florence-2, and its history of validations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pydantic

from ...envs.core.files import Data, atomic_write

Precision = Literal["auto", "float32", "bfloat16", "float16"]


class Recipe(Data):
    """Hyperparameters of fine-tuning Florence-2.

    Epochs, batch size, learning rate, cosine schedule and early stopping are FormGym's (section FieldFinder).

    Attributes:
        epochs: the maximum number of passes over the training examples.
        batch_size: examples for each update of the weights.
        micro_batch_size: examples that go through the network at once; the gradients of a batch are accumulated, with
            the same result. ``None``: the whole batch.
        learning_rate: at its highest; it falls to 0 along half a cosine.
        warmup: share of the updates in which the rate rises to its highest; the published code has it, the paper not.
        weight_decay: of AdamW.
        patience: validations in a row without a new best one, after which training stops; ``None``: no early stopping.
        freeze_vision: do not train the vision tower, and use no dropout in it.
        precision: the data type of training. ``"auto"``: bfloat16 on a GPU that has it, float16 with scaled losses on
            one that does not, float32 elsewhere. Weights are always float32.
        seed: of the order of the examples, and of dropout.
    """

    epochs: int = pydantic.Field(default=4, ge=1)
    batch_size: int = pydantic.Field(default=8, ge=1)
    micro_batch_size: int | None = pydantic.Field(default=None, ge=1)
    learning_rate: float = pydantic.Field(default=1e-6, gt=0)
    warmup: float = pydantic.Field(default=0.05, ge=0, lt=1)
    weight_decay: float = pydantic.Field(default=0.01, ge=0)
    patience: int | None = pydantic.Field(default=1, ge=1)
    freeze_vision: bool = False
    precision: Precision = "auto"
    seed: int = pydantic.Field(default=0, ge=0)


def learning_rate(recipe: Recipe, step: int, steps: int) -> float:
    """The rate of an update: linear warmup, then half a cosine.

    See Loshchilov and Hutter 2017, section 3; there are no restarts.

    Args:
        recipe: has the highest rate and the length of the warmup.
        step: how many updates were made before.
        steps: how many there are in all.
    """
    warmup = int(recipe.warmup * steps)
    if step < warmup:
        return recipe.learning_rate * (step + 1) / (warmup + 1)
    return recipe.learning_rate * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2


HISTORY = "history.jsonl"


class Row(Data):
    """A validation.

    Attributes:
        step: updates made before it.
        epoch: the last epoch, from 1.
        learning_rate: of the last update.
        train_loss: mean of the updates since the last validation, in nats per token.
        valid_loss: in nats per token.
        best: whether the loss is the lowest so far, so that ``best/`` is replaced.
    """

    step: int
    epoch: int
    learning_rate: float
    train_loss: float
    valid_loss: float
    best: bool


def waited(rows: Sequence[Row]) -> int:
    """The number of validations since the best one."""
    return next((since for since, row in enumerate(reversed(rows)) if row.best), len(rows))


def save_history(out: Path, rows: Sequence[Row]) -> None:
    """Write a line of JSON for each row."""
    atomic_write(out / HISTORY, "".join(f"{row.model_dump_json()}\n" for row in rows).encode())
