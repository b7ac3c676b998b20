"""Launchers: sweeps by joblib, submitit and ray."""

import os
import subprocess
from importlib.util import find_spec

import pytest
from command_line import COMMAND
from sizes import LONG

from formgym.experiments.running.run_folder import find_runs

SWEEP = ["sweep", "agent=noop,random", "env=formgym/scans,formgym/xfund", "episodes=4", "run_dir=sweep"]
LAUNCHERS = {
    "joblib": ("joblib", "hydra.launcher.n_jobs=2"),
    "submitit": ("submitit_local",),
    "ray": ("ray", "+hydra.launcher.ray.init.num_cpus=2"),
}


@LONG
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_launcher_runs_all_jobs_though_some_fail(tmp_path, launcher):
    if find_spec(f"hydra_plugins.hydra_{launcher}_launcher") is None:
        pytest.skip(f"hydra-{launcher}-launcher is not installed")
    name, *settings = LAUNCHERS[launcher]
    environment = {name: value for name, value in os.environ.items() if name != "FORMGYM_DATA"}
    arguments = [*COMMAND, *SWEEP, f"hydra/launcher={name}", *settings]
    done = subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "XFUND" in done.stderr
    runs = find_runs(tmp_path / "sweep")
    assert [(run.summary["agent"], run.summary["episodes"]) for run in runs] == [("noop", 4), ("random", 4)]
