"""Measure the memory of visiting every environment, and its growth."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, cast

import gymnasium as gym
import psutil

from formgym.envs.core.asset_cache import CACHE
from formgym.envs.core.env import PaperworkEnv
from formgym.envs.registration import ids, index
from formgym.experiments.terminal.console import print_table, table_of

_MEGABYTE = 1 << 20
_STEPS, _EPISODES = 100_000, 1_000
_TENTHS = 10
_SUITES: dict[str, tuple[str, dict[str, Any]]] = {
    "paper forms": ("FormGym/AutoLoans-Text-v0", {}),
    "web forms": ("FormFactory/InsuranceClaim-v0", {"forms": None}),
    "documents": ("DocEdit/Invoice-v0", {"documents": None}),
}
"""An environment of each suite, with the options that give it all forms or documents."""

Walk = dict[str, float]
"""Megabytes: ``first``, ``last`` (resident, at the end of the first and of the last tenth), ``growth`` (resident, per
10,000 steps after the first tenth), ``late_growth`` (likewise, in the second half) and ``cache``; and how many
``resets`` there were."""


def run_memory_benchmark() -> dict[str, Any]:
    """Measure in processes of their own, and print tables."""
    visit = _in_a_process("visit")
    print(
        f"all environments visited in one process: {visit['resident']:.0f} MB resident, of which "
        f"{visit['cache']:.0f} MB in the cache of at most {CACHE.budget / _MEGABYTE:.0f}"
    )
    walks = {
        f"{suite}, {split}": _in_a_process("walk", suite, split) for suite in _SUITES for split in ("test", "train")
    }
    _print_walks(walks)
    return {"visit": visit, "walks": walks}


def visit_all(steps: int = 3) -> dict[str, float]:
    """Make, reset, step in and close every environment; megabytes resident and cached."""
    for env_id in ids():
        if "tasks" in index()["environments"][env_id].get("facts", {}):
            env = gym.make(env_id, disable_env_checker=True)
            for _ in itertools.islice(_random_walk(env, seed=0), steps):
                pass
            env.close()
    return {"resident": _resident(), "cache": CACHE.size / _MEGABYTE}


def walk(suite: str, split: str, steps: int = _STEPS, episodes: int = _EPISODES) -> Walk:
    """Step through an environment: in each episode the solution, then random actions.

    Args:
        suite: a key of ``_SUITES``.
        split: ``"test"`` or ``"train"``.
        steps: in all.
        episodes: in all, at least 10; each is reset where its form is submitted.
    """
    env_id, kwargs = _SUITES[suite]
    env = gym.make(env_id, disable_env_checker=True, split=split, **kwargs)
    sizes, resets = [], 0
    for episode in range(episodes):
        resets += 1 + sum(itertools.islice(_random_walk(env, seed=episode, solve=True), steps // episodes))
        if (episode + 1) % (episodes // _TENTHS) == 0:
            sizes.append(_resident())
    per_tenth = steps / _TENTHS / 10_000
    return {
        "first": sizes[0],
        "last": sizes[-1],
        "growth": (sizes[-1] - sizes[0]) / (_TENTHS - 1) / per_tenth,
        "late_growth": (sizes[-1] - sizes[_TENTHS // 2 - 1]) / (_TENTHS - _TENTHS // 2) / per_tenth,
        "cache": CACHE.size / _MEGABYTE,
        "resets": resets,
    }


def _random_walk(env: gym.Env[Any, Any], seed: int, solve: bool = False) -> Iterator[bool]:
    """Endless steps from a seed, after the solution if ``solve``; whether each resets.

    ``terminate`` is left out: at random it would end an episode every few steps.
    """
    env.reset(seed=seed)
    env.action_space.seed(seed)
    inner = cast(PaperworkEnv, env.unwrapped)
    script = [inner.action_space.from_call(call) for call in inner.state.solution()] if solve else []
    end = inner.action_space.names.index("terminate")
    for action in itertools.chain(script, iter(env.action_space.sample, None)):
        if action["tool"] != end:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
            yield terminated or truncated


def _resident() -> float:
    """Megabytes of this process that are resident."""
    return float(psutil.Process().memory_info().rss) / _MEGABYTE


def _in_a_process(*arguments: str) -> dict[str, float]:
    done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=True)
    return cast(dict[str, float], json.loads(done.stdout))


def _print_walks(walks: dict[str, Walk]) -> None:
    title = f"{_STEPS:,} steps in {_EPISODES:,} episodes, resident megabytes"
    heads = {
        "first": "first tenth",
        "last": "last tenth",
        "growth": "growth per 10,000 steps",
        "late_growth": "in the second half",
        "cache": "cache",
    }
    rows = ((name, f"{row['resets']:,}", *(f"{row[key]:,.1f}" for key in heads)) for name, row in walks.items())
    print_table(table_of(title, ("", "resets", *heads.values()), rows))


_JOBS: dict[str, Callable[..., dict[str, float]]] = {"visit": visit_all, "walk": walk}

if __name__ == "__main__":
    print(json.dumps(_JOBS[sys.argv[1]](*sys.argv[2:])))
