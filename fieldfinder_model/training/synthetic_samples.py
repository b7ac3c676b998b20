"""Samples of made pages, made by all processors at once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from ..processors import processors
from ..training_pages.generate import page
from .samples import Sample, sample_of


def made_samples(seed: int, count: int) -> Iterator[Sample]:
    """Samples of the pages of the seeds from ``seed`` on; pages without targets are left out.

    Args:
        seed: of the first page.
        count: how many pages.
    """
    if not count:
        return
    processes = min(processors(), count)
    # Threads of numerical libraries do not survive a fork.
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_alone) as pool:
        for sample in pool.map(_made, range(seed, seed + count), chunksize=16):
            if sample is not None:
                yield sample


def _alone() -> None:
    import cv2

    cv2.setNumThreads(1)


def _made(seed: int) -> Sample | None:
    return sample_of(page(seed), np.random.default_rng(seed))
