"""``formgym train``: runs that can be killed and continued, their files, and their errors."""

import os
import signal
import subprocess
import sys
import time

import pytest
from sizes import LONG, sample, some

from formgym.experiments.training.grounding.training_results import table_rows

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
CLI = [sys.executable, "-c", "from formgym.experiments.cli import main; main()", "train"]
SEEDS = some([0], [0, 1])
LOGGED = some([], ["wandb=offline"])  # importing W&B takes seconds
SMALL = ["training.recipe.pages=3", "+training.recipe.test_pages=2", "training.cloning.steps=6", f"seeds={SEEDS}"]


def _run(folder, *arguments, check=True):
    return subprocess.run([*CLI, *arguments], cwd=folder, check=check, capture_output=True, text=True, env=_env(folder))


def _env(folder):
    return os.environ | {"FORMGYM_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nothing has cut off."""
    folder = tmp_path_factory.mktemp("train")
    done = _run(folder, "experiment=grounding_clone", *SMALL, "run_dir=whole", *LOGGED)
    return folder, done.stdout


def test_a_run_has_policies_tables_and_pictures(whole):
    folder, output = whole
    assert "clone: hits" in output
    for seed in SEEDS:
        names = {path.name for path in (folder / "whole" / f"seed-{seed}" / "cloned").iterdir()}
        assert names == {"policy.pt", "card.json", "result.json"}
    rows = table_rows(folder / "whole/table.csv")
    assert {row["seed"] for row in rows} == set(map(str, SEEDS))
    rates = [[float(row[end]) for end in ("low", "hits", "high")] for row in rows if row["targets"] == "all"]
    assert all(0 <= low <= mean <= high <= 1 for low, mean, high in rates)
    names = {path.name for path in (folder / "whole").iterdir()}
    assert names >= {"curves.png", "policy.gif", "table.csv", *(["wandb"] if LOGGED else [])}


@LONG
def test_a_killed_run_ends_with_the_same_bytes(whole):
    folder, _ = whole
    _kill_in_its_second_stage(folder, "experiment=grounding_clone", *SMALL, until="seed-0/cloned")
    _assert_same_bytes(folder / "killed", folder / "whole")


def _kill_in_its_second_stage(folder, *arguments, until):
    """Runs a training in ``killed``, kills it after its first stage, and lets the same command end it."""
    process = subprocess.Popen(
        [*CLI, *arguments, "run_dir=killed"], cwd=folder, stdout=subprocess.DEVNULL, env=_env(folder)
    )
    deadline = time.monotonic() + 300
    while not (folder / "killed" / until).exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (folder / "killed/table.csv").exists()
    _run(folder, *arguments, "run_dir=killed")


def _assert_same_bytes(folder, expected):
    names = [path.relative_to(expected) for path in (*expected.rglob("policy.pt"), expected / "table.csv")]
    assert [name for name in names if (folder / name).read_bytes() != (expected / name).read_bytes()] == []


@LONG
def test_a_folder_takes_one_run(whole):
    folder, _ = whole
    refused = _run(folder, "training.cloning.steps=13", "run_dir=whole", *SMALL[:2], check=False)
    assert refused.returncode == 2
    assert "other settings" in refused.stderr


TYPOS = [("experiment=groundng_clone", "did you mean grounding_clone"), ("sedes=[1]", "did you mean seeds")]


@pytest.mark.parametrize(("setting", "answer"), sample(TYPOS, 1))
def test_typos_are_answered(tmp_path, setting, answer):
    refused = _run(tmp_path, setting, check=False)
    assert refused.returncode == 2
    assert answer in refused.stderr
