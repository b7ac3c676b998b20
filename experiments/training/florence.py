"""Fine-tune Florence-2 on data of the user's own, by the FormGym paper's recipe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...envs.paper_forms.examples import ExamplePage
from ...fieldfinder_model.data.example_pages import folds, pages
from ...fieldfinder_model.florence.finetune import FlorenceRecipe, finetune
from ..terminal import say

FOLDS = 10
"""Early stopping validates on one tenth of the pages; copies of one form stay together."""


def finetune_florence(model: Path, data: Sequence[str], root: str | None, out: Path, recipe: FlorenceRecipe) -> None:
    """Fine-tune Florence-2.

    Args:
        model: the folder of its weights.
        data: names of data sets.
        root: their folder; ``None``: below FORMGYM_DATA.
        out: the folder for the best weights and the history.
        recipe: how.

    Raises:
        ValueError: if the weights or a data set are missing, or there are no pages.
    """
    training: list[ExamplePage] = []
    validation: list[ExamplePage] = []
    for name in data:
        fold_of = folds(name, FOLDS, root)
        for page in pages(name, "answers", root):
            (validation if fold_of[page.name] == 0 else training).append(page)
    say(f"{len(training)} pages to train on, {len(validation)} to validate on")
    for row in finetune(model, training, validation, out, recipe):
        say(", ".join(f"{name} {value:.4g}" for name, value in row.items()))
    say(f"the best weights are in {out / 'best'}")
    say(f"try them: formgym fieldfinder evaluate --locator florence --option path={out / 'best'}")
