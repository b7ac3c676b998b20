"""The scenes of the tour: the oracle does one task of each suite."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...envs.core.env import PaperworkEnv
from ...envs.core.painting import DESK, Image
from ...envs.core.texts import truncate
from ...envs.core.tools import Call
from ..running.rollout import ReplayStep, bare_env

_MAX_WORD_LENGTH = 44


@dataclass(frozen=True)
class Scene:
    """A task that the tour shows.

    Attributes:
        suite: its name.
        about: what an agent does in it.
        env_id: the id of the environment.
        task: the id of the task.
        options: further options of the reset.
    """

    suite: str
    about: str
    env_id: str
    task: str
    options: dict[str, str] = field(default_factory=dict)

    @cached_property
    def env(self) -> PaperworkEnv:
        """The environment, at the beginning of the task."""
        env = bare_env(self.env_id)
        env.reset(seed=0, options={"task": self.task} | self.options)
        return env

    @cached_property
    def calls(self) -> list[Call]:
        """The right calls, without the one that ends the episode."""
        return self.env.solution()

    def score(self, step: ReplayStep) -> float:
        """The score after a step: the metric that rewards are made of."""
        return step.metrics[self.env.reward_metric]

    def steps(self) -> Iterator[ReplayStep]:
        """The first page, and the page after each call."""
        yield ReplayStep(self.env.page(), None, "", True, self.env.state.metrics())
        for call in self.calls:
            _, _, _, _, info = self.env.step(self.env.action_space.from_call(call))
            yield ReplayStep(self.env.page(), call, info["feedback"], info["valid"], info["score"])


def scenes() -> list[Scene]:
    """The tour; each scene can be played once."""
    return [
        Scene(
            "FormGym",
            "write on the picture of a paper form",
            "FormGym/AutoLoans-Text-v0",
            "iron_bridge_dealer_application/ines_barragan",
        ),
        Scene(
            "FormFactory",
            "fill in a web form by mouse and keyboard",
            "FormFactory/GrantApplication-v0",
            "grant_application/test_36",
        ),
        Scene(
            "DocEdit",
            "edit a document as a sentence asks",
            "DocEdit/OpenDayFlyer-v0",
            "open_day_flyer/test_2",
        ),
    ]


def call_text(call: Mapping[str, Any], named: bool = True) -> str:
    """A call as one writes it in Python, the arguments with their names or without."""
    arguments = (f"{name}=" * named + _written(value) for name, value in call.items() if name != "tool")
    return f"{call['tool']}({', '.join(arguments)})"


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return truncate(json.dumps(value, ensure_ascii=False), _MAX_WORD_LENGTH)


def without_desk(page: Image) -> Image:
    """The picture of a paper form without the desk below the form."""
    return page[: (page != DESK).any(axis=(1, 2)).nonzero()[0][-1] + 1]
