"""The fine-tuning loop: updates, validation, early stopping and checkpoints."""

from __future__ import annotations

import hashlib
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import torch

from ...envs.paper_forms.examples import ExamplePage
from .loading import Florence, check_folder, load_florence
from .recipe import Recipe, Row, learning_rate, save_history, waited
from .training import PromptedExample, Trainer, batches_of, prompted_examples, shuffled_batches

BEST, STATE = "best", "state.pt"


def identity(model_path: Path, train: Sequence[ExamplePage], valid: Sequence[ExamplePage], recipe: Recipe) -> str:
    """A digest of all that decides the result of a run, except the initial weights.

    It includes their shapes.

    """
    digest = hashlib.sha256(recipe.model_dump_json().encode())
    digest.update((model_path / "config.json").read_bytes())
    for pages in (train, valid):
        for page in pages:
            content = (page.name, page.gray.shape, [(example.target, example.box) for example in page.examples])
            digest.update(repr(content).encode())
            digest.update(page.gray.tobytes())
        digest.update(b"|")
    return digest.hexdigest()


def save_state(out: Path, state: dict[str, Any]) -> None:
    """Write the checkpoint that a resumed run needs."""
    unfinished = out / f"{STATE}.part"
    torch.save(state, unfinished)
    unfinished.replace(out / STATE)


def load_state(out: Path, run: str) -> dict[str, Any] | None:
    """The checkpoint that ``save_state`` wrote; ``None`` if there is none.

    Args:
        out: the folder of the run.
        run: its ``identity``.

    Raises:
        ValueError: if the folder holds another run.
    """
    if not (out / STATE).is_file():
        return None
    state: dict[str, Any] = torch.load(out / STATE, map_location="cpu", weights_only=True)
    if state["run"] != run:
        raise ValueError(f"{out} holds a run with another recipe, model or pages: choose another folder, or remove it")
    return state


def save_best(out: Path, florence: Florence) -> None:
    """Replace the best model and its processor, in the format of ``load_florence``."""
    new, old = out / f"{BEST}.part", out / f"{BEST}.old"
    for left_over in (new, old):
        shutil.rmtree(left_over, ignore_errors=True)
    florence.model.save_pretrained(new)
    florence.processor.save_pretrained(new)
    if (out / BEST).exists():
        (out / BEST).rename(old)
    new.rename(out / BEST)
    shutil.rmtree(old, ignore_errors=True)


Report = Callable[[Row], None]


class _Examples(NamedTuple):
    train: Sequence[PromptedExample]
    valid: Sequence[PromptedExample]


def run(
    model_path: Path,
    pages: tuple[Sequence[ExamplePage], Sequence[ExamplePage]],
    out: Path,
    recipe: Recipe,
    device: str | None,
    report: Report,
) -> tuple[Row, ...]:
    """See ``finetune``; ``pages`` are those to train on and those to validate on."""
    examples = _Examples(*map(prompted_examples, pages))
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
            _save(out, name, rows, florence, trainer)
            report(row)
    save_state(out, {"run": name, "rows": [row.model_dump() for row in rows], "done": True})
    return tuple(rows)


def _waited_enough(rows: Sequence[Row], recipe: Recipe) -> bool:
    return recipe.patience is not None and waited(rows) >= recipe.patience


def _save(out: Path, name: str, rows: Sequence[Row], florence: Florence, trainer: Trainer) -> None:
    """Write the results of a validation.

    The checkpoint is written last, so that a run killed before it repeats the epoch.
    """
    if rows[-1].best:
        save_best(out, florence)
    save_history(out, rows)
    dumped = [row.model_dump() for row in rows]
    save_state(out, {"run": name, "rows": dumped, "done": False, "trainer": trainer.state()})


def _rows(
    trainer: Trainer, florence: Florence, examples: _Examples, recipe: Recipe, before: Sequence[Row]
) -> Iterator[Row]:
    """Train on from the last row, and yield a row after each epoch.

    Raises:
        ValueError: if the validation loss is not finite.
    """
    per_epoch = math.ceil(len(examples.train) / recipe.batch_size)
    lowest = min((row.valid_loss for row in before), default=math.inf)
    for epoch in range(len(before), recipe.epochs):
        steps, losses = count(epoch * per_epoch), []
        batches = shuffled_batches(len(examples.train), recipe.batch_size, recipe.seed, epoch)
        for batch in batches_of(examples.train, florence.processor, batches, recipe.micro_batch_size):
            rate = learning_rate(recipe, next(steps), recipe.epochs * per_epoch)
            losses.append(trainer.learn(batch, rate))
        loss = _validation_loss(trainer, florence.processor, examples.valid, recipe)
        yield Row(
            step=next(steps),
            epoch=epoch + 1,
            learning_rate=rate,
            train_loss=math.fsum(losses) / len(losses),
            valid_loss=loss,
            best=loss < lowest,
        )
        lowest = min(lowest, loss)


def _validation_loss(trainer: Trainer, processor: Any, valid: Sequence[PromptedExample], recipe: Recipe) -> float:
    size = recipe.micro_batch_size or recipe.batch_size
    batches = [range(at, min(at + size, len(valid))) for at in range(0, len(valid), size)]
    loss = trainer.loss(batches_of(valid, processor, batches, None))
    if not math.isfinite(loss):
        raise ValueError(f"the validation loss is {loss}: lower learning_rate, or take precision='float32'")
    return loss
