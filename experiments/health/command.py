"""``formgym health``: checks and baselines of every environment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from fnmatch import fnmatchcase
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ... import __version__
from ...envs.core.files import atomic_write
from ...envs.registration import ids
from ..fuzz.running import left_out
from ..running.intervals import scores_of
from ..running.rollout import bare_env
from ..terminal import Cell, console, print_json, print_table, say, say_failure, table_of, track
from .baselines import BASELINES, play
from .checks import Subject, check_all
from .pages import Health, broken, headlines, interval, rendered

_EPISODES_PER_CHECK = 3
_NEEDS_OCR = "rules_fieldfinder"


def health(
    pattern: str,
    episodes: int,
    fieldfinder: int = 0,
    processes: int = 1,
    out: Path | None = None,
    baselines_out: Path | None = None,
) -> bool:
    """Check environments; whether all that must hold does.

    Args:
        pattern: of the ids, with ``*``.
        episodes: of each baseline.
        fieldfinder: episodes of the rules with FieldFinder, which read every page.
        processes: how many work at a time.
        out: where the checks go as Markdown.
        baselines_out: where the baselines go as Markdown; beside it, as JSON, for the docs' pages of environments.

    Raises:
        ValueError: if no environment of the pattern can be made.
    """
    chosen = [env_id for env_id in ids() if fnmatchcase(env_id, pattern)]
    missing = left_out(chosen, {})
    usable = [env_id for env_id in chosen if env_id not in missing]
    if not usable:
        raise ValueError(f"no environment like {pattern!r} can be made; formgym list names them all")
    examined = _examined(usable, episodes, fieldfinder, processes)
    result = {"version": __version__, "episodes": episodes, "missing": missing, "environments": examined}
    _print(result)
    print_json(result)
    for path, template in ((out, "health.md.jinja"), (baselines_out, "baselines.md.jinja")):
        if path is not None:
            atomic_write(path, rendered(template, result).encode())
    if baselines_out is not None:
        atomic_write(baselines_out.with_suffix(".json"), json.dumps(headlines(result), indent=1).encode() + b"\n")
    return not broken(result)


def examine(env_id: str, episodes: int, fieldfinder: int = 0, options: Mapping[str, Any] | None = None) -> Health:
    """The health of an environment: ``metric``, ``baselines`` and ``checks`` by name.

    Args:
        env_id: the id of the environment.
        episodes: of each baseline.
        fieldfinder: episodes of the rules with FieldFinder.
        options: what the environment is made with.
    """
    options = options or {}
    counts = {name: fieldfinder if name == _NEEDS_OCR else episodes for name in BASELINES}
    played = {name: play(env_id, name, count, **options) for name, count in counts.items() if count}
    subject = Subject(partial(bare_env, env_id, **options), min(episodes, _EPISODES_PER_CHECK), played)
    return {
        "metric": subject.make().reward_metric,
        "baselines": {name: {"episodes": len(e), "scores": scores_of(e)} for name, e in played.items() if e},
        "checks": {name: asdict(finding) for name, finding in check_all(subject).items()},
    }


def _examined(env_ids: Sequence[str], episodes: int, fieldfinder: int, processes: int) -> dict[str, Health]:
    work = partial(examine, episodes=episodes, fieldfinder=fieldfinder)
    results = {}
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        checked = track(pool.map(work, env_ids), "checking", len(env_ids))
        for env_id, result in zip(env_ids, checked, strict=True):
            failed = [name for name, finding in result["checks"].items() if not finding["holds"]]
            (say_failure if failed else say)(f"{env_id}: {', '.join(failed) if failed else 'all checks hold'}")
            results[env_id] = result
    return results


def _print(result: Health) -> None:
    rows = [
        (Cell(env_id, (_means(one),)), f"{_n_holding(one)} of {len(one['checks'])}")
        for env_id, one in result["environments"].items()
    ]
    title = f"Baselines, {result['episodes']} episodes each, and checks"
    print_table(table_of(title, ("environment", "checks"), rows))
    for env_id, why in result["missing"].items():
        console.print(f"{env_id} is left out: {why}", style="yellow", highlight=False, soft_wrap=True)
    for env_id, name, note in broken(result):
        console.print(f"{env_id}: {name} does not hold: {note}", style="red", highlight=False, soft_wrap=True)


def _means(one: Health) -> str:
    return ", ".join(f"{BASELINES[name].title} {interval(one, name).partition(' ')[0]}" for name in one["baselines"])


def _n_holding(one: Health) -> int:
    return sum(finding["holds"] for finding in one["checks"].values())
