"""Train FieldFinder's network, draw its training pages, and fine-tune Florence-2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...envs.paper_forms.examples import ExamplePage
from ...envs.paper_forms.made_pages.page_generator import draw
from ...envs.paper_forms.made_pages.page_generator import page as made_page
from ...fieldfinder_model.data.example_pages import folds
from ...fieldfinder_model.data.example_pages import pages as data_pages
from ...fieldfinder_model.florence.finetune import FlorenceRecipe, finetune
from ..terminal.console import say, track

if TYPE_CHECKING:
    from ...fieldfinder_model.training.batches import Sample

WEIGHTS = "weights.pt"
FOLDS = 5
FLORENCE_FOLDS = 10
"""Early stopping validates on one tenth of the pages; copies of one form stay together."""
_REPEAT = 4
"""How often the user's own pages are repeated among the synthetic ones."""


def draw_training_pages(out: Path, count: int, seed: int, genre: str | None) -> None:
    """Draw synthetic pages with labels (blue), answers (red) and fields (green).

    Args:
        out: the folder; it is made if need be.
        count: how many pages.
        seed: of the first.
        genre: of the forms; ``None``: drawn.

    Raises:
        ValueError: if there is no such genre.
    """
    out.mkdir(parents=True, exist_ok=True)
    for number in track(range(seed, seed + count), "drawing"):
        page = made_page(number, genre)
        draw(page).save(out / f"{page.name}.png")
    say(f"{count} pages in {out}: labels blue, answers red, fields green")


@dataclass(frozen=True)
class Training:
    """What the network is trained on, and how.

    Attributes:
        pages: how many synthetic pages.
        data: data sets of the user's own that it is trained on as well.
        root: their folder; ``None``: below FORMGYM_DATA.
        fold: the fold of near-duplicates that is left out, of ``FOLDS``; ``None``: none is.
        steps: how many batches; ``None``: those of the recipe.
        rate: the highest learning rate; ``None``: that of the recipe.
        start: weights to begin with.
        seed: of pages, weights and batches.
    """

    pages: int
    data: Sequence[str] = ()
    root: str | None = None
    fold: int | None = None
    steps: int | None = None
    rate: float | None = None
    start: Path | None = None
    seed: int = 0


def train_network(training: Training, out: Path) -> None:
    """Train the network and write its weights.

    Args:
        training: on what, and how.
        out: the folder for ``weights.pt``, the ONNX files and their card.

    Raises:
        ValueError: if a data set is missing or has no examples, or there are no pages.
        RuntimeError: if PyTorch is missing.
    """
    try:
        from ...fieldfinder_model.training.train import NetworkRecipe, publish, train
    except ImportError as error:
        raise RuntimeError(f"training needs PyTorch: pip install 'formgym[train]' ({error})") from None
    samples = list(_samples(training))
    usual = NetworkRecipe(seed=training.seed)
    recipe = replace(usual, steps=training.steps or usual.steps, rate=training.rate or usual.rate)
    say(f"{len(samples)} pages, {recipe.steps} steps")
    network = train(samples, out / WEIGHTS, recipe, training.start, _tell)
    publish(network, out, recipe, training.pages, training.seed, training.data, training.start)
    say(f"written to {out}; try them: formgym fieldfinder evaluate --option weights={out}")


def _samples(training: Training) -> Iterator[Sample]:
    from ...fieldfinder_model.training.batches import made_samples

    # Missing data of one's own raises before the long work begins.
    rng = np.random.default_rng(training.seed)
    own = [sample for name in training.data for sample in _own_samples(training, name, rng)]
    made = made_samples(training.seed, training.pages)
    yield from track(made, "making pages", training.pages)
    for sample in own:
        yield from [sample] * _REPEAT


def _own_samples(training: Training, name: str, rng: np.random.Generator) -> list[Sample]:
    from ...fieldfinder_model.training.batches import sample_of

    made = [sample for page in _own_pages(training, name) if (sample := sample_of(page, rng)) is not None]
    if not made:
        raise ValueError(f"{name} has no page whose words and labels are annotated: nothing can be learned from it")
    return made


def _own_pages(training: Training, name: str) -> Iterator[ExamplePage]:
    left_out = folds(name, FOLDS, training.root) if training.fold is not None else {}
    for page in data_pages(name, "answers", training.root):
        if training.fold is None or left_out.get(page.name) != training.fold:
            yield page


def _tell(losses: dict[str, Any]) -> None:
    say(", ".join(f"{name} {value}" for name, value in losses.items()))


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
        fold_of = folds(name, FLORENCE_FOLDS, root)
        for page in data_pages(name, "answers", root):
            (validation if fold_of[page.name] == 0 else training).append(page)
    say(f"{len(training)} pages to train on, {len(validation)} to validate on")
    for row in finetune(model, training, validation, out, recipe):
        say(", ".join(f"{name} {value:.4g}" for name, value in row.items()))
    say(f"the best weights are in {out / 'best'}")
    say(f"try them: formgym fieldfinder evaluate --locator florence --option path={out / 'best'}")
