"""Rewards other than hits on boxes: clicks on web forms, scores of whole paper forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import FilterObservation, TransformReward
from stable_baselines3.common.vec_env import VecEnv

from ....agents.policies.spatial_policy import SpatialPolicy
from ....envs.core.spaces import Observation
from ....envs.core.tasks import page_of
from ....envs.web_forms.grounding_env import CANVAS, whole_page
from ....envs.web_forms.replay.captured_page import CapturedPage
from ....fieldfinder_model.windows.label_windows import Floats, Ints
from ....fieldfinder_model.windows.window_pool import WindowPool
from ....wrappers import FieldQueue, LabelWindow, SB3VecEnv
from .measuring import ALL, HitRate, mean_by_page

ENV_ID = "FormGym/AutoLoans-Text-v0"
_REWARD_SCALE = 100.0
"""What the score is multiplied by: forms have about 100 fields, so that a right one is worth about 1."""
_EPISODES = 8
"""How many forms are filled in to measure a policy."""


# -- Web forms --------------------------------------------------------------------------------------------------------


class ClickReward:
    """1 for points where a click uses the target's control, as FormFactory scores.

    A click on a label uses its control. A policy that is paid for that learns to point at labels: see the recipes.

    Args:
        pool: targets of web forms, see ``recipes.pages_of``.
    """

    def __init__(self, pool: WindowPool) -> None:
        self._pool = pool
        self._opened = lru_cache(maxsize=None)(_opened)

    def __call__(self, index: Ints, points: Floats) -> Floats:
        """The rewards (n,) of points (n, 2) in fractions of the targets' pages."""
        pixels = points * CANVAS[::-1]
        return np.array([self._uses(i, x, y) for i, (x, y) in zip(index.tolist(), pixels.tolist(), strict=True)], float)

    def _uses(self, number: int, x: float, y: float) -> bool:
        page = self._opened(self._pool.pages[self._pool.page_of[number]].name)
        pointer = page.pointer
        widget, labelled, date = pointer.hit_at(x, y)
        used = date or widget or labelled
        return used is not None and used.spot.box == self._pool.targets[number].box


def _opened(name: str) -> CapturedPage:
    """The page of an empty form, by its name ``form/theme/page``."""
    form, theme, number = name.split("/")
    return whole_page(form, theme, int(number))


# -- Paper forms ------------------------------------------------------------------------------------------------------


def form_env(forms: Sequence[str], split: str, jitter: bool = False) -> gym.Env[Observation, Any]:
    """Loan forms that are filled in by choosing cells of windows about labels.

    Args:
        forms: their names.
        split: of the people, see ``FormGym/AutoLoans-Text-v0``.
        jitter: see ``LabelWindow``.
    """
    env = gym.make(ENV_ID, forms=list(forms), split=split, copy=False, disable_env_checker=True)
    return FilterObservation(LabelWindow(FieldQueue(env), jitter=jitter), list(WindowPool.observation_space))


def form_envs(forms: Sequence[str], num_envs: int = 32) -> VecEnv:
    """Many of these with endless people; the reward is the change of a form's score.

    Args:
        forms: their names.
        num_envs: how many are filled in at once.
    """

    def make() -> gym.Env[Observation, Any]:
        return TransformReward(form_env(forms, "train", jitter=True), lambda reward: _REWARD_SCALE * float(reward))

    return SB3VecEnv(SyncVectorEnv([make] * num_envs, autoreset_mode="SameStep"))


def form_scores(policy: SpatialPolicy, forms: Sequence[str], split: str) -> dict[str, HitRate]:
    """The mean scores of forms that a policy has filled in, the strict accuracy first.

    Args:
        policy: points at its likeliest cells.
        forms: the names of the forms.
        split: of the people.
    """
    env = form_env(forms, split)
    tasks = list(islice(env.get_wrapper_attr("task_ids"), _EPISODES))
    scores = [_score(policy, env, task) for task in tasks]
    return {
        group: mean_by_page((page_of(task), score[metric]) for task, score in zip(tasks, scores, strict=True))
        for group, metric in ((ALL, "strict_accuracy"), ("field accuracy", "field_accuracy"))
    }


def _score(policy: SpatialPolicy, env: gym.Env[Observation, Any], task: str) -> dict[str, float]:
    """The metrics of a form that a policy has filled in."""
    observation, info = env.reset(options={"task": task})
    has_ended = False
    while not has_ended:
        cell, _ = policy.predict(observation, deterministic=True)
        observation, _, has_ended, _, info = env.step(cell)
    return dict(info["score"])
