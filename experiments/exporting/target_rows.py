"""Rows of targets: the picture of a page, a name on it, and the box that it names."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, cast

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import load_env_creator

from ... import __version__
from ...envs.core.grounding import GroundingEnv, answer_call
from ...envs.core.locators import Box
from ...envs.core.painting import Image
from ...envs.core.tasks import EndlessTasks
from ...envs.registration import ids
from ..running.config_errors import suggestion
from ..running.rollout import page_digest
from ..running.secrets import with_hash
from .row_files import Columns, Row

COLUMNS: Columns = {
    "image": "image",
    "target": "string",
    "box": "box",
    "kind": "string",
    "page": "string",
    "number": "int64",
    "split": "string",
    "seed": "int64",
    "env": "string",
    "options": "string",
    "formgym": "string",
    "page_sha256": "string",
}
"""``box`` is left, top, right and bottom in fractions of the page, and ``number`` the target's on its page, from 0."""
KEY = ("env", "options", "page")
"""Rows that are equal in these are of one page."""
_NOT_SET = {"self", "canvas", "page_size", "max_pages"}
"""Arguments that follow from others, or that limit what random resets draw."""
_MAX_EMPTY = 200
"""Of pages without targets in a row, before a selection of endless pages counts as empty."""


def grounding_ids() -> list[str]:
    """The ids of the environments that ask for targets."""
    return [env_id for env_id in ids() if is_grounding(env_id)]


def is_grounding(env_id: str) -> bool:
    """Whether an environment asks for targets."""
    return issubclass(_class_of(env_id), GroundingEnv)


def _class_of(env_id: str) -> type:
    """The class of an environment; ``object`` if it is made by a function."""
    entry = gym.spec(env_id).entry_point
    made = load_env_creator(entry) if isinstance(entry, str) else entry
    return made if isinstance(made, type) else object


def make_grounding(env_id: str, settings: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """A grounding environment.

    Raises:
        ValueError: if it asks for no targets, or takes no such settings.
    """
    if not is_grounding(env_id):
        raise ValueError(
            f"{env_id} asks for no targets; these do: {', '.join(grounding_ids())}. Its runs can be exported"
        )
    if unknown := sorted(set(settings) - (known := _settings_of(env_id))):
        raise ValueError(f"{env_id} has no setting {unknown[0]!r}; {suggestion(unknown[0], known)}")
    try:
        return gym.make(env_id, disable_env_checker=True, **settings)
    except TypeError as error:
        reason = str(error).partition(" was raised from")[0]
        raise ValueError(f"{env_id} cannot be made with these settings: {reason}") from None


def _settings_of(env_id: str) -> set[str]:
    """The arguments that an environment can be made with."""
    signatures = (
        inspect.signature(vars(one)["__init__"]) for one in _class_of(env_id).__mro__ if "__init__" in vars(one)
    )
    found = (parameter for signature in signatures for parameter in signature.parameters.values())
    return {one.name for one in found if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)} - _NOT_SET


class Page(NamedTuple):
    """A page of a selection: its task, and how many targets are on it."""

    task: str
    targets: int


class Selection:
    """Random pages of an environment that have a number of targets together.

    Args:
        env: whose pages; with endless ones, ``n`` is needed.
        n: the number of targets; ``None``: all.
        seed: draws the pages.

    Attributes:
        n: the number of targets, at most all that there are; of the last page only some may be among them.

    Raises:
        ValueError: if there are no targets, or no end of them.
    """

    def __init__(self, env: GroundingEnv, n: int | None, seed: int) -> None:
        self._env, self._seed = env, seed
        self._is_endless = isinstance(env.task_ids, EndlessTasks)
        if n is None and self._is_endless:
            raise ValueError("these pages have no end; say how many targets to export, such as --targets 1000")
        # Where pages have an end they are opened here, to count their targets, and not again.
        self._counted = None if self._is_endless else list(_until(self._opened(), n))
        self.n = n or 0
        if self._counted is not None:
            total = sum(page.targets for page in self._counted)
            self.n = min(n or total, total)
        if not self.n:
            raise ValueError("there are no targets in this selection")

    def __iter__(self) -> Iterator[Page]:
        return _until(self._opened() if self._counted is None else self._counted, self.n)

    def _opened(self) -> Iterator[Page]:
        """Different pages with targets, in random order."""
        n_empty = 0
        for task in self._tasks():
            n_targets = len(self._env.open_page(task).targets)
            n_empty = 0 if n_targets else n_empty + 1
            if n_empty == _MAX_EMPTY:
                raise ValueError(f"{_MAX_EMPTY} pages have no targets in this selection")
            if n_targets:
                yield Page(task, n_targets)

    def _tasks(self) -> Iterator[str]:
        rng, task_ids = np.random.default_rng(self._seed), self._env.task_ids
        if not self._is_endless:
            yield from (task_ids[i] for i in rng.permutation(len(task_ids)))
            return
        drawn: set[int] = set()
        while True:
            number = int(rng.integers(len(task_ids)))
            if number not in drawn:
                drawn.add(number)
                yield task_ids[number]


def _until(pages: Iterable[Page], n: int | None) -> Iterator[Page]:
    """The first pages that have ``n`` targets together; all where there is no ``n``."""
    found = 0
    for page in pages:
        yield page
        found += page.targets
        if n and found >= n:
            return


def target_rows(
    env: gym.Env[Any, Any], selection: Selection, seed: int, encode: Callable[[Image], Any]
) -> Iterator[Row]:
    """A row a target.

    Args:
        env: of the selection.
        selection: which targets.
        seed: that drew them.
        encode: makes the value of a picture.
    """
    about = {**identity_of(env), "seed": seed, "formgym": __version__}
    rows = (row for page in selection for row in page_rows(cast(GroundingEnv, env.unwrapped), page.task, encode))
    yield from (row | about for row in islice(rows, selection.n))


def identity_of(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """The columns that an environment is made from."""
    assert env.spec is not None
    settings = with_hash(env.spec.kwargs)
    return {"env": env.spec.id, "options": json.dumps(settings), "split": settings.get("split", "test")}


def page_rows(env: GroundingEnv, task: str, encode: Callable[[Image], Any]) -> Iterator[Row]:
    """The columns that follow from a page, a row a target."""
    env.reset(options={"task": task})
    picture = env.page()
    shared = {"image": encode(picture), "page": task, "page_sha256": page_digest(picture)}
    page = env.open_page(task)
    for number, (target, box) in enumerate(zip(page.targets, page.boxes().tolist(), strict=True)):
        yield {**shared, "target": target.name, "box": box, "kind": target.kind, "number": number}


def are_right(env: GroundingEnv, task: str, boxes: Mapping[int, Box]) -> dict[int, bool]:
    """Whether boxes, or their middles, are right answers; by the target's number."""
    env.reset(options={"task": task})
    for number, call in enumerate(env.solution()):
        answer = answer_call(boxes[number], call["tool"] == "point") if number in boxes else call
        env.step(env.action_space.from_call(answer))
    fields = env.state.score().fields
    return {number: bool(fields[number].correct) for number in boxes if number < len(fields)}
