"""The rule-based agent: what a source tells, by rules, into the fields that FieldFinder finds (FormGym)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ...envs.core.tools import Call
from ..base import Action, TaskInfo
from .action_writer import Hands, View, hands_for
from .database import Interview, is_of_database
from .entries import Entry, entries_of, entries_of_pairs
from .field_assignment import SURE, Claim, settled
from .find_feedback import Seen, answers, scrolled, seen
from .reading import DEAL, read_sentences, table

_MOST_A_ROUND = 100
"""How many looks or questions a round has at most: more answers than that may be cut in the feedback."""
_PROBES = ("Date of birth", "Signature")
"""What forms ask of everyone they ask about, the most usual first: shows what they call the people."""
_TEST = "Signature"
"""What is surely found on a page that can be read."""
_LOOKING_ROUNDS = 4
"""For how many rounds it looks for entries where a page is seen in parts."""

Work = Generator[list[Call], None, None]


@dataclass
class _Search:
    """A search for entries.

    Attributes:
        entries: that are looked for.
        roles: what the form calls the people.
        best: the likeliest claim of each entry that was found.
        tried: those that were looked for.
    """

    entries: Sequence[Entry]
    roles: Mapping[str, str]
    best: dict[Entry, Claim] = field(default_factory=dict)
    tried: set[Entry] = field(default_factory=set)

    def in_order(self) -> list[Entry]:
        """The entries, those first that most forms ask for and that nobody looked for: forms go on as the facts do."""
        return sorted(self.entries, key=lambda entry: (entry.piece, entry in self.tried))

    def is_sure_of(self, entry: Entry) -> bool:
        """Whether an entry was surely found."""
        return entry in self.best and self.best[entry].score >= SURE

    def take_in(self, entry: Entry, claim: Claim | None) -> None:
        """Learn where an entry was found, if it was."""
        self.tried.add(entry)
        if claim is not None and (entry not in self.best or claim.score > self.best[entry].score):
            self.best[entry] = claim


class RuleBased:
    """Reads facts from sentences, from lists of fields, or from a database, and writes each where its name is found.

    Where it may look (``find`` of FieldFinder with ``show`` from 1 on, and observed feedback), it looks for every fact
    under the names that forms use, and of facts that claim the same field the likeliest is written. Otherwise it names
    each field once, and hopes. A page in a window whose print is too small to be read whole (not even where to sign is
    surely found) is enlarged, and looked at part by part while it is empty. Without FieldFinder it writes its facts
    down the page, evenly spread: what finding is worth. It uses no language model, and learns nothing.

    Args:
        looks: how many times it looks at most; each costs a step. It never takes more than leave it enough steps to
            write (``View.most_looks``).
        at_least: the score from which on it believes a find.

    Raises:
        ValueError: if ``looks`` is negative.
    """

    def __init__(self, looks: int = 300, at_least: float = 0.3) -> None:
        if looks < 0:
            raise ValueError(f"looks must not be negative; it is {looks}")
        self.looks, self.at_least = looks, at_least

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode; nothing is random.

        Raises:
            ValueError: if the task is none of FormGym.
        """
        hands = hands_for(task.tools)
        if hands is None:
            raise ValueError(f"the rule-based agent fills in paper forms; {task.env_id} is no environment of FormGym")
        self._task, self._hands = task, hands
        self._rounds: Work | None = None
        self._observed: Mapping[str, Any] = {}
        self._left = self._taken = 0

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the next round."""
        self._observed = observation
        if self._rounds is None:
            self._rounds = self._work(self._hands)
        calls = next(self._rounds, [{"tool": "terminate"}])
        self._taken += len(calls)
        return [self._task.tools.from_call(call) for call in calls]

    def _work(self, hands: Hands) -> Work:
        entries = yield from self._read()
        yield from _batches(hands.whole.opening, self._task.max_actions)
        if hands.names and self._may_look and any(len(entry.labels) > 1 for entry in entries):
            yield from self._write_where_seen(entries)
        else:
            whole = [entry for entry in entries if not entry.piece]
            calls = hands.into(_unseen(whole), hands.whole) if hands.names else hands.blindly(whole)
            yield from _batches([*calls, {"tool": "terminate"}], self._task.max_actions)

    def _write_where_seen(self, entries: Sequence[Entry]) -> Work:
        """Look for the entries, and write what was found: what the part of the page shows that was seen last, first."""
        hands = self._hands
        claims, tops, view = yield from self._look(entries)
        sure = settled(claims, self.at_least, view.tick_box, hands.most_claims(self._taken))
        upwards = tops[::-1]
        rounds = [hands.into([claim for claim in sure if claim.top == top], view) for top in upwards]
        for calls, (top, above) in zip(rounds, pairwise(upwards), strict=False):
            calls += hands.scroll(above - top, is_open=bool(calls))
        rounds[-1].append({"tool": "terminate"})
        if hands.points:
            # Nothing is looked for any more: one round will do.
            rounds = [[call for calls in rounds for call in calls]]
        for calls in rounds:
            yield from _batches(calls, self._task.max_actions)

    @property
    def _may_look(self) -> bool:
        return "find" in self._task.tools.names and "feedback" in self._observed

    # -- What is to be written -----------------------------------------------------------------------------------------

    def _read(self) -> Generator[list[Call], None, list[Entry]]:
        source = self._observed["source"]
        if "query_sql" in self._task.tools.names and is_of_database(source):
            return (yield from self._interview()) if "feedback" in self._observed else []
        return entries_of_pairs(source) or entries_of(read_sentences(source))

    def _interview(self) -> Generator[list[Call], None, list[Entry]]:
        """Ask the database, one round of questions after the other."""
        interview = Interview(self._observed["goal"])
        while questions := interview.questions():
            told: list[str] = []
            for batch in _batches([{"tool": "query_sql", "query": question} for question in questions], self._at_most):
                yield batch
                told += answers(self._observed["feedback"], len(batch))
            interview.take_in(told)
        return interview.entries()

    # -- Where it goes -------------------------------------------------------------------------------------------------

    def _look(self, entries: Sequence[Entry]) -> Generator[list[Call], None, tuple[list[Claim], list[int], View]]:
        """What was found, how far down the page was scrolled to see its parts, and in which view."""
        view, closer, people = self._hands.whole, self._hands.closer, {entry.who for entry in entries}
        self._left = min(self.looks, view.most_looks)
        tops, names = [0], max(len(entry.labels) for entry in entries)
        roles, score = yield from self._roles(people, _PROBES if closer is None else (_TEST,))
        if closer is not None and score < SURE:
            self._left += min(self.looks, closer.most_looks) - min(self.looks, view.most_looks)
            view, tops = closer, (yield from self._parts(closer))
            roles, _ = yield from self._roles(people, _PROBES[:1])
            names = max(_LOOKING_ROUNDS // len(tops), 1)
        search = _Search(entries, roles)
        for number, top in enumerate(tops):
            if number:
                yield from _batches(self._hands.scroll(top - tops[number - 1]), self._task.max_actions)
            yield from self._look_here(search, names, self._left // (len(tops) - number), top)
        return list(search.best.values()), tops, view

    def _parts(self, closer: View) -> Generator[list[Call], None, list[int]]:
        """Enlarge the page; how far down it is scrolled to see its parts, the uppermost of which is seen then."""
        tops = [0]
        for batch in _batches(closer.opening, self._task.max_actions):
            yield batch
            tops += [tops[-1] + by for by in scrolled(self._observed["feedback"], len(batch))]
        return tops

    def _look_here(self, search: _Search, names: int, most: int, top: int) -> Work:
        """Look in what is seen of the page for every entry under its names until it is surely found.

        Args:
            search: for what; what is found is put there.
            names: how many names of an entry are tried, the likeliest first.
            most: how many looks it takes.
            top: how far down the page is scrolled.
        """
        until = self._left - most
        order = search.in_order()
        for rank in range(names):
            unsure = [entry for entry in order if len(entry.labels) > rank and not search.is_sure_of(entry)]
            asked = [_called(entry.labels[rank], entry.who, search.roles) for entry in unsure]
            found = yield from self._find(asked[: self._left - until])
            for entry, target, place in zip(unsure, asked, found, strict=False):
                search.take_in(entry, Claim(entry, target, place.moved(top), top) if place else None)

    def _roles(
        self, people: set[str], probes: Sequence[str]
    ) -> Generator[list[Call], None, tuple[dict[str, str], float]]:
        """What the form calls each of the people, what it is surest to have a field of; and the best score."""
        chosen: dict[str, str] = {}
        surest = 0.0
        for probe in probes:
            names = [(who, role) for who in sorted(people - {DEAL, *chosen}) for role in table("people")[who]]
            found = yield from self._find([f"{probe} | {role}" for _, role in names])
            scores = {name: place.score for name, place in zip(names, found, strict=False) if place}
            surest = max([surest, *scores.values()])
            for who, role in sorted(scores, key=lambda name: -scores[name]):
                chosen.setdefault(who, role)
        return chosen, surest

    def _find(self, targets: Sequence[str]) -> Generator[list[Call], None, list[Seen | None]]:
        """Where targets are, as far as the looks reach."""
        found: list[Seen | None] = []
        asked = [{"tool": "find", "target": target} for target in targets[: self._left]]
        self._left -= len(asked)
        for batch in _batches(asked, self._at_most):
            yield batch
            told = seen(self._observed["feedback"], len(batch))
            found += [place if place and self._hands.on_page(place) else None for place in told]
        return found

    @property
    def _at_most(self) -> int:
        return min(_MOST_A_ROUND, self._task.max_actions or _MOST_A_ROUND)


def _unseen(entries: Iterable[Entry]) -> Iterator[Claim]:
    """Each entry under its likeliest name, whether there is such a field or not."""
    for entry in entries:
        yield Claim(entry, _called(entry.labels[0], entry.who, {}), None)


def _called(label: str, who: str, roles: Mapping[str, str]) -> str:
    """A label with the person it is of."""
    return label if who == DEAL else f"{label} | {roles.get(who) or table('people')[who][0]}"


def _batches(calls: Sequence[Call], most: int | None) -> Iterator[list[Call]]:
    size = most or max(len(calls), 1)
    for start in range(0, len(calls), size):
        yield list(calls[start : start + size])
