"""The examples: those of docstrings as doctests, and the scripts, which run from any folder and write into it."""

import doctest
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sizes import LONG

import formgym
from formgym.envs.web_forms.chromium import browser_path

ROOT = Path(formgym.__file__).resolve().parent
EXAMPLES = ROOT / "examples"
ROOMS = ("agents", "envs", "experiments", "fieldfinder_model", "wrappers")
WITH_EXAMPLES = sorted(
    ".".join(("formgym", *path.relative_to(ROOT).with_suffix("").parts))
    for room in ROOMS
    for path in (ROOT / room).rglob("*.py")
    if re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_in_docstrings_run(name):
    try:
        module = import_module(name)
    except ImportError as error:
        pytest.skip(str(error))
    with np.printoptions(legacy="2.1"):
        result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert result.attempted
    assert not result.failed


def run(name, folder, *arguments):
    """What an example prints, run in a folder."""
    (folder / "path").mkdir()
    (folder / "path/formgym").symlink_to(ROOT)
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "path"), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_deck_is_edited(tmp_path):
    pytest.importorskip("pptx", reason="needs python-pptx: pip install 'formgym[office]'")
    printed = run("edit_a_deck.py", tmp_path)
    assert "carried out: MODIFY, MODIFY" in printed
    out = tmp_path / "out/edit_a_deck"
    assert (out / "edited.pptx").stat().st_size > 10_000
    before, after = (Image.open(out / f"{name}-1.png") for name in ("before", "after"))
    assert before.size == after.size
    assert before.tobytes() != after.tobytes()


@LONG
def test_an_agent_is_better_than_chance_and_worse_than_the_oracle(tmp_path):
    rows = [line.split() for line in run("evaluate_my_agent.py", tmp_path).splitlines()]
    assert [row[0] for row in rows] == ["Random", "WordMatcher", "Oracle"]
    chance, own, oracle = (float(row[3]) for row in rows)
    assert chance < own < oracle == 1


@LONG
def test_a_batch_of_environments_is_stepped(tmp_path):
    printed = run("vectorised_rollouts.py", tmp_path)
    assert "96 episodes ended" in printed
    assert printed.count("steps a second") == 2


@LONG
@pytest.mark.skipif(browser_path() is None, reason="needs Chromium: apt-get install chromium-headless-shell")
@pytest.mark.parametrize(("name", "score"), [("own_paper_form", "strict accuracy 1.00"), ("own_web_form", "success 1")])
def test_a_form_of_ones_own_is_imported_and_filled_in(name, score, tmp_path):
    assert score in run(f"{name}.py", tmp_path)
    colours = Image.open(tmp_path / f"out/{name}/filled.png").convert("RGB").getcolors(1 << 24)
    assert len(colours) > 20


@LONG
def test_a_policy_learns_to_point(tmp_path):
    pytest.importorskip("stable_baselines3", reason="needs Stable-Baselines3: pip install 'formgym[train]'")
    before, after = run("train_grounding.py", tmp_path).splitlines()
    assert float(re.search(r": ([\d.]+);", after)[1]) > float(before.split()[2]) + 0.3
    assert (tmp_path / "out/train_grounding/policy.zip").exists()


@LONG
def test_the_notebook_prints_what_it_shows(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, variables = EXAMPLES / "tour.ipynb", {}
    assert path.stat().st_size < 300_000
    pictures = 0
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), variables)
            streams = (output["text"] for output in cell["outputs"] if output["output_type"] == "stream")
            assert capsys.readouterr().out == "".join("".join(text) for text in streams)
            pictures += any("image/png" in output.get("data", {}) for output in cell["outputs"])
    assert pictures == 6
