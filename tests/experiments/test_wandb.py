"""W&B: a run that was killed and resumed offline is whole in its newest folder, and is sent from there."""

import os
import subprocess
import sys

from sizes import LONG
from wandb_server_fixture import wandb_server

from formgym.experiments.running.run_folder import RunFolder

COMMAND = [sys.executable, "-c", "from formgym.experiments.cli import main; main()", "sweep"]
AGENT = """
import os, signal
from formgym.agents.base import ModelError
from formgym.agents.baselines import Oracle

class Agent(Oracle):
    n = 0

    def reset(self, task, seed):
        super().reset(task, seed)
        Agent.n += 1
        if "FIRST" in os.environ and Agent.n == 2:
            raise ModelError("the provider answered 503 five times")
        if "FIRST" in os.environ and Agent.n == 4:
            os.kill(os.getpid(), signal.SIGKILL)
"""


def _environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("WANDB")}


def _sent(folder):
    """What a server is sent of an offline run: its history, its summary, and its name and group."""
    with wandb_server() as server:
        account = {"WANDB_BASE_URL": server.url, "WANDB_API_KEY": "0" * 40}
        command = [sys.executable, "-m", "wandb", "sync", "--yes", str(folder)]
        subprocess.run(command, env=_environment() | account, check=True, capture_output=True, timeout=120)
    run = next(variables for operation, variables in server.asked if operation == "UpsertBucket")
    steps = [row["_step"] for row in server.streamed["wandb-history.jsonl"]]
    return steps, server.streamed["wandb-summary.json"][-1], run["displayName"], run.get("groupName")


@LONG
def test_jobs_and_shards_are_runs_of_a_group_in_ascending_order(tmp_path):
    sweep = ["agent=oracle,random", "env=formgym/scans", "episodes=7", "concurrency=3", "logger=wandb", "run_dir=sweep"]
    for settings in (["shard=0/2"], ["shard=1/2"], ["resume=true"]):
        command = [*COMMAND, *sweep, *settings]
        subprocess.run(command, cwd=tmp_path, env=_environment(), check=True, capture_output=True, timeout=300)
    for job in (path for path in (tmp_path / "sweep").iterdir() if path.is_dir()):
        agent = "oracle" if "oracle" in job.name else "random"
        whole, *shards = sorted(
            (_sent(path) for path in (job / "wandb").glob("offline-run-*")), key=lambda run: (len(run[2]), run[2])
        )
        steps, summary, name, group = whole
        assert (steps, name) == (list(range(7)), f"{agent} on FormGym/Scans-v0")
        assert (summary["episodes"], summary["mean/strict_accuracy"]) == (7, float(agent == "oracle"))
        assert [name for _, _, name, _ in shards] == [f"{agent} on FormGym/Scans-v0, shard {i}/2" for i in (0, 1)]
        assert sorted(step for steps, *_ in shards for step in steps) == list(range(7))
        assert all(steps == sorted(steps) for steps, *_ in shards)
        assert group == f"{tmp_path.name}/sweep"
        assert {group for *_, group in shards} == {group}


@LONG
def test_a_run_that_was_killed_resumed_and_retried_is_sent_whole(tmp_path):
    (tmp_path / "dying.py").write_text(AGENT)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WANDB")}
    arguments = ["agent=oracle", "agent._target_=dying.Agent", "episodes=5", "logger=wandb", "run_dir=run"]
    first = subprocess.run([*COMMAND, *arguments], cwd=tmp_path, env=environment | {"FIRST": "1"}, timeout=120)
    assert first.returncode == -9
    assert [e.unscored for e in RunFolder(tmp_path / "run").read().episodes] == [False, True, False]
    again = [*COMMAND, "run_dir=run", "resume=true", "retry=errors"]
    subprocess.run(again, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=120)
    folders = sorted((tmp_path / "run" / "wandb").glob("offline-run-*"))
    assert len(folders) == 2
    assert len({folder.name.rpartition("-")[2] for folder in folders}) == 1
    newest = tmp_path / "run" / "wandb" / "latest-run"
    assert newest.resolve() == folders[-1]
    assert len(list(newest.rglob("page/*.png"))) == 10
    with wandb_server() as server:
        account = {"WANDB_BASE_URL": server.url, "WANDB_API_KEY": "0" * 40}
        command = [sys.executable, "-m", "wandb", "sync", "--yes", str(newest)]
        subprocess.run(command, env=environment | account, check=True, capture_output=True, timeout=120)
    history = server.streamed["wandb-history.jsonl"]
    assert [row["_step"] for row in history] == [0, 1, 2, 3, 4]
    assert [row["score/strict_accuracy"] for row in history] == [1.0] * 5
    assert [row["episode/unscored"] for row in history] == [0] * 5
    summary = server.streamed["wandb-summary.json"][-1]
    assert (summary["episodes"], summary["unscored"], summary["crashes"]) == (5, 0, 0)
    assert summary["mean/strict_accuracy"] == 1.0
