"""A short episode of an environment: the example and the pictures of its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from PIL import Image as PillowImage

from ...envs.core.env import PaperworkEnv
from ...envs.core.painting import Image
from ...envs.core.tasks import page_of
from ...envs.core.tools import Call
from ...envs.web_forms.env import WebFormEnv
from ...envs.web_forms.forms.form import web_forms
from ...envs.web_forms.html.themes import themes

_WIDTH = 800
_ANIMATION_WIDTH = 480
_MAX_CALLS = 6
_MAX_FRAMES = 24
_ANIMATION_MS = 8_000
_DIGITS = 3
"""Decimals of places in examples."""


@dataclass(frozen=True)
class Example:
    """Calls that begin to solve a task, and what comes of them.

    Attributes:
        calls: as JSON.
        goal: of the task.
        feedback: on the last call.
        score: by the metric that the reward follows, after it.
    """

    calls: list[Call]
    goal: str
    feedback: str
    score: float


def example(env: PaperworkEnv) -> Example:
    """The first calls of a solution, up to the first that the score rises with."""
    observation, _ = env.reset(seed=0)
    calls: list[Call] = []
    info: dict[str, Any] = {}
    for call in env.solution()[:_MAX_CALLS]:
        calls.append(_rounded(env, call))
        _, reward, _, _, info = env.step(env.action_space.from_call(calls[-1]))
        if reward > 0:
            break
    return Example(calls, observation["goal"], info["feedback"], info["score"][env.reward_metric])


def first_page(env: PaperworkEnv) -> PillowImage.Image:
    """The page after a reset, small enough for a web page."""
    observation, _ = env.reset(seed=0, options=_look(env))
    return _scaled(observation["page"], _WIDTH)


def animation(env: PaperworkEnv) -> list[PillowImage.Image]:
    """The pages of an episode that solves a task, evenly thinned, small."""
    observation, _ = env.reset(seed=0)
    pages = [observation["page"]]
    for call in env.solution():
        pages.append(env.step(env.action_space.from_call(call))[0]["page"])
    chosen = np.unique(np.linspace(0, len(pages) - 1, _MAX_FRAMES).round().astype(int))
    return [_scaled(pages[i], _ANIMATION_WIDTH) for i in chosen]


def save_animation(frames: list[PillowImage.Image], path: Any) -> None:
    """Write frames as an animated picture that plays once."""
    first, *rest = (frame.quantize(64) for frame in frames)
    first.save(path, save_all=True, append_images=rest, duration=_ANIMATION_MS // len(frames), optimize=True)


def _look(env: PaperworkEnv) -> dict[str, Any]:
    """The theme of a web form's picture: forms take turns with all of them."""
    if not isinstance(env, WebFormEnv):
        return {}
    looks = themes()
    return {"theme": looks[web_forms().index(page_of(env.task_ids[0])) % len(looks)]}


def _scaled(page: Image, width: int) -> PillowImage.Image:
    picture = PillowImage.fromarray(page)
    if picture.width <= width:
        return picture
    return picture.resize((width, round(picture.height * width / picture.width)), PillowImage.Resampling.LANCZOS)


def _rounded(env: PaperworkEnv, call: Call) -> Call:
    """A call with fewer decimals."""
    space = env.action_space
    return {
        name: round(value, _DIGITS) if isinstance(space.spaces.get(name), spaces.Box) and name != "tool" else value
        for name, value in call.items()
    }
