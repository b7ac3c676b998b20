"""The scripts in benchmarks/: what they compare with is right, and nothing is left behind."""

import json
import re
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import psutil
import pytest
from bench_compare import _Place, _Player, run_comparison
from bench_web import run_web_benchmark
from conformance import conformance
from health import BASELINES, CHECKS, examine, play, rendered
from pillow_page import pillow_page
from player import Player
from process_tree import ProcessTree
from sizes import LONG

from formgym.envs.documents.shipped import shipped_document
from formgym.envs.paper_forms.scans.env import ScansEnv
from formgym.envs.web_forms.chromium.settings import browser_path

SCANS = "FormGym/Scans-v0"
BROWSER = pytest.mark.skipif(browser_path() is None, reason="no Chromium: apt-get install chromium-headless-shell")


@BROWSER
@LONG
def test_a_benchmark_leaves_no_browser():
    before = psutil.Process().children(recursive=True)
    metrics = run_web_benchmark(1)
    assert psutil.Process().children(recursive=True) == before
    assert metrics["candidates"]["step, Chromium backend"]["chromium_ratio"] == 1
    assert metrics["candidates"]["a click, Chromium backend"]["ratio_to_memcpy"] > 1
    assert metrics["candidates"]["memcpy of a page"]["ratio_to_memcpy"] == 1


@BROWSER
@LONG
def test_a_comparison_leaves_no_browser():
    before = psutil.Process().children(recursive=True)
    rows = run_comparison(1, others=Path("/nowhere/python"))["rows"]
    assert psutil.Process().children(recursive=True) == before
    assert rows["FormFactory, replay"]["ratios"]["x Chromium"] > 1
    assert all(share == 1 for row in rows.values() for share in row["changed"].values())


@pytest.mark.parametrize("env_id", ["DocEdit/ConcertPoster-v0", "FormFactory/ConferenceSpeaker-v0"])
def test_every_step_that_is_compared_changes_the_frame(env_id):
    player = Player("formgym", {"env_id": env_id})
    assert player.about()["changed"] == {"click": 1, "letter": 1, "word": 1}
    costs = player.costs()
    assert set(costs) == {"reset", "click", "letter", "word"}
    assert all(0 < cost["cpu"] < cost["wall"] * 1.1 for cost in costs.values())
    player.close()


def test_why_a_row_is_missing_is_what_its_process_says_last():
    place = _Place(sys.executable, "miniwob", {"task": "login-user", "browser": "none", "driver": "none"})
    with _Player(place) as player, pytest.raises(RuntimeError, match=r"No module named 'miniwob'|none"):
        player.ask("about")


def test_the_clock_of_a_benchmark_counts_only_what_was_started_after_it():
    script = "import time; [None for _ in range(10**7)]; print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as other:
        clock = ProcessTree().cpu_seconds
        began = clock()
        other.stdout.readline()
        assert clock() - began < 0.1
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as own:
            own.stdout.readline()
            assert clock() - began > 0.1
            own.kill()
        assert clock() - began > 0.1
        other.kill()


def test_what_documents_are_compared_with_draws_the_page():
    page = shipped_document("bakery_menu").pages[0]
    picture = pillow_page(page)
    assert picture.size == (page.width, page.height)
    assert len(picture.getcolors(1 << 20)) > 200


@pytest.mark.parametrize(
    ("forms", "looks", "episodes", "message"),
    [
        (["nda", "nowhere"], [], 1, "no form 'nowhere'; there are .*nda"),
        (["nda"], ["plaid"], 1, "no theme 'plaid'; there are .*clinic"),
        (["nda"], ["clinic"], 51, "nda has 50, not 51"),
    ],
)
def test_conformance_checks_names_first(tmp_path, capsys, forms, looks, episodes, message):
    with pytest.raises(ValueError, match=message):
        conformance(forms, looks, episodes, 5, tmp_path)
    assert capsys.readouterr().out == ""


def test_a_comparison_that_fails_is_a_row_and_not_equal(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("FORMGYM_CHROMIUM", "/nowhere/chromium")
    assert not conformance(["nda"], ["clinic", "night"], 1, 5, tmp_path)
    out = capsys.readouterr().out
    for theme in ("clinic", "night"):
        assert re.search(rf"nda in {theme}: failed: BrowserGone: .*cannot run /nowhere/chromium", out, re.DOTALL)
    assert re.search(r"all\W+0\W+0\W+0\.000 %\W+2\b", out)


@BROWSER
def test_frames_are_compared_and_counted(tmp_path, capsys):
    conformance(["nda"], ["clinic"], 1, 3, tmp_path)
    assert re.search(r"nda in clinic: \d+ of \d+ frames equal", capsys.readouterr().out)


def _broken(result):
    return {name for name, finding in result["checks"].items() if not finding["holds"]}


def test_health_is_written_as_pages():
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


@pytest.fixture
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
        pytest.param("gives_up", {"semantic.oracle_max"}, marks=LONG),
    ],
)
def test_faults_are_found(faulty, fault, checks):
    assert _broken(examine(faulty, 3, options={"fault": fault})) == checks


def test_a_baseline_that_cannot_play_has_no_episodes():
    assert play(SCANS, "submit_source", 2) == []
    assert set(BASELINES) >= {"oracle", "noop", "random"}
