"""Runs: recorded as they happen, resumed after a kill, summarised, swept, logged."""

import os
import subprocess
import time

import gymnasium as gym
import pytest
from command_line import COMMAND, formgym_command
from sizes import LONG

from formgym.agents.baselines import Noop, Oracle, Random
from formgym.envs.core.tasks import episode_seed
from formgym.experiments.evaluation import evaluate_agent
from formgym.experiments.running.episodes import Episode, EpisodeFiles, episode_writer, write_episode
from formgym.experiments.running.rollout import page_digest, replay, run_episode
from formgym.experiments.running.run_folder import RunFolder, find_runs, latest_run
from formgym.experiments.running.run_spec import RunSpec
from formgym.experiments.running.runner import Runner
from formgym.experiments.running.sweep import spec_of
from formgym.wrappers import ActionBatch, Ruler

ID, SCANS = "FormGym/AutoLoans-Text-v0", "FormGym/Scans-v0"


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
    _evaluate(tmp_path, "agent=oracle", "episodes=2", "run_dir=run", "resume=true")
    assert (tmp_path / "run" / "episodes.jsonl").read_bytes() == content


def test_multirun_sweeps_and_resumes(tmp_path):
    settings = ["agent=noop,oracle", "name=mine", "env=formgym/scans", "episodes=2", "run_dir=sweep"]
    _evaluate(tmp_path, *settings)
    runs = list(find_runs(tmp_path / "sweep"))
    assert [run.summary["agent"] for run in runs] == ["mine", "mine"]
    assert latest_run(tmp_path) == tmp_path / "sweep"
    episodes = runs[1].folder / "episodes.jsonl"
    episodes.write_bytes(episodes.read_bytes().split(b"\n")[0] + b"\n")
    _evaluate(tmp_path, *settings, "resume=true")
    assert [len(run.episodes) for run in find_runs(tmp_path / "sweep")] == [2, 2]
    (runs[0].folder / "run.json").write_text("")
    with pytest.warns(UserWarning, match="left out"):
        assert [run.folder for run in find_runs(tmp_path / "sweep")] == [runs[1].folder]


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


def test_the_latest_run_is_the_run_its_sweep_or_a_newer_training(tmp_path):
    run, training = tmp_path / "runs" / "7", tmp_path / "runs" / "8-grounding_clone"
    run.mkdir(parents=True)
    RunFolder(run).describe(RunSpec(env=ID, agent="formgym.agents.Noop"), 1)
    assert latest_run(tmp_path / "runs") == run
    training.mkdir()
    (training / "table.csv").write_text("seed,policy\n")
    assert latest_run(tmp_path / "runs") == training


@LONG
def test_wandb_logs_offline(tmp_path):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WANDB")}
    arguments = ["sweep", "agent=oracle", "env=formgym/scans", "episodes=1", "logger=wandb", "run_dir=run"]
    assert formgym_command(*arguments, cwd=tmp_path, env=environment).returncode == 0
    logged = list((tmp_path / "run" / "wandb").glob("offline-run-*"))
    assert len(logged) == 1
    assert list(logged[0].glob("*.wandb"))
    assert len(list(logged[0].rglob("*.png"))) == 2
    assert list(logged[0].rglob("*.table.json"))


# -- From Python -------------------------------------------------------------------------------------------------------


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
    assert len({episode.task for episode in result.episodes}) == 8
    assert result.scores["strict_accuracy"]["mean"] == 1
    assert str(result).startswith("strict accuracy 1.000 (95 % interval ")
    assert str(result).endswith("), 8 episodes")


def test_an_agent_that_crashes_has_zero():
    result = evaluate_agent(_Crashing(), SCANS, episodes=2)
    assert str(result) == "strict accuracy 0.000 (95 % interval 0.000 – 0.658), 2 episodes, 2 crashed: KeyError: 'goal'"


def test_endless_tasks_need_a_number():
    with pytest.raises(ValueError, match="episodes=200"):
        evaluate_agent(Noop(), gym.make(SCANS, split="train"))
