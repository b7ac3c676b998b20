"""Time clicks and keys in replayed web forms and in Chromium.

Every round of steps plays the oracle's calls of a new instance, so that no cache holds its texts;
every round of resets opens the same instances again. Whatever has a browser is measured alone, and closed before the
next. Ratios to memcpy are medians over rounds of ratios within a round, of CPU time: of this thread, or of this process
and the browser together; ratios of two rows, which may be of different rounds, are ratios of these.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from typing import Any

import numpy as np
from process_tree import ProcessTree
from timing import MEMCPY, Seconds, Work, batches, clocked, measured, memcpy, print_rows

from formgym.envs.core.vector import BatchVectorEnv
from formgym.envs.web_forms.chromium import BrowserError, browser_path
from formgym.envs.web_forms.env import WebFormEnv
from formgym.envs.web_forms.tools import HEIGHT, WIDTH

FORM, THEME = "conference_speaker", "quarterly"
_KINDS = {"click": "click", "key": "press_key", "text": "type_text", "turn of the wheel": "scroll"}
_KEYS = ("Shift+ArrowLeft", "Home", "End", "Control+a")
_N_BATCH = 32
_BROWSER = "step, Chromium backend"


def run_web_benchmark(rounds: int) -> dict[str, Any]:
    """Measure and print a table; the timings by row, and why rows are missing."""
    copies = {MEMCPY: memcpy((HEIGHT, WIDTH, 3))}
    rows = measured(copies | _replay_works(), rounds, "web forms: replay")
    missing = {}
    for name, opened in _BROWSERS.items():
        try:
            with opened() as work:
                rows[name] = measured(copies | {name: work}, rounds, f"web forms: {name}")[name]
        except (BrowserError, ImportError, OSError) as error:
            missing[name] = f"{type(error).__name__}: {error}".splitlines()[0]
    if _BROWSER in rows:
        for row in rows.values():
            row["chromium_ratio"] = rows[_BROWSER]["ratio_to_memcpy"] / row["ratio_to_memcpy"]
    print_rows(f"web forms: frames of {HEIGHT} x {WIDTH}, {FORM} in {THEME}, median of {rounds} rounds", rows)
    for name, why in missing.items():
        print(f"left out: {name}: {why}")
    return {"form": FORM, "theme": THEME, "frame": [HEIGHT, WIDTH, 3], "candidates": rows, "missing": missing}


def _replay_works() -> dict[str, Work]:
    return {
        "step, captured, in place": _Episodes(copy=False),
        "step, captured, own copy": _Episodes(copy=True),
        f"step, captured, BatchVectorEnv, N = {_N_BATCH}, per environment": _batch_steps(),
        **{f"a {kind}, captured, in place": _Episodes(copy=False, tool=tool) for kind, tool in _KINDS.items()},
        "reset, captured, in place": _resets(),
    }


class _Episodes:
    """Steps of an episode: all of the oracle's calls but the last.

    Args:
        copy: whether observations are copies.
        backend: what shows the page.
        tool: the calls that are measured; ``None``: all.
        cpu: the clock of the CPU seconds that count.
    """

    def __init__(
        self,
        copy: bool,
        backend: str = "replay",
        tool: str | None = None,
        cpu: Callable[[], float] = time.thread_time,
    ) -> None:
        self._tool = tool
        self._planner = WebFormEnv(forms=FORM, split="train", theme=THEME, copy=False)
        self._env = WebFormEnv(forms=FORM, split="train", theme=THEME, backend=backend, copy=copy)
        if not copy:
            self._env.paint_into(np.empty((HEIGHT, WIDTH, 3), np.uint8))
        self._cpu = cpu
        # No two of them play the same instances: they share the faces and what these remember.
        self._first = next(_SERIES) * 10_000

    def __call__(self, number: int) -> Seconds:
        options = {"task": f"{FORM}/{self._first + number}"}
        self._planner.reset(options=options)
        actions = _actions(self._planner)
        self._env.reset(options=options)
        if self._tool is None:
            return clocked(partial(self._play, actions), len(actions), self._cpu)
        tool = self._env.action_space.names.index(self._tool)
        steps = [(action["tool"], clocked(partial(self._env.step, action), 1, self._cpu)) for action in actions]
        cpu, wall = np.mean([seconds for name, seconds in steps if name == tool], axis=0).tolist()
        return cpu, wall

    def _play(self, actions: Sequence[dict[str, Any]]) -> None:
        # Observations that were kept would each take new memory, which costs more than the copy.
        for action in actions:
            self._env.step(action)

    def close(self) -> None:
        """End the browser, if there is one."""
        self._env.close()


_SERIES = itertools.count()


def _actions(env: WebFormEnv) -> list[dict[str, Any]]:
    """The oracle's calls without the last, which submits; a key follows each text."""
    keys = itertools.cycle(_KEYS)
    calls = []
    for call in env.solution()[:-1]:
        calls.append(call)
        if call["tool"] == "type_text":
            calls.append({"tool": "press_key", "key": next(keys)})
    return [env.action_space.from_call(call) for call in calls]


def _batch_steps() -> Work:
    """Steps of a batch in which every environment plays its own instance."""
    vector = BatchVectorEnv(WebFormEnv, _N_BATCH, forms=FORM, split="train", theme=THEME)

    def work(number: int) -> Seconds:
        vector.reset(seed=1_000 * (number + 1))
        scripts = [_actions(env.unwrapped) for env in vector.envs]  # type: ignore[arg-type]
        steps = batches(vector.single_action_space, scripts)[: min(map(len, scripts))]
        return clocked(lambda: [vector.step(actions) for actions in steps], _N_BATCH * len(steps))

    return work


def _resets() -> Work:
    """Resets to other instances of a form that has been opened before."""
    env = WebFormEnv(forms=FORM, theme=THEME, copy=False)
    tasks = env.task_ids
    return lambda number: clocked(lambda: [env.reset(options={"task": task}) for task in tasks], len(tasks))


@contextmanager
def _chromium(tool: str | None = None) -> Iterator[Work]:
    if browser_path() is None:
        raise BrowserError("there is no Chromium")
    with closing(_Episodes(copy=True, backend="chromium", tool=tool, cpu=ProcessTree().cpu_seconds)) as work:
        yield work


_BROWSERS: Mapping[str, Callable[[], AbstractContextManager[Work]]] = {
    _BROWSER: _chromium,
    "a click, Chromium backend": partial(_chromium, "click"),
}
"""The work of each row with its own browser; closed at the end of the ``with``."""
