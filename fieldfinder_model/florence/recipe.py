"""The recipe of a fine-tuning of Florence-2, and its history: a row for each validation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pydantic

from ...envs.core.files import Data, atomic_write

Precision = Literal["auto", "float32", "bfloat16", "float16"]


class Recipe(Data):
    """How Florence-2 is fine-tuned; epochs, batch, rate, cosine and early stopping are FormGym's (section FieldFinder).

    Attributes:
        epochs: passes over the training examples at most.
        batch_size: examples an update of the weights is made of.
        micro_batch_size: examples that go through the network at once; the gradients of a batch are gathered over as
            many goes as it takes, with the same result. ``None``: the whole batch.
        learning_rate: at its highest; it falls to 0 along half a cosine.
        warmup: share of the updates in which the rate rises to its highest; the published code's, the paper gives none.
        weight_decay: of AdamW.
        patience: validations in a row without a new best one, after which training stops; ``None``: it never does.
        freeze_vision: leave the vision tower as it was, and without dropout.
        precision: what the network computes in while it learns. ``"auto"``: bfloat16 on a GPU that has it, float16
            with scaled losses on one that has not, float32 elsewhere. Weights are always float32.
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
    """The rate of an update: a straight rise, then half a cosine (Loshchilov and Hutter 2017, section 3, no restarts).

    Args:
        recipe: the highest rate, and how long it takes to get there.
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
        epoch: of the examples seen last, from 1.
        learning_rate: of the last update.
        train_loss: mean of the updates since the validation before, in nats a token.
        valid_loss: in nats a token.
        best: whether it is the lowest so far, and ``best/`` therefore new.
    """

    step: int
    epoch: int
    learning_rate: float
    train_loss: float
    valid_loss: float
    best: bool


def waited(rows: Sequence[Row]) -> int:
    """How many validations there were since the best one."""
    return next((since for since, row in enumerate(reversed(rows)) if row.best), len(rows))


def save_history(out: Path, rows: Sequence[Row]) -> None:
    """Write a line of JSON for each row."""
    atomic_write(out / HISTORY, "".join(f"{row.model_dump_json()}\n" for row in rows).encode())
