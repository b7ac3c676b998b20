"""Rows of steps: recorded episodes of runs, replayed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from math import isclose, nan
from typing import Any

from ... import __version__
from ...envs.core.env import PaperworkEnv
from ...envs.core.painting import Image
from ..running.episodes import Episode
from ..running.rollout import page_digest
from ..running.runs import Run
from .row_files import Columns, Row
from .target_rows import identity_of

COLUMNS: Columns = {
    "page": "image",
    "source_page": "image",
    "goal": "string",
    "source": "string",
    "action": "string",
    "feedback": "string",
    "valid": "bool",
    "reward": "float64",
    "terminated": "bool",
    "truncated": "bool",
    "score": "string",
    "number": "int64",
    "episode": "int64",
    "task": "string",
    "seed": "int64",
    "run": "string",
    "agent": "string",
    "conditions": "string",
    "split": "string",
    "env": "string",
    "options": "string",
    "formgym": "string",
    "page_sha256": "string",
}
"""What the environment showed before ``action``, and what came of it; ``action`` and ``score`` are JSON.

Some metrics are in the last score of an episode alone.
"""
PICTURES = tuple(name for name, kind in COLUMNS.items() if kind == "image")
"""The columns that can be left out."""
KEY = ("env", "options", "run", "episode", "task", "seed")
"""Rows that are equal in these are of one episode."""


def n_steps(run: Run) -> int:
    """The number of steps in the scored episodes of a run."""
    return sum(episode.n_calls for episode in run.episodes if episode.metrics is not None)


def run_rows(run: Run, name: str, encode: Callable[[Image], Any]) -> Iterator[Row]:
    """A row a step of the run's scored episodes.

    Args:
        run: which run.
        name: of the run, for its column.
        encode: makes the value of a picture.

    Raises:
        ValueError: if an episode does not replay to its recorded score.
    """
    env = run.make_env()
    about = {
        **identity_of(env),
        "run": name,
        "agent": run.summary["agent"],
        "conditions": run.conditions,
        "formgym": __version__,
    }
    for episode in run.episodes:
        if episode.metrics is None:
            continue
        calls = episode.calls
        for row in episode_rows(env, episode.task, episode.seed, calls, encode):
            is_last = row["number"] == len(calls) - 1
            yield row | about | {"episode": episode.index, "truncated": is_last and episode.ended == "truncated"}
        _check_score(env, episode, run)


def episode_rows(
    env: PaperworkEnv, task: str, seed: int, calls: Sequence[Any], encode: Callable[[Image], Any]
) -> Iterator[Row]:
    """The columns that follow from a task, a seed and calls, a row a call."""
    observation, _ = env.reset(seed=seed, options={"task": task})
    for number, call in enumerate(calls):
        pictures = {name: encode(observation[name]) for name in PICTURES if name in observation}
        row = {
            "source_page": None,
            **pictures,
            "goal": observation["goal"],
            "source": observation["source"],
            "page_sha256": page_digest(observation["page"]),
        }
        observation, reward, terminated, _, info = env.step(env.action_space.from_call(call))
        is_last = number == len(calls) - 1
        yield row | {
            "action": json.dumps(call, ensure_ascii=False),
            "feedback": info["feedback"],
            "valid": info["valid"],
            "reward": float(reward),
            "terminated": terminated,
            "score": json.dumps(env.state.score().metrics if is_last else info["score"]),
            "number": number,
            "task": task,
            "seed": seed,
        }


def _check_score(env: PaperworkEnv, episode: Episode, run: Run) -> None:
    """Check that a replayed episode ended as recorded."""
    metrics = env.state.score().metrics
    recorded = episode.metrics or {}
    # The last digits of metrics of pictures can depend on the processor.
    differing = [name for name, value in recorded.items() if not isclose(metrics.get(name, nan), value, abs_tol=1e-9)]
    where = f"{run.folder}, episode {episode.index}"
    if differing:
        name = differing[0]
        found = f"its replay has {name} {metrics.get(name)}, its record {recorded[name]}"
        raise ValueError(f"{where}: {found}; it was made by formgym {run.summary['version']} or by other data")
    if episode.page_sha256 != page_digest(env.page()):
        raise ValueError(f"{where}: its replay ends with another page than its record")
