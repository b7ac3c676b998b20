"""The loop of a fine-tuning: updates, validations, early stopping, and going on after a killed process."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import torch

from ..examples import ExamplePage
from .checkpoints import identity, load_state, save_best, save_state
from .dataset import FieldExamples, loaded, shuffled_batches
from .history import Row, save_history, waited
from .loading import Florence, check_folder, load_florence
from .recipe import Recipe, learning_rate, validation_steps
from .training import Trainer

Report = Callable[[Row], None]


class _Examples(NamedTuple):
    train: FieldExamples
    valid: FieldExamples


def run(
    model_path: Path,
    pages: tuple[Sequence[ExamplePage], Sequence[ExamplePage]],
    out: Path,
    recipe: Recipe,
    device: str | None,
    report: Report,
) -> tuple[Row, ...]:
    """See ``finetune``; ``pages`` are those to train on and those to validate on."""
    examples = _Examples(*map(FieldExamples, pages))
    check_folder(model_path)
    out.mkdir(parents=True, exist_ok=True)
    name = identity(model_path, *pages, recipe)
    state = load_state(out, name) or {"run": name, "rows": [], "done": False}
    rows = [Row(**row) for row in state["rows"]]
    if state["done"]:
        return tuple(rows)
    florence = load_florence(model_path, device)
    with torch.random.fork_rng():
        torch.manual_seed(recipe.seed)
        trainer = Trainer(florence.model, recipe)
        if rows:
            trainer.restore(state["trainer"])
        more = _rows(trainer, florence, examples, recipe, tuple(rows))
        while not _waited_enough(rows, recipe) and (row := next(more, None)) is not None:
            rows.append(row)
            _keep(out, name, rows, florence, trainer)
            report(row)
    save_state(out, {"run": name, "rows": [row.model_dump() for row in rows], "done": True})
    return tuple(rows)


def _waited_enough(rows: Sequence[Row], recipe: Recipe) -> bool:
    return recipe.patience is not None and waited(rows) >= recipe.patience


def _keep(out: Path, name: str, rows: Sequence[Row], florence: Florence, trainer: Trainer) -> None:
    """Write all that a validation brought; the state last, so that what a kill cuts off is done again."""
    if rows[-1].best:
        save_best(out, florence)
    save_history(out, rows)
    told = [row.model_dump() for row in rows]
    save_state(out, {"run": name, "rows": told, "done": False, "trainer": trainer.state()})


def _rows(
    trainer: Trainer, florence: Florence, examples: _Examples, recipe: Recipe, before: Sequence[Row]
) -> Iterator[Row]:
    """Learn on from the last row, and yield one after each validation.

    Raises:
        ValueError: if the validation loss is no number any more.
    """
    per_epoch = math.ceil(len(examples.train) / recipe.batch_size)
    marks = validation_steps(recipe, per_epoch)
    lowest = min((row.valid_loss for row in before), default=math.inf)
    losses: list[float] = []
    begun = before[-1].step if before else 0
    for step, batch in zip(count(begun + 1), _batches(florence.processor, examples.train, recipe, begun), strict=False):
        rate = learning_rate(recipe, step - 1, recipe.epochs * per_epoch)
        losses.append(trainer.learn(batch, rate))
        epoch, within = divmod(step - 1, per_epoch)
        if within + 1 in marks:
            loss = _validation_loss(trainer, florence.processor, examples.valid, recipe, step)
            yield Row(
                step=step,
                epoch=epoch + 1,
                learning_rate=rate,
                train_loss=math.fsum(losses) / len(losses),
                valid_loss=loss,
                best=loss < lowest,
            )
            lowest = min(lowest, loss)
            losses.clear()


def _batches(processor: Any, train: FieldExamples, recipe: Recipe, begun: int) -> Iterator[list[dict[str, Any]]]:
    """The batches of all epochs, but for the first ``begun``."""
    per_epoch = math.ceil(len(train) / recipe.batch_size)
    for epoch in range(begun // per_epoch, recipe.epochs):
        done = max(begun - epoch * per_epoch, 0)
        batches = shuffled_batches(len(train), recipe.batch_size, recipe.seed, epoch)[done:]
        yield from loaded(train, processor, batches, recipe.micro_batch_size, recipe.workers)


def _validation_loss(trainer: Trainer, processor: Any, valid: FieldExamples, recipe: Recipe, step: int) -> float:
    size = recipe.micro_batch_size or recipe.batch_size
    batches = [range(at, min(at + size, len(valid))) for at in range(0, len(valid), size)]
    loss = trainer.loss(loaded(valid, processor, batches, None, recipe.workers))
    if not math.isfinite(loss):
        advice = "lower learning_rate, or take precision='float32'"
        raise ValueError(f"after {step} updates the validation loss is {loss}: {advice}")
    return loss
