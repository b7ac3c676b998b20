"""Tries an installed formgym, where no checkout is in sight; ``make wheel`` runs it in a clean environment."""

import subprocess
import sys
from pathlib import Path

import gymnasium as gym

import formgym
from formgym.experiments.overview.listing import environments


def formgym_command(*arguments):
    """Runs the installed command line."""
    command = [str(Path(sys.executable).with_name("formgym")), *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def step_once(env_id):
    """One reset and one random action."""
    env = gym.make(env_id)
    env.reset(seed=0)
    env.action_space.seed(0)
    env.step(env.action_space.sample())
    env.close()


def main():
    home = Path(formgym.__file__).parent
    assert Path(sys.prefix) in home.parents, f"this is not an installed formgym: {home}"
    shipped = [row["id"] for row in environments() if row["tasks"]]
    assert len(shipped) > 70, f"only {len(shipped)} environments hold tasks"
    for env_id in shipped:
        step_once(env_id)
    print(f"{len(shipped)} shipped environments: made, reset, one step each")
    formgym_command("list")
    formgym_command("doctor", "--deep")
    formgym_command("sweep", "env=formgym/scans", "agent=noop,oracle", "episodes=2", "run_dir=runs/smoke")
    formgym_command("report", "runs/smoke")
    assert Path("runs/smoke/report.html").stat().st_size > 10_000
    print("formgym list, doctor --deep, evaluate and report run")


if __name__ == "__main__":
    main()
