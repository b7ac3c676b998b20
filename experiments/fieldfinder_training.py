"""Training FieldFinder's network, and looking at the pages that it is trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from ..fieldfinder_model.data.pages import pages as data_pages
from ..fieldfinder_model.examples import ExamplePage
from ..fieldfinder_model.training_pages.gallery import draw
from ..fieldfinder_model.training_pages.generate import page as made_page
from ..fieldfinder_model.training_pages.generate import pages as made_pages
from .console import console, say


def draw_training_pages(out: Path, count: int, seed: int, genre: str | None) -> None:
    """Write pictures of made pages with labels (blue), answers (red) and fields (green).

    Args:
        out: the folder; it is made if need be.
        count: how many pages.
        seed: of the first.
        genre: of the forms; ``None``: drawn.

    Raises:
        ValueError: if there is no such genre.
    """
    out.mkdir(parents=True, exist_ok=True)
    for number in track(range(seed, seed + count), "drawing", console=console, transient=True):
        page = made_page(number, genre)
        draw(page).save(out / f"{page.name}.png")
    say(f"{count} pages in {out}: labels blue, answers red, fields green")


def train_network(
    out: Path, count: int, data: Sequence[str], root: str | None, steps: int | None, start: Path | None, seed: int
) -> None:
    """Train the network and write its weights.

    Args:
        out: the file for the weights.
        count: how many made pages.
        data: data sets of the user's own that it is trained on as well.
        root: the folder of the data sets.
        steps: how many batches; ``None``: as the recipe says.
        start: weights to begin with.
        seed: of pages, weights and batches.

    Raises:
        ValueError: if a data set cannot be had, or there are no pages.
        RuntimeError: if PyTorch is missing.
    """
    try:
        from ..fieldfinder_model.training.samples import sample_of
        from ..fieldfinder_model.training.train import Recipe, train
    except ImportError as error:
        raise RuntimeError(f"training needs PyTorch: pip install 'formgym[train]' ({error})") from None
    rng = np.random.default_rng(seed)
    pages = track(_pages(count, data, root, seed), "reading pages", total=None, console=console, transient=True)
    samples = [sample for page in pages if (sample := sample_of(page, rng)) is not None]
    recipe = replace(Recipe(), seed=seed) if steps is None else replace(Recipe(), seed=seed, steps=steps)
    say(f"{len(samples)} pages, {recipe.steps} steps")
    train(samples, out, recipe, start, _tell)
    say(f"written: {out}")


def _pages(count: int, data: Sequence[str], root: str | None, seed: int) -> Iterator[ExamplePage]:
    own = (data_pages(name, "answers", root, decoys=True) for name in data)
    return chain(made_pages(seed, count), *own)


def _tell(losses: dict[str, Any]) -> None:
    say(", ".join(f"{name} {value}" for name, value in losses.items()))
