"""Shards: every episode belongs to one of them, each writes its own file, and readers see one run."""

import os
import subprocess
from itertools import zip_longest

import gymnasium as gym
import pytest
from command_line import COMMAND, formgym_command
from hypothesis import given
from hypothesis import strategies as st
from sizes import LONG

from formgym.agents.baselines import Noop
from formgym.experiments.running.episodes import EpisodeFiles, write_episode
from formgym.experiments.running.rollout import run_episode
from formgym.experiments.running.run_folder import RunFolder, find_runs, slurm_shard
from formgym.experiments.running.run_spec import EPISODES, Shard
from formgym.wrappers import ActionBatch

SWEEP = ("sweep", "agent=noop,random", "env=formgym/scans,formgym/auto_loans_text", "episodes=5", "seed=3")


@given(st.text(max_size=30), st.integers(1, 20), st.integers(0, 100))
def test_every_episode_is_in_one_shard_and_they_are_alike_in_size(run, count, episodes):
    shards = [[i for i in range(episodes) if Shard(k, count).has(run, i)] for k in range(count)]
    assert sorted(i for shard in shards for i in shard) == list(range(episodes))
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def test_shards_of_few_episodes_begin_at_different_places():
    assert len({next(k for k in range(8) if Shard(k, 8).has(f"agent-noop+env-{name}", 0)) for name in "abcdef"}) > 1


@pytest.mark.parametrize("text", ["8/8", "-1/8", "1", "a/b", "1/0", "0/2/3", "", 3])
def test_a_shard_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="shard must be i/n"):
        Shard.of(text)


def test_the_whole_is_one_shard_in_the_usual_file():
    assert Shard.of(None) == Shard.of("0/1") == Shard()
    assert (Shard().file_name, Shard.of("2/8").file_name) == (EPISODES, "episodes.2-of-8.jsonl")


def test_tasks_of_a_slurm_array_are_shards_wherever_its_numbers_begin():
    def task(number, first, last, step):
        numbers = range(first, last + 1, step)
        values = {"ID": number, "MIN": first, "MAX": last, "STEP": step, "COUNT": len(numbers)}
        return slurm_shard({f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in values.items()})

    assert [task(i, 0, 3, 1) for i in range(4)] == ["0/4", "1/4", "2/4", "3/4"]
    assert [task(i, 5, 9, 2) for i in (5, 7, 9)] == ["0/3", "1/3", "2/3"]
    assert slurm_shard({}) is None


def test_files_of_shards_are_read_as_one_run(tmp_path):
    env = ActionBatch(gym.make("FormGym/Scans-v0"))
    whole = [run_episode(env, Noop(), index=index, seed=index) for index in range(5)]
    failed = whole[3].model_copy(update={"error": "503", "ended": "error", "metrics": None})
    files = {"episodes.jsonl": [whole[4], failed], "episodes.0-of-2.jsonl": [whole[0], whole[3]]}
    files |= {"episodes.1-of-2.jsonl": [failed, whole[1]], "episodes-old.jsonl": [whole[2]]}
    for name, episodes in files.items():
        with (tmp_path / name).open("ab", buffering=0) as file:
            for episode in episodes:
                write_episode(file, episode)
    with (tmp_path / "episodes.1-of-2.jsonl").open("a") as file:
        file.write('{"index": 2, "env": "Form')
    assert list(EpisodeFiles(*RunFolder(tmp_path).files())) == [whole[0], whole[1], whole[3], whole[4]]


def _run(folder, *arguments, **environment):
    return formgym_command(*arguments, cwd=folder, env=os.environ | environment)


def _records(sweep):
    runs = find_runs(sweep)
    return {run.folder.name: [e.model_dump(exclude={"seconds"}) for e in run.episodes] for run in runs}


@LONG
def test_shards_at_once_make_the_sweep_that_one_process_makes(tmp_path):
    def begin(i):
        slurm = {"SLURM_ARRAY_TASK_ID": str(i + 1), "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "3"}
        return subprocess.Popen([*COMMAND, *SWEEP, "run_dir=sharded"], cwd=tmp_path, env=os.environ | slurm)

    assert [process.wait(300) for process in [begin(i) for i in range(3)]] == [0, 0, 0]
    assert _run(tmp_path, *SWEEP, "run_dir=whole").returncode == 0
    assert _records(tmp_path / "sharded") == _records(tmp_path / "whole")
    for run, other in zip_longest(find_runs(tmp_path / "sharded"), find_runs(tmp_path / "whole")):
        assert (run.summary, run.requested) == (other.summary, 5)
        assert len(RunFolder(run.folder).files()) == 3
    again = _run(tmp_path, *SWEEP, "run_dir=sharded", "shard=1/3")
    assert "4 of 4 jobs failed" in again.stdout
    run = next(path for path in (tmp_path / "sharded").iterdir() if path.is_dir())
    other = _run(tmp_path, "sweep", "agent=oracle", "seed=4", f"run_dir={run}", "shard=0/5")
    assert (other.returncode, "a run with other settings" in other.stderr) == (2, True)
    # With another number of shards, what is recorded stays, and nothing is left to do.
    assert _run(tmp_path, *SWEEP, "run_dir=sharded", "shard=4/5", "resume=true").returncode == 0
    assert _records(tmp_path / "sharded").items() >= _records(tmp_path / "whole").items()


@LONG
def test_shards_need_one_folder(tmp_path):
    done = _run(tmp_path, "sweep", "agent=noop", "shard=0/2", "episodes=1")
    assert done.returncode == 2
    assert "run_dir=" in done.stderr
