"""Task ids: the shipped ones, and the endless ones that are made from seeds."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SEEDS = 2**31
"""The number of seeds of a group of endless tasks; they begin at 0."""


def page_of(task: str) -> str:
    """The page of a task: the first part of its id."""
    return re.split("[/#]", task)[0]


def check_task(task_id: str, task_ids: Container[str], example: str, where: str = "") -> None:
    """Check that a task is one of an environment's.

    Args:
        task_id: what was requested.
        task_ids: all tasks.
        example: one of them.
        where: what follows the id in the message.

    Raises:
        ValueError: if there is no such task.
    """
    if task_id not in task_ids:
        raise ValueError(f"no task {task_id!r}{where}; tasks are such as {example!r}")


def chosen_names(
    names: str | Sequence[str] | None, known: Sequence[str], kind: str, where: str = ""
) -> tuple[str, ...]:
    """The names that an environment is limited to, checked.

    Args:
        names: one or several; ``None``: all.
        known: all names.
        kind: of thing, such as "form", for the message.
        where: what follows an unknown name in the message.

    Raises:
        ValueError: if one is unknown or named twice, or there are none.
    """
    chosen = tuple(known) if names is None else (names,) if isinstance(names, str) else tuple(names)
    if unknown := [name for name in chosen if name not in known]:
        raise ValueError(f"no {kind} {unknown[0]!r}{where}; there are {', '.join(known)}")
    if not chosen or len(set(chosen)) < len(chosen):
        raise ValueError(f"{kind}s must name at least one {kind}, each once")
    return chosen


def endless_secret(split: str, secret: Any) -> int | None:
    """The secret of ``split="train"``'s endless tasks; ``None`` for ``"test"``.

    Raises:
        ValueError: if there is no such split, the secret is no whole number from 0 on, or the split has none.
    """
    if split not in ("test", "train"):
        raise ValueError(f"split must be 'test' or 'train', not {split!r}")
    if isinstance(secret, bool) or not isinstance(secret, int | np.integer) or secret < 0:
        raise ValueError(f"secret must be a whole number from 0 on, not {secret!r}")
    if split == "train":
        return int(secret)
    if secret:
        raise ValueError("secret makes endless tasks, and the test split is shipped; secret= goes with split='train'")
    return None


def episode_seed(run_seed: int, index: int) -> int:
    """The seed of an episode of a run, the same for every agent."""
    return int(np.random.SeedSequence([run_seed, index]).generate_state(1)[0])


class EndlessTasks(Sequence[str]):
    """The ids ``group/seed`` of every group and seed, computed on access.

    Args:
        groups: the part before the slash.
    """

    def __init__(self, groups: Sequence[str]) -> None:
        self.groups = tuple(groups)

    def __len__(self) -> int:
        return len(self.groups) * SEEDS

    def __getitem__(self, index: Any) -> Any:
        seed, group = divmod(range(len(self))[index], len(self.groups))
        return f"{self.groups[group]}/{seed}"

    def __contains__(self, task_id: object) -> bool:
        return isinstance(task_id, str) and self.parts(task_id) is not None

    def parts(self, task_id: str) -> tuple[str, int] | None:
        """Group and seed of a task; ``None`` if the id is not one of these."""
        group, _, digits = task_id.rpartition("/")
        if group not in self.groups or not digits.isascii() or not digits.isdecimal():
            return None
        seed = int(digits[:12])
        return (group, seed) if seed < SEEDS and str(seed) == digits else None

    def __repr__(self) -> str:
        return f"EndlessTasks({list(self.groups)})"


@dataclass(frozen=True)
class TaskSplit:
    """The tasks of an environment: shipped ones, or endless ones where there is a secret.

    Attributes:
        kind: of its groups, such as "form"; ``reset(options={kind: group})`` draws a task of one.
        groups: the first parts of the ids, before a slash.
        shipped: the second parts of the shipped tasks of a group.
        secret: of the endless tasks, whose second parts are seeds; ``None``: the shipped ones.
    """

    kind: str
    groups: tuple[str, ...]
    shipped: Callable[[str], Sequence[str]]
    secret: int | None

    def task_ids(self, groups: Sequence[str] | None = None) -> Sequence[str]:
        """The ids of all tasks, or of those of some groups.

        Raises:
            ValueError: if there is no such group.
        """
        groups = self.groups if groups is None else groups
        if unknown := [group for group in groups if group not in self.groups]:
            raise ValueError(self._unknown(unknown[0]))
        if self.secret is not None:
            return EndlessTasks(groups)
        return tuple(f"{group}/{name}" for group in groups for name in self.shipped(group))

    def parse(self, task_id: str, called: str = "") -> tuple[str, str]:
        """The group of a task, and its name or seed.

        Args:
            task_id: of the task.
            called: its id in messages, if that is another one.

        Raises:
            ValueError: if there is no such task.
        """
        group, _, name = task_id.partition("/")
        if group not in self.groups:
            raise ValueError(f"no task {called or task_id!r}: {self._unknown(group)}")
        if self.secret is not None:
            known, expected = task_id in EndlessTasks((group,)), f"a seed from 0 to {SEEDS - 1}"
        else:
            names = self.shipped(group)
            known, expected = name in names, f"one of {names[0]}, …, {names[-1]}"
        if not known:
            raise ValueError(f"no task {called or task_id!r}: after the last slash there must be {expected}")
        return group, name

    def _unknown(self, group: str) -> str:
        return f"no {self.kind} {group!r} here; there are {', '.join(self.groups)}"
