"""The rule-based agent: what a source tells, by rules, into the fields that FieldFinder finds (FormGym)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..envs.core.tools import Call
from .base import Action, TaskInfo
from .facts.claims import SURE, Claim, settled
from .facts.database import Interview, is_of_database
from .facts.entries import Entry, entries_of, entries_of_pairs
from .facts.hands import Hands, hands_for
from .facts.looking import Seen, answers, seen
from .facts.reading import DEAL, read_sentences, table

_MOST_A_ROUND = 100
"""How many looks or questions a round has at most: more answers than that may be cut in the feedback."""
_PROBES = ("Date of birth", "Signature")
"""What forms ask of everyone they ask about, the most usual first: shows what they call the people."""

Work = Generator[list[Call], None, None]


class RuleBased:
    """Reads facts from sentences, from lists of fields, or from a database, and writes each where its name is found.

    Where it may look (``find`` of FieldFinder with ``show`` from 1 on, and observed feedback), it looks for every fact
    under the names that forms use, and of facts that claim the same field the likeliest is written. Otherwise it names
    each field once, and hopes. Without FieldFinder it writes its facts down the page, evenly spread: what finding is
    worth. It uses no language model, and learns nothing.

    Args:
        looks: how many times it looks at most; each costs a step. It never takes more than leave it enough steps to
            write (``Hands.most_looks``).
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

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the next round."""
        self._observed = observation
        if self._rounds is None:
            self._rounds = self._work(self._hands)
        calls = next(self._rounds, [{"tool": "terminate"}])
        return [self._task.tools.from_call(call) for call in calls]

    def _work(self, hands: Hands) -> Work:
        entries = yield from self._read()
        if hands.opening:
            yield from _batches(hands.opening, self._task.max_actions)
        if not hands.names:
            calls = hands.blindly([entry for entry in entries if not entry.piece])
        elif self._may_look and any(len(entry.labels) > 1 for entry in entries):
            claims = yield from self._look(entries)
            calls = hands.into(settled(claims, self.at_least, hands.tick_box))
        else:
            calls = hands.into(_unseen(entries))
        yield from _batches([*calls, {"tool": "terminate"}], self._task.max_actions)

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

    def _look(self, entries: Sequence[Entry]) -> Generator[list[Call], None, list[Claim]]:
        """Look for every entry under its names, the likeliest first, until it is surely found or the looks are used."""
        self._left = min(self.looks, self._hands.most_looks)
        roles = (yield from self._roles({entry.who for entry in entries})) if self._left else {}
        whole_first = sorted(entries, key=lambda entry: entry.piece)
        best: dict[Entry, Claim] = {}
        for rank in range(max(len(entry.labels) for entry in entries)):
            unsure = [e for e in whole_first if len(e.labels) > rank and (e not in best or best[e].score < SURE)]
            asked = [_called(entry.labels[rank], entry.who, roles) for entry in unsure]
            found = yield from self._find(asked)
            for entry, target, place in zip(unsure, asked, found, strict=False):
                if place is not None and (entry not in best or place.score > best[entry].score):
                    best[entry] = Claim(entry, target, place)
        return list(best.values())

    def _roles(self, people: set[str]) -> Generator[list[Call], None, dict[str, str]]:
        """What the form calls each of the people: what it is surest to have a field of."""
        chosen: dict[str, str] = {}
        for who in sorted(people - {DEAL}):
            for probe in _PROBES:
                found = yield from self._find([f"{probe} | {role}" for role in table("people")[who]])
                scores = {role: place.score for role, place in zip(table("people")[who], found, strict=False) if place}
                if scores:
                    chosen[who] = max(scores, key=lambda role: scores[role])
                    break
        return chosen

    def _find(self, targets: Sequence[str]) -> Generator[list[Call], None, list[Seen | None]]:
        """Where targets are, as far as the looks reach."""
        found: list[Seen | None] = []
        asked = [{"tool": "find", "target": target} for target in targets[: self._left]]
        self._left -= len(asked)
        for batch in _batches(asked, self._at_most):
            yield batch
            found += seen(self._observed["feedback"], len(batch))
        return found

    @property
    def _at_most(self) -> int:
        return min(_MOST_A_ROUND, self._task.max_actions or _MOST_A_ROUND)


def _unseen(entries: Iterable[Entry]) -> Iterator[Claim]:
    """Each entry under its likeliest name, whether there is such a field or not."""
    for entry in entries:
        if not entry.piece:
            yield Claim(entry, _called(entry.labels[0], entry.who, {}), None)


def _called(label: str, who: str, roles: Mapping[str, str]) -> str:
    """A label with the person it is of."""
    return label if who == DEAL else f"{label} | {roles.get(who) or table('people')[who][0]}"


def _batches(calls: Sequence[Call], most: int | None) -> Iterator[list[Call]]:
    size = most or max(len(calls), 1)
    for start in range(0, len(calls), size):
        yield list(calls[start : start + size])
