"""``formgym import`` of a web page, compared with Chromium afterwards."""

from __future__ import annotations

import contextlib
import json
import math
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....envs.core.boxes import Rect
from ....envs.core.tools import Call
from ....envs.web_forms.chromium.browser import Browser
from ....envs.web_forms.chromium.chromium_page import ChromiumPage
from ....envs.web_forms.chromium.settings import chromium_path
from ....envs.web_forms.html.form_document import own_style, runtime_script
from ....envs.web_forms.replay.capture import Pictures
from ....envs.web_forms.replay.captured_page import CapturedPage
from ....envs.web_forms.replay.text_fields import TextField
from ....envs.web_forms.replay.widgets import Button
from ...terminal.console import say
from .browser import chromium
from .comparison import Calls, Conformance, Difference, random_walk
from .custom_form import CustomForm, capture_custom_form

_FILES = ("cv_final.pdf", "notes.txt", "photo.jpg", "a long name of a file that has no room in any box.docx")
_MAX_USED = 24
"""The most controls that are each used alone; further ones are used only in random episodes."""
_SAMPLE = "Sample, 42 AVA"


def check_custom_form(form: CustomForm, seeds: int, steps: int) -> tuple[int, int, list[tuple[Difference, str]]]:
    """Compare a captured form with Chromium.

    Returns:
        The numbers of compared and of equal frames, and the differences, each with its control; one ends its episode.
    """
    result, places = Conformance(form.capture.title, ""), []
    pictures = Pictures(form.folder.resolve())
    # The browser that photographed it.
    browser = Browser(chromium_path())
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        stack.callback(browser.end)
        page = Path(folder) / "page.html"
        page.write_text(form.html, encoding="utf-8")
        for name, calls in _episodes(pictures, seeds, steps):
            replayed = CapturedPage(pictures, _FILES)
            with _opened(browser, page, replayed) as chromium_page:
                found = result.compare(name, replayed, chromium_page, calls)
            if found:
                places.append(_where(replayed, found.rects) if found.rects else f"values {list(found.values)}")
    return result.compared, result.equal, list(zip(result.differences, places, strict=True))


@contextlib.contextmanager
def _opened(browser: Browser, page: Path, replayed: CapturedPage) -> Iterator[ChromiumPage]:
    """The page in its own tab, with the runtime's behaviour."""
    with browser.open_tab(*replayed.values.pictures.capture.viewport) as tab:
        tab.goto(page.as_uri())
        tab.evaluate(_set_up())
        tab.evaluate("document.fonts.ready.then(() => 0)")
        yield ChromiumPage(tab, replayed)


_SET_UP = """{
  const add = (parent, name, more) => parent.append(Object.assign(document.createElement(name), more));
  add(document.head, "style", {textContent: %s});
  add(document.body, "script", {type: "application/json", id: "formgym-files", textContent: %s});
  document.body.dataset.mode = "env";
}
%s null"""


def _set_up() -> str:
    """The script that gives a page the runtime's behaviour, as for its capture."""
    return _SET_UP % (json.dumps(own_style()), json.dumps(json.dumps(_FILES)), runtime_script())


def _episodes(pictures: Pictures, seeds: int, steps: int) -> Iterator[tuple[str, Calls]]:
    fresh = CapturedPage(pictures)
    visible = [i for i, widget in enumerate(fresh.values.widgets) if widget.place is not None]
    for i in visible[:: max(1, math.ceil(len(visible) / _MAX_USED))]:
        name = fresh.values.widgets[i].control.name
        yield f"control {name or i}", lambda page, i=i: _use(page, i)  # type: ignore[misc]
    for seed in range(seeds):
        yield f"random {seed}", lambda page, seed=seed: random_walk(page, [seed, steps], steps)  # type: ignore[misc]


def _use(page: CapturedPage, i: int) -> Iterator[Call]:
    """Use one control: click it, type into it, leave it."""
    widget = page.values.widgets[i]
    left, top, right, bottom = widget.spot.box
    if bottom > page.canvas.window.height:
        yield {"tool": "scroll", "dy": int(top - page.canvas.window.height / 2)}
    x, y = int((left + right) / 2), int((top + bottom) / 2) - page.canvas.window.scroll
    if not 0 <= y < page.canvas.window.height:
        return
    if isinstance(widget, Button):
        return
    yield {"tool": "click", "x": x, "y": y}
    if isinstance(widget, TextField):
        yield {"tool": "press_key", "key": "Control+a"}
        yield {"tool": "type_text", "text": "2024-05-06" if widget.control.type == "date" else _SAMPLE}
    yield {"tool": "press_key", "key": "Escape"}
    yield {"tool": "press_key", "key": "Tab"}
    yield {"tool": "click", "x": 0, "y": 0}


def _where(page: CapturedPage, rects: Sequence[Rect]) -> str:
    """The control that a difference is at, or else the pixels."""
    left, top, right, bottom = rects[0]
    scroll = page.canvas.window.scroll
    for widget in page.values.widgets:
        if widget.place is not None:
            x0, y0, x1, y1 = widget.place.box
            if x0 - 4 < right and left < x1 + 4 and y0 - 4 < bottom + scroll and top + scroll < y1 + 4:
                return f"at {widget.control.kind} {widget.control.name!r}, pixels {rects[0]}"
    return f"at pixels {rects[0]}"


_STEPS = 25


def capture_page(page: str, out: Path, gold: Path | None, episodes: int) -> None:
    """Capture a page, compare it with Chromium and print what differs.

    Args:
        page: a URL, or the path of an HTML file.
        out: the folder for the capture.
        gold: its tasks, if there are any yet.
        episodes: how many random ones are compared.

    Raises:
        ValueError: if it cannot be captured, or a value cannot be entered.
    """
    with chromium() as browser:
        form = capture_custom_form(page, out, gold, browser)
    _print_form(form)
    compared, equal, unequal = check_custom_form(form, episodes, _STEPS)
    say(f"Compared with Chromium: {equal} of {compared} frames equal.")
    _print_unequal(unequal, out / "unequal")


def _print_form(form: CustomForm) -> None:
    capture = form.capture
    say(f'"{capture.title}": {len(form.gold.fields)} fields, {capture.layouts[0].height} px high, {capture.browser}')
    if capture.inexact:
        say("Not as in a browser:")
    for line in capture.inexact:
        say(f"  {line}")
    if form.is_template:
        say(f"{form.folder / 'gold.json'} is a template: write tasks into it, and capture again to have them checked.")
    else:
        say(f"{len(form.gold.tasks)} tasks; every value can be entered.")


def _print_unequal(unequal: list[tuple[Difference, str]], folder: Path) -> None:
    """A line and a picture, Chromium's frame beside ours, for each place."""
    by_place: dict[str, list[Difference]] = {}
    for one, where in unequal:
        by_place.setdefault(where, []).append(one)
    for i, (where, found) in enumerate(by_place.items()):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{i}.png"
        path.write_bytes(found[0].picture)
        after = f"after {found[0].call}" if found[0].call else "from the start"
        again = f", and in {len(found) - 1} more episodes" if len(found) > 1 else ""
        say(f"  {where}, {after} ({found[0].episode}{again}): {path}")
    if unequal:
        say("It can be played all the same.")
