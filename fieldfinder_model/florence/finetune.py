"""Fine-tuning Florence-2 to find fields (FormGym, section FieldFinder); imported without torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..examples import ExamplePage
from .loading import needed
from .recipe import Recipe, Row


def finetune(
    model_path: Path,
    train_pages: Sequence[ExamplePage],
    valid_pages: Sequence[ExamplePage],
    out: Path,
    recipe: Recipe,
    *,
    device: str | None = None,
    report: Callable[[Row], None] = lambda row: None,
) -> tuple[Row, ...]:
    """Train a Florence-2 on pages, and keep the weights with the lowest validation loss.

    What is called again with the same arguments after it was stopped goes on from the last validation; on a CPU it
    comes to the same weights as if it had never been stopped. What is finished is not done again.

    Args:
        model_path: a folder with Florence-2 and its processor; see ``load_florence``.
        train_pages: to learn from.
        valid_pages: to tell when to stop.
        out: the folder that gets ``best/`` (for ``FlorenceLocator``), ``history.jsonl`` and ``state.pt``; until the run
            is over the last one takes three times the room of the weights.
        recipe: how to train.
        device: where, as torch names it; ``None``: on a GPU if there is one.
        report: called with each new row of the history.

    Returns:
        A row for each validation.

    Raises:
        ValueError: if torch or transformers is missing, the model cannot be used, there are no examples, ``out`` holds
            another run, or training comes to losses that are no numbers.
    """
    needed("torch")
    from .loop import run

    return run(model_path, (train_pages, valid_pages), out, recipe, device, report)
