"""Fine-tune Florence-2 to find fields (FormGym); imports no torch until it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ...envs.paper_forms.examples import ExamplePage
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
    """Fine-tune Florence-2 on pages; keep the weights with the lowest validation loss.

    Called again with the same arguments, it resumes a stopped run from the last validation; on a CPU the weights are
    the same as without the stop. A finished run is not repeated.

    Args:
        model_path: a folder with Florence-2 and its processor; see ``load_florence``.
        train_pages: to learn from.
        valid_pages: to decide when to stop.
        out: the folder for ``best/`` (for ``FlorenceLocator``), ``history.jsonl`` and ``state.pt``, which is three
            times as large as the weights until the run is finished.
        recipe: how to train.
        device: torch's name of the device; ``None``: a GPU if there is one.
        report: called with each new row of the history.

    Returns:
        A row for each validation.

    Raises:
        ValueError: if torch or transformers is missing, the model cannot be used, there are no examples, ``out`` holds
            another run, or a loss is not finite.
    """
    needed("torch")
    from .loop import run

    return run(model_path, (train_pages, valid_pages), out, recipe, device, report)
