"""W&B: a run that was killed and resumed offline is whole in its newest folder, and is sent from there."""

import os
import subprocess
import sys

from sizes import LONG
from wandb_server_fixture import wandb_server

from formgym.experiments.running.runs import read_run

COMMAND = [sys.executable, "-c", "from formgym.experiments.cli import main; main()", "evaluate"]
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


@LONG
def test_a_run_that_was_killed_resumed_and_retried_is_sent_whole(tmp_path):
    (tmp_path / "dying.py").write_text(AGENT)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WANDB")}
    arguments = ["agent=oracle", "agent._target_=dying.Agent", "episodes=5", "logger=wandb", "run_dir=run"]
    first = subprocess.run([*COMMAND, *arguments], cwd=tmp_path, env=environment | {"FIRST": "1"}, timeout=120)
    assert first.returncode == -9
    assert [e.unscored for e in read_run(tmp_path / "run").episodes] == [False, True, False]
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
