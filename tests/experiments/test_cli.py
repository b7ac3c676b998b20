"""The console command, run as a user runs it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
import numpy as np
import pytest
from command_line import formgym_command
from gymnasium import spaces
from PIL import Image
from sizes import LONG, sample

import formgym
from formgym.envs.core.env import PaperworkEnv
from formgym.envs.core.texts import UnicodeText
from formgym.envs.core.tools import Argument, Call, Tool, ToolError, ToolSpace
from formgym.envs.paper_forms.tools import DATABASE_TOOLS
from formgym.envs.registration import ids, index
from formgym.experiments.overview import doctor, listing
from formgym.experiments.play.session import Session
from formgym.experiments.play.terminal import call_of

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

LOANS = "FormGym/AutoLoans-Text-v0"
TASK = "cedar_valley_vehicle_loan/curtis_pruitt"
OTHER_TASK = "lakeshore_auto_credit/ines_barragan"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs ``formgym`` with arguments and standard input, without a display, data sets or a wide terminal."""
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "FORMGYM_DATA", "COLUMNS", "FORMGYM_CHROMIUM"}

    def run_there(*arguments: str, stdin: str = "", **more: str) -> Done:
        environment = {k: v for k, v in os.environ.items() if k not in hidden} | more
        return formgym_command(*arguments, cwd=tmp_path, input=stdin, env=environment)

    return run_there


def loans(task: str = TASK) -> PaperworkEnv:
    env = cast(PaperworkEnv, gym.make(LOANS).unwrapped)
    env.reset(options={"task": task})
    return env


def refused(done: Done, *words: str) -> None:
    """Assert that a command ended with one line that says why."""
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr + done.stdout
    assert done.stderr.startswith("formgym: ")
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr


# -- list -------------------------------------------------------------------------------------------------------------


def test_list_names_every_environment_in_80_columns(run: Run) -> None:
    done = run("list")
    assert done.returncode == 0, done.stderr
    words = set(done.stdout.replace(",", " ").split())
    for env_id in ids():
        assert {env_id, env_id.partition("/")[2].removesuffix("-v0")} & words, env_id
    assert all(len(line.rstrip()) <= 80 for line in done.stdout.splitlines())
    assert len(done.stdout.splitlines()) < 90


def test_list_shows_some_environments_in_full(run: Run) -> None:
    done = run("list", "autoloans-text")
    assert done.returncode == 0, done.stderr
    for words in (LOANS, "1224×2016", "users", "source: sentences", "MIT"):
        assert words in done.stdout
    assert "FormFactory" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    refused(run("list", "invoce"), "did you mean Invoice-v0?")


def test_list_says_how_to_get_what_is_missing(run: Run, tmp_path: Path) -> None:
    for data in ({}, {"FORMGYM_DATA": str(tmp_path)}):
        rows = {row["id"]: row for row in json.loads(run("list", "--json", **data).stdout)}
        missing = rows["FormGym/FUNSD-v0"]
        assert missing["tasks"] is None
        assert "FORMGYM_DATA" in missing["missing"]
        assert "\n" not in missing["missing"]


def test_list_survives_an_environment_that_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ModuleNotFoundError("No module named 'nowhere'")

    monkeypatch.setattr(gym, "make", broken)
    assert all("nowhere" in row["missing"] for row in listing.environments(deep=True))


# -- doctor -----------------------------------------------------------------------------------------------------------


@LONG
def test_doctor_finds_all_that_is_needed(run: Run) -> None:
    done = run("doctor", "--deep")
    assert done.returncode == 0, done.stdout + done.stderr
    for word in (formgym.__version__, "gymnasium", "Chromium", "flask", "Arimo", "FORMGYM_DATA", "first step"):
        assert word in done.stdout
    assert "✗" not in done.stdout


def test_doctor_as_json(run: Run) -> None:
    done = run("doctor", "--json")
    assert done.returncode == 0
    report = json.loads(done.stdout)
    found = {finding["name"]: finding for finding in report["findings"]}
    assert report["ok"]
    assert found["gymnasium"]["ok"]
    assert found["gymnasium"]["found"] == gym.__version__
    assert found["FORMGYM_DATA"]["ok"] is None
    assert found["FormGym/FUNSD-v0"]["ok"] is None
    assert found[LOANS]["ok"]
    assert "as they should be" in found["shipped files"]["found"]
    assert found["a display"]["hint"]
    assert all(f["hint"] for f in report["findings"] if f["ok"] is not True)


def test_doctor_knows_every_requirement_and_extra_of_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["one >= 1", "two"]\n'
        '[project.optional-dependencies]\nweb = ["three >= 3"]\ndev = ["formgym[web]", "four"]\n'
    )
    lines = list(doctor._checkout_requirements(tmp_path / "pyproject.toml"))
    web, dev = 'three >= 3; extra == "web"', ['formgym[web]; extra == "dev"', 'four; extra == "dev"']
    assert lines == ["one >= 1", "two", web, *dev]
    assert list(doctor._checkout_requirements(tmp_path / "nowhere.toml")) == []


def test_doctor_reads_the_installed_metadata_first(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = ["numpy>=1", 'colorama; sys_platform == "win32"', 'nowhere-to-be-had>=3; extra == "web"']
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: installed)
    found = {finding.name: finding for finding in doctor._packages()}
    assert set(found) == {"numpy", "nowhere-to-be-had"}
    assert found["numpy"].ok
    assert found["nowhere-to-be-had"].ok is None
    assert found["nowhere-to-be-had"].group == "extra web"
    assert found["nowhere-to-be-had"].hint == "pip install 'nowhere-to-be-had>=3'"


@pytest.mark.parametrize("line", ["nowhere-to-be-had>=3", "numpy>=999"])
def test_doctor_fails_on_a_requirement_that_is_missing_or_old(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: [line])
    assert not doctor.examine()
    assert f"pip install '{line}'" in capsys.readouterr().out


def test_doctor_names_shipped_files_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = sorted(index()["files"])
    monkeypatch.setattr(doctor, "broken_files", lambda: [listed[0], "a/file/of/the/users.json"])
    finding = doctor._assets()
    assert finding.ok is False
    assert listed[0] in finding.found
    assert "users.json" not in finding.found
    monkeypatch.setattr(doctor, "index", lambda: {"files": {}})
    assert doctor._assets().ok
    assert doctor._assets().found.startswith("0 files")


def test_doctor_says_when_chromium_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMGYM_CHROMIUM", "/nowhere/chromium")
    assert doctor._browser().ok is None
    assert "/nowhere/chromium" in doctor._browser().found
    monkeypatch.delenv("FORMGYM_CHROMIUM")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert doctor._browser().found == "missing"


# -- play -------------------------------------------------------------------------------------------------------------


def as_line(call: Call, tools: ToolSpace) -> str:
    tool = next(tool for tool in tools.tools if tool.name == call["tool"])
    return " ".join([tool.name, *(str(call[name]) for name in tool.arguments)])


@LONG
@pytest.mark.parametrize("task", sample([TASK, OTHER_TASK], 1))
def test_a_solution_that_is_piped_in_reaches_everything(run: Run, tmp_path: Path, task: str) -> None:
    env = loans(task)
    script = "\n".join(as_line(call, env.action_space) for call in env.state.solution())
    done = run("play", LOANS, "--task", task, stdin=script + "\nplace_text 0.5 0.5 never reached\n")
    assert done.returncode == 0, done.stderr
    assert "strict accuracy 1," in done.stdout.splitlines()[-2]
    assert "Handed in" in done.stdout
    assert "✗" not in done.stdout
    assert "never reached" not in done.stdout
    assert str((tmp_path / "play" / "page.png").resolve()) in done.stdout.splitlines()[-1]
    assert sorted(p.name for p in (tmp_path / "play").iterdir()) == ["page.png"]


def test_the_picture_is_the_page(run: Run, tmp_path: Path) -> None:
    env = loans()
    run("play", LOANS, "--task", TASK, "--out", "a/b", stdin="place_text .25 .4 [bold]Ann[/bold] [/]\nquit\n")
    # What is typed is not taken for markup.
    env.step(env.action_space.action("place_text", x=0.25, y=0.4, text="[bold]Ann[/bold] [/]"))
    height, width = env.state.paper
    picture = np.asarray(Image.open(tmp_path / "a/b/page.png").convert("RGB"))
    assert np.array_equal(picture, env.page()[:height, :width]), "the desk around the paper is left out"


BAD_LINES = [
    ("plaice_text 0.1 0.1 a", "no command 'plaice_text'; there are place_text"),
    ("place_text", "misses the argument x, y, text"),
    ("place_text 0.2 0.2", "misses the argument text"),
    ("place_text here there Ann", "x must be a number from 0 to 1"),
    ("delete_text 0.1 0.1 0.1", "'0.1' is too much"),
    ("{bad", "no JSON"),
    ('{"tool": "nothing"}', "no tool 'nothing'"),
]


def test_bad_commands_explain_themselves_and_change_nothing(run: Run) -> None:
    done = run("play", LOANS, "--task", TASK, stdin="\n".join([*(line for line, _ in BAD_LINES), "score"]))
    assert done.returncode == 0, done.stderr
    answers = done.stdout.split("\n> ")[1:]
    for (line, explanation), answer in zip(BAD_LINES, answers, strict=False):
        assert answer.startswith(line)
        assert explanation in answer.removeprefix(line)
    assert "step 0 of 500" in done.stdout
    assert "step 1" not in done.stdout
    assert "Left unfinished" in done.stdout


def test_commands_that_are_no_calls(run: Run) -> None:
    done = run("play", LOANS, "--task", TASK, stdin="help\nsource\npage\nscore\n\nquit\nscore\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(loans().state.source) == 2
    assert done.stdout.count("place_text X Y TEXT") == 2
    assert done.stdout.count("The page as it stands") == 3
    assert "> quit" in done.stdout


def test_play_needs_no_arguments(run: Run) -> None:
    first, again = (run("play", "--seed", "3").stdout for _ in range(2))
    assert first.startswith(ids()[0])
    assert first == again


def test_play_without_a_display_says_so_and_goes_on(run: Run) -> None:
    done = run("play", "--window", stdin="quit\n")
    assert done.returncode == 0, done.stderr
    assert "Going on in the terminal" in done.stdout
    assert "Left unfinished" in done.stdout


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("place_text 0.25 0.4 Ann Example", {"tool": "place_text", "x": 0.25, "y": 0.4, "text": "Ann Example"}),
        ('place_text .25  .4  "Ann  Example"', {"tool": "place_text", "x": 0.25, "y": 0.4, "text": "Ann  Example"}),
        ("place_text 0 1 'x'", {"tool": "place_text", "x": 0.0, "y": 1.0, "text": "x"}),
        ("place_text 0 1 O'Hara-Vale", {"tool": "place_text", "x": 0.0, "y": 1.0, "text": "O'Hara-Vale"}),
        ("place_text 0 1 'a' and 'b'", {"tool": "place_text", "x": 0.0, "y": 1.0, "text": "'a' and 'b'"}),
        ('place_text 0 1 ""', {"tool": "place_text", "x": 0.0, "y": 1.0, "text": ""}),
        ("query_sql SELECT 1", {"tool": "query_sql", "query": "SELECT 1"}),
        ("terminate", {"tool": "terminate"}),
        ('{"tool": "terminate"}', {"tool": "terminate"}),
    ],
)
def test_lines_are_calls(line: str, call: Call) -> None:
    assert call_of(ToolSpace(DATABASE_TOOLS), line) == call


def test_numbers_and_texts_come_from_the_declared_spaces() -> None:
    def apply(state: Any) -> str:
        return ""

    box = spaces.Box(-9.0, 9.0, (), np.float64)
    declared: dict[str, spaces.Space[Any]] = {"key": UnicodeText(9), "n": spaces.Discrete(5), "dy": box}
    tools = ToolSpace([Tool("press", apply, {name: Argument(space, name) for name, space in declared.items()})])
    assert call_of(tools, 'press "page up" 3 -2.5') == {"tool": "press", "key": "page up", "n": 3, "dy": -2.5}
    assert call_of(tools, "press up 3.5") == {"tool": "press", "key": "up", "n": "3.5"}
    with pytest.raises(ToolError, match="too much"):
        call_of(tools, "press page up 3 1 2")


def test_the_step_limit_ends_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "save", lambda session: None)
    session = Session(LOANS, TASK, None, tmp_path)
    for _ in range(session.max_steps or 0):
        assert not session.ended
        session.do({"tool": "delete_text", "x": 0.5, "y": 0.5})
    assert session.ended == "out of steps"


# -- Refusals ---------------------------------------------------------------------------------------------------------


def test_unknown_things_are_refused_in_one_line(run: Run, tmp_path: Path) -> None:
    refused(run("play", "FormGym/AutoLoan-Text-v0"), "FormGym/AutoLoan-Text", "formgym list")
    refused(run("play", "nowhere:Nothing-v0"), "nowhere", "formgym list")
    refused(run("play", "Not an id"), "formgym list")
    refused(run("play", "CartPole-v1"), "formgym list")
    refused(run("play", LOANS, "--task", "a/b"), "a/b", "cedar_valley_vehicle_loan")
    refused(run("play", LOANS, "--task", "cedar_valley_vehicle_loan/b"), "brandon_nakamura")
    refused(run("play", "FormGym/FUNSD-v0"), "FORMGYM_DATA")
    (tmp_path / "file").write_text("")
    refused(run("play", "--out", "file"), "file")
