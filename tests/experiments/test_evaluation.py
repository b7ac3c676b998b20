"""Evaluating an agent from Python: the same episodes as ``formgym sweep``."""

import gymnasium as gym
import pytest

from formgym.agents.baselines import Noop, Oracle, Random
from formgym.experiments.evaluation import evaluate_agent
from formgym.experiments.running.runner import Runner
from formgym.experiments.running.sweep import spec_of
from formgym.wrappers import Ruler

SCANS = "FormGym/Scans-v0"


class _Crashing(Noop):
    def act(self, observation):
        raise KeyError("goal")


def test_episodes_are_those_of_the_command():
    theirs = Runner(spec_of("env=formgym/scans", "agent=random", "episodes=3", "seed=4")).run().episodes
    ours = evaluate_agent(Random(), SCANS, episodes=3, seed=4).episodes
    unlike = {"seconds"}
    assert [e.model_dump(exclude=unlike) for e in ours] == [e.model_dump(exclude=unlike) for e in theirs]


def test_every_task_is_done_once_and_printed_in_a_line():
    env = Ruler(gym.make("FormGym/AutoLoans-Text-v0", forms=["lakeshore_auto_credit"]))
    result = evaluate_agent(Oracle(), env)
    assert len({episode.task for episode in result.episodes}) == 4
    assert result.scores["strict_accuracy"]["mean"] == 1
    assert str(result).startswith("strict accuracy 1.000 (95 % interval ")
    assert str(result).endswith("), 4 episodes")


def test_an_agent_that_crashes_has_no_score():
    result = evaluate_agent(_Crashing(), SCANS, episodes=2)
    assert str(result) == "2 episodes, 2 without a score: KeyError: 'goal'"


def test_endless_tasks_need_a_number():
    with pytest.raises(ValueError, match="episodes=200"):
        evaluate_agent(Noop(), gym.make(SCANS, split="train"))
