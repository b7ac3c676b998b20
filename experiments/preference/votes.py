"""Count votes: ranks and win rates of agents, agreement of raters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ...envs.core.files import Data, load
from ..running.intervals import wilson
from ..running.runs import find_runs
from ..terminal.console import say
from ..terminal.tables import format_interval, format_number, print_table, table_of
from .study import Key, KeyPair, pairs_of, write_preference_page


class Vote(Data):
    """A judgement: the pair, the better result or ``None`` for a tie, and its time."""

    pair: str
    choice: str | None
    seconds: float


class Votes(Data):
    """The file that a rater downloads: all votes; ``saved`` is the time in ISO 8601."""

    page: str
    rater: str
    saved: str
    votes: tuple[Vote, ...]


@dataclass(frozen=True)
class AgentPreference:
    """The votes on an agent.

    Attributes:
        agent: its name.
        mean_rank: over the requests judged whole, 1 the best; ``None`` if there are none.
        n_requests: how many those are.
        wins: votes for it.
        ties: votes for neither.
        losses: votes for another.
        win_rate: the share of its votes that it won, ties half; ``None`` without votes.
        ci95: the win rate's 95 % interval (Wilson 1927), as if votes were independent: several raters' votes on
            one pair are not quite, so that it is somewhat narrow then.
    """

    agent: str
    mean_rank: float | None
    n_requests: int
    wins: int
    ties: int
    losses: int
    win_rate: float | None
    ci95: tuple[float, float] | None

    @property
    def n_votes(self) -> int:
        """The number of votes on it."""
        return self.wins + self.ties + self.losses


@dataclass(frozen=True)
class Agreement:
    """The agreement of two raters on the pairs that both judged, as Cohen's kappa.

    ``kappa`` is ``None`` where it is not defined: both always gave the same answer.
    """

    raters: tuple[str, str]
    n_pairs: int
    kappa: float | None


@dataclass(frozen=True)
class Preference:
    """The preferences of raters: agents, the best first, and the raters' agreement.

    ``n_same`` pairs were equal to the pixel and count as ties in the ranks.
    """

    agents: tuple[AgentPreference, ...]
    agreements: tuple[Agreement, ...]
    n_same: int


def mean_ranks(key: Path, votes_files: Iterable[Path]) -> Preference:
    """Mean ranks and win rates of the agents, and the agreement of the raters.

    On each request an agent's points are its shares of the votes, ties half, summed over the pairs it is in; ranks go
    by points, and agents of equal points share the mean of their ranks. Only requests count that the largest number of
    agents did and whose every pair was judged or is equal. Of several files of one rater the one saved last counts.

    Args:
        key: the key file.
        votes_files: the files that raters have downloaded.

    Raises:
        ValueError: if a file is broken, or its votes are on another page.
    """
    known = load(Key, key)
    ballots = _ballots(known, votes_files)
    votes = [(vote.pair, vote.choice) for ballot in ballots.values() for vote in ballot.votes]
    ranks = _ranks(known, votes)
    agents = sorted({agent for pair in known.pairs.values() for agent in pair.agents})
    rows = [_agent(agent, known, votes, [rank[agent] for rank in ranks if agent in rank]) for agent in agents]
    rows.sort(key=lambda row: (math.inf if row.mean_rank is None else row.mean_rank, -(row.win_rate or 0), row.agent))
    agreements = [_agreement(known, one, other) for one, other in combinations(ballots.values(), 2)]
    n_same = sum(pair.is_same for pair in known.pairs.values())
    return Preference(tuple(rows), tuple(a for a in agreements if a.n_pairs), n_same)


def _ballots(key: Key, paths: Iterable[Path]) -> dict[str, Votes]:
    """The votes of each rater: of several files the one saved last."""
    found: dict[str, Votes] = {}
    for path in paths:
        votes = load(Votes, path)
        if votes.page != key.page:
            raise ValueError(f"{path} holds votes on another page than the key is for")
        if len({vote.pair for vote in votes.votes}) < len(votes.votes):
            raise ValueError(f"{path} holds two votes on one pair")
        for vote in votes.votes:
            pair = key.pairs.get(vote.pair)
            if pair is None or (vote.choice is not None and vote.choice not in pair.sides):
                raise ValueError(f"{path} holds a vote on what the key does not know: {vote.pair}")
        if votes.rater not in found or found[votes.rater].saved < votes.saved:
            found[votes.rater] = votes
    return found


def _points(pair: KeyPair, choices: Sequence[str | None]) -> tuple[float, float]:
    """The shares of left and right in the votes on a pair."""
    if pair.is_same:
        return 0.5, 0.5
    left, _ = pair.sides
    share = sum(0.5 if choice is None else float(choice == left) for choice in choices) / len(choices)
    return share, 1 - share


def _ranks(key: Key, votes: Sequence[tuple[str, str | None]]) -> list[dict[str, float]]:
    """The agents' ranks on each request whose every pair is judged."""
    choices: dict[str, list[str | None]] = {}
    for name, choice in votes:
        choices.setdefault(name, []).append(choice)
    requests: dict[tuple[str, str, int], list[str]] = {}
    for name, pair in key.pairs.items():
        requests.setdefault(pair.request, []).append(name)
    most = max(map(len, requests.values()))
    found = []
    for names in requests.values():
        if len(names) == most and all(key.pairs[name].is_same or name in choices for name in names):
            points: dict[str, float] = {}
            for name in names:
                pair = key.pairs[name]
                for agent, share in zip(pair.agents, _points(pair, choices.get(name, ())), strict=True):
                    points[agent] = points.get(agent, 0) + share
            found.append(_ranked(points))
    return found


def _ranked(points: dict[str, float]) -> dict[str, float]:
    """Ranks by points, 1 for the most; equal points share the mean of their ranks."""
    # Shares of votes are sums of fractions: what differs by rounding alone is equal.
    rounded = {agent: round(given, 9) for agent, given in points.items()}
    values = list(rounded.values())
    return {
        agent: 1 + sum(other > given for other in values) + (values.count(given) - 1) / 2
        for agent, given in rounded.items()
    }


def _agent(agent: str, key: Key, votes: Sequence[tuple[str, str | None]], ranks: Sequence[float]) -> AgentPreference:
    won = Counter[bool | None]()
    for name, choice in votes:
        sides = key.pairs[name].sides
        if agent in key.pairs[name].agents:
            won[None if choice is None else sides[choice].agent == agent] += 1
    n = won.total()
    rate = (won[True] + won[None] / 2) / n if n else None
    return AgentPreference(
        agent=agent,
        mean_rank=sum(ranks) / len(ranks) if ranks else None,
        n_requests=len(ranks),
        wins=won[True],
        ties=won[None],
        losses=won[False],
        win_rate=rate,
        ci95=None if rate is None else wilson(rate, n),
    )


def cohens_kappa(answers: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of two raters' answers; ``None`` if all answers are the same."""
    n = len(answers)
    ones, others = Counter(one for one, _ in answers), Counter(other for _, other in answers)
    agreed = sum(one == other for one, other in answers) / n
    by_chance = sum(ones[answer] * others[answer] for answer in ones) / n**2
    return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else None


def _agreement(key: Key, one: Votes, other: Votes) -> Agreement:
    first, second = (
        {vote.pair: _side(key.pairs[vote.pair], vote.choice) for vote in ballot.votes} for ballot in (one, other)
    )
    both = [(first[name], second[name]) for name in first if name in second]
    return Agreement((one.rater, other.rater), len(both), cohens_kappa(both) if both else None)


def _side(pair: KeyPair, choice: str | None) -> str:
    return "tie" if choice is None else ("left", "right")[list(pair.sides).index(choice)]


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
    """Print mean ranks, win rates, and how raters agree.

    Raises:
        ValueError: if a file is broken, or of another page.
    """
    _print(mean_ranks(key, votes))


def _print(found: Preference) -> None:
    rows = (
        (
            agent.agent,
            format_number(agent.mean_rank, 2),
            agent.n_requests,
            format_number(agent.win_rate),
            format_interval(agent.ci95),
            agent.n_votes,
        )
        for agent in found.agents
    )
    headings = ("agent", "mean rank", "requests", "win rate", "95 % interval", "votes")
    print_table(table_of("what raters prefer; rank 1 is the best", headings, rows))
    for agreement in found.agreements:
        kappa = f"Cohen's kappa {format_number(agreement.kappa, 2)} over {agreement.n_pairs} pairs"
        say(f"{' and '.join(agreement.raters)}: {kappa}")
    if found.n_same:
        say(f"{found.n_same} pairs were equal to the pixel and count as ties")
