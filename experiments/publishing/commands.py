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
from .official import official_ids
from .submission import read_submission, submission_of, write_submission
from .verify import Standing, Verification, other_versions, verified

_NOT_CONFIRMABLE = (
    "No replay can confirm who wrote the replies or calls: the names of agent and model, tokens, costs and times are "
    "the word of whoever submits. What failed or is missing counts 0."
)
_BASES = {
    "replies": "replies are read again",
    "played again": "the agent is played again",
    "calls only": "calls only: replies are not checked",
}


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
    """Play a submission again, print what differs and what its runs are worth.

    Args:
        path: the file of a submission; or a run, or a folder above runs, which are checked as if they were submitted.

    Returns:
        Whether all is confirmed.

    Raises:
        ValueError: if it is neither.
    """
    if path.is_dir():
        submission = submission_of(find_runs(path))
        digest = submission.sha256
    else:
        submission, digest = read_submission(path)
    with progress("playing episodes again", sum(len(run.episodes) for run in submission.runs)) as advance:
        result = verified(submission, digest, advance)
    for difference in result.differences:
        say_failure(difference)
    for library in other_versions(submission):
        say(f"note: {library}")
    if result.standings:
        _print_standings(result)
    say(_verdict(result))
    say(_NOT_CONFIRMABLE)
    print_json(
        {
            "verdict": _verdict(result),
            "confirmed": result.is_confirmed,
            "differences": result.differences,
            "standings": [_figures(result, standing) for standing in result.standings],
        }
    )
    return result.is_confirmed


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


def _verdict(result: Verification) -> str:
    """The verdict in a sentence."""
    n_runs, n_differences = len(result.standings), len(result.differences)
    if n_differences:
        return f"Not confirmed: {n_differences} difference{'s' * (n_differences != 1)}."
    what = f"{n_runs} run{'s' * (n_runs != 1)}"
    if n_unofficial := sum(bool(standing.unofficial) for standing in result.standings):
        return f"Confirmed, unofficial: no rank for {n_unofficial} of {what}."
    return f"Confirmed: {what}. Pixels, scores, seeds, tasks, flow and wrappers are the same here."


def _print_standings(result: Verification) -> None:
    columns = (*(Column(name, is_text=True) for name in ("environment", "agent", "rank")), Column("standing"))
    rows = [Row(_standing_cells(result, standing)) for standing in result.standings]
    print_table(Table("Standing, with all planned episodes", columns, rows))
    for (suite, agent), standings in _by_suite(result).items():
        ids = [env_id for env_id in official_ids() if env_id.startswith(f"{suite}/")]
        mean = sum(standing.mean for standing in standings) / len(ids)
        say(f"{agent} in {suite}: {mean:.3f} over {len(ids)} environments, of which {len(standings)} are here.")


def _by_suite(result: Verification) -> dict[tuple[str, str], list[Standing]]:
    """The standings that bear a rank, by suite and agent with its conditions."""
    suites: dict[tuple[str, str], list[Standing]] = {}
    for standing in filter(result.is_ranked, result.standings):
        suites.setdefault((standing.suite, f"{standing.agent} ({standing.conditions})"), []).append(standing)
    return suites


def _standing_cells(result: Verification, standing: Standing) -> tuple[Cell, ...]:
    zeros = tuple(f"{count} {reason}" for reason, count in standing.zeros.items() if count)
    why = (*standing.unofficial, *standing.bars) or (() if result.is_confirmed else ("not confirmed",))
    rank = "unofficial" if standing.unofficial else "bears a rank" if result.is_ranked(standing) else "no rank"
    return (
        Cell(standing.env, (f"{standing.planned} episodes", *zeros)),
        Cell(standing.agent, (standing.conditions, _BASES[standing.basis])),
        Cell(rank, why),
        Cell(f"{standing.mean:.3f}"),
    )


def _figures(result: Verification, standing: Standing) -> dict[str, object]:
    """A standing as JSON has it."""
    names = ("env", "agent", "conditions", "basis", "planned", "mean", "unofficial", "bars")
    figures: dict[str, object] = {name: getattr(standing, name) for name in names}
    return figures | {"zeros": dict(standing.zeros), "ranked": result.is_ranked(standing)}
