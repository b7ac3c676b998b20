"""Wrappers that do not go together are refused when built; all others keep observations in their space."""

from functools import lru_cache, partial
from itertools import permutations
from random import Random

import gymnasium as gym
import pytest
from gymnasium.wrappers import FlattenObservation
from sizes import ALL, LONG

from formgym import wrappers

IDS = {
    "FormGym/AutoLoans-Text-v0": "place_text",
    "FormGym/AutoLoans-DocTransfer-v0": "place_text",
    "FormGym/AutoLoans-GUI-v0": "click",
    "FormGym/Database-v0": "place_text",
    "FormGym/Scans-v0": "place_text",
    "FormGym/Grounding-v0": "point",
    "FormFactory/JobApplication-v0": "click",
    "FormFactory/NDA-v0": "click",
    "FormFactory/Atomic-v0": "click",
    "FormFactory/Grounding-v0": "point",
    "DocEdit/MeetingAgenda-v0": "move",
    "DocEdit/Grounding-v0": "box",
}
"""Environments, and the tool that wrappers of policies call."""
SETTINGS = {
    "ActionBatch": {"max_rounds": 10},
    "FieldFinder": {"locator": "oracle", "show": 1},
    "GridPoint": {"rows": 8, "columns": 8},
    "PadPage": {"height": 1200, "width": 1200},
    "Zoom": {"height": 64, "width": 64},
}
NAMES = [name for name in wrappers.__all__ if name != "SB3VecEnv"] + ["FlattenObservation"]
FORMERLY_WRONG = [
    ("FormGym/Scans-v0", ("TextAsArray", "FieldQueue")),
    ("FormGym/Scans-v0", ("FlatObservation", "FieldQueue")),
    ("FormGym/Scans-v0", ("FlattenObservation", "FieldQueue")),
    ("FormGym/Scans-v0", ("FlatObservation", "GroundTruthCoordinates")),
    ("FormFactory/Grounding-v0", ("TextAsArray", "LabelWindow")),
    ("FormFactory/NDA-v0", ("Zoom", "FlatObservation", "Ruler")),
    ("FormFactory/NDA-v0", ("GridPoint", "Zoom")),
]


@lru_cache
def bare(env_id):
    return gym.make(env_id, disable_env_checker=True)


def wrap(env_id, names):
    """An environment in wrappers, the first one innermost."""
    env, tool = bare(env_id), IDS[env_id]
    takes_text = {"arguments": {"text": "x"}} if tool == "place_text" else {}
    pointing = {"GridPoint": {"tool": tool, **takes_text}, "LabelWindow": {"tool": tool}}
    for name in names:
        make = getattr(wrappers, name, FlattenObservation)
        env = partial(make, **SETTINGS.get(name, {}), **pointing.get(name, {}))(env)
    return env


def stays_in_space(env, steps):
    env.action_space.seed(3)
    observation, _ = env.reset(seed=3)
    for _ in range(steps):
        if not env.observation_space.contains(observation):
            return False
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            observation, _ = env.reset()
    return bool(env.observation_space.contains(observation))


@pytest.mark.parametrize(("env_id", "names"), FORMERLY_WRONG)
def test_what_does_not_go_together_is_refused_when_built(env_id, names):
    with pytest.raises(ValueError, match=r"observations must be|actions must be|changed the tools|with a page"):
        wrap(env_id, names)


def all_orders(count, sample):
    orders = [(env_id, names) for env_id in IDS for names in permutations(NAMES, count)]
    return orders if ALL else Random(count).sample(orders, sample)


def check_orders(orders, steps):
    played, wrong = 0, []
    for env_id, names in orders:
        try:
            env = wrap(env_id, names)
        except ValueError:
            continue
        played += 1
        if not stays_in_space(env, steps):
            wrong.append((env_id, names))
    assert not wrong
    assert played


def test_ordered_pairs_are_refused_or_stay_in_their_space():
    check_orders(all_orders(2, 30), steps=200 if ALL else 6)


def test_ordered_triples_are_refused_or_stay_in_their_space():
    check_orders(Random(0).sample(all_orders(3, 40), 3000 if ALL else 40), steps=6)


@LONG
def test_every_ordered_triple_can_be_built_or_is_refused():
    for env_id, names in all_orders(3, 0):
        try:
            wrap(env_id, names)
        except ValueError:
            continue
