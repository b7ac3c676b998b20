"""Ranking by people: they see what runs made of a request, not whose it is (as in Agent-DocEdit's human evaluation)."""

from __future__ import annotations

import re
import secrets
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from random import Random
from statistics import fmean
from threading import Lock
from typing import NamedTuple, cast

import numpy as np
from flask import Blueprint, abort, make_response, redirect, render_template, request, url_for
from numpy.typing import ArrayLike
from werkzeug.wrappers import Response

from ...envs.core.pages import png_bytes
from ...envs.documents.feedback.judgement import MAX_PAGES, differing_pages
from ...envs.documents.painting.view import painted
from ...envs.documents.scene.document import Document
from ...envs.documents.state import DocumentState
from ...envs.web_forms.site.records import Records
from ..reporting.replay_frames import opened
from ..running.rollout import regraded
from ..running.run_folder import Run, find_runs
from ..terminal.console import say_failure

LETTERS, PEOPLE = "ABCD", "people with each other"
_PERSON, _YEAR = re.compile(r"[\w-]{22}"), 365 * 24 * 3600
_TABLE = (
    "rankings (person VARCHAR NOT NULL, task VARCHAR NOT NULL, run VARCHAR NOT NULL, rank INTEGER NOT NULL,"
    " PRIMARY KEY (person, task, run))"
)


class Result(NamedTuple):
    """An episode of a run: its number, and its scores by success and by each judge, from 0 to 1."""

    run: Run
    number: int
    scores: Mapping[str, float]


Tasks = dict[str, dict[str, Result]]
"""Results by task and run."""
Ranks = Mapping[tuple[str, str], Mapping[str, int]]
"""The ranks of runs, from 1 for the best, by person and task."""


class Shown(NamedTuple):
    """A task as people see it: the request, and the URLs of pictures before the edit and after that of each run."""

    request: str
    before: list[str]
    after: dict[str, list[str]]


def shared_tasks(folders: Sequence[Path]) -> Tasks:
    """The tasks that several runs of DocEdit have done; runs of one agent in one folder are taken for one.

    Raises:
        ValueError: if there are not 2 to 4 runs, or they share no task.
    """
    tasks: Tasks = defaultdict(dict)
    for folder, run in [(path, run) for path in folders for run in find_runs(path)]:
        name = run.title if len(folders) == 1 else f"{run.title}, {folder}"
        for task, result in _results(run):
            tasks[task][name] = result
    names = sorted({name for results in tasks.values() for name in results})
    shared = {task: results for task, results in tasks.items() if len(results) > 1}
    if not shared or len(names) > len(LETTERS):
        found = "; ".join(names) or "none"
        raise ValueError(f"--rank takes 2 to {len(LETTERS)} runs of DocEdit that have tasks in common; found: {found}")
    return shared


def _results(run: Run) -> Iterator[tuple[str, Result]]:
    judge = next((title for title in run.summary["wrappers"] if title.startswith("edit_feedback")), "judge")
    for number, episode in enumerate(run.episodes if run.suite == "DocEdit" else ()):
        if "success" in (episode.metrics or {}) and episode.is_replayable:
            judged = [(judge, float(r.judgement["is_right"])) for r in episode.rounds if r.judgement]
            scores = {"success": (episode.metrics or {})["success"], **dict(judged)}
            yield f"{episode.env} {episode.task}", Result(run, number, scores)


class Ranking:
    """The pages on which people rank results, and what is stored of it."""

    def __init__(self, tasks: Tasks, records: Records) -> None:
        self.tasks, self._records, self._lock = tasks, records, Lock()
        self._replayed = lru_cache(maxsize=16)(lambda task: _shown(self.tasks[task]))
        with records.writing() as connection:
            connection.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")

    def blueprint(self) -> Blueprint:
        """The pages, for the site."""
        pages = Blueprint("ranking", __name__, template_folder="templates", url_prefix="/rank")
        pages.add_url_rule("", "index", self.index)
        pages.add_url_rule("", "rank", self.rank, methods=["POST"])
        pages.add_url_rule("/results", "results", self.results)
        return pages

    def index(self) -> Response:
        """The task that the URL names; without one, the way to the next that this person has not ranked."""
        person, given = _person() or secrets.token_urlsafe(16), self.given()
        task, done = request.args.get("task", ""), {task for one, task in given if one == person}
        shown = self._show(task)
        others = [] if shown else Random(person).sample(sorted(self.tasks), len(self.tasks))
        following = next((one for one in others if one not in done and self._show(one)), None)
        if following:
            answer = redirect(url_for("ranking.index", task=following), 303)
        else:
            earlier = given.get((person, task), {})
            runs = _lettered(person, shown.after) if shown else []
            results = [(letter, shown.after[run], earlier.get(run)) for letter, run in runs] if shown else []
            counts = {"done": len(done), "count": len(self.tasks)}
            page = render_template("rank.html.jinja", shown=shown, task=task, results=results, **counts)
            answer = make_response(page)
        answer.set_cookie("person", person, _YEAR, httponly=True, samesite="Strict")
        return answer

    def rank(self) -> Response:
        """Store a person's ranks of a task, in place of earlier ones."""
        person, task = _person(), request.form.get("task", "")
        if person is None or task not in self.tasks:
            abort(400, "Open the page of a task first, and let it set its cookie.")
        ranks = {run: request.form.get(letter, "") for letter, run in _lettered(person, self.tasks[task])}
        if not {*ranks.values()} <= {*"1234"[: len(ranks)]}:
            abort(422, f"Each result needs a rank from 1 to {len(ranks)}.")
        rows = [(person, task, run, int(rank)) for run, rank in ranks.items()]
        with self._records.writing() as connection:
            connection.execute("DELETE FROM rankings WHERE person = ? AND task = ?", (person, task))
            connection.executemany("INSERT INTO rankings VALUES (?, ?, ?, ?)", rows)
        return redirect(url_for("ranking.index"), 303)

    def results(self) -> str:
        """Mean ranks, and how people, success and judges agree."""
        given = self.given()
        tables = {"means": mean_ranks(given), "taus": agreement(self.tasks, given)}
        return render_template("rank.html.jinja", n=len(given), **tables)

    def given(self) -> Ranks:
        """The ranks that people gave."""
        found: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for person, task, run, rank in self._records.rows("SELECT person, task, run, rank FROM rankings"):
            found[person, task][run] = rank
        return {key: ranks for key, ranks in found.items() if ranks.keys() == self.tasks.get(key[1], {}).keys()}

    def _show(self, task: str) -> Shown | None:
        """A task, if there is one; it is left out from then on if records of it do not lead to their pixels."""
        with self._lock:
            shown = self._replayed(task) if task in self.tasks else None
            if shown is None and task in self.tasks:
                del self.tasks[task]
                say_failure(f"{task} is left out: its records lead to other pixels now")
            return shown


def _person() -> str | None:
    name = request.cookies.get("person", "")
    return name if _PERSON.fullmatch(name) else None


def _lettered(person: str, runs: Iterable[str]) -> list[tuple[str, str]]:
    """Runs with letters, in an order of this person's own."""
    names = sorted(runs)
    return list(zip(LETTERS, Random(f"{person} {names}").sample(names, len(names)), strict=False))


def _shown(results: Mapping[str, Result]) -> Shown | None:
    states = {run: state for run, result in results.items() if (state := _state_after(result))}
    if len(states) < len(results) or len({(one.goal, one.task.before.digest) for one in states.values()}) > 1:
        return None
    task = next(iter(states.values())).task
    changed = {page for state in states.values() for page in differing_pages(task.before, state.document)}
    pages = sorted(changed or {task.request.page})[:MAX_PAGES]
    after = {run: _pictures(state.document, pages) for run, state in states.items()}
    return Shown(task.request.text, _pictures(task.before, pages), after)


def _state_after(result: Result) -> DocumentState | None:
    env = opened(result.run)
    replayed = env if isinstance(env, str) else regraded(env, result.run.episodes[result.number])
    is_same = not isinstance(replayed, str) and replayed.is_same_page
    return cast(DocumentState, env.state) if is_same and not isinstance(env, str) else None


def _pictures(document: Document, pages: Sequence[int]) -> list[str]:
    images = (painted(document, page) for page in pages if page < len(document.pages))
    return [f"data:image/png;base64,{b64encode(png_bytes(image)).decode()}" for image in images]


def tau_b(one: ArrayLike, other: ArrayLike) -> float | None:
    """Kendall's tau-b of two rankings; ``None`` if one of them is all ties.

    >>> round(tau_b([1, 2, 2], [1, 2, 3]), 4)
    0.8165
    """
    x, y = (np.sign(np.subtract.outer(v, v)) for v in (np.asarray(one, float), np.asarray(other, float)))
    spread = float((x * x).sum() * (y * y).sum())
    return float((x * y).sum() / np.sqrt(spread)) if spread else None


def mean_ranks(given: Ranks) -> list[tuple[str, float, int]]:
    """Each run, its mean rank and the number of rankings, the best first; tied ones share the mean of their ranks."""
    found: dict[str, list[float]] = defaultdict(list)
    for ranks in given.values():
        values = np.array([*ranks.values()])
        for run, rank in ranks.items():
            found[run].append(float((values < rank).sum() + ((values == rank).sum() + 1) / 2))
    return sorted(((run, fmean(ranks), len(ranks)) for run, ranks in found.items()), key=itemgetter(1))


def agreement(tasks: Tasks, given: Ranks) -> list[tuple[str, float | None, int]]:
    """Mean tau-b, and of how many pairs: of people with each other, and of success and each judge with people.

    Pairs in which one side holds all results for equal have none, and do not count.
    """
    found: dict[str, list[float]] = {PEOPLE: [], "success": []}
    for (person, task), ranks in given.items():
        others = [(PEOPLE, theirs) for (other, same), theirs in given.items() if same == task and other < person]
        names = {name for result in tasks[task].values() for name in result.scores}
        judged = [(name, {r: -v.scores[name] for r, v in tasks[task].items() if name in v.scores}) for name in names]
        for name, values in (*others, *judged):
            tau = tau_b([ranks[run] for run in values], [*values.values()])
            found.setdefault(name, []).extend([] if tau is None else [tau])
    return [(name, fmean(taus) if taus else None, len(taus)) for name, taus in found.items()]
