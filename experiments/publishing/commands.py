"""``formgym submit`` and ``formgym verify``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...envs.core.metrics import title
from ..running.run_folder import Run, find_runs
from ..terminal.console import (
    EMPTY,
    Cell,
    Column,
    Row,
    Table,
    mean_cell,
    print_json,
    print_table,
    progress,
    say,
    say_failure,
    say_written,
)
from .submission import Submission, read_submission, submission_of, write_submission
from .verify import differences, other_versions

_NOT_CONFIRMED = (
    "No replay can confirm which model acted, its tokens, costs and times, rewards, and why episodes failed."
)


def submit(folders: Sequence[Path], out: Path) -> None:
    """Write runs as one file for others to check, and print what is in it.

    Args:
        folders: runs, or folders above runs.
        out: the file; compressed if its name ends in ``.gz``.

    Raises:
        ValueError: if there is no run, one is not complete, or an episode holds a secret.
    """
    runs = [run for folder in folders for run in find_runs(folder)]
    submission = submission_of(runs)
    write_submission(submission, out)
    _print_runs(runs)
    print_json({"path": str(out), "sha256": submission.sha256, "runs": [run.summary for run in submission.runs]})
    say_written(out, f"Submission: {out} ({out.stat().st_size / 1e3:,.0f} kB), digest {submission.sha256}")
    say(f"Others check it by: formgym verify {out.name}")


def verify(path: Path) -> bool:
    """Replay a submission and print what differs.

    Returns:
        Whether all is confirmed.

    Raises:
        ValueError: if the file is no submission.
    """
    submission, digest = read_submission(path)
    total = sum(len(run.episodes) for run in submission.runs)
    with progress("replaying episodes", total) as advance:
        found = list(differences(submission, digest, advance))
    for difference in found:
        say_failure(difference)
    for library in other_versions(submission):
        say(f"note: {library}")
    _print_result(submission, total, len(found))
    print_json({"confirmed": not found, "episodes": total, "runs": len(submission.runs), "differences": found})
    return not found


def _print_runs(runs: Sequence[Run]) -> None:
    columns = (Column("environment", is_text=True), Column("agent", is_text=True), Column("score", "95 % interval"))
    print_table(Table(f"{len(runs)} run{'s' if len(runs) != 1 else ''}", columns, [Row(_cells(run)) for run in runs]))


def _cells(run: Run) -> tuple[Cell, ...]:
    """A run in few columns, so that ids of environments are not broken."""
    settings = ", ".join(f"{name}={value}" for name, value in run.summary["settings"].items())
    counts = ", ".join([f"{run.summary['episodes']} episodes", *run.failures])
    environment = Cell(run.summary["env"], (*([settings] if settings else []), counts))
    score = EMPTY
    if run.headline:
        mean = mean_cell(run.headline[1])
        score = Cell(mean.text, (*mean.notes, title(run.headline[0])))
    return environment, Cell(run.summary["agent"], (run.conditions,)), score


def _print_result(submission: Submission, total: int, n_differences: int) -> None:
    failed = sum(episode.error is not None for run in submission.runs for episode in run.episodes)
    n_runs, without = len(submission.runs), f", {failed} unscored or crashed" if failed else ""
    what = f"{total} episodes of {n_runs} run{'s' if n_runs != 1 else ''}{without}"
    if n_differences:
        say(f"Not confirmed: {n_differences} differences in {what}.")
    else:
        say(f"Confirmed: {what}. Pixels, scores, seeds, tasks and aggregates are the same here.")
    say(_NOT_CONFIRMED)
