"""``formgym fuzz``: episodes in several processes; failures are shrunk and kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from rich.markup import escape

from ...envs.core.files import atomic_write
from ...envs.registration import ids, index
from ..terminal import Cell, Column, Row, Table, cells_of, console, print_table, progress
from .episode import Case, chance_actions, play

MAX_ACTIONS = 40
"""The most actions of an episode."""
_ACTIONS_PER_JOB = 400
_EVERY = 8
_REPLAYED = 0.25
"""The share of episodes that are played again."""
_MAX_TRIES = 120
"""The most shorter episodes that are played to shrink one that fails."""


def fuzz_all(pattern: str, actions: int, seed: int, corpus: Path, processes: int | None = None) -> bool:
    """Send random and hostile actions to environments; whether nothing broke.

    Args:
        pattern: of the ids, with ``*``.
        actions: how many in all.
        seed: of everything random.
        corpus: where failing episodes are kept, shrunk, after those that are there.
        processes: how many work at a time; ``None``: as many as there are cores.

    Raises:
        ValueError: if no environment of the pattern can be made.
    """
    chosen = [name for name in ids() if fnmatchcase(name, pattern)]
    missing = left_out(chosen, {})
    for name, why in missing.items():
        console.print(f"[yellow]{name} is left out:[/yellow] {escape(why)}", highlight=False, soft_wrap=True)
    usable = [name for name in chosen if name not in missing]
    if not usable:
        raise ValueError(f"no environment like {pattern!r} can be made; formgym list names them all")
    workers = processes or os.cpu_count() or 1
    with progress("actions", actions, stays=True) as advance:
        count, broken = fuzz(usable, actions, seed, None, workers, advance)
    console.print(f"{count:,} actions in {len(usable)} environments, seed {seed}: {len(broken)} episodes broken.")
    if broken:
        _print_cases(broken)
        write_corpus(corpus, [*read_corpus(corpus), *broken])
        console.print(f"Their actions are in {corpus}.")
    return not broken


def _print_cases(broken: Sequence[Case]) -> None:
    rows = []
    for case in broken:
        options = ", ".join(f"{name}={value}" for name, value in case.options.items())
        rows.append((Cell(case.env, (options,) if options else ()), case.seed, len(case.actions), case.broken))
    columns = (Column("environment", is_text=True), Column("seed"), Column("actions"), Column("error", is_text=True))
    print_table(Table("Broken episodes", columns, [Row(cells_of(row)) for row in rows]))


def left_out(env_ids: Iterable[str], arguments: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The environments that cannot be made, and why."""
    found = {}
    for env_id in env_ids:
        try:
            _made(env_id, json.dumps(dict(arguments.get(env_id, {}))))
        except (ValueError, OSError, RuntimeError) as error:
            found[env_id] = str(error)
    return found


def fuzz(
    env_ids: Sequence[str],
    actions: int,
    seed: int,
    arguments: Mapping[str, Mapping[str, Any]] | None = None,
    processes: int = 1,
    progress: Callable[[int], None] = lambda count: None,
) -> tuple[int, list[Case]]:
    """Play episodes of random and hostile actions.

    Args:
        env_ids: of environments, all of which can be made.
        actions: how many in all; each environment has about as many as the others.
        seed: of everything random; the same seed gives the same episodes.
        arguments: required arguments of environments.
        processes: how many work at a time.
        progress: called with how many actions were carried out since the last call.

    Returns:
        How many actions were carried out, and the episodes in which something was broken, shrunk.
    """
    jobs = list(_jobs(env_ids, actions, seed, arguments or {}))
    carried_out, broken = 0, []
    for count, cases in _results(jobs, processes):
        progress(count)
        carried_out += count
        broken += cases
    return carried_out, sorted(broken, key=lambda case: (case.env, case.seed))


def replayed(case: Case, arguments: Mapping[str, Any]) -> str:
    """Play an episode that was kept; what is broken, or nothing."""
    return play(_made(case.env, json.dumps(dict(arguments) | case.options)), case.seed, case.actions)


def read_corpus(path: Path) -> list[Case]:
    """The episodes that were kept in a file; none if there is no such file."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return [Case(**(row | {"actions": tuple(row["actions"])})) for row in rows]


def write_corpus(path: Path, cases: Iterable[Case]) -> None:
    """Keep episodes in a file."""
    rows = ",\n".join(json.dumps(asdict(case)) for case in cases)
    atomic_write(path, f"[\n{rows}\n]\n".encode())


def _jobs(
    env_ids: Sequence[str], actions: int, seed: int, arguments: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, str, int, tuple[int, ...]]]:
    share = -(-actions // max(len(env_ids), 1))
    for number, at in enumerate(range(0, share, _ACTIONS_PER_JOB)):
        for env_id in env_ids:
            count = min(_ACTIONS_PER_JOB, share - at)
            yield env_id, json.dumps(dict(arguments.get(env_id, {}))), count, (seed, number)


def _results(jobs: Sequence[tuple[str, str, int, tuple[int, ...]]], processes: int) -> Iterator[tuple[int, list[Case]]]:
    if processes == 1:
        yield from map(_worked, jobs)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(_worked, job) for job in jobs]):
            yield future.result()


def _worked(job: tuple[str, str, int, tuple[int, ...]]) -> tuple[int, list[Case]]:
    """The episodes of a job: the number of their actions, and those that broke."""
    env_id, arguments, most, seed = job
    rng = np.random.default_rng([*seed, *env_id.encode()])
    done, broken = 0, []
    while done < most:
        options = _options(env_id, rng)
        env = _made(env_id, json.dumps(json.loads(arguments) | options))
        case = Case(env_id, options, int(rng.integers(2**31)), ())
        taken: list[Any] = []
        chance = np.random.default_rng(int(rng.integers(2**63)))
        length = min(int(rng.integers(1, MAX_ACTIONS + 1)), most - done)
        chosen = _noted(chance_actions(env, chance, length), taken)
        what = play(env, case.seed, chosen, _EVERY, rng.random() < _REPLAYED)
        done += max(len(taken), 1)
        if what:
            broken.append(_shrunk(env, replace(case, actions=tuple(taken), broken=what)))
    return done, broken


def _shrunk(env: gym.Env[Any, Any], case: Case) -> Case:
    def fails(actions: Sequence[Any]) -> bool:
        return play(env, case.seed, actions).split(":")[0] == case.broken.split(":")[0]

    return replace(case, actions=tuple(shrunk(case.actions, fails))) if fails(case.actions) else case


def _noted(actions: Iterator[Any], taken: list[Any]) -> Iterator[Any]:
    for action in actions:
        taken.append(json.loads(json.dumps(action)))
        yield taken[-1]


def _options(env_id: str, rng: np.random.Generator) -> dict[str, Any]:
    """Random arguments of an environment."""
    defaults: dict[str, Any] = index()["environments"].get(env_id, {}).get("kwargs", {})
    # Uncopied pages are quicker to fuzz.
    options: dict[str, Any] = {"copy": False} if rng.random() < 0.8 else {}
    if "split" in defaults and rng.random() < 0.4:
        options["split"] = "train"
    if env_id.startswith("DocEdit/") and "Grounding" not in env_id and rng.random() < 0.5:
        options["action_mode"] = "program"
    return options


@lru_cache(maxsize=10)
def _made(env_id: str, arguments: str) -> gym.Env[Any, Any]:
    return gym.make(env_id, **json.loads(arguments), disable_env_checker=True, max_episode_steps=10**9)


def shrunk(actions: Sequence[Any], fails: Callable[[Sequence[Any]], bool]) -> list[Any]:
    """The failing actions without those that can be left out.

    Args:
        actions: that fail.
        fails: whether some of them fail.
    """
    kept, size, tries = list(actions), max(1, len(actions) // 2), 0
    while tries < _MAX_TRIES:
        at, before = 0, len(kept)
        while at < len(kept) and tries < _MAX_TRIES:
            tries += 1
            fewer = kept[:at] + kept[at + size :]
            if fewer and fails(fewer):
                kept = fewer
            else:
                at += size
        if size == 1 and len(kept) == before:
            break
        size = max(1, size // 2)
    return kept
