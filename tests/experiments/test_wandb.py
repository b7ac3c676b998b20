"""W&B: a run that was killed and resumed offline is whole in its newest folder, and is sent from there."""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

from command_line import COMMAND
from sizes import LONG
from wandb_server_fixture import wandb_server

from formgym.experiments.running.run_folder import RunFolder

AGENT = """
import os, signal
from formgym.agents import ModelError
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


_DOCS = Path(__file__).parents[2] / "docs/evaluate.md"
DOCUMENTED = re.search(r"`(wandb sync .*)RUN_DIR/wandb/latest-run`", _DOCS.read_text("utf-8"))[1]


def _environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("WANDB")}


def _sweep(folder, *arguments, **environment):
    command = [*COMMAND, "sweep", *arguments]
    return subprocess.run(command, cwd=folder, env=_environment() | environment, timeout=300).returncode


def _sent(folder):
    """What a server is sent of an offline run: its history, its summary, and its name and group."""
    with wandb_server() as server:
        account = {"WANDB_BASE_URL": server.url, "WANDB_API_KEY": "0" * 40}
        command = [sys.executable, "-m", *DOCUMENTED.split(), str(folder)]
        subprocess.run(command, env=_environment() | account, check=True, capture_output=True, timeout=120)
    run = next(variables for operation, variables in server.asked if operation == "UpsertBucket")
    summary = server.streamed["wandb-summary.json"][-1]
    return server.streamed["wandb-history.jsonl"], summary, run["displayName"], run.get("groupName")


def _steps(history):
    return [row["_step"] for row in history]


@LONG
def test_jobs_and_shards_are_runs_of_a_group_in_ascending_order(tmp_path):
    sweep = ["agent=oracle,random", "env=formgym/scans", "episodes=7", "concurrency=3", "logger=wandb", "run_dir=sweep"]
    assert [_sweep(tmp_path, *sweep, more) for more in ("shard=0/2", "shard=1/2", "resume=true")] == [0, 0, 0]
    for job in (path for path in (tmp_path / "sweep").iterdir() if path.is_dir()):
        agent = "oracle" if "oracle" in job.name else "random"
        whole, *shards = sorted(
            (_sent(path) for path in (job / "wandb").glob("offline-run-*")), key=lambda run: (len(run[2]), run[2])
        )
        history, summary, name, group = whole
        assert (_steps(history), name) == (list(range(7)), f"{agent} on FormGym/Scans-v0")
        assert (summary["episodes"], summary["mean/strict_accuracy"]) == (7, float(agent == "oracle"))
        assert [name for _, _, name, _ in shards] == [f"{agent} on FormGym/Scans-v0, shard {i}/2" for i in (0, 1)]
        steps = [_steps(history) for history, *_ in shards]
        assert sorted(itertools.chain(*steps)) == list(range(7))
        assert steps == [sorted(some) for some in steps]
        assert group == f"{tmp_path.name}/sweep"
        assert {group for *_, group in shards} == {group}


@LONG
def test_a_run_that_was_killed_resumed_and_retried_is_sent_whole(tmp_path):
    (tmp_path / "dying.py").write_text(AGENT)
    arguments = ["agent=oracle", "agent._target_=dying.Agent", "episodes=5", "logger=wandb", "run_dir=run"]
    assert _sweep(tmp_path, *arguments, FIRST="1") == -9
    assert [e.unscored for e in RunFolder(tmp_path / "run").read().episodes] == [False, True, False]
    assert _sweep(tmp_path, *arguments, "resume=true", "retry=errors") == 0
    folders = sorted((tmp_path / "run" / "wandb").glob("offline-run-*"))
    assert len(folders) == 2
    assert len({folder.name.rpartition("-")[2] for folder in folders}) == 1
    newest = tmp_path / "run" / "wandb" / "latest-run"
    assert newest.resolve() == folders[-1]
    assert len(list(newest.rglob("page/*.png"))) == 10
    history, summary, *_ = _sent(newest)
    assert _steps(history) == [0, 1, 2, 3, 4]
    assert [row["score/strict_accuracy"] for row in history] == [1.0] * 5
    assert [row["episode/unscored"] for row in history] == [0] * 5
    assert (summary["episodes"], summary["unscored"], summary["crashes"]) == (5, 0, 0)
    assert summary["mean/strict_accuracy"] == 1.0
