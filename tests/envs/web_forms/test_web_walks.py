"""From wherever a person may have got to in a form, the solution leads to a full score."""

import gymnasium as gym
import numpy as np
import pytest
from sizes import ALL, some

from formgym.envs.registration import ids
from formgym.experiments.authoring.web.comparison import random_call

FORMS = [name for name in ids() if name.startswith("FormFactory/") and not name.endswith("Grounding-v0")]
ENDLESS = ("FormFactory/BugReport-v0",)
"""A form whose rows, pages and conditions were once too much; walked at length."""
MAX_CALLS = 60


def walk(env, rng):
    """Leave an episode in a random state: by any calls, in half of the walks mixed with those of a solution."""
    planned = iter(env.solution()[:-1] if rng.random() < 0.5 else ())
    for _ in range(rng.integers(MAX_CALLS)):
        call = next(planned, None) if rng.random() < 0.7 else None
        call = call or random_call(env.state.page, rng)
        if env.step(env.action_space.from_call(call))[2]:
            return


def lasting(env):
    """The fields whose value cannot be taken back: chosen radio buttons, and a file where there is only one."""
    page, gold = env.state.page, env.state.task.gold
    controls = [widget.control for widget in page.values.widgets]
    return {one.name for one in controls if (one.radio or (one.file and not one.several)) and not gold.get(one.name)}


@pytest.mark.parametrize("env_id", FORMS if ALL else FORMS[:: len(FORMS) // 4])
def test_solutions_lead_from_every_state_to_a_full_score(env_id):
    env, rng = gym.make(env_id, disable_env_checker=True).unwrapped, np.random.default_rng(0)
    for seed in range(some(5, 1_400 if env_id in ENDLESS else 100)):
        env.reset(seed=seed)
        walk(env, rng)
        if env.state.finished:
            continue
        for call in env.solution():
            env.step(env.action_space.from_call(call))
        wrong = {field.name for field in env.state.score().fields if not field.correct}
        assert env.state.finished, seed
        assert wrong <= lasting(env), (seed, wrong)


def test_rows_that_nobody_needs_are_removed():
    env = gym.make(ENDLESS[0], disable_env_checker=True).unwrapped
    env.reset(seed=3)
    adding = next(control for control in env.state.controls() if control.name == "Add a row")
    for _ in range(2):
        for call in env.state.control_calls("click_control", adding.id):
            env.step(env.action_space.from_call(call))
    for call in env.solution():
        env.step(env.action_space.from_call(call))
    assert env.state.metrics()["success"] == 1


def test_a_text_area_under_the_pointer_takes_the_wheel_first():
    env = gym.make("FormFactory/ConferenceSpeaker-v0", disable_env_checker=True).unwrapped
    env.reset(seed=1)
    *_, area = (control for control in env.state.controls() if control.role == "textbox, several lines")
    for call in env.state.control_calls("fill", area.id, "\n" * 40):
        env.step(env.action_space.from_call(call))
    for call in env.solution():
        env.step(env.action_space.from_call(call))
    assert env.state.metrics()["success"] == 1
