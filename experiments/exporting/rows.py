"""Rows of data sets: targets of pages, steps of recorded runs, and conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isclose, nan
from typing import Any, cast
from zlib import crc32

import numpy as np

from ... import __version__
from ...agents.bridges.chat import chat_messages
from ...agents.session import Env, Session
from ...envs.core.env import PaperworkEnv
from ...envs.core.grounding import GroundingEnv
from ...envs.core.tasks import EndlessTasks
from ...envs.documents.env import EditEnv
from ...envs.documents.feedback.judgement import changed_pictures
from ...envs.documents.feedback.wrong_edits import labelled_edits
from ...envs.documents.state import DocumentTask
from ..running.episodes import Episode
from ..running.rollout import check_length, page_digest
from ..running.run_folder import Run
from ..running.run_spec import with_hash
from .row_files import Columns, Row

_ORIGIN = {"split": "string", "env": "string", "options": "string", "formgym": "string"}
_TEXT_OF_STEP = dict.fromkeys(("goal", "source", "action", "feedback"), "string")
COLUMNS: Mapping[str, Columns] = {
    # ``box`` is left, top, right and bottom in fractions of the page; ``number`` counts the targets of the page.
    "targets": {
        "image": "image",
        "target": "string",
        "box": "box",
        "kind": "string",
        "page": "string",
        "number": "int64",
        "seed": "int64",
        **_ORIGIN,
        "page_sha256": "string",
    },
    # What the environment showed before ``action``, and what came of it; ``action`` and ``score`` are JSON. Some
    # metrics are in the last score of an episode alone.
    "steps": {
        "page": "image",
        "source_page": "image",
        **_TEXT_OF_STEP,
        "valid": "bool",
        "reward": "float64",
        "terminated": "bool",
        "truncated": "bool",
        "score": "string",
        "number": "int64",
        "episode": "int64",
        "task": "string",
        "seed": "int64",
        "run": "string",
        "agent": "string",
        "conditions": "string",
        **_ORIGIN,
        "page_sha256": "string",
    },
    # ``messages`` hold calls as JSON texts and a placeholder for each of ``images``; ``score`` and ``view`` are JSON.
    "chats": {
        "messages": "messages",
        "images": "images",
        "score": "string",
        "task": "string",
        "seed": "int64",
        **_ORIGIN,
        "view": "string",
    },
    # The first page on which an edit shows, as it was and as it is; ``kind`` is "right" or the kind of mistake.
    "edits": {
        **dict.fromkeys(("before", "after"), "image"),
        "request": "string",
        "is_right": "bool",
        "kind": "string",
        "task": "string",
        "seed": "int64",
        **_ORIGIN,
    },
}
"""What a row of each content has."""
VIEW = ("unit", "max_side")
"""The settings of a conversation's coordinates and pictures; see ``Session``."""
_MAX_EMPTY = 200
"""Of pages without targets in a row, before endless pages count as empty."""


def identity_of(env: Env) -> dict[str, Any]:
    """The columns that an environment is made from."""
    assert env.spec is not None
    settings = with_hash(env.spec.kwargs)
    split = settings.get("split", "test")
    return {"env": env.spec.id, "options": json.dumps(settings), "split": split, "formgym": __version__}


def drawn_tasks(env: PaperworkEnv, n: int | None, seed: int) -> Iterator[str]:
    """Different tasks in random order, without end where there is none.

    Raises:
        ValueError: if there is no end, and ``n`` does not say how many rows are needed.
    """
    tasks, rng = env.task_ids, np.random.default_rng(seed)
    if not isinstance(tasks, EndlessTasks):
        yield from (tasks[i] for i in rng.permutation(len(tasks)))
        return
    if n is None:
        raise ValueError("these tasks have no end; say how many rows to export, such as --targets 1000")
    drawn: set[int] = set()
    while True:
        number = int(rng.integers(len(tasks)))
        if number not in drawn:
            drawn.add(number)
            yield tasks[number]


# -- Edits -----------------------------------------------------------------------------------------------------------


def edit_rows(env: Env, n: int | None, seed: int) -> Iterator[Row]:
    """Right and wrong edits of random tasks, one of each a task: ``n``, or all.

    Raises:
        ValueError: if the environment edits no documents.
    """
    base = env.unwrapped
    if not isinstance(base, EditEnv):
        raise ValueError("right and wrong edits are of DocEdit; choose an environment that edits documents")
    about = {**identity_of(env), "seed": seed}
    rows = (row | about for task in drawn_tasks(base, n, seed) for row in _edits_of(base.task(task), seed))
    return islice(rows, n)


def _edits_of(task: DocumentTask, seed: int) -> Iterator[Row]:
    rng = np.random.default_rng([seed, crc32(task.task_id.encode())])
    for kind, document in labelled_edits(task, rng):
        before, after = changed_pictures(task, document)
        shown = {"before": before[0], "after": after[0], "request": task.request.text}
        yield {**shown, "is_right": kind == "right", "kind": kind, "task": task.task_id}


# -- Targets -------------------------------------------------------------------------------------------------------


def drawn_pages(env: GroundingEnv, n: int | None, seed: int) -> Iterator[str]:
    """Different pages with targets, in random order.

    Raises:
        ValueError: if there are no targets, or no end of them.
    """
    n_empty = 0
    for task in drawn_tasks(env, n, seed):
        if env.open_page(task).targets:
            n_empty = 0
            yield task
        elif (n_empty := n_empty + 1) == _MAX_EMPTY:
            raise ValueError(f"{_MAX_EMPTY} pages in a row have no targets in this selection")


def target_rows(env: Env, n: int | None, seed: int) -> Iterator[Row]:
    """A row a target of random pages: ``n``, or all."""
    base = cast(GroundingEnv, env.unwrapped)
    about = {**identity_of(env), "seed": seed}
    rows = (row | about for task in drawn_pages(base, n, seed) for row in page_rows(base, task))
    return islice(rows, n)


def page_rows(env: GroundingEnv, task: str) -> Iterator[Row]:
    """The columns that follow from a page, a row a target."""
    env.reset(options={"task": task})
    picture, page = env.page(), env.open_page(task)
    shared = {"image": picture, "page": task, "page_sha256": page_digest(picture)}
    for number, (target, box) in enumerate(zip(page.targets, page.boxes().tolist(), strict=True)):
        yield {**shared, "target": target.name, "box": box, "kind": target.kind, "number": number}


# -- Steps ---------------------------------------------------------------------------------------------------------


def run_rows(run: Run, name: str) -> Iterator[Row]:
    """A row a step of the run's scored episodes; ``name`` is the run's in its column.

    Raises:
        ValueError: if an episode does not replay to its recorded score.
    """
    env = run.make_env()
    about = {**identity_of(env), "run": name, "agent": run.summary["agent"], "conditions": run.conditions}
    for episode in (one for one in run.episodes if one.metrics is not None):
        check_length(env, episode)
        last = len(episode.calls) - 1
        for row in episode_rows(env, episode.task, episode.seed, episode.calls):
            is_truncated = row["number"] == last and episode.ended == "truncated"
            yield row | about | {"episode": episode.index, "truncated": is_truncated}
        _check_score(env, episode, run)


def episode_rows(env: PaperworkEnv, task: str, seed: int, calls: Sequence[Any]) -> Iterator[Row]:
    """The columns that follow from a task, a seed and calls, a row a call."""
    observation, _ = env.reset(seed=seed, options={"task": task})
    for number, call in enumerate(calls):
        row = {name: observation.get(name) for name in ("page", "source_page", "goal", "source")}
        row["page_sha256"] = page_digest(observation["page"])
        observation, reward, terminated, _, info = env.step(env.action_space.from_call(call))
        is_last = number == len(calls) - 1
        yield row | {
            "action": json.dumps(call, ensure_ascii=False),
            "feedback": info["feedback"],
            "valid": info["valid"],
            "reward": float(reward),
            "terminated": terminated,
            "score": json.dumps(env.state.score().metrics if is_last else info["score"]),
            "number": number,
            "task": task,
            "seed": seed,
        }


def _check_score(env: PaperworkEnv, episode: Episode, run: Run) -> None:
    """Check that a replayed episode ended as recorded."""
    metrics, where = env.state.score().metrics, f"{run.folder}, episode {episode.index}: its replay"
    for name, value in (episode.metrics or {}).items():
        # The last digits of metrics of pictures can depend on the processor.
        if not isclose(metrics.get(name, nan), value, abs_tol=1e-9):
            differs = f"has {name} {metrics.get(name)}, its record {value}"
            raise ValueError(f"{where} {differs}; it was made by formgym {run.summary['version']} or by other data")
    if episode.page_sha256 != page_digest(env.page()):
        raise ValueError(f"{where} ends with another page than its record")


# -- Conversations -------------------------------------------------------------------------------------------------


def solution_rows(env: Env, n: int | None, seed: int, view: Mapping[str, Any]) -> Iterator[Row]:
    """Conversations of the solutions of random tasks: ``n``, or all."""
    tasks = drawn_tasks(cast(PaperworkEnv, env.unwrapped), n, seed)
    seeds = np.random.default_rng([seed, 1])
    return (chat_row(env, task, int(seeds.integers(2**31)), None, view) for task in islice(tasks, n))


def run_chats(run: Run) -> Iterator[Row]:
    """A conversation a scored episode of a run, with what was done in it."""
    env, view = run.make_env(), dict.fromkeys(VIEW)
    for episode in (one for one in run.episodes if one.metrics is not None):
        yield chat_row(env, episode.task, episode.seed, episode.calls, view)


def chat_row(env: Env, task: str, seed: int, calls: Sequence[Any] | None, view: Mapping[str, Any]) -> Row:
    """An episode as a conversation.

    Args:
        env: takes one call a step; it stays open.
        task: the task's id.
        seed: of the environment.
        calls: what is done; ``None``: the solution.
        view: ``unit`` and ``max_side`` of the session.
    """
    session = Session(env, task, seed, **view)
    chat = chat_messages(session, calls, as_text=True)
    messages = [{**one, "content": [{"text": None, **part} for part in one["content"]]} for one in chat["messages"]]
    return {
        "messages": messages,
        "images": list(map(np.asarray, chat["images"])),
        "score": json.dumps(session.score().metrics),
        "task": session.task,
        "seed": seed,
        **identity_of(env),
        "view": json.dumps(dict(view)),
    }


# -- Replays -------------------------------------------------------------------------------------------------------

KEYS = {
    "targets": ("env", "options", "page"),
    "steps": ("env", "options", "run", "episode", "task", "seed"),
    "chats": ("env", "options", "view", "task", "seed"),
    "edits": ("env", "options", "task", "seed"),
}
"""Rows that are equal in these columns are replayed together."""


def replayed_rows(content: str, env: Env, rows: Sequence[Row]) -> Iterable[Row | None]:
    """The columns of rows of one page or episode that a replay gives again.

    ``None`` stands for a target that the page does not have.
    """
    first, base = rows[0], cast(PaperworkEnv, env.unwrapped)
    if content == "targets":
        targets = {one["number"]: one for one in page_rows(cast(GroundingEnv, base), first["page"])}
        return [targets.get(row["number"]) for row in rows]
    if content == "edits":
        edits = {one["is_right"]: one for one in _edits_of(cast(EditEnv, base).task(first["task"]), first["seed"])}
        return [edits.get(row["is_right"]) for row in rows]
    if content == "steps":
        calls = [json.loads(row["action"]) for row in rows]
        # One after another: a long episode has gigabytes of pictures.
        return episode_rows(base, first["task"], first["seed"], calls)
    calls = [json.loads(one["content"][0]["text"]) for one in first["messages"] if one["role"] == "assistant"]
    again = chat_row(env, first["task"], first["seed"], calls, json.loads(first["view"]))
    return [{name: again[name] for name in ("messages", "images", "score")}] * len(rows)
