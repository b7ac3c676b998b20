"""The report: runs as one HTML file that needs nothing but a browser."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ... import __version__
from ...envs.core.files import atomic_write
from ...envs.core.metrics import METRICS, SHARES
from ..running.episodes import Episode, total_usage
from ..running.run_folder import SUMMARY, Run, RunFolder, find_runs, latest_run
from ..terminal.console import Table, csv_text, format_number, print_json, print_table, say, say_written, track
from ..training.grounding.training_results import TrainingResult, training_results
from . import plots
from .comparisons import Comparison, compare_runs, difference_table
from .error_taxonomy import CAUSES, error_causes, error_counts, error_table
from .field_tables import FieldFindings, field_findings
from .leaderboard import Usage, leaderboards
from .paper_tables import paper_tables, published
from .replay_frames import Pages, ReplayFrames, call_words, cut, opened, replay_frames, status
from .run_tables import (
    all_metrics,
    environment_matrix,
    group_tables,
    metrics_of,
    sample_note,
    score_table,
    suite_matrix,
)
from .web_results import web_results

_USUAL_REPLAYS, _MAX_REPLAYS = 4, 18
"""The default numbers of episodes of a run and of a report, which stays below 5 MB."""
_FILTERS = {"number": format_number, "cut": cut, "status": status, "call_words": call_words, "causes": error_causes}
"""The filters that all templates have."""


@dataclass(frozen=True)
class Chapter:
    """A run in the report; an episode has its replay or, as a string, why there is none."""

    run: Run
    findings: FieldFindings
    groups: list[Table]
    errors: Counter[str]
    usage: Usage
    facts: dict[str, str]
    episodes: list[tuple[Episode, ReplayFrames | str]]


@dataclass(frozen=True)
class EnvScores:
    """The scores on one environment.

    Attributes:
        title: the environment with its settings.
        runs: the runs with their numbers in the report.
        scores: the metrics of each run.
        details: the metrics that need room, if there are any.
        differences: between the runs, if some can be compared.
    """

    title: str
    runs: list[tuple[int, Run]]
    scores: Table
    details: Table | None
    differences: Table | None


def report_on(folder: Path | None, out: Path | None, max_episodes: int | None = None, all_tables: bool = False) -> None:
    """Write a report on the runs in a folder, and print its main table.

    Args:
        folder: ``None``: the latest run below ``runs``.
        out: the file to write; ``None``: ``report.html`` in the folder.
        max_episodes: how many episodes of each run to show; ``None``: 4, and 18 of all runs together.
        all_tables: whether to print the tables of each of several environments too.

    Raises:
        ValueError: if there is no run.
    """
    folder = folder or latest_run(Path("runs"))
    runs, training = find_runs(folder), training_results(folder)
    if not runs and not training:
        raise ValueError(f"no run in {folder} or below it; make one with: formgym sweep")
    comparisons = compare_runs(runs)
    path = write_report(runs, out or folder / "report.html", max_episodes, comparisons, training)
    written = f"Report: {path} ({path.stat().st_size / 1e6:.1f} MB)"
    if not runs:
        say_written(path, written)
        return
    table = path.with_suffix(".csv")
    atomic_write(table, csv_text(all_metrics(runs)).encode())
    summary = {
        "runs": [{"folder": os.path.relpath(run.folder, folder), **run.summary} for run in runs],
        "comparisons": [asdict(comparison) for comparison in comparisons],
    }
    if not RunFolder(folder).is_begun:
        atomic_write(folder / SUMMARY, (json.dumps(summary, indent=2) + "\n").encode())
    if all_tables or len(_by_env(runs)) == 1:
        _print_tables(runs, comparisons)
    print_table(suite_matrix(runs))
    print_json({"report": str(path), "csv": str(table)} | summary)
    say_written(path, f"{written}; every metric: {table}")
    say("Next: open the report in a browser; try a task yourself: formgym play;")
    say("run an agent, or your own: formgym sweep --help; see all environments: formgym list")


def write_report(
    runs: Sequence[Run],
    out: Path,
    max_episodes: int | None = None,
    comparisons: Sequence[Comparison] | None = None,
    training: Sequence[TrainingResult] = (),
) -> Path:
    """Write a report on ``runs``.

    Args:
        runs: what to report on; their episodes are replayed for the pictures.
        out: the file to write.
        max_episodes: how many episodes of each run to show; ``None``: 4, and 18 of all runs together.
        comparisons: of the runs, where they have been made already.
        training: results of training to report on too.

    Returns:
        ``out``.

    Raises:
        ValueError: if there are no runs, or ``max_episodes`` is negative.
    """
    if not runs and not training:
        raise ValueError("no runs to report on")
    if max_episodes is not None and max_episodes < 0:
        raise ValueError(f"the number of episodes must not be negative; it is {max_episodes}")
    folders = [*(run.folder for run in runs), *(result.folder for result in training)]
    pages = Pages()
    limits = _usual_limits(runs) if max_episodes is None else [max_episodes] * len(runs)
    limited = track(zip(runs, limits, strict=True), "replaying episodes", len(runs))
    chapters = [_chapter(run, limit, pages) for run, limit in limited]
    html = template("report.html.jinja").render(
        chapters=chapters,
        leaderboards=leaderboards(runs, [chapter.usage for chapter in chapters]),
        errors=error_table(runs, [chapter.errors for chapter in chapters]),
        causes=CAUSES,
        plots=plots,
        pages=pages.by_digest,
        matrix=environment_matrix(runs) if runs else None,
        sample=sample_note(runs),
        envs=list(_env_scores(runs, compare_runs(runs) if comparisons is None else comparisons)),
        paper=paper_tables(runs),
        published=published(),
        web=web_results(runs),
        training=training,
        metrics={name: METRICS[name] for name in METRICS if any(name in run.scores for run in runs)},
        names={name: metric.title for name, metric in METRICS.items()},
        version=__version__,
        now=datetime.now().astimezone(),
        folder=os.path.commonpath([folder.resolve() for folder in folders]),
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
    environment.filters |= _FILTERS
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": True}
    return environment.get_template(name)


# -- Scores by environment ---------------------------------------------------------------------------------------------


def _by_env(runs: Sequence[Run]) -> dict[str, list[tuple[int, Run]]]:
    """The runs of each environment with their numbers in the report."""
    by_env: dict[str, list[tuple[int, Run]]] = defaultdict(list)
    for number, run in enumerate(runs):
        by_env[run.env_title].append((number, run))
    return by_env


def _print_tables(runs: Sequence[Run], comparisons: Sequence[Comparison]) -> None:
    """Print the shares of each environment, and the main differences between runs."""
    for numbered in _by_env(runs).values():
        some = [run for _, run in numbered]
        print_table(score_table(some, [name for name in metrics_of(some) if name in SHARES]))
    for env in dict.fromkeys(comparison.env for comparison in comparisons):
        rows = [comparison for comparison in comparisons if comparison.env == env]
        names = dict.fromkeys(name for row in rows for name in [*list(row.metrics)[:1], "success"])
        print_table(difference_table(rows, [name for name in names if any(name in row.metrics for row in rows)]))


def _env_scores(runs: Sequence[Run], comparisons: Sequence[Comparison]) -> Iterator[EnvScores]:
    for env, numbered in _by_env(runs).items():
        some, links = [run for _, run in numbered], [f"run-{number}" for number, _ in numbered]
        names = metrics_of(some)
        details = [name for name in names if name in METRICS and METRICS[name].verbose_only]
        compared = [comparison for comparison in comparisons if comparison.env == env]
        yield EnvScores(
            title=env,
            runs=numbered,
            scores=score_table(some, [name for name in names if name not in details], links),
            details=score_table(some, details, links) if details else None,
            differences=difference_table(compared, list(compared[0].metrics)) if compared else None,
        )


# -- Runs --------------------------------------------------------------------------------------------------------------


def _usual_limits(runs: Sequence[Run]) -> list[int]:
    """The default number of episodes of each run in the report."""
    if len(runs) <= _MAX_REPLAYS:
        return [min(_USUAL_REPLAYS, _MAX_REPLAYS // max(len(runs), 1))] * len(runs)
    active = [i for i, run in enumerate(runs) if any(episode.n_calls > 1 for episode in run.episodes[:1])]
    drawn = Random(0).sample(active, min(len(active), _MAX_REPLAYS))
    return [int(i in drawn) for i in range(len(runs))]


def _chapter(run: Run, max_episodes: int, pages: Pages) -> Chapter:
    episodes = [episode.without_rounds() for episode in run.episodes]
    positions = {episode.index: at for at, episode in enumerate(episodes)}
    chosen = [run.episodes[positions[episode.index]] for episode in worth_showing(episodes, max_episodes)]
    env = opened(run) if chosen else ""
    shown = [(episode, env if isinstance(env, str) else replay_frames(env, episode, pages)) for episode in chosen]
    if not isinstance(env, str):
        env.close()
    return Chapter(
        run=run,
        findings=field_findings(episodes),
        groups=group_tables(episodes),
        errors=error_counts(run.episodes),
        usage=total_usage(episodes),
        facts=_facts(run, total_usage(episodes)),
        episodes=shown,
    )


def worth_showing(episodes: Sequence[Episode], most: int) -> list[Episode]:
    """Up to ``most`` episodes: an unscored one, the worst, and in the end the best."""
    unscored = [episode for episode in episodes if episode.headline is None]
    scored = [(episode.headline[1], episode) for episode in episodes if episode.headline is not None]
    worst_first = [episode for _, episode in sorted(scored, key=lambda pair: pair[0])]
    listed = [*unscored[:1], *worst_first[:-1], *unscored[1:]]
    if not scored:
        return listed[:most]
    return [*listed[: max(most - 1, 1)], worst_first[-1]][:most]


def _facts(run: Run, usage: Usage) -> dict[str, str]:
    """Further facts about a run."""
    totals = Counter[str]()
    for e in run.episodes:
        totals.update(calls=e.n_calls, invalid=e.n_invalid, rounds=len(e.rounds))
        totals.update({"seconds": e.seconds})
    count, calls = max(len(run.episodes), 1), totals["calls"]
    return {
        "flow": run.summary["flow"],
        "wrappers": ", ".join(run.summary["wrappers"]) or "none",
        "seed": str(run.summary["seed"]),
        "episodes": str(len(run.episodes)),
        "unscored": str(run.summary["unscored"]),
        "crashed": str(run.summary["crashes"]),
        "calls an episode": f"{calls / count:.1f}",
        "rounds an episode": f"{totals['rounds'] / count:.1f}",
        "invalid calls": f"{100 * totals['invalid'] / calls:.1f} %" if calls else "–",
        "seconds an episode": f"{totals['seconds'] / count:.2f}",
        **{f"{name.replace('_', ' ')} in all": f"{total:,.6g}" for name, total in usage.items()},
        "formgym": run.summary["version"],
        "folder": str(run.folder),
    }
