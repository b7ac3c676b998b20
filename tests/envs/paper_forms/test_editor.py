"""The editor: what is patched is what is drawn anew, and mouse and keyboard do what a user expects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from editor_walk import button, click, on_page, random_call, tab
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import DATA
from sizes import sample, some

from formgym.envs.core.painting import Frame, Image, Stamp
from formgym.envs.core.scoring import Gold
from formgym.envs.core.text_sprites import sprite
from formgym.envs.core.tools import ToolError
from formgym.envs.paper_forms.env import DocTransferEnv
from formgym.envs.paper_forms.gui import chrome
from formgym.envs.paper_forms.gui.env import AutoLoansGuiEnv, DatabaseGuiEnv, DocTransferGuiEnv, PhotoEditorEnv
from formgym.envs.paper_forms.gui.layout import (
    BUTTONS,
    CANVAS,
    HEIGHT,
    QUERY_BOX,
    RUN_BUTTON,
    STATUS_BAR,
    WIDTH,
    middle,
)  # fmt: skip
from formgym.envs.paper_forms.gui.page_view import ZOOMS, View, page_at, scrollbars, stamp_at
from formgym.envs.paper_forms.gui.photo_editor import TOOLS, PhotoEditor
from formgym.envs.paper_forms.gui.screen import Screen
from formgym.envs.paper_forms.gui.text_box import TextBox, place_of
from formgym.envs.paper_forms.gui.text_lines import Style, line_width, wrapped
from formgym.envs.paper_forms.gui.workspace import Workspace
from formgym.envs.paper_forms.state import PaperFormState, PaperTask, Target

ID = "FormGym/AutoLoans-GUI-v0"
QUERY_STYLE = Style((255, 255, 255), (0, 0, 0), size=14)
TASK = "cedar_valley_vehicle_loan/margaret_holloway"
LIGHT = settings(max_examples=some(8, 25), deadline=None)
ESCAPES = {"s": " ", "t": "\t", "n": "\n", "a": "\a"}
FAST = settings(max_examples=some(50, 200), deadline=None)


@cache
def made(cls: type[PhotoEditorEnv] = AutoLoansGuiEnv) -> PhotoEditorEnv:
    return cls(copy=False)


KINDS = (AutoLoansGuiEnv, DocTransferGuiEnv, DatabaseGuiEnv)


class User:
    """Someone who works in a fresh editor."""

    def __init__(self, task: str = TASK, env: PhotoEditorEnv | None = None) -> None:
        self.env = env or AutoLoansGuiEnv([task.split("/")[0]])
        self.env.reset(options={"task": task})

    @property
    def editor(self) -> PhotoEditor:
        assert isinstance(self.env.state, PhotoEditor)
        return self.env.state

    @property
    def space(self) -> Workspace:
        return self.editor.space

    @property
    def texts(self) -> list[str]:
        return [mark.text for mark in self.space.page.marks]

    def do(self, call: dict[str, Any], valid: bool = True) -> str:
        info = self.env.step(self.env.action_space.from_call(call))[4]
        assert info["valid"] is valid, info["feedback"]
        return str(info["feedback"])

    def press(self, *names: str) -> None:
        for name in names:
            self.do(button(name))

    def keys(self, *keys: str) -> str:
        return [self.do({"tool": "press_key", "key": key}) for key in keys][-1]

    def type(self, text: str) -> str:
        return self.do({"tool": "type_text", "text": text})

    def click(self, x: int, y: int, tool: str = "click") -> str:
        return self.do(on_page(self.space, x, y, tool))

    def follow(self, line: str) -> None:
        """A line of a script: a check, or an action, invalid after ``!``, with a part of the feedback after ``->``."""
        words, _, feedback = line.removeprefix("!").partition(" -> ")
        verb, _, rest = words.partition(" ")
        if verb in self.facts and (rest or verb not in BUTTONS):
            assert self.facts[verb]() == rest, line
            return
        calls = [button(verb)] if verb in BUTTONS else self.actions[verb](rest)
        assert all(feedback in self.do(call, valid=not line.startswith("!")) for call in calls), line

    @property
    def facts(self) -> dict[str, Callable[[], str]]:
        space, box, view = self.space, self.space.box, self.space.view
        return {
            "texts": lambda: ", ".join(self.texts),
            "signed": lambda: ", ".join(mark.text for mark in space.page.marks if mark.signed),
            "selected": lambda: space.selected.text if space.selected else "",
            "box": lambda: f"{box.text[: box.caret]}|{box.text[box.caret :]}" if box else "none",
            "no": lambda: "box" if box is None else box.text,
            "mode": lambda: space.mode,
            "zoom": lambda: str(view.percent),
            "last": lambda: f"{space.page.marks[-1].box[0]} {space.page.marks[-1].stamp.y}",
            "top": lambda: str(view.top),
        }

    @property
    def actions(self) -> dict[str, Callable[[str], list[dict[str, Any]]]]:
        return {
            "at": lambda rest: [on_page(self.space, *map(int, rest.split()))],
            "twice": lambda rest: [on_page(self.space, *map(int, rest.split()), "double_click")],
            "window": lambda rest: [click(*map(int, rest.split()))],
            "type": lambda rest: [{"tool": "type_text", "text": re.sub(r"\\(.)", lambda c: ESCAPES[c[1]], rest)}],
            "key": lambda rest: [{"tool": "press_key", "key": key} for key in rest.split()],
            "scroll": lambda rest: [{"tool": "scroll", **dict(zip(("dx", "dy"), map(int, rest.split()), strict=True))}],
            "drag": lambda rest: [
                {"tool": "drag", **dict(zip(("x0", "y0", "x1", "y1"), map(int, rest.split()), strict=True))}
            ],
            "terminate": lambda rest: [{"tool": "terminate"}],
        }

    def write(self, x: int, y: int, text: str, mode: str = "text") -> None:
        self.press(mode)
        self.click(x, y)
        self.type(text)
        self.keys("Enter")


def anew(editor: PhotoEditor) -> Image:
    """The window drawn from scratch."""
    frame = Frame(np.full((HEIGHT, WIDTH, 3), 77, np.uint8))
    frame.show(editor.background, Screen(editor.space).layers)
    return frame.buffer


def walk(env: PhotoEditorEnv, seed: int, steps: int) -> Any:
    """A random walk; yields each call and its info."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        call = random_call(env.state.space, rng)
        yield call, env.step(env.action_space.from_call(call))[4]


# --- any walk


@LIGHT
@given(st.sampled_from(KINDS), st.integers(0, 10**9), st.integers(1, 60))
def test_any_walk_can_be_repeated_undone_and_redone(kind: type[PhotoEditorEnv], seed: int, steps: int) -> None:
    env, again = made(kind), kind()
    before, pages = None, {}
    for _, info in walk(env, seed, steps):
        now, space = env.state.dump(), env.state.space
        assert json.loads(json.dumps(now, allow_nan=False)) == now
        assert info["valid"] or before is None or now == before
        before, pages[len(space.past)] = now, space.page.dump()
    assert env.state.take_dirty() == []
    np.testing.assert_array_equal(env.page(), anew(env.state))
    assert env.state.space.copy().dump() == env.state.space.dump()
    assert env.solution()
    assert env.state.dump() == now, "asking for the solution changes nothing"
    for _ in walk(again, seed, steps):
        pass
    assert again.state.dump() == env.state.dump()
    np.testing.assert_array_equal(again.page(), env.page())
    space.box = None
    end, n = space.page.dump(), len(space.past)
    for i in range(n, 0, -1):
        assert space.page.dump() == pages[i]
        space.undo()
    assert space.page.marks == []
    for _ in range(n):
        space.redo()
    assert space.page.dump() == end


@LIGHT
@given(st.sampled_from(KINDS), st.integers(0, 10**9), st.integers(0, 60))
def test_nothing_outside_of_the_dirty_rectangles_changes_or_is_painted(
    kind: type[PhotoEditorEnv], seed: int, steps: int
) -> None:
    env = made(kind)
    for _ in walk(env, seed, steps):
        pass
    editor, before = env.state, env.page()
    call = env.action_space.from_call(random_call(editor.space, np.random.default_rng(seed + 1)))
    tool, arguments = env.action_space.parse(call)
    try:
        tool.apply(editor, **arguments)
    except ToolError:
        assert editor.take_dirty() == []
        return
    dirty = editor.take_dirty()
    env._frame.buffer[...] = 99
    env._frame.paint(dirty)
    painted = env.page()
    env._frame.paint([(0, 0, WIDTH, HEIGHT)])
    outside = np.ones((HEIGHT, WIDTH), bool)
    for left, top, right, bottom in dirty:
        outside[max(top, 0) : bottom, max(left, 0) : right] = False
    after = anew(editor)
    assert (painted[outside] == 99).all()
    np.testing.assert_array_equal(painted[~outside], after[~outside])
    np.testing.assert_array_equal(before[outside], after[outside])


def test_typing_paints_a_small_part_of_the_window() -> None:
    user = User()
    user.press("text")
    user.click(300, 210)
    user.type("Ann")
    user.space.box.insert(" Lee")  # type: ignore[union-attr]
    user.space.status = "Typed"
    area = sum((right - left) * (bottom - top) for left, top, right, bottom in user.editor.take_dirty())
    assert area < WIDTH * HEIGHT / 30


def test_at_100_percent_the_canvas_shows_the_page_itself() -> None:
    user = User()
    for x, y, text in [(60, 212, "Margaret"), (350, 212, "Holloway"), (1150, 212, "runs off the page " * 3)]:
        user.write(x, y, text)
    user.write(60, 300, "Ann Lee", "sign")
    user.press("select")
    page = user.space.page
    frame = Frame(np.empty_like(page.background))
    frame.show(page.background, page.layers)
    (left, top), (_, y0, _, y1) = user.space.view.origin, user.space.view.viewport
    seen = user.env.page()[max(top, y0) : y1, left : left + page.width]
    np.testing.assert_array_equal(seen, frame.buffer[max(y0 - top, 0) : y1 - top])


@pytest.mark.parametrize("percent", [41, 50, 75, 100, 150, 200])
@pytest.mark.parametrize("place", [(60, 40), (61, 43), (62, 41), (63, 42)])
def test_a_mark_is_magnified_as_if_it_were_printed_on_the_page(percent: int, place: tuple[int, int]) -> None:
    view = View(240, 160, percent)
    stamp = stamp_at(sprite("Agnes 12", 16), *place, view)
    printed = np.zeros((160, 240, 3), np.uint8)
    frame = Frame(np.empty_like(printed))
    frame.show(printed, [Stamp(sprite("Agnes 12", 16), *place)])
    wanted = page_at(frame.buffer, (160, 240), percent).astype(int)
    height, width = wanted.shape[:2]
    left, top = view.origin
    shown = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    stamp.draw(shown, (0, 0, WIDTH, HEIGHT))
    found = shown[top : top + height, left : left + width].astype(int)
    # The filter overshoots at sharp edges; in the one that is cut off before the ink is laid on, in the other after.
    assert found.max() > 60
    assert np.abs(found - wanted).max() <= 24
    assert np.abs(found - wanted).mean() < (0.06 if percent == 41 else 0.01)


# --- geometry


views = st.builds(
    lambda w, h, p, x, y: View(w, h, p).scrolled_to(x, y),
    st.integers(200, 2600), st.integers(200, 3400), st.integers(10, 200), st.integers(0, 6000), st.integers(0, 6000),
)  # fmt: skip


@FAST
@given(views, st.data())
def test_pixels_of_the_page_and_the_window_agree(view: View, data: Any) -> None:
    x, y = data.draw(st.integers(0, view.width - 1)), data.draw(st.integers(0, view.height - 1))
    back = view.to_page(*view.to_window(x, y))
    off = 0 if view.percent >= 100 else -(-100 // view.percent)
    assert abs(back[0] - x) <= off
    assert abs(back[1] - y) <= off
    left, top, right, bottom = view.around((x, y, x + 1, y + 1))
    across, down = view.to_window(x, y)
    assert left <= across < right
    assert top <= down < bottom


@FAST
@given(views)
def test_scrolling_ends_where_the_desk_ends(view: View) -> None:
    left, top, right, bottom = view.viewport
    assert 0 <= view.left <= view.room[0]
    assert 0 <= view.top <= view.room[1]
    last = view.scrolled(10**6, 10**6)
    if view.room[1]:
        assert last.page[3] + 16 == bottom
        assert view.scrolled(0, -(10**6)).page[1] == top + 16
    for bar in scrollbars(view):
        if bar.thumb is not None:
            assert bar.track[0] <= bar.thumb[0] < bar.thumb[2] <= bar.track[2]
            assert bar.track[1] <= bar.thumb[1] < bar.thumb[3] <= bar.track[3]
    assert (bottom < CANVAS[3]) == (view.content[0] > right - left)


@FAST
@given(views)
def test_fitting_shows_all_of_it(view: View) -> None:
    whole, wide = view.zoomed(view.page_percent), view.zoomed(view.width_percent)
    if whole.percent > 10:
        assert whole.room == (0, 0)
    if wide.percent > 10:
        assert wide.room[0] == 0
    assert whole.percent <= wide.percent


@FAST
@given(views, st.sampled_from(ZOOMS))
def test_zooming_keeps_the_middle(view: View, percent: int) -> None:
    left, top, right, bottom = view.viewport
    x, y = view.to_page((left + right) // 2, (top + bottom) // 2)
    other = view.zoomed(percent)
    across, down = other.to_window(x, y)
    left, top, right, bottom = other.viewport
    if 0 < other.top < other.room[1]:
        assert abs(down - (top + bottom) // 2) <= 8
    if 0 < other.left < other.room[0]:
        assert abs(across - (left + right) // 2) <= 8


def test_buttons_do_not_overlap_and_are_in_the_toolbar() -> None:
    rects = [*BUTTONS.values()]
    assert all(36 <= top < bottom <= 84 and right <= WIDTH for _, top, right, bottom in rects)
    assert all(a[2] < b[0] for a, b in pairwise(rects))


# --- writing


def test_text_begins_at_the_click_and_is_centred_on_it() -> None:
    user = User()
    user.press("text")
    user.click(300, 212)
    assert user.space.box == TextBox(x=300, y=212, signed=False)
    user.type("HEH")
    open_text = user.env.page()
    user.keys("Enter")
    mark = user.space.page.marks[0]
    assert abs(mark.box[0] - 300) <= 1
    assert mark.stamp.y == 212
    ink = np.argwhere((user.env.page() != User().env.page()).any(2)[CANVAS[1] : CANVAS[3], : CANVAS[2] - 14])
    left, top = user.space.view.origin
    assert abs(ink[:, 1].min() - left - 300) <= 2
    assert abs((ink[:, 0].min() + ink[:, 0].max()) / 2 + CANVAS[1] - top - 212) <= 2
    # The text does not move when it is confirmed: its ink was there before.
    window = np.s_[ink[:, 0].min() + CANVAS[1] : ink[:, 0].max() + CANVAS[1] + 1, left + 302 : left + 302 + 20]
    np.testing.assert_array_equal(open_text[window], user.env.page()[window])


@pytest.mark.parametrize("percent", [41, 50, 75, 150, 200])
def test_text_does_not_move_when_it_is_confirmed_at_any_zoom(percent: int) -> None:
    user = User()
    while user.space.view.percent != percent:
        user.press("zoom_in" if percent > user.space.view.percent else "zoom_out")
    user.press("text")
    left, top, right, bottom = user.space.view.viewport
    user.do(click((left + right) // 2, (top + bottom) // 2))
    user.type("Ann Example")
    place = place_of(user.space.box, user.space.page, user.space.view)  # type: ignore[arg-type]
    x0, y0, x1, y1 = place.frame[0] + 1, place.frame[1] + 1, place.caret[0], place.frame[3] - 1
    before = user.env.page()[y0:y1, x0:x1]
    user.keys("Enter")
    np.testing.assert_array_equal(before, user.env.page()[y0:y1, x0:x1])


# --- scripts


SCRIPTS: dict[str, list[str]] = {
    name: re.split(r"\n +|; ", script.strip())
    for name, script in re.findall(
        r"^(\S.*):\n((?: .*\n)+)", (DATA / "editor_scripts.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
}
"""What users do and find, by name; see ``User.follow``."""


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(name: str) -> None:
    user = User()
    for line in SCRIPTS[name]:
        user.follow(line)


def test_a_box_holds_a_thousand_characters() -> None:
    user = User()
    user.press("text")
    user.click(300, 212)
    user.type("x" * 1_000)
    assert "at most 1,000" in user.do({"tool": "type_text", "text": "y"}, valid=False)


def test_what_is_in_an_open_box_is_not_scored_yet() -> None:
    user = User()
    user.press("text")
    user.click(60, 212)
    user.type("Margaret Anne")
    assert user.editor.metrics()["field_accuracy"] == 0
    reward = user.env.step(user.env.action_space.action("press_key", key="Enter"))[1]
    assert reward > 0
    assert user.editor.metrics()["correct_placements"] == 1


def test_a_click_into_the_box_places_the_caret_and_a_double_click_selects_all() -> None:
    user = User()
    user.press("text")
    user.click(300, 212)
    user.type("mmmmmmmmmm")
    width = sprite("m" * 10, 16).advance / 10
    for n in (0, 3, 7, 10):
        user.click(round(300 + n * width), 212)
        assert user.space.box.caret == n  # type: ignore[union-attr]
    user.click(320, 212, "double_click")
    user.type("Ann")
    user.keys("Enter")
    assert user.texts == ["Ann"]


def test_drag_moves_a_mark_at_any_zoom() -> None:
    for percent, by in ((100, 80), (50, 40), (200, 160)):
        user = User()
        user.write(300, 212, "Ann")
        user.press("select")
        while user.space.view.percent != percent:
            user.press("zoom_in" if percent > user.space.view.percent else "zoom_out")
        user.space.view = user.space.view.showing(300, 212)
        x, y = user.space.view.to_window(310, 212)
        old = user.space.page.marks[0].stamp
        user.do({"tool": "drag", "x0": x, "y0": y, "x1": x + by, "y1": y + by // 2})
        new = user.space.page.marks[0].stamp
        assert (new.x - old.x, new.y - old.y) == pytest.approx((80, 40), abs=1)
        assert user.space.selected is user.space.page.marks[0]


def test_a_mark_cannot_be_lost_beside_the_page() -> None:
    user = User()
    user.write(10, 212, "a long line of text")
    user.press("select")
    x, y = user.space.view.to_window(110, 212)
    user.do({"tool": "drag", "x0": x, "y0": y, "x1": 0, "y1": y})
    assert user.space.page.marks[0].x == 0
    user.click(10, 212, "double_click")
    user.keys("Control+a", "X", "Enter")
    assert user.space.page.marks[0].x >= 0
    assert len(user.editor.solution()) > 100


def test_scrollbars_are_dragged_and_clicked() -> None:
    user = User()
    bar = scrollbars(user.space.view)[0]
    left, top, _, bottom = bar.thumb  # type: ignore[misc]
    user.do({"tool": "drag", "x0": left, "y0": top + 5, "x1": left, "y1": top + 5 + (CANVAS[3] - bottom)})
    assert user.space.view.top == user.space.view.room[1]
    user.do(click(left + 2, CANVAS[1] + 5))
    assert user.space.view.top == user.space.view.room[1] - 630
    user.press("zoom_in")
    below = scrollbars(user.space.view)[1]
    assert not below.upright
    before = user.space.view.left
    x, y = below.thumb[0] + 5, below.thumb[1] + 2  # type: ignore[index]
    user.do({"tool": "drag", "x0": x, "y0": y, "x1": x + 100, "y1": y})
    assert user.space.view.left > before
    user.press("fit_page")
    assert "nothing scrolls" in user.do(click(left + 2, 300))


def test_the_status_bar_shows_what_was_done() -> None:
    user = User()
    bar = np.s_[STATUS_BAR[1] + 1 : STATUS_BAR[3]]
    ready = user.env.page()[bar]
    words = user.do(button("text"))
    assert user.space.status == words
    assert not np.array_equal(user.env.page()[bar], ready)
    user.click(300, 212)
    pointed = user.space.view.to_window(300, 212)
    assert user.space.pointed == pointed
    x, y = chrome.pointed_patch(pointed).rect[:2]
    patch = chrome.pointed_patch(pointed).pixels
    np.testing.assert_array_equal(user.env.page()[y : y + patch.shape[0], x : x + patch.shape[1]], patch)


def test_long_words_end_before_the_coordinates() -> None:
    assert chrome.status_patch("m" * 500).rect[2] <= chrome.STATUS[2]


@pytest.mark.parametrize("form", made().forms)
def test_no_click_loses_what_was_typed(form: str) -> None:
    user = User(f"{form}/margaret_holloway")
    user.press("text")
    targets = user.space.page.task.targets
    for target in targets:
        left, top, _, bottom = target.blank
        x, y = int(left) + 3, int(top + bottom) // 2
        user.space.view = user.space.view.showing(x, y)
        user.click(x, y)
        user.type("ab")
    user.press("confirm")
    assert len("".join(user.texts)) == 2 * len(targets)
    assert user.do(button("confirm"), valid=False) == user.do(button("cancel"), valid=False) == "No text box is open."


@pytest.mark.parametrize("percent", [41, 75, 100, 150])
def test_feedback_names_places_in_pixels_of_the_window(percent: int) -> None:
    user = User()
    while user.space.view.percent != percent:
        user.press("zoom_in" if percent > user.space.view.percent else "zoom_out")
    user.press("text")
    before = user.env.page()
    left, top, right, bottom = user.space.view.viewport
    x, y = (left + right) // 2 + 7, (top + bottom) // 2 - 50
    opened = user.do(click(x, y))
    assert [int(n) for n in re.findall(r"\d+", opened)] == pytest.approx([x, y], abs=1)
    user.type("HEH")
    written = user.keys("Enter")
    x0, x1, y0, y1 = map(int, re.findall(r"\d+", written))
    ink = np.argwhere((user.env.page() != before).any(2)[CANVAS[1] : CANVAS[3], : CANVAS[2] - 14])
    assert y0 <= ink[:, 0].min() + CANVAS[1] < ink[:, 0].max() + CANVAS[1] <= y1
    assert x0 - 2 <= ink[:, 1].min() < ink[:, 1].max() <= x1 + 2
    user.do({"tool": "scroll", "dx": 0, "dy": 2_000})
    if user.space.view.top > y1:
        assert "out of view" in user.keys("Control+z", "Control+y")


# --- the state


@pytest.mark.parametrize("size", sample([(80, 60), (400, 600), (900, 3000), (1100, 850), (3300, 2550)], 3))
def test_pages_of_any_size(size: tuple[int, int]) -> None:
    height, width = size
    boxes = [
        (x * width, y * height, x * width + 14, y * height + 12) for x in (0.02, 0.5, 0.7) for y in (0.05, 0.4, 0.8)
    ]
    golds = [Gold("text", "Ann") if i % 2 else Gold("signature", "AL") for i in range(len(boxes))]
    targets = [Target(f"f{i}", f"Field {i}", box, golds[i]) for i, box in enumerate(boxes)]
    task = PaperTask("made", "Fill it in.", "Ann Lee", 12, tuple(targets))
    page = PaperFormState(task, np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8))
    editor, frame = PhotoEditor(page), Frame(np.empty((HEIGHT, WIDTH, 3), np.uint8))
    frame.show(editor.background, editor.layers)
    tools = {tool.name: tool.apply for tool in TOOLS}

    def do(call: dict[str, Any]) -> None:
        tools[call["tool"]](editor, **{name: value for name, value in call.items() if name != "tool"})
        frame.paint(editor.take_dirty())

    rng = np.random.default_rng(1)
    for _ in range(some(20, 60)):
        with suppress(ToolError):
            do(random_call(editor.space, rng))
        np.testing.assert_array_equal(frame.buffer, anew(editor))
    for call in editor.solution():
        do(call)
    assert editor.metrics()["strict_accuracy"] == 1.0
    np.testing.assert_array_equal(frame.buffer, anew(editor))


def test_the_solution_keeps_what_an_open_text_box_has_right() -> None:
    user = User()
    typed = next(i for i, call in enumerate(user.editor.solution()) if call["tool"] == "type_text")
    for call in user.editor.solution()[: typed + 1]:
        user.do(call)
    assert user.editor.solution()[0] == {"tool": "press_key", "key": "Enter"}
    user.type(" or not")
    assert user.editor.solution()[0] == {"tool": "press_key", "key": "Escape"}
    for call in user.editor.solution():
        user.do(call)
    assert user.editor.metrics()["strict_accuracy"] == 1.0


@pytest.mark.parametrize("split", ["test", "train"])
@pytest.mark.parametrize("env_id", [ID, "FormGym/DocTransfer-GUI-v0", "FormGym/Database-GUI-v0"])
def test_the_budget_is_enough_for_every_form_and_the_goal_states_it(env_id: str, split: str) -> None:
    env = gym.make(env_id, split=split)
    base = env.unwrapped
    assert env.spec.max_episode_steps == 300
    for form in sample(base.forms, 2):
        base.reset(seed=1, options={"form": form})
        assert len(base.solution()) <= 260
        assert base.state.goal.endswith("You have 300 actions.") == (env_id != ID)


# --- documents


def test_a_source_page_is_a_document_to_read() -> None:
    user = User("harbor_mutual_bank_loan/iron_bridge_dealer_application/margaret_holloway", DocTransferGuiEnv())
    beside = DocTransferEnv().open_task(user.editor.task_id)
    assert "source_page" not in user.env.observation_space.spaces
    assert user.env.state.source_page is None
    user.press("text")
    user.click(400, 300)
    user.type("Ann")
    user.do(tab(user.space, "source"))
    assert user.texts == ["Ann"], "changing the document confirms the open text"
    (left, top), (_, y0, _, y1) = user.space.view.origin, user.space.view.viewport
    page = beside.source_page.pixels()
    seen = user.env.page()[max(top, y0) : y1, left : left + page.shape[1]]
    np.testing.assert_array_equal(seen, page[max(y0 - top, 0) : y1 - top])
    assert user.editor.places == ()
    before = user.space.page.dump()
    for name in BUTTONS:
        if not user.space.has(name):
            assert "nothing in this tab" in user.do(button(name), valid=False)
    for key in ("t", "Delete", "Control+z", "Enter"):
        user.do({"tool": "press_key", "key": key}, valid=False)
    user.do({"tool": "drag", "x0": 500, "y0": 400, "x1": 600, "y1": 500}, valid=False)
    for call in (click(500, 400), click(500, 400, "double_click")):
        assert "for reading" in user.do(call)
    user.keys("+", "PageDown", "ArrowRight", "End")
    user.press("fit_page")
    assert user.space.view.room == (0, 0)
    assert user.space.page.dump() == before
    form_view = user.space.views["form"]
    user.do(tab(user.space, "form"))
    assert user.space.view == form_view
    for call in user.editor.solution():
        user.do(call)
    assert user.editor.metrics()["strict_accuracy"] == 1.0


# --- the database


@cache
def firm() -> DatabaseGuiEnv:
    return DatabaseGuiEnv(["sales_tax_return"])


def at_database() -> User:
    user = User(firm().task_ids[0], firm())
    user.do(tab(user.space, "database"))
    return user


def ask(user: User, query: str) -> list[list[str]]:
    user.keys("Control+a")
    user.type(query)
    user.keys("Enter")
    return user.space.result.rows


def test_a_query_shows_what_the_tool_answers() -> None:
    user = at_database()
    assert "query_sql" not in user.env.action_space.names
    assert "query_sql" not in user.editor.goal
    for query in (
        "SELECT name FROM sqlite_master",
        "SELECT * FROM clients",
        "SELECT 1 AS n WHERE 0",
        "SELECT 'a' AS b",
    ):
        rows = ask(user, query)
        assert "\n".join(" | ".join(row) for row in rows) == user.space.page.query(query)
    empty = user.env.page()
    user.type(" nothing")
    assert "failed" in user.do(click(*middle(RUN_BUTTON)))
    assert user.space.result.rows[0][0].startswith("SQL error")
    assert not np.array_equal(user.env.page(), empty)
    user.keys("Escape", "Enter")
    assert user.space.result.rows == [["SQL error: the statement is empty."]]


def test_all_of_a_wide_result_can_be_seen() -> None:
    user = at_database()
    ask(user, "SELECT a.*, b.* FROM clients a JOIN clients b")
    table, view = user.space.result, user.space.view
    assert view.room[0] > 1_000 < view.room[1]
    begin = user.env.page()
    user.do({"tool": "scroll", "dx": 2_000, "dy": 0})
    left, top = scrollbars(user.space.view)[0].thumb[:2]  # type: ignore[index]
    user.do({"tool": "drag", "x0": left, "y0": top, "x1": left, "y1": HEIGHT - 1})
    assert user.space.view.top == view.room[1]
    (x, y), everything = user.space.view.origin, (-(10**6), -(10**6), 10**6, 10**6)
    assert all(layer.rect[2] <= x + table.width for layer in table.layers(x, y, everything))
    frame = Frame(np.empty((HEIGHT, WIDTH, 3), np.uint8))
    frame.show(user.env.page(), table.layers(x, y, everything))
    left, top, right, bottom = user.space.view.viewport
    seen = np.s_[max(top, y) : min(bottom, y + table.height), max(left, x) : min(right, x + table.width)]
    np.testing.assert_array_equal(user.env.page()[seen], frame.buffer[seen])
    user.do({"tool": "scroll", "dx": -2_000, "dy": -2_000})
    assert user.space.view == view
    np.testing.assert_array_equal(user.env.page()[: STATUS_BAR[1]], begin[: STATUS_BAR[1]])


def test_a_long_query_shows_its_caret_and_takes_clicks() -> None:
    user = at_database()
    word = "SELECT legal_name FROM clients -- "
    for _ in range(6):
        user.type(word * 17)
    assert "at most 4,000" in user.do({"tool": "type_text", "text": word * 17}, valid=False)
    text = user.space.query.text
    accent = np.all(user.env.page()[QUERY_BOX[1] + 2 : QUERY_BOX[3] - 2] == chrome.ACCENT, axis=2)
    assert 10 < accent[:, QUERY_BOX[0] + 2 : QUERY_BOX[2] - 2].sum() < 60
    user.keys("Home")
    for n in (0, 1, 40, 100):
        user.do(click(QUERY_BOX[0] + 8 + line_width(text[:n], QUERY_STYLE), QUERY_BOX[1] + 10))
        assert user.space.query.caret == n
    user.do(click(QUERY_BOX[2] - 3, QUERY_BOX[3] - 3))
    assert 300 < user.space.query.caret < len(text)
    user.do(click(500, 120, "double_click"))
    user.type("SELECT 1")
    assert user.space.query.text == "SELECT 1"


@FAST
@given(st.text(st.sampled_from("ab WMi,.é你"), max_size=300), st.integers(20, 400))
def test_wrapped_lines_fit_and_are_the_text(text: str, room: int) -> None:
    lines = wrapped(text, QUERY_STYLE, room)
    assert "".join(lines) == text
    assert all(line_width(line, QUERY_STYLE) <= room for line in lines)
    for line, following in pairwise(lines):
        word = following.split(" ")[0]
        if " " in line.rstrip():
            assert line.endswith(" ") or line_width(line + word, QUERY_STYLE) > room


def test_the_same_tasks_as_with_text() -> None:
    with_text = gym.make("FormGym/AutoLoans-Text-v0").unwrapped
    assert made().task_ids == with_text.task_ids
    made().reset(options={"task": TASK})
    with_text.reset(options={"task": TASK})
    assert made().state.space.page.task == with_text.state.task
    assert made().state.source == with_text.state.source
    assert made().state.goal.startswith(with_text.state.goal)
