"""The first minutes in the terminal: the start, the tour, completion, quiet and JSON modes, mistakes."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from command_line import formgym_command
from sizes import LONG
from typer.testing import CliRunner

import formgym
from formgym.experiments.cli import app
from formgym.experiments.demo.animation import write_animation
from formgym.experiments.demo.command import show_demo
from formgym.experiments.running.command_line import register_choices
from formgym.experiments.terminal.console import set_mode, user_errors
from formgym.experiments.verbs import environment_names, overrides

ROOT = Path(formgym.__file__).resolve().parent
_MAIN = "import sys; sys.argv[0] = 'formgym'; from formgym.experiments.cli import main; main()"


def invoke(*arguments: str, **more: str) -> str:
    """What a command prints that ends well."""
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "80", **more})
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(autouse=True)
def _usual_mode(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Set and not deleted: what a quiet command leaves is then taken away.
    monkeypatch.setenv("FORMGYM_QUIET", "")
    set_mode()
    yield
    set_mode()


def test_formgym_alone_says_what_to_try() -> None:
    printed = invoke()
    lines = printed.splitlines()
    assert len(lines) <= 24
    assert all(len(line) <= 80 for line in lines if not line.startswith("Documentation"))
    verbs = {word for line in lines for word in re.findall(r"^  formgym (\w+)", line)}
    assert verbs <= set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert len(verbs) == 5
    assert "/docs" in printed


def test_version_names_python_and_gymnasium() -> None:
    assert re.fullmatch(r"formgym [\d.]+ \(Python 3\.[\d.]+, gymnasium 1\.[\d.]+\)\n", invoke("--version"))


# -- Completion -------------------------------------------------------------------------------------------------------


class _Context:
    def __init__(self, *before: str) -> None:
        self.params = {"overrides": before}


def test_ids_names_and_settings_are_completed() -> None:
    assert environment_names("formgym/auto") == [
        f"FormGym/AutoLoans-{kind}-v0" for kind in ("Text", "DocTransfer", "GUI")
    ]
    assert overrides(_Context(), "ag") == ["agent="]  # type: ignore[arg-type]
    assert overrides(_Context("env=x"), "agent=or") == ["agent=oracle"]  # type: ignore[arg-type]
    # Bash divides words at equals signs.
    assert overrides(_Context("agent", "="), "or") == ["oracle"]  # type: ignore[arg-type]
    assert "oracle" in overrides(_Context("agent"), "")  # type: ignore[arg-type]
    assert overrides(_Context(), "document=inv") == ["document=invoice"]  # type: ignore[arg-type]
    assert "env=FormGym/Scans-v0" in overrides(_Context(), "env=FormGym/")  # type: ignore[arg-type]


def test_shells_get_completions() -> None:
    asked = {"_FORMGYM_COMPLETE": "complete_bash", "COMP_WORDS": "formgym sweep agent = no", "COMP_CWORD": "4"}
    done = subprocess.run(
        [sys.executable, "-c", _MAIN], env=os.environ | asked, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["noop"], done


# -- Quiet, JSON, progress --------------------------------------------------------------------------------------------


def test_quiet_prints_paths_and_json_prints_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = "-q", "sweep", "env=formfactory", "form=association_membership", "agent=noop", "episodes=2"
    evaluated = formgym_command(*command, "run_dir=some", cwd=tmp_path)
    assert (evaluated.returncode, evaluated.stdout, evaluated.stderr) == (0, "some\n", "")
    assert invoke("--quiet", "report", "some").split() == ["some/report.html"]
    told = json.loads(invoke("report", "some", "--json"))
    assert told["report"] == "some/report.html"
    assert told["runs"][0]["scores"]["strict_accuracy"]["mean"] == 0
    assert json.loads(invoke("rescore", "some", "--json")) == [{"run": "some", "changes": {}, "problems": {}}]
    assert json.loads(invoke("submit", "some", "-o", "s.json", "--json"))["path"] == "s.json"
    assert "FormFactory/AssociationMembership-v0" in invoke("submit", "some", "-o", "s.json")
    assert json.loads(invoke("verify", "s.json", "--json"))["confirmed"]
    again = invoke("verify", "s.json")
    assert "Confirmed, unofficial: no rank for 1 of 1 run." in again
    assert "\x1b" not in again


def test_bars_are_for_terminals_alone() -> None:
    code = "from formgym.experiments.terminal.console import track; print(sum(track([1, 2], 'counting')))"
    ours, theirs = pty.openpty()
    try:
        seen = subprocess.run(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=theirs,
            env=os.environ | {"TERM": "xterm"},
            check=True,
        )
        assert seen.stdout == b"3\n"
        assert select.select([ours], [], [], 0)[0]
        assert b"counting" in os.read(ours, 10_000)
    finally:
        os.close(ours)
        os.close(theirs)
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (piped.stdout, piped.stderr) == (b"3\n", b"")


# -- The tour ---------------------------------------------------------------------------------------------------------


def test_the_tour_shows_three_suites_and_leaves_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_demo(tmp_path / "tour", opens=False)
    printed = capsys.readouterr().out
    assert printed.count("0.00 → 1.00") == 3
    assert len(printed.splitlines()) <= 60
    page = (tmp_path / "tour" / "index.html").read_text(encoding="utf-8")
    for suite in ("FormGym", "FormFactory", "DocEdit"):
        assert f"<h2>{suite}</h2>" in page
        for moment in ("before", "after"):
            assert f'src="{suite.lower()}-{moment}.png"' in page
            assert (tmp_path / "tour" / f"{suite.lower()}-{moment}.png").stat().st_size > 10_000


@LONG
def test_the_animation_is_the_same_each_time(tmp_path: Path) -> None:
    write_animation(tmp_path / "tour.gif")
    shipped = (ROOT / "docs" / "formgym.gif").read_bytes()
    assert (tmp_path / "tour.gif").read_bytes() == shipped
    assert len(shipped) <= 2_000_000


# -- Mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "agent", "words"),
    [
        ("class Agent:\n    def reset(self, task, seed): ...", "mine.Agent", "act(self, observation)"),
        ("class Agent", "mine.Agent", "cannot be imported"),
        ("import nowhere_to_be_found", "mine.Agent", "mine needs nowhere_to_be_found"),
        ("", "mine:Agent", "MODULE.CLASS"),
        ("", "mine.py", "MODULE.CLASS"),
    ],
)
def test_agents_that_cannot_play_are_told_why(
    code: str, agent: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    with pytest.raises(ValueError, match=re.escape(words)):
        register_choices([f"agent={agent}"])


def test_a_missing_package_is_named_with_its_extra(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit), user_errors():
        raise ModuleNotFoundError("No module named 'cv2'", name="cv2")
    assert "pip install 'formgym[fieldfinder]'" in capsys.readouterr().err
    with pytest.raises(ModuleNotFoundError), user_errors():
        raise ModuleNotFoundError("No module named 'mine'", name="mine")
