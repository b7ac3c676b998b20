"""The report: runs as one HTML file that needs nothing but a browser."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ... import __version__
from ...envs.core.files import atomic_write
from ..running.comparisons import Comparison, compare_runs, difference_cell, print_comparisons, sweep_summary
from ..running.episodes import Episode
from ..running.runs import CONFIG, SUMMARY, Run, find_runs, latest_run
from ..terminal.console import console, env_title, interval, number, places, print_runs, say
from ..terminal.metrics import METRICS
from .paper_tables import paper_tables, published
from .replay_frames import Film, Pages, call_words, cut, film, opened, status
from .tables import FieldFindings, GroupRow, field_findings, groups, headline, score_tables, worth_showing
from .web_plots import web_results

_TEMPLATE = "report.html.jinja"


@dataclass(frozen=True)
class Shown:
    """An episode in the report, with its film or, as a string, why there is none."""

    episode: Episode
    headline: tuple[str, float] | None
    film: Film | str

    @property
    def n_refused(self) -> int:
        """How many of the agent's calls were not carried out."""
        return sum(len(r.calls) - r.carried_out for r in self.episode.rounds)

    @property
    def n_invalid(self) -> int:
        """How many of the calls carried out were invalid."""
        return sum(valid is False for r in self.episode.rounds for valid in r.valid[: r.carried_out])


@dataclass(frozen=True)
class Chapter:
    """A run in the report."""

    run: Run
    findings: FieldFindings
    groups: dict[str, list[GroupRow]]
    facts: dict[str, str]
    shown: list[Shown]


def report_on(folder: Path | None, out: Path | None, max_episodes: int) -> None:
    """Write a report on a run, or on all runs below a folder, and say where it is.

    Args:
        folder: ``None``: the latest run below ``runs``.
        out: the file to write; ``None``: ``report.html`` in the folder.
        max_episodes: how many episodes of each run to show.

    Raises:
        ValueError: if there is no run.
    """
    folder = folder or latest_run(Path("runs"))
    runs = list(find_runs(folder))
    if not runs:
        raise ValueError(f"no run in {folder} or below it; make one with: formgym evaluate")
    comparisons = compare_runs(runs)
    path = write_report(runs, out or folder / "report.html", max_episodes, comparisons)
    print_runs([run.summary for run in runs])
    print_comparisons(comparisons)
    if not (folder / CONFIG).exists():
        atomic_write(folder / SUMMARY, (json.dumps(sweep_summary(runs, comparisons, folder), indent=2) + "\n").encode())
    say(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")


def write_report(
    runs: Sequence[Run], out: Path, max_episodes: int = 4, comparisons: Sequence[Comparison] | None = None
) -> Path:
    """Write a report on ``runs``.

    Args:
        runs: what to report on; their episodes are replayed for the pictures.
        out: the file to write.
        max_episodes: how many episodes of each run to show.
        comparisons: of the runs, where they have been made already.

    Returns:
        ``out``.

    Raises:
        ValueError: if there are no runs, or ``max_episodes`` is negative.
    """
    if not runs:
        raise ValueError("no runs to report on")
    if max_episodes < 0:
        raise ValueError(f"the number of episodes must not be negative; it is {max_episodes}")
    pages = Pages()
    html = template(_TEMPLATE).render(
        chapters=_chapters(runs, max_episodes, pages),
        pages=pages.by_digest,
        tables=score_tables(runs),
        comparisons=compare_runs(runs) if comparisons is None else comparisons,
        paper=paper_tables(runs),
        published=published(),
        web=web_results(runs),
        metrics={name: METRICS[name] for name in METRICS if any(name in run.summary["scores"] for run in runs)},
        names={name: metric.title for name, metric in METRICS.items()},
        version=__version__,
        now=datetime.now().astimezone(),
        folder=os.path.commonpath([run.folder.resolve() for run in runs]),
    )
    atomic_write(out, html.encode(errors="replace"))
    return out


def template(name: str) -> Any:
    """A Jinja template with the filters that all templates use."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "interval": interval, "env_title": env_title}
    environment.filters |= {"difference": difference_cell}
    environment.filters |= {"decimals": places, "cut": cut, "status": status, "call_words": call_words}
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": True}
    return environment.get_template(name)


def _chapters(runs: Sequence[Run], max_episodes: int, pages: Pages) -> list[Chapter]:
    chosen = [worth_showing(run.episodes, max_episodes) for run in runs]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("replaying episodes", total=sum(map(len, chosen)))
        chapters = []
        for run, episodes in zip(runs, chosen, strict=True):
            env = opened(run) if episodes else ""
            shown = []
            for episode in episodes:
                filmed = env if isinstance(env, str) else film(env, episode, pages)
                shown.append(Shown(episode, headline(episode), filmed))
                progress.advance(bar)
            chapters.append(Chapter(run, field_findings(run.episodes), groups(run.episodes), _facts(run), shown))
    return chapters


def _facts(run: Run) -> dict[str, str]:
    """What else is worth knowing about a run."""
    episodes = run.episodes
    calls = sum(episode.n_calls for episode in episodes)
    invalid = sum(not v for e in episodes for r in e.rounds for v in r.valid[: r.carried_out])
    count = max(len(episodes), 1)
    used = {name: sum(e.usage.get(name, 0) for e in episodes) for name in {n: 0 for e in episodes for n in e.usage}}
    return {
        "flow": run.summary["flow"],
        "wrappers": ", ".join(run.summary["wrappers"]) or "none",
        "seed": str(run.summary["seed"]),
        "episodes": str(len(episodes)),
        "unscored": str(run.summary["unscored"]),
        "crashed": str(run.summary["crashes"]),
        "calls an episode": f"{calls / count:.1f}",
        "rounds an episode": f"{sum(len(e.rounds) for e in episodes) / count:.1f}",
        "invalid calls": f"{100 * invalid / calls:.1f} %" if calls else "–",
        "seconds an episode": f"{sum(e.seconds for e in episodes) / count:.2f}",
        **{f"{name.replace('_', ' ')} in all": f"{total:,.6g}" for name, total in used.items()},
        "formgym": run.summary["version"],
        "folder": str(run.folder),
    }
