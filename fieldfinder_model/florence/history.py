"""The history of a fine-tuning: a row for each validation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...envs.core.files import Data, atomic_write

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
