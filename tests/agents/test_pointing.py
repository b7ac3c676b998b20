"""Pointing: goals answered one by one, whole forms, what is not found, and where it does not go."""

import gymnasium as gym
import numpy as np
import pytest

from formgym.agents.baselines import Pointing
from formgym.envs.core.locators import Detection
from formgym.envs.web_forms.grounding_env import WebGroundingEnv
from formgym.experiments.running.rollout import page_digest, replay, run_episode
from formgym.wrappers import ActionBatch, FieldQueue
from formgym.wrappers.locators import OracleLocator

TEXT, SCANS = "FormGym/AutoLoans-Text-v0", "FormGym/Scans-v0"


class Blind:
    """Finds nothing."""

    def locate(self, page, target):
        return []


class Fixed:
    """Finds everything in one box, which may be off the page."""

    def __init__(self, box):
        self.box = box

    def locate(self, page, target):
        return [Detection(self.box, 1.0)]


def _queue(env_id=SCANS):
    return ActionBatch(FieldQueue(gym.make(env_id)), max_rounds=1000, max_actions=1)


def test_a_right_locator_fills_in_a_whole_form():
    env = _queue()
    episode = run_episode(env, Pointing(lambda: OracleLocator(env)), index=0, seed=1)
    assert (episode.metrics["strict_accuracy"], episode.ended) == (1, "terminated")


def test_a_whole_form_takes_a_point_a_field_and_replays():
    env = _queue(TEXT)
    episode = run_episode(env, Pointing(None), index=0, seed=1)
    env.reset(seed=1)
    assert [episode.n_calls, episode.n_invalid] == [len(env.get_wrapper_attr("solution")()), 0]
    last = list(replay(env.unwrapped, episode))[-1]
    assert page_digest(last.page) == episode.page_sha256
    assert last.metrics == episode.metrics


@pytest.mark.parametrize("action", ["point", "box"])
def test_goals_of_grounding_are_answered_one_by_one(action):
    env = ActionBatch(WebGroundingEnv(max_targets=3, action=action, reward="hit" if action == "point" else "iou"), 9, 1)
    episode = run_episode(env, Pointing(lambda: Fixed((64, 90, 9999, 1800))), index=0, seed=0)
    width = 1024
    expected = {"left": 64 / width, "right": 1.0} if action == "box" else {"x": (64 + width) / 2 / width}
    assert [round_.calls[0]["tool"] for round_ in episode.rounds] == [action] * 3
    assert all(
        round_.calls[0][name] == pytest.approx(value) for round_ in episode.rounds for name, value in expected.items()
    )


@pytest.mark.parametrize("locator", [None, Blind])
def test_what_is_not_found_is_pointed_at_at_random(locator):
    env = ActionBatch(WebGroundingEnv(max_targets=6), 9, 1)
    played = [run_episode(env, Pointing(locator), index=0, seed=seed).rounds for seed in (0, 0, 1)]
    assert played[0] == played[1] != played[2]
    places = np.array([(call["x"], call["y"]) for round_ in played[0] for call in round_.calls])
    assert len(np.unique(places)) == places.size
    assert places.min() >= 0
    assert places.max() <= 1


def test_it_says_where_it_goes():
    episode = run_episode(ActionBatch(gym.make(TEXT), 9, 1), Pointing(None), index=0, seed=0)
    assert "add wrappers=[field_queue]" in episode.error
    episode = run_episode(ActionBatch(FieldQueue(gym.make(TEXT)), 9), Pointing(None), index=0, seed=0)
    assert "choose flow=stepwise" in episode.error
