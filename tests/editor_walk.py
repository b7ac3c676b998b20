"""Random walks in the editor: calls that a restless but purposeful user might make."""

from __future__ import annotations

from typing import Any

import numpy as np

from formgym.envs.paper_forms.gui.layout import BUTTONS, CANVAS, HEIGHT, QUERY_PANE, RUN_BUTTON, WIDTH, middle, tabs
from formgym.envs.paper_forms.gui.page_view import scrollbars
from formgym.envs.paper_forms.gui.text_box import place_of
from formgym.envs.paper_forms.gui.workspace import Workspace

Call = dict[str, Any]

WORDS = ["X", "Ann", "Jane Doe", "12,000.00", " padded ", "José", "✓", "你好", "a\tb", "x" * 200, "", "jpq", "\x07"]
KEYS = [
    "Enter", "Escape", "Backspace", "Delete", "Home", "End", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown",
    "PageUp", "PageDown", "Control+z", "ctrl+y", "Control+a", "Control+Shift+z", "t", "v", "s", "+", "-", "q", "Hyper",
]  # fmt: skip


QUERIES = [
    "SELECT * FROM clients", "SELECT name, sql FROM sqlite_master", "SELECT 1 AS one WHERE 0", "SELECT nothing", "-- ",
]  # fmt: skip


def button(name: str) -> Call:
    return click(*middle(BUTTONS[name]))


def tab(space: Workspace, name: str) -> Call:
    """A click on the tab of a document."""
    return click(*middle(tabs(tuple(space.views))[name]))


def click(x: float, y: float, tool: str = "click") -> Call:
    return {"tool": tool, "x": int(np.clip(x, 0, WIDTH - 1)), "y": int(np.clip(y, 0, HEIGHT - 1))}


def on_page(space: Workspace, x: float, y: float, tool: str = "click") -> Call:
    """A click at a pixel of the page, at the edge of the window if it is not seen."""
    return click(*space.view.to_window(int(x), int(y)), tool)


def random_call(space: Workspace, rng: np.random.Generator) -> Call:
    """A call that could come next."""
    if len(space.views) > 1 and rng.random() < 0.1:
        return tab(space, str(rng.choice([*space.views])))
    if space.tab == "database" and rng.random() < 0.5:
        return _query(space, rng)
    return globals()[f"_{rng.choice(_KINDS)}"](space, rng)


_KINDS = "anywhere canvas canvas type type key key press_button mark mark box scroll drag".split()


def _anywhere(space: Workspace, rng: np.random.Generator) -> Call:
    return click(rng.integers(WIDTH), rng.integers(HEIGHT), str(rng.choice(["click", "double_click"])))


def _canvas(space: Workspace, rng: np.random.Generator) -> Call:
    return click(rng.integers(CANVAS[0], CANVAS[2]), rng.integers(CANVAS[1], CANVAS[3]))


def _type(space: Workspace, rng: np.random.Generator) -> Call:
    return {"tool": "type_text", "text": str(rng.choice(WORDS))}


def _key(space: Workspace, rng: np.random.Generator) -> Call:
    return {"tool": "press_key", "key": str(rng.choice(KEYS))}


def _press_button(space: Workspace, rng: np.random.Generator) -> Call:
    # The tools that write are chosen more often, so that there is something on the page.
    return button(str(rng.choice([*BUTTONS, "text", "text", "sign", "select", "fit_width"])))


def _mark(space: Workspace, rng: np.random.Generator) -> Call:
    if not space.page.marks:
        return _canvas(space, rng)
    left, top, right, bottom = space.page.marks[rng.integers(len(space.page.marks))].box
    tool = str(rng.choice(["click", "double_click"]))
    return on_page(space, rng.integers(left, right), rng.integers(top, bottom), tool)


def _box(space: Workspace, rng: np.random.Generator) -> Call:
    if space.box is None:
        return _canvas(space, rng)
    left, top, right, bottom = place_of(space.box, space.page, space.view).frame
    return click(rng.integers(left, right), rng.integers(top, bottom), str(rng.choice(["click", "double_click"])))


def _query(space: Workspace, rng: np.random.Generator) -> Call:
    left, top, right, bottom = QUERY_PANE
    calls = [
        {"tool": "type_text", "text": str(rng.choice(QUERIES))},
        {"tool": "press_key", "key": str(rng.choice(["Enter", "Control+a", "Escape"]))},
        click(rng.integers(left, right), rng.integers(top, bottom), str(rng.choice(["click", "double_click"]))),
        click(*middle(RUN_BUTTON)),
    ]
    return calls[rng.integers(len(calls))]


def _scroll(space: Workspace, rng: np.random.Generator) -> Call:
    return {"tool": "scroll", "dx": int(rng.integers(-400, 401)), "dy": int(rng.integers(-900, 901))}


def _drag(space: Workspace, rng: np.random.Generator) -> Call:
    thumbs = [bar.thumb for bar in scrollbars(space.view) if bar.thumb is not None]
    start = _mark(space, rng)
    if thumbs and rng.random() < 0.4:
        left, top, right, bottom = thumbs[rng.integers(len(thumbs))]
        start = click((left + right) // 2, (top + bottom) // 2)
    end = click(start["x"] + rng.integers(-200, 201), start["y"] + rng.integers(-200, 201))
    return {"tool": "drag", "x0": start["x"], "y0": start["y"], "x1": end["x"], "y1": end["y"]}
