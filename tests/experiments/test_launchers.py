"""Launchers: sweeps by joblib, submitit and ray, and an array of shards on a SLURM cluster of one node."""

import os
import shutil
import socket
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest
from sizes import LONG

from formgym.experiments.running.run_folder import RunFolder, find_runs

COMMAND = [sys.executable, "-c", "from formgym.experiments.cli import main; main()"]
SWEEP = ["sweep", "agent=noop,random", "env=formgym/scans,formgym/xfund", "episodes=4", "run_dir=sweep"]
LAUNCHERS = {
    "joblib": ("joblib", "hydra.launcher.n_jobs=2"),
    "submitit": ("submitit_local",),
    "ray": ("ray", "+hydra.launcher.ray.init.num_cpus=2"),
}
DAEMONS = ("munged", "slurmctld", "slurmd")
SLURM = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES State=UP
"""
SBATCH = f"""#!/bin/bash
#SBATCH --array=1-3
exec {sys.executable} -c 'from formgym.experiments.cli import main; main()' {" ".join(SWEEP)} resume=true
"""


def _environment():
    return {name: value for name, value in os.environ.items() if name != "FORMGYM_DATA"}


def _scans_are_whole(sweep):
    runs = find_runs(sweep)
    assert [(run.summary["agent"], run.summary["episodes"]) for run in runs] == [("noop", 4), ("random", 4)]
    return runs


@LONG
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_launcher_runs_all_jobs_though_some_fail(tmp_path, launcher):
    if find_spec(f"hydra_plugins.hydra_{launcher}_launcher") is None:
        pytest.skip(f"hydra-{launcher}-launcher is not installed")
    name, *settings = LAUNCHERS[launcher]
    arguments = [*COMMAND, *SWEEP, f"hydra/launcher={name}", *settings]
    done = subprocess.run(arguments, cwd=tmp_path, env=_environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "XFUND" in done.stderr
    _scans_are_whole(tmp_path / "sweep")


@pytest.fixture
def slurm(tmp_path):
    """A SLURM cluster of this machine alone, from Debian's slurmctld, slurmd, slurm-client and munge."""
    if os.geteuid() or not all(map(shutil.which, (*DAEMONS, "sbatch"))):
        pytest.skip("needs root, slurmctld, slurmd, slurm-client and munge")
    folder = tmp_path / "slurm"
    folder.mkdir()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    config, host = folder / "slurm.conf", socket.gethostname().partition(".")[0]
    config.write_text(SLURM.format(host=host, folder=folder))
    munge = [f"--{name}-file={folder}/munge.{name}" for name in ("key", "pid", "log", "seed")]
    commands = [
        ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *munge],
        ["slurmctld", "-D", "-f", str(config)],
        ["slurmd", "-D", "-f", str(config), "-N", host],
    ]
    daemons = []
    for command in commands:
        daemons.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        time.sleep(1)
    yield _environment() | {"SLURM_CONF": str(config)}
    for daemon in reversed(daemons):
        daemon.terminate()
        daemon.wait(30)


@LONG
def test_an_array_of_slurm_does_the_shards_of_a_sweep(tmp_path, slurm):
    (tmp_path / "sweep.sbatch").write_text(SBATCH)
    subprocess.run(["sbatch", "--wait", "sweep.sbatch"], cwd=tmp_path, env=slurm, timeout=300)
    runs = _scans_are_whole(tmp_path / "sweep")
    assert all(len(RunFolder(run.folder).files()) == 3 for run in runs)
