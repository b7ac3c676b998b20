"""The cache of decoded assets: it keeps to its budget, forgets the least recently used first, and changes no frame."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from sizes import LONG, some

from formgym.envs.core.asset_cache import CACHE, AssetCache, budget_bytes, set_cache_budget, size_in_bytes
from formgym.envs.registration import ids, index
from formgym.envs.web_forms.env import CAPTURES
from formgym.envs.web_forms.replay.capture import load_pictures

SHIPPED = [env_id for env_id in ids() if index()["environments"][env_id].get("facts", {}).get("tasks")]
MEGABYTE = 1 << 20
ROOM = 500
"""More than the bytes that an array takes beside its pixels."""


@pytest.fixture
def budget() -> Iterator[None]:
    """Restores the budget."""
    before = CACHE.budget
    yield
    CACHE.resize(before)


def block(number: int, size: int = 10_000) -> np.ndarray:
    return np.full(size, number % 256, np.uint8)


def digests(env_id: str, steps: int = 3) -> list[str]:
    """Hashes of the frames of the beginning of an episode."""
    env = gym.make(env_id, disable_env_checker=True)
    env.action_space.seed(5)
    frames = [env.reset(seed=3)[0]["page"]]
    for _ in range(steps):
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        frames.append(observation["page"])
        if terminated or truncated:
            break
    env.close()
    return [hashlib.sha256(frame.tobytes()).hexdigest() for frame in frames]


@LONG
def test_the_cache_keeps_to_its_budget_over_every_environment(budget: None) -> None:
    set_cache_budget(24)
    for env_id in SHIPPED:
        digests(env_id, steps=1)
        assert 0 < CACHE.size <= 24 * MEGABYTE, env_id


@pytest.mark.parametrize(
    "env_id", [*some(SHIPPED[:1], SHIPPED[:5]), "FormFactory/InsuranceClaim-v0", "DocEdit/ConferenceSlides-v0"]
)
def test_frames_are_the_same_without_a_cache_and_with_plenty(env_id: str, budget: None) -> None:
    set_cache_budget(0)
    assert CACHE.size == 0
    without = digests(env_id)
    set_cache_budget(1000)
    assert digests(env_id) == without == digests(env_id)


def test_what_is_evicted_stays_valid_for_who_holds_it(budget: None) -> None:
    folder = CAPTURES / "insurance_claim" / "clinic"
    held = load_pictures(folder)
    pixels = [small.copy() for small in held.small]
    set_cache_budget(0)
    set_cache_budget(100)
    anew = load_pictures(folder)
    assert anew is not held
    for one, other, before in zip(held.small, anew.small, pixels, strict=True):
        np.testing.assert_array_equal(one, before)
        np.testing.assert_array_equal(other, before)
    assert pickle.loads(pickle.dumps(anew)) is anew


def test_the_least_recently_used_goes_first() -> None:
    cache, loaded = AssetCache(4 * (10_000 + ROOM)), []
    load = cache.cached(lambda number: loaded.append(number) or block(number))
    for number in (1, 2, 3, 1, 4):
        load(number)
    assert loaded == [1, 2, 3, 4]
    load(1)
    load(3)
    assert loaded == [1, 2, 3, 4]
    load(2)
    assert loaded == [1, 2, 3, 4, 2]


def test_a_result_too_large_is_not_kept_and_drives_nothing_out() -> None:
    cache = AssetCache(40_000)
    load = cache.cached(block)
    kept = load(1)
    assert load(2, 40_000) is not load(2, 40_000)
    assert load(1) is kept


class Part:
    HAS_OWN_CACHE_ENTRY = True

    def __init__(self) -> None:
        self.pixels = block(0, 500_000)


def test_sizes_count_pixels_and_texts_once() -> None:
    array, text = block(0, 100_000), "a" * 50_000
    shared = [array, array[10:], {text: array[::2]}, (text,)]
    assert 150_000 < size_in_bytes(shared) < 152_000
    assert 300_000 < size_in_bytes(Image.new("RGB", (500, 200))) < 301_000
    assert 500_000 < size_in_bytes(Part()) < 502_000
    assert size_in_bytes([Part()]) < 500


def test_derived_results_take_a_quarter_of_the_budget_at_most() -> None:
    cache, loaded = AssetCache(100_000), []
    dear = cache.cached(lambda number: loaded.append(number) or block(number))
    cheap = cache.cached(block, derived=True)
    for number in range(4):
        dear(number)
    for number in range(100):
        cheap(number)
    for number in range(4):
        dear(number)
    assert loaded == [0, 1, 2, 3]


def test_one_function_can_be_forgotten() -> None:
    cache = AssetCache(MEGABYTE)
    one, other = cache.cached(lambda: block(1)), cache.cached(lambda: block(2))
    first, second = one(), other()
    one.cache_clear()
    assert one() is not first
    assert other() is second
    cache.clear()
    assert cache.size == 0


@settings(max_examples=some(15, 60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 40_000)), max_size=60), st.integers(0, 100_000))
def test_the_books_are_right_whatever_is_loaded(uses: list[tuple[int, int]], budget: int) -> None:
    cache = AssetCache(budget)
    loads = [cache.cached(block), cache.cached(block, derived=True)]
    for number, size in uses:
        found = loads[number % 2](number, size)
        assert found.tolist()[:1] == block(number, size).tolist()[:1]
        assert 0 <= cache.size <= budget
    cache.resize(budget // 2)
    assert cache.size <= budget // 2
    cache.clear()
    assert cache.size == 0


def test_threads_share_the_cache() -> None:
    cache = AssetCache(20 * 10_000)
    load = cache.cached(block)
    inner = cache.cached(lambda number: (load(number), load(number + 1)), derived=True)

    def use(seed: int) -> bool:
        numbers = np.random.default_rng(seed).integers(60, size=3_000).tolist()
        return all(load(n)[0] == n and inner(n)[1][0] == n + 1 for n in numbers)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(8)))
    assert cache.size <= cache.budget
    cache.clear()
    assert cache.size == 0


@pytest.mark.parametrize("wrong", ["much", "-1", "nan", "inf", -0.5, None, [1]])
def test_a_budget_is_a_number_of_megabytes(wrong: Any) -> None:
    with pytest.raises(ValueError, match="FORMGYM_CACHE_MB"):
        budget_bytes(wrong)


def test_the_environment_variable_sets_the_budget() -> None:
    code = "from formgym.envs.core.asset_cache import CACHE; print(CACHE.budget)"
    for value, expected in (("12.5", 12.5), ("", 256)):
        env = os.environ | {"FORMGYM_CACHE_MB": value}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
        assert int(done.stdout) == expected * MEGABYTE
