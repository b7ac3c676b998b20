"""The window of ``formgym play``, on a display of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from gymnasium import spaces

from formgym.envs.core.texts import UnicodeText
from formgym.envs.core.tools import Argument, Tool
from formgym.envs.paper_forms.state import PaperFormState
from formgym.envs.paper_forms.tools import TOOLS
from formgym.experiments.play.command import display_problem
from formgym.experiments.play.session import Session

pytest.importorskip("tkinter", reason="this Python has no tkinter: apt-get install python3-tk")

from formgym.envs.core.tools import coordinate
from formgym.experiments.play.window import call_at, takes_point

if TYPE_CHECKING:
    from formgym.experiments.play.window import PlayWindow

LOANS, TASK = "FormGym/AutoLoans-Text-v0", "cedar_valley_vehicle_loan/curtis_pruitt"
TOOL = {tool.name: tool for tool in TOOLS}


# -- Without a display ----------------------------------------------------------------------------------------------


def test_a_click_is_a_call_in_the_units_of_the_space() -> None:
    call = call_at(TOOL["place_text"], (0.25, 0.4), {"text": "Ann", "key": "not wanted here"})
    assert call == {"tool": "place_text", "x": 0.25, "y": 0.4, "text": "Ann"}
    assert call_at(TOOL["terminate"], None, {}) == {"tool": "terminate"}


@pytest.mark.parametrize(("fraction", "pixel", "length"), [(0.0, 0, 0.0), (0.5, 400, 400.0), (1.0, 799, 800.0)])
def test_pixels_are_points_too(fraction: float, pixel: int, length: float) -> None:
    assert coordinate(spaces.Discrete(800), fraction) == pixel
    assert coordinate(spaces.Box(0.0, 800.0, (), np.float64), fraction) == length


def test_what_is_typed_for_a_number_is_a_number_if_it_can_be() -> None:
    def apply(state: object) -> str:
        return ""

    tool = Tool("press", apply, {"key": Argument(UnicodeText(9), ""), "n": Argument(spaces.Discrete(9, start=-4), "")})
    assert not takes_point(tool)
    assert call_at(tool, None, {"key": "7", "n": "-3"}) == {"tool": "press", "key": "7", "n": -3}
    assert call_at(tool, None, {"key": "7", "n": "few"}) == {"tool": "press", "key": "7", "n": "few"}


def test_a_missing_display_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    assert "DISPLAY is not set" in (display_problem() or "")


# -- With one -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """An X server that nobody sees."""
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("no Xvfb: apt-get install xvfb")
    ours, theirs = os.pipe()
    flags = ["-displayfd", str(theirs), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]
    process = subprocess.Popen([server, *flags], pass_fds=[theirs], stderr=subprocess.DEVNULL)
    os.close(theirs)
    with os.fdopen(ours) as told:
        number = told.readline().strip()
    yield f":{number}"
    process.terminate()
    process.wait()


@pytest.fixture
def window(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayWindow]:
    """A window on a task; a callback that raised fails the test."""
    from formgym.experiments.play.window import PlayWindow

    monkeypatch.setenv("DISPLAY", display)
    assert display_problem() is None
    shown = PlayWindow(Session(LOANS, TASK, None, tmp_path))
    raised: list[object] = []
    monkeypatch.setattr(shown.root, "report_callback_exception", lambda *error: raised.append(error))
    shown.root.update()
    yield shown
    shown.root.update()
    shown.root.destroy()
    assert raised == []


def page_of(window: PlayWindow) -> PaperFormState:
    return cast(PaperFormState, window.session.env.state)


def click(window: PlayWindow, x: float, y: float) -> None:
    """Click on a point of the page, given in fractions of it."""
    width, height = page_of(window).width * window.zoom, page_of(window).height * window.zoom
    window.canvas.event_generate("<Button-1>", x=round(x * width), y=round(y * height))
    window.root.update()


def test_a_click_writes_and_handing_in_shows_the_result(window: PlayWindow) -> None:
    call = next(c for c in page_of(window).solution() if len(c.get("text", "")) > 1)
    window.type("text", call["text"])
    click(window, call["x"], call["y"])
    (mark,) = page_of(window).marks
    assert mark.text == call["text"]
    assert (mark.x, mark.y) == pytest.approx((call["x"], call["y"]), abs=0.001)
    assert window.session.metrics["correct_placements"] == 1
    window.buttons["terminate"].invoke()
    assert window.session.ended == "handed in"
    rows = [window.results.item(row)["values"] for row in window.results.get_children()]
    assert [row[3] for row in rows].count("✓") == 1
    click(window, 0.5, 0.5)
    assert len(page_of(window).marks) == 1


def test_choosing_a_tool_changes_what_a_click_does(window: PlayWindow) -> None:
    window.type("text", "Ann Example")
    click(window, 0.3, 0.2)
    window.choose("delete_text")
    click(window, 0.3, 0.2)
    assert page_of(window).marks == []
    window.choose("sign_or_initial")
    click(window, 0.3, 0.2)
    assert [mark.signed for mark in page_of(window).marks] == [True]
    assert window.session.steps == 3


def test_bad_input_is_explained_and_costs_nothing_that_was_there(window: PlayWindow) -> None:
    click(window, 0.3, 0.2)
    assert "empty" in window.session.feedback
    window.canvas.event_generate("<Button-1>", x=9_000, y=10)
    window.root.update()
    assert window.session.steps == 1
    assert page_of(window).marks == []


def test_a_click_hits_the_same_point_at_any_zoom(window: PlayWindow) -> None:
    window.type("text", "Ann Example")
    for steps in (-2, 1, -9):
        window.zoom_by(steps)
        click(window, 0.3, 0.1)
    marks = page_of(window).marks
    assert [mark.x for mark in marks] == pytest.approx([0.3] * 3, abs=0.003)
    assert [mark.y for mark in marks] == pytest.approx([0.1] * 3, abs=0.003)


def test_a_page_that_is_scrolled_is_clicked_where_it_shows(window: PlayWindow) -> None:
    window.type("text", "Ann Example")
    window.canvas.yview_moveto(0.3)
    window.root.update()
    hidden = window.canvas.canvasy(0)
    assert hidden > 0
    click(window, 0.3, 0.1)
    page = page_of(window)
    assert page.marks[0].y == pytest.approx(0.1 + hidden / (page.height * window.zoom), abs=0.002)
