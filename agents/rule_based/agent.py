"""The rule-based agent: extracts facts, finds their fields, writes them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ...envs.core.boxes import shift
from ...envs.core.locators import Detection
from ...envs.core.tools import Call
from ..base import Action, TaskInfo, split_feedback
from .action_writer import ActionWriter, WriterView, action_writer_for
from .database import Interview, is_of_database
from .entries import FormEntry, entries_of, entries_of_pairs
from .field_assignment import SURE, FieldAssignment, parse_find_feedback, resolve_conflicts, scrolled
from .reading import DEAL, read_sentences, table

_MAX_PER_ROUND = 100
"""The most searches or queries of a round: the feedback may cut more answers than that."""
_PROBES = ("Date of birth", "Signature")
"""Fields that forms have for everyone, the most usual first: they show what a form calls the people."""
_TEST = "Signature"
"""A field that is certainly found on a page that can be read."""
_SEARCH_ROUNDS = 4
"""The number of rounds of search for entries if a page is visited in parts."""

Work = Generator[list[Call], None, None]


@dataclass
class _Search:
    """A search for entries.

    Attributes:
        entries: what is searched for.
        roles: what the form calls the people.
        best: the best assignment of each entry that was found.
        tried: the entries that were searched for.
    """

    entries: Sequence[FormEntry]
    roles: Mapping[str, str]
    best: dict[FormEntry, FieldAssignment] = field(default_factory=dict)
    tried: set[FormEntry] = field(default_factory=set)

    def in_order(self) -> list[FormEntry]:
        """The entries; first those that most forms have and that were not tried yet."""
        return sorted(self.entries, key=lambda entry: (entry.piece, entry in self.tried))

    def is_sure_of(self, entry: FormEntry) -> bool:
        """True if an entry was found with a high score."""
        return entry in self.best and self.best[entry].score >= SURE

    def record(self, entry: FormEntry, assignment: FieldAssignment | None) -> None:
        """Note where an entry was found, if it was."""
        self.tried.add(entry)
        if assignment is not None and (entry not in self.best or assignment.score > self.best[entry].score):
            self.best[entry] = assignment


class RuleBased:
    """Extracts facts from a source and writes each into the field found for it.

    With ``find`` of FieldFinder (``show`` from 1 on) and observed feedback, it searches for every fact under the labels
    that forms use; of facts assigned to the same field the one with the best score is written. Otherwise it names each
    field once and does not verify the location. A page in a window whose print is too small to be read whole (not even
    the signature is found) is enlarged and searched part by part while it is empty. Without FieldFinder it spreads its
    facts evenly down the page, as a baseline for finding. It uses no language model and learns nothing.

    >>> import gymnasium as gym
    >>> from formgym.experiments.evaluation import evaluate_agent
    >>> from formgym.wrappers import FieldFinder
    >>> env = FieldFinder(gym.make("FormGym/AutoLoans-Text-v0"), locator="oracle")
    >>> evaluate_agent(RuleBased(), env, episodes=1, seed=4).scores["field_accuracy"]["mean"] > 0.2
    True

    Args:
        looks: the most calls of ``find``; each costs a step. It never makes more than leave it enough steps to write
            (``WriterView.max_finds``).
        at_least: the lowest score of a detection that is used.

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
            ValueError: if it is not a FormGym task.
        """
        writer = action_writer_for(task.tools)
        if writer is None:
            raise ValueError(f"the rule-based agent fills in paper forms; {task.env_id} is no environment of FormGym")
        self._task, self._writer = task, writer
        self._rounds: Work | None = None
        self._observed: Mapping[str, Any] = {}
        self._left = self._taken = 0

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the next round."""
        self._observed = observation
        if self._rounds is None:
            self._rounds = self._work(self._writer)
        calls = next(self._rounds, [{"tool": "terminate"}])
        self._taken += len(calls)
        return [self._task.tools.from_call(call) for call in calls]

    def _work(self, writer: ActionWriter) -> Work:
        entries = yield from self._read()
        yield from _batches(writer.whole.opening, self._task.max_actions)
        can_find = "find" in self._task.tools.names and "feedback" in self._observed
        if writer.names and can_find and any(len(entry.labels) > 1 for entry in entries):
            yield from self._write_where_found(entries)
        else:
            whole = [entry for entry in entries if not entry.piece]
            # Each under its likeliest label, whether there is such a field or not.
            named = [FieldAssignment(one, _target(one.labels[0], one.who, {}), None) for one in whole]
            calls = writer.fill(named, writer.whole) if writer.names else writer.fill_evenly(whole)
            yield from _batches([*calls, {"tool": "terminate"}], self._task.max_actions)

    def _write_where_found(self, entries: Sequence[FormEntry]) -> Work:
        """Search for the entries, then write those found, from the visible part on."""
        writer = self._writer
        assignments, tops, view = yield from self._find_fields(entries)
        sure = resolve_conflicts(assignments, self.at_least, view.tick_box, writer.max_assignments(self._taken))
        upwards = tops[::-1]
        rounds = [writer.fill([assignment for assignment in sure if assignment.top == top], view) for top in upwards]
        for calls, (top, above) in zip(rounds, pairwise(upwards), strict=False):
            calls += writer.scroll(above - top, is_open=bool(calls))
        rounds[-1].append({"tool": "terminate"})
        if writer.points:
            # Nothing is searched for any more: one round will do.
            rounds = [[call for calls in rounds for call in calls]]
        for calls in rounds:
            yield from _batches(calls, self._task.max_actions)

    # -- What to write -------------------------------------------------------------------------------------------------

    def _read(self) -> Generator[list[Call], None, list[FormEntry]]:
        source = self._observed["source"]
        if "query_sql" in self._task.tools.names and is_of_database(source):
            return (yield from self._interview()) if "feedback" in self._observed else []
        return entries_of_pairs(source) or entries_of(read_sentences(source))

    def _interview(self) -> Generator[list[Call], None, list[FormEntry]]:
        """Query the database, one round of questions after the other."""
        interview = Interview(self._observed["goal"])
        while questions := interview.questions():
            replies: list[str] = []
            calls = [{"tool": "query_sql", "query": question} for question in questions]
            for batch in _batches(calls, self._max_calls):
                yield batch
                replies += split_feedback(self._observed["feedback"], len(batch))
            interview.record(replies)
        return interview.entries()

    # -- Where it goes -------------------------------------------------------------------------------------------------

    def _find_fields(
        self, entries: Sequence[FormEntry]
    ) -> Generator[list[Call], None, tuple[list[FieldAssignment], list[int], WriterView]]:
        """Assignments, the scroll positions of the parts of the page, and the view."""
        view, closer, people = self._writer.whole, self._writer.closer, {entry.who for entry in entries}
        self._left = min(self.looks, view.max_finds)
        tops, names = [0], max(len(entry.labels) for entry in entries)
        roles, score = yield from self._roles(people, _PROBES if closer is None else (_TEST,))
        if closer is not None and score < SURE:
            self._left += min(self.looks, closer.max_finds) - min(self.looks, view.max_finds)
            view, tops = closer, (yield from self._parts(closer))
            roles, _ = yield from self._roles(people, _PROBES[:1])
            names = max(_SEARCH_ROUNDS // len(tops), 1)
        search = _Search(entries, roles)
        for number, top in enumerate(tops):
            if number:
                yield from _batches(self._writer.scroll(top - tops[number - 1]), self._task.max_actions)
            yield from self._find_in_view(search, names, self._left // (len(tops) - number), top)
        return list(search.best.values()), tops, view

    def _parts(self, closer: WriterView) -> Generator[list[Call], None, list[int]]:
        """Enlarge the page; return the scroll positions of its parts, and end at the top."""
        tops = [0]
        for batch in _batches(closer.opening, self._task.max_actions):
            yield batch
            tops += [tops[-1] + by for by in scrolled(self._observed["feedback"], len(batch))]
        return tops

    def _find_in_view(self, search: _Search, names: int, most: int, top: int) -> Work:
        """Search the visible part of the page for each entry that has no certain match.

        Args:
            search: the entries; what is found is recorded there.
            names: how many labels of an entry are tried, the likeliest first.
            most: the most calls of ``find``.
            top: how far down the page is scrolled.
        """
        until = self._left - most
        order = search.in_order()
        for rank in range(names):
            unsure = [entry for entry in order if len(entry.labels) > rank and not search.is_sure_of(entry)]
            finds = [_target(entry.labels[rank], entry.who, search.roles) for entry in unsure]
            found = yield from self._find(finds[: self._left - until])
            for entry, target, place in zip(unsure, finds, found, strict=False):
                shifted = place and place._replace(box=shift(place.box, 0, top))
                search.record(entry, FieldAssignment(entry, target, shifted, top) if shifted else None)

    def _roles(
        self, people: set[str], probes: Sequence[str]
    ) -> Generator[list[Call], None, tuple[dict[str, str], float]]:
        """The form's name for each person, by the best detection of a probe; its score."""
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

    def _find(self, targets: Sequence[str]) -> Generator[list[Call], None, list[Detection | None]]:
        """Detections of targets, as far as the calls that are left reach."""
        found: list[Detection | None] = []
        finds = [{"tool": "find", "target": target} for target in targets[: self._left]]
        self._left -= len(finds)
        for batch in _batches(finds, self._max_calls):
            yield batch
            replies = parse_find_feedback(self._observed["feedback"], len(batch))
            found += [place if place and self._writer.on_page(place) else None for place in replies]
        return found

    @property
    def _max_calls(self) -> int:
        return min(_MAX_PER_ROUND, self._task.max_actions or _MAX_PER_ROUND)


def _target(label: str, who: str, roles: Mapping[str, str]) -> str:
    """A label with the person it is of."""
    return label if who == DEAL else f"{label} | {roles.get(who) or table('people')[who][0]}"


def _batches(calls: Sequence[Call], most: int | None) -> Iterator[list[Call]]:
    size = most or max(len(calls), 1)
    for start in range(0, len(calls), size):
        yield list(calls[start : start + size])
