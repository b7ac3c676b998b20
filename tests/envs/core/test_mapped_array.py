"""Large arrays outside the heap: their memory is counted by the cache and returns to the system."""

from __future__ import annotations

import mmap
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from formgym.envs.core.asset_cache import CACHE, AssetCache, set_cache_budget
from formgym.envs.core.pages import MAX_SPARE_BYTES, PackedPixels, mapped_array, packed, page_image, unpacked
from formgym.envs.web_forms.env import CAPTURES
from formgym.envs.web_forms.replay.capture import load_capture

SHAPE = (600, 500, 3)


@pytest.fixture
def empty_cache() -> Iterator[None]:
    before = CACHE.budget
    CACHE.clear()
    yield
    CACHE.resize(before)


def resident() -> int:
    return int(psutil.Process().memory_info().rss)


def captured_pages(at_least: int) -> list[tuple[Path, tuple[int, int]]]:
    """Pictures of pages with their sizes, together of so many bytes when they are decoded."""
    found, n_bytes = [], 0
    for path in sorted(CAPTURES.glob("*/*/capture.json")):
        capture = load_capture(path.parent)
        for layout in capture.layouts[:2]:
            size = layout.height, capture.viewport[0]
            found.append((path.parent / layout.picture, size))
            n_bytes += size[0] * size[1] * 3
        if n_bytes >= at_least:
            break
    return found


@pytest.mark.parametrize("shape", [SHAPE, (4, 4, 3), (0, 5, 3)])
def test_it_is_an_array_like_any_other(shape: tuple[int, ...]) -> None:
    array = mapped_array(shape)
    assert array.shape == shape
    assert array.dtype == np.uint8
    array[...] = 7
    assert (pickle.loads(pickle.dumps(array)) == array).all()


def test_packed_pixels_are_the_same_from_a_file() -> None:
    for shape in (SHAPE, (1, 1, 3), (0, 5, 3)):
        pixels = np.random.default_rng(1).integers(0, 3, shape, np.uint8)
        again = PackedPixels.load(packed(pixels, mode="high_compression", compression=12).dump())
        np.testing.assert_array_equal(unpacked(again), pixels)


def test_the_cache_counts_its_memory() -> None:
    cache = AssetCache(10 << 20)
    cache.cached(lambda: mapped_array(SHAPE))()
    assert 0 <= cache.size - np.prod(SHAPE) < np.prod(SHAPE) / 8 + 2 * mmap.PAGESIZE


def test_memory_is_used_again_only_when_no_array_or_view_needs_it() -> None:
    first = mapped_array(SHAPE)
    first[...] = 1
    view = first[10:20]
    del first
    others = [mapped_array(SHAPE) for _ in range(5)]
    for other in others:
        other[...] = 2
    assert (view == 1).all()
    address = others[-1].ctypes.data
    del other, others
    assert address in {array.ctypes.data for array in [mapped_array(SHAPE) for _ in range(5)]}


def test_a_forked_process_writes_into_a_copy() -> None:
    array = mapped_array(SHAPE)
    array[...] = 0
    child = os.fork()
    if not child:
        array[...] = 1
        os._exit(0)
    os.waitpid(child, 0)
    assert not array.any()


def test_pages_that_are_evicted_give_their_memory_back(empty_cache: None) -> None:
    pages = captured_pages(at_least=60 << 20)
    CACHE.clear()
    held, n_bytes = [], 0
    for path, size in pages:
        n_bytes += page_image(path, size).nbytes
        # What is made meanwhile and lives longer keeps a heap from shrinking.
        held.append([bytes(1_000) for _ in range(20)])
    before = resident()
    set_cache_budget(0)
    assert before - resident() > 0.9 * n_bytes - MAX_SPARE_BYTES
    assert held
