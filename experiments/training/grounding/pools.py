"""Pools of targets for grounding policies, and the splits of their pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np

from ....envs.core.grounding import GroundingEnv
from ....envs.paper_forms.examples import Example, ExamplePage
from ....envs.paper_forms.grounding.env import PaperGroundingEnv
from ....envs.paper_forms.grounding.grounding_pages import Split, page_splits, split_of_name
from ....envs.paper_forms.made_pages.page_generator import page as made_page
from ....fieldfinder_model.data.example_pages import document_of
from ....fieldfinder_model.data.example_pages import pages as data_pages
from ....fieldfinder_model.evaluation.measuring import read_words
from ....fieldfinder_model.reading.page_reading import gray_page
from ....fieldfinder_model.training.batches import misread
from ....fieldfinder_model.windows.window_pool import (
    EMPTY,
    WindowPage,
    WindowPool,
    WindowTarget,
    cached_page,
    content_key,
    window_page,
)


def is_held_out(name: str) -> bool:
    """Whether a name is of the dev or test split: a fifth is never trained on."""
    return split_of_name(name) != "train"


def is_trained_on(target: WindowTarget) -> bool:
    """Whether a target's name may be trained on."""
    return not is_held_out(target.name)


# -- Made pages --------------------------------------------------------------------------------------------------------


def made_training_pool(count: int, processes: int = 1) -> WindowPool:
    """The targets of made pages to train on, without held-out names.

    Their words are as a real reader finds them.

    Args:
        count: how many pages.
        processes: that make them, of a script that guards its main part (``if __name__ == "__main__":``).
    """
    return WindowPool(_pages_of(range(count), partial(_made_window_page, is_misread=True), processes), is_trained_on)


def made_test_pool(split: Split, count: int, processes: int = 1) -> WindowPool:
    """The targets of the first made pages of the dev or test split.

    Some of their names are trained on.

    Raises:
        ValueError: if it is another split.
    """
    if split not in page_splits().made:
        raise ValueError(f"split is what is measured, dev or test, not {split!r}: drawn pages to train on have no end")
    seeds = page_splits().made[split][:count]
    return WindowPool(_pages_of(seeds, partial(_made_window_page, is_misread=False), processes))


def _pages_of(seeds: Sequence[int], make: Callable[[int], WindowPage], processes: int) -> list[WindowPage]:
    if processes == 1:
        made = [make(seed) for seed in seeds]
    else:
        # Threads of numerical libraries do not survive a fork.
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            made = list(pool.map(make, seeds, chunksize=16))
    return [page for page in made if page.targets]


def _made_window_page(seed: int, is_misread: bool) -> WindowPage:
    def read() -> WindowPage:
        page = made_page(seed)
        misreading = partial(misread, rng=np.random.default_rng(seed)) if is_misread else None
        return window_page(page, misreading) if len(page.words) > 2 and page.examples else EMPTY

    return cached_page(f"made page {seed}{' misread' * is_misread}", read)


# -- Web forms and scans -----------------------------------------------------------------------------------------------


def environment_pages(env: GroundingEnv) -> Iterator[ExamplePage]:
    """The pages of a grounding environment, not endless, with words read by OCR."""
    for task_id in env.task_ids:
        page = env.open_page(task_id)
        gray = gray_page(page.image)
        examples = [Example(target.name, target.box, target.box, target.kind) for target in page.targets]
        yield ExamplePage(task_id, gray, read_words(gray).words, examples)


def scan_pages(split: str, root: str | None = None) -> Iterator[ExamplePage]:
    """FUNSD's pages in a split of ``FormGym/Grounding``, answers erased.

    Args:
        split: ``"train"``, ``"dev"``, or ``"test"``, FUNSD's own; no document is in two of them.
        root: the folder of FUNSD; ``None``: below FORMGYM_DATA.

    Raises:
        ValueError: if there is no such split, or the data are not there.
    """
    names = {task.partition("/")[2] for task in PaperGroundingEnv("funsd", split, root=root).task_ids}
    pages = data_pages("funsd", root=root, split="test" if split == "test" else "train")
    return (page for page in pages if document_of(page.name) in names)


def pool_of(pages: Iterator[ExamplePage]) -> WindowPool:
    """The targets of pages, each page read once."""
    return WindowPool([cached_page(content_key(page), partial(window_page, page)) for page in pages])
