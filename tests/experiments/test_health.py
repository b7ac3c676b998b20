"""Health: checks hold in shipped environments, and find the faults of others; figures become pages."""

import json

import gymnasium as gym
import pytest
from sizes import LONG

from formgym.envs.paper_forms.scans.env import ScansEnv
from formgym.envs.registration import ids
from formgym.experiments.fuzz.running import left_out
from formgym.experiments.health.baselines import BASELINES, play
from formgym.experiments.health.checks import CHECKS
from formgym.experiments.health.command import examine, health
from formgym.experiments.health.pages import rendered

SCANS = "FormGym/Scans-v0"


def _broken(result):
    return {name for name, finding in result["checks"].items() if not finding["holds"]}


def test_the_checks_hold_and_are_written_as_pages(tmp_path, monkeypatch):
    monkeypatch.delenv("FORMGYM_DATA", raising=False)
    result = examine(SCANS, 2)
    assert set(result["checks"]) == set(CHECKS)
    assert _broken(result) == set()
    assert set(result["baselines"]) == {"oracle", "noop", "random", "tick_everything", "rules", "rules_exact"}
    whole = {"version": "1", "episodes": 2, "environments": {SCANS: result}, "missing": {"FormGym/FUNSD-v0": "no data"}}
    page = rendered("health.md.jinja", json.loads(json.dumps(whole)))
    assert f"| {SCANS} | 1.00 [0.34, 1.00] | 0.00 [0.00, 0.66] |" in page
    assert "| runtime.seed_control | The same seed draws the same task" in page
    assert "Not checked, since their data are not there: `FormGym/FUNSD-v0`." in page
    assert "No human figure yet." in page
    assert all(len(line.split(" | ")) > 2 for line in page.splitlines() if line.startswith("| "))
    assert "| Scans-v0 | strict_accuracy | 1.00 [0.34, 1.00] |" in rendered("baselines.md.jinja", whole)


class Faulty(ScansEnv):
    """Scans with a fault."""

    n_steps = 0

    def __init__(self, fault, **kwargs):
        super().__init__(**kwargs)
        self._fault = fault

    def step(self, action):
        """Take a step."""
        observation, reward, terminated, truncated, info = super().step(action)
        Faulty.n_steps += 1
        if self._fault == "shares":
            info["feedback"] += f" Step {Faulty.n_steps} of all."
        if self._fault == "leaks":
            info["feedback"] += f" Hint: {self.state.score().fields[0].expected}."
        return observation, reward * (2 if self._fault == "doubles" else 1), terminated, truncated, info

    def solution(self):
        """No more than the end."""
        return super().solution()[-1 if self._fault == "gives_up" else 0 :]

    def _observation(self):
        return super()._observation() | ({"goal": "Fill it in.", "source": ""} if self._fault == "leaks" else {})


@pytest.fixture(scope="module")
def faulty():
    gym.register("FormGym/Faulty-v0", entry_point=Faulty)
    yield "FormGym/Faulty-v0"
    del gym.registry["FormGym/Faulty-v0"]


@pytest.mark.parametrize(
    ("fault", "checks"),
    [
        pytest.param("shares", {"runtime.episode_determinism", "runtime.episode_isolation"}, marks=LONG),
        ("leaks", {"ABC.II.5"}),
        pytest.param("doubles", {"runtime.reward_well_formed", "runtime.invariants"}, marks=LONG),
        pytest.param("gives_up", {"semantic.oracle_max", "semantic.floor_gap"}, marks=LONG),
    ],
)
def test_faults_are_found(faulty, fault, checks):
    assert _broken(examine(faulty, 3, options={"fault": fault})) == checks


def test_the_command_fails_without_environments():
    with pytest.raises(ValueError, match="no environment like 'nothing' can be made"):
        health("nothing", 2)


def test_a_baseline_that_cannot_play_has_no_episodes():
    assert play(SCANS, "submit_source", 2) == []
    assert {name for name in BASELINES if play(SCANS, name, 0)} == set()


@LONG
@pytest.mark.parametrize("env_id", ids())
def test_every_environment_is_healthy(env_id, arguments):
    if missing := left_out([env_id], arguments):
        pytest.skip(missing[env_id])
    assert _broken(examine(env_id, 2, options=arguments[env_id])) == set()
