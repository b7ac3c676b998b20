"""Crashes: an exception ends its episode, not the run; crashed episodes are counted apart and can be run again."""

import json

import gymnasium as gym
import pytest
from command_line import formgym_command
from sizes import LONG

from formgym.agents.base import ModelError, ModelStopped
from formgym.agents.baselines import Noop, Oracle
from formgym.envs.core.metrics import METRICS, at_worst
from formgym.experiments.reporting.report import write_report
from formgym.experiments.running.episodes import Episode, EpisodeFiles
from formgym.experiments.running.intervals import scores_of
from formgym.experiments.running.rollout import run_episode
from formgym.experiments.running.run_folder import RunFolder, find_runs, summarise
from formgym.experiments.running.run_spec import RunSpec
from formgym.wrappers import ActionBatch

ID = "FormGym/AutoLoans-Text-v0"
AGENT = """
import json, os, pathlib, signal
from formgym.agents import ModelError
from formgym.agents.baselines import Noop

class Agent(Noop):
    def reset(self, task, seed):
        super().reset(task, seed)
        plan = json.loads(pathlib.Path("plan.json").read_text())
        episode = len(pathlib.Path("log").read_text()) if os.path.exists("log") else 0
        with open("log", "a") as log:
            log.write(".")
        what = plan[episode] if episode < len(plan) else "ok"
        if what == "crash":
            raise KeyError("no such key [bold] \\udcff")
        if what == "provider":
            raise ModelError("the provider answered 503 five times")
        if what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def evaluate(tmp_path):
    """Runs ``formgym sweep`` with an agent that does in its episodes, one after the other, what it is told to."""
    (tmp_path / "planned.py").write_text(AGENT)

    def run(*overrides, plan=()):
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        (tmp_path / "log").unlink(missing_ok=True)
        return formgym_command("sweep", *overrides, cwd=tmp_path)

    return run


OWN = ("agent=noop", "agent._target_=planned.Agent")


class BrokenReset(Noop):
    def reset(self, task, seed):
        raise KeyError("reset")


class BrokenAct(Oracle):
    n = 0

    def act(self, observation):
        self.n += 1
        if self.n == 2:
            raise RecursionError("a \udcff surrogate")
        return super().act(observation)[:3]


class BrokenUsage(Noop):
    def __init__(self, usage):
        self._usage = usage

    @property
    def usage(self):
        if isinstance(self._usage, Exception):
            raise self._usage
        return self._usage


USAGES = (None, {"tokens": float("nan")}, {"tokens": 10**400}, RuntimeError("no usage"))


class NoActions(Noop):
    def act(self, observation):
        return None


class BrokenEnv(gym.Wrapper):
    """Raises, or returns what it must not, in one of its methods; afterwards it is sound."""

    def __init__(self, env, where):
        super().__init__(env)
        self.where = where

    def reset(self, **options):
        if self.where == "env.reset":
            raise OSError(5, "damaged", "page.png")
        return super().reset(**options)

    def step(self, action):
        if self.where == "env.step":
            raise ZeroDivisionError
        observation, reward, *rest = super().step(action)
        return observation, float("nan") if self.where == "reward" else reward, *rest


def _crashed(episode, fault):
    again = Episode.model_validate_json(episode.model_dump_json())
    assert again == episode
    assert (episode.metrics, episode.fields, episode.ended) == (None, [], "crash")
    assert episode.crashed
    assert episode.fault == fault
    assert not episode.unscored
    assert episode.traceback.startswith("Traceback")
    assert episode.error in episode.traceback
    return episode


@pytest.mark.parametrize(
    "agent",
    [BrokenReset(), BrokenAct(), NoActions(), *map(BrokenUsage, USAGES)],
    ids=lambda agent: type(agent).__name__,
)
def test_an_agents_exception_ends_its_episode_alone(agent):
    env = ActionBatch(gym.make(ID))
    episode = _crashed(run_episode(env, agent, index=4, seed=1), "agent")
    assert (episode.index, episode.seed, episode.env, bool(episode.task)) == (4, 1, ID, True)
    assert len(episode.rounds) == (0 if isinstance(agent, BrokenReset | NoActions) else 1)
    after = run_episode(env, Oracle(), index=5, seed=2)
    assert after.metrics["strict_accuracy"] == 1.0


@pytest.mark.parametrize("where", ["env.reset", "env.step", "reward"])
def test_an_environments_exception_ends_its_episode_alone(where):
    env = ActionBatch(BrokenEnv(gym.make(ID), where))
    task = gym.make(ID).unwrapped.task_ids[3]
    episode = _crashed(run_episode(env, Oracle(), index=0, seed=0, task=task), "environment")
    assert episode.task == task
    # What was asked for when it crashed is recorded, so that it can be played again.
    under_way = [r for r in episode.rounds if r.calls and not r.carried_out]
    assert (len(episode.rounds), bool(under_way)) == {
        "env.reset": (0, False),
        "env.step": (1, True),
        "reward": (1, False),
    }[where]
    env.env.where = ""
    assert run_episode(env, Oracle(), index=0, seed=0).metrics["strict_accuracy"] == 1.0


def test_an_interrupt_ends_the_run():
    class Interrupted(Noop):
        def act(self, observation):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_episode(ActionBatch(gym.make(ID)), Interrupted(), index=0, seed=0)


def test_a_failing_provider_is_no_crash():
    class Failing(Noop):
        def act(self, observation):
            raise ModelError("503 \udcff")

    episode = run_episode(ActionBatch(gym.make(ID)), Failing(), index=0, seed=0)
    assert Episode.model_validate_json(episode.model_dump_json()) == episode
    assert episode.unscored
    assert (episode.ended, episode.fault, episode.stop_reason) == ("error", "provider", "")
    assert not episode.crashed
    whole = run_episode(ActionBatch(gym.make(ID)), Oracle(), index=1, seed=1)
    assert scores_of([episode, whole])["strict_accuracy"]["mean"] == 1.0


def test_a_model_that_cannot_go_on_is_scored_as_it_stands():
    class Stopping(Oracle):
        def act(self, observation):
            if hasattr(self, "calls"):
                raise ModelStopped("the prompt is too long", "context")
            self.calls = super().act(observation)
            return self.calls[: len(self.calls) // 2]

    episode = run_episode(ActionBatch(gym.make(ID)), Stopping(), index=0, seed=0)
    assert Episode.model_validate_json(episode.model_dump_json()) == episode
    assert (episode.ended, episode.stop_reason, episode.error, episode.fault) == ("stopped", "context", None, None)
    assert 0.3 < episode.metrics["strict_accuracy"] < 0.7
    assert episode.rounds[-1].feedback == ["the prompt is too long"]
    assert episode.page_sha256
    assert summarise(RunSpec(env=ID, agent="mine"), "", [episode])["stopped"] == {"context": 1}


def test_a_crash_counts_as_the_worst_of_every_metric_and_nothing_leaves_the_denominator():
    env = ActionBatch(gym.make(ID))
    whole = run_episode(env, Oracle(), index=0, seed=0)
    marks = whole.model_copy(update={"index": 1, "metrics": whole.metrics | {"incorrect_placements": 4.0}})
    # As formgym 0.9 wrote it: the record does not say whose fault it was.
    crash = run_episode(env, BrokenReset(), index=2, seed=1).model_copy(update={"fault": None})
    means = {name: score["mean"] for name, score in scores_of([whole, marks, crash]).items()}
    assert means["strict_accuracy"] == means["field_accuracy"] == pytest.approx(2 / 3)
    # Of a cost, it counts as much as the worst episode that was scored: crashing never pays.
    assert means["incorrect_placements"] == pytest.approx((0 + 4 + 4) / 3)
    assert scores_of([crash, crash])["strict_accuracy"]["mean"] == 0
    lower = {name for name, metric in METRICS.items() if metric.lower_is_better}
    assert lower == {"semantic_error", "mae_inside", "mae_outside", "incorrect_placements", "layout_problems"}
    assert [at_worst(name, [0.2, 0.5]) for name in sorted(lower)] == [0.5, 1, 1, 1, 1]


@LONG
def test_a_run_with_crashes_goes_on_and_only_they_run_again(evaluate, tmp_path):
    again = (*OWN, "episodes=5", "run_dir=run", "resume=true")
    done = evaluate(*again[:-1], plan=["ok", "crash", "provider", "crash", "ok"])
    assert done.returncode == 1
    assert "planned.py" in done.stdout
    assert "no such key [bold]" in done.stdout
    assert "5 episodes, 1 unscored, 2 crashed" in done.stdout
    assert "run_dir=run resume=true retry=errors" in done.stdout
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert [summary[key] for key in ("episodes", "errors", "unscored", "crashes")] == [5, 3, 1, 2]
    before = (tmp_path / "run" / "episodes.jsonl").read_bytes()
    assert b"planned.py" in before

    assert evaluate(*again).returncode == 1
    assert (tmp_path / "run" / "episodes.jsonl").read_bytes() == before
    assert not (tmp_path / "log").exists()

    killed = evaluate(*again, "retry=errors", plan=["ok", "kill"])
    assert killed.returncode == -9
    episodes = RunFolder(tmp_path / "run").read().episodes
    assert [(e.index, e.ended) for e in episodes if e.error] == [(2, "error"), (3, "crash")]

    assert evaluate(*again, "retry=errors").returncode == 0
    assert (tmp_path / "log").read_text() == ".."
    after = (tmp_path / "run" / "episodes.jsonl").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == 8
    assert [e.index for e in list(EpisodeFiles(tmp_path / "run" / "episodes.jsonl"))] == [0, 1, 2, 3, 4]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert [summary[key] for key in ("episodes", "errors", "unscored", "crashes")] == [5, 0, 0, 0]


@LONG
def test_crashes_are_counted_apart_in_the_table_and_the_report(evaluate, tmp_path):
    evaluate(*OWN, "episodes=4", "run_dir=run", plan=["ok", "crash", "provider", "ok"])
    table = formgym_command("report", "run", cwd=tmp_path)
    assert table.returncode == 0, table.stderr
    assert "1 unscored" in table.stdout
    assert "1 crashed" in table.stdout
    page = write_report(find_runs(tmp_path / "run"), tmp_path / "r.html").read_text()
    assert '<b class="score bad">crashed</b>' in page
    assert '<b class="score bad">unscored</b>' in page
    assert "no such key [bold]" in page
    assert "Replay differs" not in page


def test_a_record_without_a_traceback_is_read_as_before():
    old = run_episode(ActionBatch(gym.make(ID)), Noop(), index=0, seed=0).model_dump(exclude={"traceback"})
    assert not Episode.model_validate(old).crashed
    failed = Episode.model_validate(old | {"ended": "error", "error": "503", "metrics": None})
    assert failed.unscored


@LONG
def test_a_sweep_counts_crashed_episodes_as_a_failed_job(evaluate, tmp_path):
    done = evaluate(*OWN, "flow=one_shot,iterative", "episodes=2", "run_dir=sweep", plan=["ok", "crash"])
    assert done.returncode == 1
    assert "1 of 2 jobs failed" in done.stdout
    assert "1 of 2 episodes crashed" in done.stdout
    assert [run.summary["crashes"] for run in find_runs(tmp_path / "sweep")] == [1, 0]
    sweep = (*OWN, "flow=one_shot,iterative", "episodes=2", "run_dir=sweep", "resume=true", "retry=errors")
    assert evaluate(*sweep).returncode == 0
    assert (tmp_path / "log").read_text() == "."
