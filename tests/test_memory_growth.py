"""Memory over many episodes: what is kept is kept by caches, every cache is bounded, and nothing else grows."""

from __future__ import annotations

import functools
import gc
import pkgutil
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import gymnasium as gym
import pytest
from sizes import LONG, sample, some

import formgym
from formgym.envs.core.asset_cache import CACHE, set_cache_budget

RESETS = some(12, 300)
MEGABYTES = 8
MAX_OBJECTS = 400
"""By how many objects a process may grow after its first episodes, whatever their number; one task alone has more."""
SUITES: dict[str, dict[str, Any]] = {
    "FormGym/AutoLoans-Text-v0": {},
    "FormFactory/InsuranceClaim-v0": {"forms": ["insurance_claim", "bug_report"]},
    "DocEdit/Invoice-v0": {"documents": ["invoice", "business_card"]},
}


@pytest.fixture
def small_cache() -> Iterator[None]:
    before = CACHE.budget
    set_cache_budget(MEGABYTES)
    yield
    CACHE.resize(before)


def caches() -> list[Any]:
    """All caches of functions of the package, those of the asset cache apart."""
    wrappers = (one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper))
    return [one for one in wrappers if one.__module__.startswith("formgym")]


def walk(env_id: str, split: str, first: int) -> int:
    """Episodes that solve their tasks and others at random; how many objects are left when all caches are empty."""
    env = gym.make(env_id, disable_env_checker=True, split=split, **SUITES[env_id])
    env.action_space.seed(first)
    for episode in range(first, first + RESETS):
        env.reset(seed=episode)
        script = [env.action_space.from_call(call) for call in env.unwrapped.state.solution()[:6]]  # type: ignore[attr-defined]
        for action in [*script, *(env.action_space.sample() for _ in range(6))]:
            if any(env.step(action)[2:4]):
                break
        assert CACHE.size <= MEGABYTES << 20
    env.close()
    for cache in caches():
        cache.cache_clear()
    CACHE.clear()
    del env
    gc.collect()
    return len(gc.get_objects())


@LONG
@pytest.mark.parametrize("split", sample(["train", "test"], 1))
@pytest.mark.parametrize("env_id", sample([*SUITES], 1))
def test_a_process_does_not_grow_with_its_episodes(env_id: str, split: str, small_cache: None) -> None:
    walk(env_id, split, 0)
    before = walk(env_id, split, 1_000)
    assert walk(env_id, split, 2_000) - before < MAX_OBJECTS


def test_every_cache_is_bounded() -> None:
    for module in pkgutil.walk_packages(formgym.__path__, "formgym."):
        # Tests, and what extras that are not installed need, are left out.
        if not module.name.startswith("formgym.tests"):
            with suppress(ImportError):
                import_module(module.name)
    unbounded = [f"{one.__module__}.{one.__qualname__}" for one in caches() if one.cache_info().maxsize is None]
    assert unbounded == []
