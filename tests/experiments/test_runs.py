"""Runs: recorded as they happen, resumed after a kill, summarised, swept, logged."""

import json
import os
import signal
import subprocess
import sys
import time

import gymnasium as gym
import pytest
from command_line import formgym_command
from sizes import LONG, sample

from formgym.agents.baselines import Oracle, Random
from formgym.envs.core.tasks import episode_seed
from formgym.experiments.running.episodes import Episode, EpisodeFiles, episode_writer, write_episode
from formgym.experiments.running.rollout import page_digest, replay, run_episode
from formgym.experiments.running.run_folder import RunFolder, find_runs, latest_run
from formgym.wrappers import ActionBatch

ID = "FormGym/AutoLoans-Text-v0"
COMMAND = [sys.executable, "-c", "from formgym.experiments.cli import main; main()"]


def _evaluate(folder, *overrides, check=True):
    result = formgym_command("sweep", *overrides, cwd=folder)
    if check:
        assert result.returncode == 0, result.stdout + result.stderr
    return result


def _episode(agent, index=0, env=None, **limits):
    env = env or ActionBatch(gym.make(ID), **limits)
    return run_episode(env, agent, index=index, seed=episode_seed(0, index))


@pytest.mark.parametrize("limits", [{}, {"max_rounds": 1}, {"max_actions": 1}, {"max_actions": 3, "max_rounds": 4}])
@pytest.mark.parametrize("agent", [Oracle(), Random(n_actions=25, wild=0.6)], ids=["oracle", "random"])
def test_an_episode_replays_to_the_same_pixels(agent, limits):
    episode = Episode.model_validate_json(_episode(agent, **limits).model_dump_json())
    steps = list(replay(gym.make(ID).unwrapped, episode))
    assert len(steps) == episode.n_calls + 1
    assert page_digest(steps[-1].page) == episode.page_sha256
    assert steps[-1].metrics == episode.metrics
    assert episode.reward == pytest.approx(episode.metrics["strict_accuracy"])


def test_agents_meet_the_same_tasks_in_any_order():
    tasks = [
        [_episode(agent, i).task for i in order] for agent, order in ((Oracle(), (0, 1, 2)), (Random(), (2, 0, 1)))
    ]
    assert tasks[0] == [tasks[1][1], tasks[1][2], tasks[1][0]]


def test_a_rollout_needs_a_flow():
    with pytest.raises(ValueError, match="flow"):
        run_episode(gym.make(ID), Oracle(), index=0, seed=0)


def test_a_torn_last_line_is_mended(tmp_path):
    path = tmp_path / "episodes.jsonl"
    with episode_writer(path) as file:
        write_episode(file, _episode(Oracle()))
    with path.open("ab") as file:
        file.write(b'{"index": 1, "env": "Form')
    assert [e.index for e in list(EpisodeFiles(path))] == [0]
    with episode_writer(path) as file:
        write_episode(file, _episode(Oracle(), 1))
    assert [e.index for e in list(EpisodeFiles(path))] == [0, 1]


def test_two_writers_are_kept_apart(tmp_path):
    with (
        episode_writer(tmp_path / "episodes.jsonl"),
        pytest.raises(RuntimeError, match="another process"),
        episode_writer(tmp_path / "episodes.jsonl"),
    ):
        pass


def test_a_run_directory_is_complete(tmp_path):
    _evaluate(tmp_path, "agent=oracle", "episodes=3", "run_dir=run")
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"run.json", "episodes.jsonl", "summary.json"} == names
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["env"], summary["agent"], summary["episodes"], summary["errors"]) == (ID, "oracle", 3, 0)
    assert summary["scores"]["strict_accuracy"]["mean"] == 1.0


@LONG
def test_a_killed_run_goes_on_and_loses_and_repeats_nothing(tmp_path):
    arguments = ["agent=random", "episodes=24", "flow=stepwise", "run_dir=run"]
    process = subprocess.Popen([*COMMAND, "sweep", *arguments], cwd=tmp_path, stdout=subprocess.DEVNULL)
    episodes = tmp_path / "run" / "episodes.jsonl"
    deadline = time.monotonic() + 60
    while not (episodes.exists() and episodes.read_bytes().count(b"\n") >= 4) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = list(EpisodeFiles(episodes))
    assert 4 <= len(before) < 24
    _evaluate(tmp_path, "run_dir=run", "resume=true")
    resumed = list(EpisodeFiles(episodes))
    assert resumed[: len(before)] == before
    assert [episode.index for episode in resumed] == list(range(24))
    _evaluate(tmp_path, *arguments[:-1], "run_dir=whole")
    whole = list(EpisodeFiles(tmp_path / "whole" / "episodes.jsonl"))
    assert [(e.task, e.rounds, e.metrics, e.page_sha256) for e in resumed] == [
        (e.task, e.rounds, e.metrics, e.page_sha256) for e in whole
    ]


@LONG
def test_a_finished_run_is_not_overwritten_and_not_mixed(tmp_path):
    _evaluate(tmp_path, "agent=oracle", "episodes=2", "run_dir=run")
    content = (tmp_path / "run" / "episodes.jsonl").read_bytes()
    again = _evaluate(tmp_path, "agent=oracle", "episodes=2", "run_dir=run", check=False)
    assert again.returncode == 2
    assert "resume=true" in again.stderr
    other = _evaluate(tmp_path, "agent=noop", "episodes=2", "run_dir=run", "resume=true", check=False)
    assert other.returncode == 2
    assert "another agent" in other.stderr
    _evaluate(tmp_path, "run_dir=run", "resume=true")
    assert (tmp_path / "run" / "episodes.jsonl").read_bytes() == content


def test_multirun_sweeps_and_resumes(tmp_path):
    sweep = ["agent=noop,oracle", "flow=one_shot,iterative", "episodes=2", "run_dir=sweep"]
    _evaluate(tmp_path, *sweep)
    runs = list(find_runs(tmp_path / "sweep"))
    assert [(run.summary["agent"], run.summary["flow"]) for run in runs] == [
        ("noop", "one_shot"), ("noop", "iterative"), ("oracle", "one_shot"), ("oracle", "iterative"),
    ]  # fmt: skip
    assert latest_run(tmp_path) == tmp_path / "sweep"
    episodes = runs[2].folder / "episodes.jsonl"
    episodes.write_bytes(episodes.read_bytes().split(b"\n")[0] + b"\n")
    _evaluate(tmp_path, *sweep, "resume=true")
    assert [len(run.episodes) for run in find_runs(tmp_path / "sweep")] == [2, 2, 2, 2]


WRONG_SETTINGS = [
    ("episodes=0", "at least 1"),
    ("env.id=Nope/Nope-v0", "Nope"),
    ("agent=nobody", "nobody"),
    ("env.render_size=[10,10]", "render_size"),
]


@pytest.mark.parametrize(("override", "words"), sample(WRONG_SETTINGS, 2))
def test_wrong_settings_are_explained(tmp_path, override, words):
    result = _evaluate(tmp_path, override, check=False)
    assert result.returncode != 0
    assert words in result.stdout + result.stderr


def test_a_run_of_ones_own_agent_has_its_name(tmp_path):
    (tmp_path / "mine.py").write_text("from formgym.agents.baselines import Noop\n\n\nclass Mine(Noop):\n    pass\n")
    arguments = ["sweep", "agent=noop", "agent._target_=mine.Mine", "name=mine", "episodes=1", "run_dir=run"]
    assert formgym_command(*arguments, cwd=tmp_path).returncode == 0
    assert RunFolder(tmp_path / "run").read().summary["agent"] == "mine"


@LONG
def test_a_second_process_cannot_join_a_run_that_is_being_begun(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import time\nfrom formgym.agents.baselines import Noop\n\n\nclass Slow(Noop):\n    def __init__(self):\n"
        "        open('begun', 'w').close()\n        time.sleep(6)\n"
    )
    slow = subprocess.Popen(
        [*COMMAND, "sweep", "agent=noop", "agent._target_=slow.Slow", "episodes=3", "run_dir=run"], cwd=tmp_path
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    other = _evaluate(tmp_path, "agent=random", "episodes=2", "run_dir=run", check=False)
    assert other.returncode == 2
    assert "another process" in other.stderr
    assert slow.wait(timeout=60) == 0
    assert RunFolder(tmp_path / "run").read().summary["episodes"] == 3


def test_a_broken_run_is_left_out_of_a_report_with_a_warning(tmp_path):
    _evaluate(tmp_path, "agent=noop,oracle", "episodes=1", "run_dir=sweep")
    (find_runs(tmp_path)[0].folder / "run.json").write_text("")
    with pytest.warns(UserWarning, match="left out"):
        assert [run.summary["agent"] for run in find_runs(tmp_path / "sweep")] == ["oracle"]


def test_there_must_be_a_run_to_resume(tmp_path):
    result = _evaluate(tmp_path, "run_dir=nothing", "resume=true", check=False)
    assert result.returncode == 2
    assert "no run" in result.stderr


def test_the_latest_run_is_the_run_its_sweep_or_a_newer_training(tmp_path):
    _evaluate(tmp_path, "agent=noop", "episodes=1", "run_dir=runs/7")
    assert latest_run(tmp_path / "runs") == tmp_path / "runs" / "7"
    training = tmp_path / "runs" / "8-grounding_clone"
    training.mkdir()
    (training / "table.csv").write_text("seed,policy\n")
    assert latest_run(tmp_path / "runs") == training


def test_wandb_logs_offline(tmp_path):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WANDB")}
    arguments = ["sweep", "agent=oracle", "episodes=2", "logger=wandb", "run_dir=run"]
    assert formgym_command(*arguments, cwd=tmp_path, env=environment).returncode == 0
    logged = list((tmp_path / "run" / "wandb").glob("offline-run-*"))
    assert len(logged) == 1
    assert list(logged[0].glob("*.wandb"))
    assert len(list(logged[0].rglob("*.png"))) == 4
    assert list(logged[0].rglob("*.table.json"))
