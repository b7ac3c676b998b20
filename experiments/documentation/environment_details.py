"""What the page of an environment shows, from the registry and the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, cast

from gymnasium import spaces

from ...envs.core.env import PaperworkEnv
from ...envs.core.grounding import GroundingEnv
from ...envs.core.scoring import Metric
from ...envs.core.spaces import UnicodeText
from ...envs.core.tasks import EndlessTasks
from ...envs.core.tools import Argument, Tool
from ...envs.documents.scoring import metrics as document_metrics
from ...envs.paper_forms import paper_metrics
from ...envs.registration import index
from ...envs.web_forms import scoring as web_scoring
from ..running.rollout import bare_env
from ..terminal import NOTHING
from .constructor_options import Option, options_of, text_of
from .sample_episode import Example, example

_SPLITS = ("train", "dev", "test")
_ENDLESS = "endless"
_MAX_COUNTED = 10**6
"""Splits with more tasks are endless."""
_METRICS = {
    "FormGym": paper_metrics.METRICS,
    "FormFactory": web_scoring.METRICS,
    "DocEdit": document_metrics.METRICS,
}
_GROUNDING = {
    "grounding_reward": Metric("grounding reward", "the mean of the rewards for all targets of the episode"),
    "strict_accuracy": Metric("strict accuracy", "targets that are hit, among all of the episode"),
    "iou": Metric("IoU", "what the box drawn and the target's box share, of what both cover"),
}
"""The metrics of the environments in which names are to be found on pages."""


@dataclass(frozen=True)
class Details:
    """An environment, as its page shows it.

    Attributes:
        env_id: its id.
        path: its page, under the folder of environments.
        entry: its row in the index of assets.
        text: its class's docstring without the arguments, as Markdown.
        options: what it is made with.
        tools: what agents call, in the order of their indices; empty where they depend on the user's data.
        own: what is known of environments whose data are shipped; ``None`` for the others.
    """

    env_id: str
    path: str
    entry: Mapping[str, Any]
    text: str
    options: Sequence[Option]
    tools: Sequence[Tool]
    own: Opened | None

    @property
    def suite(self) -> str:
        """The part of the id before the slash."""
        return self.env_id.partition("/")[0]

    @property
    def name(self) -> str:
        """The part of the id after the slash."""
        return self.env_id.partition("/")[2]

    @property
    def file(self) -> str:
        """The name of its page's file, without the suffix."""
        return self.path.partition("/")[2]

    def count(self, fact: str) -> str:
        """A number from the index of assets, such as of ``tasks``; a dash if unknown."""
        number = self.entry.get("facts", {}).get(fact)
        return NOTHING if number is None else f"{number:,}"

    @property
    def page_size(self) -> str:
        """Width and height of its page in pixels; a dash if unknown."""
        size = self.entry.get("facts", {}).get("page_size")
        return NOTHING if size is None else f"{size[1]} × {size[0]}"


@dataclass(frozen=True)
class Opened:
    """What is known of an environment that has been made.

    Attributes:
        observations: rows of key and space.
        tools: in the order of their indices.
        reward_metric: the metric that the reward follows.
        metrics: rows of name and meaning.
        splits: rows of a split and its number of tasks.
        example: a few calls.
        example_split: the split that they are from.
    """

    observations: Sequence[tuple[str, str]]
    tools: Sequence[Tool]
    reward_metric: str
    metrics: Sequence[tuple[str, str]]
    splits: Sequence[tuple[str, str]]
    example: Example
    example_split: str


def details_of(env_id: str) -> Details:
    """An environment's details; deterministic, users' own data are not opened."""
    entry = index()["environments"][env_id]
    module, _, name = entry["entry_point"].partition(":")
    cls = getattr(import_module(f"...envs.{module}", __package__), name)
    opened = _opened(env_id) if is_shipped(entry) else None
    tools = opened.tools if opened else getattr(cls, "tools", ())
    options = [
        replace(option, description=_with_links(option.description))
        for option in options_of(cls, entry.get("kwargs", {}))
    ]
    return Details(env_id, path_of(env_id), entry, _with_links(text_of(cls)), options, tools, opened)


def is_shipped(entry: Mapping[str, Any]) -> bool:
    """Whether an environment can be made without data of the user's own."""
    return entry.get("facts", {}).get("tasks") is not None


def path_of(env_id: str) -> str:
    """The page of an environment: ``formgym/auto_loans_text``."""
    suite, _, name = env_id.partition("/")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.rpartition("-v")[0].replace("-", "_"))
    return f"{suite.lower()}/{words.lower()}"


def ids_by_class() -> dict[str, list[str]]:
    """The ids of each class of environments, by the class's name."""
    found: dict[str, list[str]] = {}
    for env_id, entry in index()["environments"].items():
        found.setdefault(entry["entry_point"].partition(":")[2], []).append(env_id)
    return found


def argument_range(argument: Argument) -> str:
    """The values that an argument takes, in words."""
    space = argument.space
    if isinstance(space, UnicodeText):
        return f"text, at most {space.max_length:,} characters"
    if isinstance(space, spaces.Discrete):
        return f"whole number, {space.start} to {space.start + space.n - 1}"
    box = cast(spaces.Box, space)
    return f"number, {float(box.low):g} to {float(box.high):g}"


def _with_links(text: str) -> str:
    """A docstring's text with links to pages in the place of names of classes."""

    def linked(match: re.Match[str]) -> str:
        env_ids = ids_by_class().get(match[1], [])
        if not env_ids:
            return match[0]
        if len(env_ids) > 1:
            return "[the suite's forms](index.md#the-task)"
        return f"[`{env_ids[0]}`]({path_of(env_ids[0]).partition('/')[2]}.md)"

    return re.sub(r"``(\w+Env)``", linked, text)


def _opened(env_id: str) -> Opened:
    by_split = _by_split(env_id)
    env, split = by_split["test"], "train" if "train" in by_split else "test"
    _, info = env.reset(seed=0)
    known = _GROUNDING if isinstance(env, GroundingEnv) else _METRICS[env_id.partition("/")[0]]
    return Opened(
        observations=[(name, _space(space)) for name, space in env.observation_space.items()],  # type: ignore[attr-defined]
        tools=env.tools,
        reward_metric=env.reward_metric,
        metrics=[(name, known[name].meaning) for name in info["score"]],
        splits=[(name, _n_tasks(of_split)) for name, of_split in by_split.items()],
        example=example(by_split[split]),
        example_split=split,
    )


def _space(space: spaces.Space[Any]) -> str:
    if isinstance(space, UnicodeText):
        return f"text, at most {space.max_length:,} characters"
    height, width, _ = cast(tuple[int, ...], space.shape)
    return f"uint8 array ({height}, {width}, 3): height, width, RGB"


def _by_split(env_id: str) -> dict[str, PaperworkEnv]:
    """An environment for each split that there is."""
    found = {}
    for split in _SPLITS:
        with suppress(ValueError):
            found[split] = bare_env(env_id, split=split)
    return found


def _n_tasks(env: PaperworkEnv) -> str:
    tasks = env.task_ids
    return _ENDLESS if isinstance(tasks, EndlessTasks) or len(tasks) > _MAX_COUNTED else f"{len(tasks):,}"
