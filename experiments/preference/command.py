"""The command that asks people which edit they like better, and counts what they say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from ..running.runs import find_runs
from ..terminal.console import console, interval, number, say
from .study import pairs_of, write_preference_page
from .votes import Preference, mean_ranks


def make_page(folders: Sequence[Path], out: Path, seed: int) -> None:
    """Write the page on which raters choose, and its key beside it.

    Args:
        folders: runs, or folders above runs; they must have done the same tasks.
        out: the page.
        seed: shuffles sides and order.

    Raises:
        ValueError: if there are no pairs.
    """
    runs = [run for folder in folders for run in find_runs(folder)]
    page = write_preference_page(pairs_of(runs), out, seed)
    say(f"{page}: give raters this page alone.")
    say(f"Count what they download with: formgym preference VOTES.json --key {page.parent / 'preference_key.json'}")


def count_votes(key: Path, votes: Sequence[Path]) -> None:
    """Print what votes say: mean ranks, win rates, and how raters agree.

    Raises:
        ValueError: if a file is broken, or of another page.
    """
    _print(mean_ranks(key, votes))


def _print(found: Preference) -> None:
    table = Table(title="what raters prefer; rank 1 is the best", title_justify="left")
    for name in ("agent", "mean rank", "requests", "win rate", "95 % interval", "votes"):
        table.add_column(name, justify="left" if name == "agent" else "right")
    for agent in found.agents:
        bounds = None if agent.ci95 is None else list(agent.ci95)
        cells = (number(agent.mean_rank, 2), str(agent.n_requests), number(agent.win_rate), interval(bounds))
        table.add_row(agent.agent, *cells, str(agent.n_votes))
    console.print(table)
    for agreement in found.agreements:
        told = f"Cohen's kappa {number(agreement.kappa, 2)} over {agreement.n_pairs} pairs"
        say(f"{' and '.join(agreement.raters)}: {told}")
    if found.n_same:
        say(f"{found.n_same} pairs were equal to the pixel and count as ties")
