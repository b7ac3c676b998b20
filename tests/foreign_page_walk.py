"""Plays foreign pages by the oracle, and the same clicks and keys by Playwright alone, and compares every frame.

``python tests/foreign_page_walk.py [--keep FOLDER] [PAGE...]`` prints the table of docs/web_forms.md.
"""

import contextlib
import functools
import http.server
import io
import json
import os
import re
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import gymnasium as gym
import numpy as np
from foreign_page_fixture import NAMES, answers, write_page
from PIL import Image
from playwright.sync_api import sync_playwright

import formgym  # noqa: F401  (registers the environments)
from formgym.envs.web_forms.chromium.settings import SWITCHES, browser_path, environment
from formgym.envs.web_forms.custom.gold import GOLD
from formgym.experiments.authoring.web.import_page import import_page

_LATEST, _PAUSE = 4.0, 0.25
"""Seconds for which a frame may come to equal the environment's, and between those that must then be equal still."""

_FOCUSED = """(() => { let at = document.activeElement;
    while (at.shadowRoot?.activeElement || at.contentDocument?.activeElement)
        at = at.shadowRoot?.activeElement ?? at.contentDocument.activeElement;
    return at; })()"""
_CHOSEN = f"""(() => {{ const list = {_FOCUSED};
    return list.options && !list.multiple ? [formgym.selectorOf(list), list.selectedIndex] : null; }})()"""
_MOVES = f"""([row]) => {{ const list = {_FOCUSED}, from = list.selectedIndex;
    const free = [...list.options].map((option) => !option.disabled && !option.closest("optgroup[disabled]"));
    const count = (first, end) => free.slice(first, end).filter(Boolean).length;
    return count(from + 1, row + 1) - count(row, Math.max(from, 0)); }}"""


@dataclass
class Verdict:
    """What came of a page.

    Attributes:
        fields: how many a person has something to say of.
        names: of those that the import found.
        lost: of those that the oracle could not enter.
        drafted: how many of them the import found by the label that is seen.
        entered: how many the oracle could enter.
        scored: how many were right in the end.
        frames: how many were compared.
        popups: how many of them with a list, calendar or palette open.
        unequal: the steps after which frames differed, with the number of pixels.
        score: of the oracle, and then of an agent that does nothing.
        faults: what went wrong, in words.
    """

    fields: int = 0
    names: frozenset[str] = frozenset()
    lost: list[str] = field(default_factory=list)
    drafted: int = 0
    entered: int = 0
    scored: int = 0
    frames: int = 0
    popups: int = 0
    unequal: dict[int, str] = field(default_factory=dict)
    score: tuple[float, float] = (0.0, 1.0)
    faults: list[str] = field(default_factory=list)


def judged(name: str, work: Path, browser, keep: Path | None = None) -> Verdict:
    """Imports a page, plays it, and plays it by Playwright's browser as well."""
    verdict, folder = Verdict(), work / name
    with contextlib.redirect_stdout(io.StringIO()):
        import_page(str(write_page(name, work / f"{name}_source")), folder, None, None, False)
    _write_tasks(folder, name, verdict)
    calls = _solution(folder, verdict)
    reference = Reference(browser, folder)
    try:
        _walk(folder, calls, reference, verdict, keep and keep / name)
    finally:
        reference.close()
    verdict.score = verdict.score[0], _noop(folder)
    return verdict


def _write_tasks(folder: Path, name: str, verdict: Verdict) -> None:
    """Fill the draft's task with the answers, by label; what the page lacks when it opens is named by hand."""
    draft, given = json.loads((folder / GOLD).read_text()), answers(name)
    fields, values, files = draft["fields"], {}, []
    for answer in given["answers"]:
        label, value = answer["label"], answer["value"]
        free = [one for one in fields if one not in values]
        found = [one for one in free if fields[one]["label"] == label]
        found = found or [one for one in free if fields[one]["label"].startswith(label)]
        if not found and "name" in answer:
            by_hand = {key: answer[key] for key in ("label", "control", "selector") if key in answer}
            fields[answer["name"]], found = by_hand, [answer["name"]]
            verdict.faults.append(f"{label!r} is named by hand")
        elif not found:
            verdict.faults.append(f"{label!r} is not drafted")
        else:
            verdict.drafted += 1
        if found:
            values[found[0]] = value
            if fields[found[0]]["control"] == "file":
                files += value if isinstance(value, list) else [value]
    if surplus := [spec["label"] for one, spec in fields.items() if one not in values]:
        verdict.faults.append(f"drafted besides: {', '.join(surplus)}")
    draft["fields"] = {one: fields[one] for one in values}
    draft["tasks"] = [{"name": "letter", "source": given["source"], "values": values, "files": files}]
    verdict.fields, verdict.names = len(given["answers"]), frozenset(values)
    (folder / GOLD).write_text(json.dumps(draft, ensure_ascii=False, indent=1))


def _solution(folder: Path, verdict: Verdict) -> list[dict]:
    """The oracle's calls; a field that it cannot enter is named, and taken out of the task for the rest to be seen."""
    while True:
        gold = json.loads((folder / GOLD).read_text())
        values = gold["tasks"][0]["values"]
        with contextlib.closing(gym.make("FormFactory/Custom-v0", form=str(folder))) as env:
            env.reset(seed=0)
            try:
                calls = env.unwrapped.solution()
            except ValueError as error:
                verdict.faults.append(str(error).partition(": task ")[2] or str(error))
                lost = next((one for one in values if f"field {one!r}" in str(error)), None)
                if lost is None:
                    return []
                del values[lost]
                verdict.lost.append(lost)
                (folder / GOLD).write_text(json.dumps(gold, ensure_ascii=False, indent=1))
                continue
        verdict.entered = len(values)
        return calls


def _walk(folder: Path, calls: list[dict], reference: "Reference", verdict: Verdict, keep: Path | None) -> None:
    with contextlib.closing(gym.make("FormFactory/Custom-v0", form=str(folder))) as env:
        observation, info = env.reset(seed=0)
        page = env.unwrapped.state.page
        _compare(observation, reference, verdict, 0, {"tool": "reset"}, False, keep)
        for step, call in enumerate(calls, 1):
            was_open, before = _popup(page), page.live.evaluate(_CHOSEN)
            observation, _, _, _, info = env.step(env.unwrapped.action_space.from_call(call))
            if call["tool"] == "terminate":
                break
            after = page.live.evaluate(_CHOSEN) if was_open and before and call["tool"] == "click" else None
            row = after[1] if after and after != before and after[0] == before[0] else None
            reference.act(call, row, info["feedback"])
            _compare(observation, reference, verdict, step, call, _popup(page), keep)
        results = env.unwrapped.state.score().fields
        verdict.scored = sum(one.correct and one.name in verdict.names for one in results) - len(verdict.lost)
        wrong = [one for one in results if not one.correct]
        verdict.faults += [f"{one.label!r} holds {one.entered!r} instead of {one.expected!r}" for one in wrong]
        verdict.score = info["score"]["strict_accuracy"], 1.0


def _popup(page) -> bool:
    """Whether Chromium's list, calendar or palette is open, or a list drawn in its stead."""
    open_list = getattr(page, "picker", None) or getattr(page.live.tab, "popup", None)
    return open_list is not None or page.live.evaluate(f"{_FOCUSED}.type === 'color'")


def _compare(observation, reference, verdict, step, call, is_open, keep) -> None:
    frame = observation["page"]
    other = reference.frame(frame)
    verdict.frames += 1
    verdict.popups += is_open
    different = int((frame != other).any(axis=2).sum())
    if different:
        rows, columns = np.nonzero((frame != other).any(axis=2))
        box = [int(one) for one in (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)]
        verdict.unequal[step] = f"{different} pixels in {box} after {call}{' (popup)' if is_open else ''}"
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        Image.fromarray(frame).save(keep / f"{step:03}_{call['tool']}.png")
        if different:
            Image.fromarray(other).save(keep / f"{step:03}_{call['tool']}_playwright.png")


def _noop(folder: Path) -> float:
    with contextlib.closing(gym.make("FormFactory/Custom-v0", form=str(folder))) as env:
        env.reset(seed=0)
        return env.step(env.unwrapped.action_space.from_call({"tool": "terminate"}))[4]["score"]["strict_accuracy"]


class Reference:
    """The page in Playwright's browser, served by a server of its own, with the clock and the files of the task."""

    def __init__(self, browser, folder: Path) -> None:
        gold = json.loads((folder / GOLD).read_text())
        handler = functools.partial(_QuietHandler, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._files = tempfile.TemporaryDirectory()
        size = {"width": gold.get("width", 1024), "height": gold.get("height", 768)}
        self._context = browser.new_context(viewport=size)
        self._page = self._context.new_page()
        self._page.clock.set_fixed_time(gold.get("now", "2026-03-02T09:00:00"))
        self._chooser = None
        self._page.on("filechooser", self._on_chooser)
        self._page.on("dialog", lambda dialog: dialog.accept())
        self._page.goto(f"http://127.0.0.1:{self._server.server_port}/{gold.get('page', 'index.html')}")
        # A page that is left is not followed: the environment shows the form as it was.
        self._page.route("**/*", self._on_request)

    def act(self, call: dict, row: int | None, feedback: str) -> None:
        """Do as a call of the environment has done; ``row`` is what it has chosen from the open list, if anything."""
        tool, page = call["tool"], self._page
        if tool in ("click", "double_click"):
            if row is not None:
                self._choose(row)
                page.mouse.move(call["x"], call["y"])
                return
            self._chooser = None
            if "Control is held" in feedback:
                page.keyboard.down("Control")
            page.mouse.click(call["x"], call["y"], click_count=2 if tool == "double_click" else 1)
            page.keyboard.up("Control")
        elif tool == "type_text" and self._chooser is not None:
            self._chooser.set_files([self._file(name) for name in re.split(r"[,\n] ?", call["text"])])
        elif tool == "type_text" and page.evaluate(_FOCUSED + ".type === 'color'"):
            page.keyboard.press("Escape")  # Else the palette stays open.
            page.evaluate_handle(_FOCUSED).as_element().fill(call["text"])
        elif tool == "type_text":
            page.keyboard.type(call["text"])
        elif tool == "press_key":
            page.keyboard.press(call["key"])
        elif tool == "scroll":
            page.mouse.wheel(0, call["dy"])

    def frame(self, expected: np.ndarray) -> np.ndarray:
        """The first frame that equals another one and is still the same a moment later, or the last one."""
        began = time.monotonic()
        self._page.wait_for_timeout(1000 * _PAUSE)
        while True:
            frame = self._picture()
            if np.array_equal(frame, expected):
                self._page.wait_for_timeout(1000 * _PAUSE)
                frame = self._picture()
                if np.array_equal(frame, expected):
                    return frame
            if time.monotonic() - began > _LATEST:
                return frame
            self._page.wait_for_timeout(100)

    def close(self) -> None:
        self._context.close()
        self._server.shutdown()
        self._server.server_close()
        self._files.cleanup()

    def _picture(self) -> np.ndarray:
        picture = self._page.screenshot(animations="disabled", caret="hide")
        return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))

    def _choose(self, row: int) -> None:
        """Choose an option of the open list by the keys of Chromium's own."""
        moves = self._page.evaluate(_MOVES, [row])
        for _ in range(abs(moves)):
            self._page.keyboard.press("ArrowDown" if moves > 0 else "ArrowUp")
        self._page.keyboard.press("Enter")

    def _file(self, name: str) -> Path:
        path = Path(self._files.name) / name
        path.write_text(f"{name}\n")
        return path

    def _on_chooser(self, chooser) -> None:
        self._chooser = chooser

    def _on_request(self, route) -> None:
        is_left = route.request.is_navigation_request() and route.request.frame == self._page.main_frame
        route.abort("aborted") if is_left else route.continue_()


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}  # noqa: RUF012

    def log_message(self, format, *arguments) -> None:
        pass


@contextlib.contextmanager
def reference_browser():
    """Playwright's own launch of the browser that environments take, with the same switches and fonts."""
    switches = [one for one in SWITCHES if one != "--headless"]
    with sync_playwright() as playwright:
        launched = {"executable_path": browser_path(), "args": switches, "env": {**os.environ, **environment()}}
        browser = playwright.chromium.launch(**launched)
        yield browser
        browser.close()


def _main(arguments: list[str]) -> None:
    keep = None
    if arguments[:1] == ["--keep"]:
        keep, arguments = Path(arguments[1]), arguments[2:]
    print("| page | fields | drafted | entered | scored | frames equal | oracle | noop |")
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments or NAMES:
        with tempfile.TemporaryDirectory() as work, reference_browser() as browser:
            one = judged(name, Path(work), browser, keep)
        equal = f"{one.frames - len(one.unequal)} of {one.frames}"
        counts = f"{one.fields} | {one.drafted} | {one.entered} | {one.scored}"
        print(f"| {name} | {counts} | {equal} | {one.score[0]:.2f} | {one.score[1]:.2f} |")
        for fault in one.faults:
            print(f"  fault: {fault}")
        for step, what in one.unequal.items():
            print(f"  unequal at {step}: {what}")
        sys.stdout.flush()


if __name__ == "__main__":
    _main(sys.argv[1:])
