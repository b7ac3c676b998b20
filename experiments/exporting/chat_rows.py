"""Rows of chats: episodes as conversations, to fine-tune chat models on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ... import __version__
from ...agents.bridges.chat import chat_messages
from ...agents.session import Env, Session, make_env
from ...envs.core.env import PaperworkEnv
from ...envs.core.painting import Image
from ...envs.core.tasks import EndlessTasks
from ...envs.core.tools import Call
from ..running.runs import Run
from .row_files import Columns, Row
from .target_rows import identity_of

COLUMNS: Columns = {
    "messages": "messages",
    "images": "images",
    "score": "string",
    "task": "string",
    "seed": "int64",
    "split": "string",
    "env": "string",
    "options": "string",
    "view": "string",
    "formgym": "string",
}
"""``messages`` hold calls as JSON texts and a placeholder for each of ``images``; ``score`` is JSON.

``view`` is JSON too: the unit of the coordinates, and the longest side of the pictures.
"""
PICTURES = ("images",)
"""The columns that can be left out."""
KEY = ("env", "options", "view", "task", "seed")
"""Rows that are equal in these are of one episode."""
_VIEW = ("unit", "max_side")


class Solutions:
    """Chats of the solutions of an environment's tasks.

    Args:
        env_id: the environment's id.
        settings: what it is made with, and ``unit`` and ``max_side`` of a ``Session``.
        n: how many; ``None``: one of every task.
        seed: draws the tasks.

    Attributes:
        n: how many chats there are; fewer than requested where there are fewer tasks.

    Raises:
        ValueError: if the environment cannot be made or is no session, or its tasks have no end and ``n`` is missing.
    """

    def __init__(self, env_id: str, settings: Mapping[str, Any], n: int | None, seed: int) -> None:
        self._env = make_env(env_id, **{name: value for name, value in settings.items() if name not in _VIEW})
        self._view: Mapping[str, Any] = {name: settings.get(name) for name in _VIEW}
        # What cannot be a session is refused before anything is written.
        Session(self._env, **self._view)
        task_ids = cast(PaperworkEnv, self._env.unwrapped).task_ids
        is_endless = isinstance(task_ids, EndlessTasks)
        if n is None and is_endless:
            raise ValueError("these tasks have no end; say how many chats to export, such as --targets 1000")
        self.n = n if n is not None and is_endless else min(n or len(task_ids), len(task_ids))
        seeds = np.random.SeedSequence(seed).generate_state(self.n)
        tasks: Sequence[str | None] = [None] * self.n
        if not is_endless:
            tasks = [task_ids[i] for i in np.random.default_rng(seed).permutation(len(task_ids))[: self.n]]
        self._episodes = list(zip(tasks, map(int, seeds), strict=True))

    def rows(self, encode: Callable[[Image], Any]) -> Iterator[Row]:
        """A row an episode; ``encode`` makes the values of pictures."""
        for task, seed in self._episodes:
            yield chat_row(self._env, task, seed, None, self._view, encode)


def run_rows(run: Run, encode: Callable[[Image], Any]) -> Iterator[Row]:
    """A row a scored episode of a run, with what was done in it."""
    env, view = run.make_env(), dict.fromkeys(_VIEW)
    for episode in run.episodes:
        if episode.metrics is not None:
            yield chat_row(env, episode.task, episode.seed, episode.calls, view, encode)


def chat_row(
    env: Env,
    task: str | None,
    seed: int,
    calls: Sequence[Call] | None,
    view: Mapping[str, Any],
    encode: Callable[[Image], Any],
) -> Row:
    """An episode as a row; see ``COLUMNS``.

    Args:
        env: takes one call a step; it stays open.
        task: the task's id; ``None`` lets the seed choose.
        seed: of the environment.
        calls: what is done; ``None``: the solution.
        view: ``unit`` and ``max_side`` of the session.
        encode: makes the value of a picture.
    """
    session = Session(env, task, seed, **view)
    chat = chat_messages(session, calls, as_text=True)
    return {
        "messages": [
            {**one, "content": [{"text": None, **part} for part in one["content"]]} for one in chat["messages"]
        ],
        "images": [encode(np.asarray(image)) for image in chat["images"]],
        "score": json.dumps(session.score().metrics),
        "task": session.task,
        "seed": seed,
        **identity_of(env),
        "view": json.dumps(dict(view)),
        "formgym": __version__,
    }


def replayed_row(env: Env, row: Row, encode: Callable[[Image], Any]) -> Row:
    """The columns of a row that follow from its task, its seed and its calls."""
    texts = [one["content"][0]["text"] for one in row["messages"] if one["role"] == "assistant"]
    again = chat_row(env, row["task"], row["seed"], list(map(json.loads, texts)), json.loads(row["view"]), encode)
    return {name: again[name] for name in ("messages", "images", "score")}
