"""``formgym conformance``: compare replayed pages with Chromium pixel by pixel."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ....envs.core.painting import Frame, Image
from ....envs.core.tools import Call
from ....envs.web_forms.chromium.chromium_page import ChromiumPage, ChromiumPages
from ....envs.web_forms.env import CAPTURES, TEST, WebFormEnv
from ....envs.web_forms.forms.form import web_forms
from ....envs.web_forms.html.themes import themes
from ....envs.web_forms.instances.instance_generator import frozen_instances
from ....envs.web_forms.replay.capture import load_pictures
from ....envs.web_forms.replay.captured_page import CapturedPage
from ...fuzz.web_calls import random_call
from ...reporting.page_images import changed_rects, png
from ...terminal import console, print_table, say_failure, table_of, track

Calls = Callable[[CapturedPage], Iterator[Call]]
"""Makes the calls of an episode on a page, which changes as they are carried out."""
_Episode = tuple[str, Sequence[str], Calls]


@dataclass(frozen=True)
class Difference:
    """A frame, or what the form held, that was not equal; the episode ends there.

    Attributes:
        episode: its name.
        step: counted from 0; -1: at the beginning.
        call: what was done.
        rects: where pixels differ: left, top, right, bottom.
        values: the fields that hold something else: name, replayed and Chromium's.
        picture: Chromium's frame beside the replayed one.
    """

    episode: str
    step: int
    call: Call | None
    rects: tuple[tuple[int, int, int, int], ...]
    values: tuple[tuple[str, Any, Any], ...]
    picture: bytes


@dataclass
class Conformance:
    """The frames of a form in a theme: how many were compared and equal; differences.

    Attributes:
        failed: why the comparison broke off; "" if it did not.
    """

    form: str
    theme: str
    failed: str = ""
    compared: int = 0
    equal: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether everything was compared and equal."""
        return not self.failed and self.compared == self.equal

    def compare(self, episode: str, replayed: CapturedPage, chromium: ChromiumPage, calls: Calls) -> Difference | None:
        """Send both pages the same calls until they differ; the difference, if any."""
        window = Window(replayed)
        for step, call in enumerate(itertools.chain([None], calls(replayed)), start=-1):
            if call is not None:
                do(replayed, call)
                do(chromium, call)
            mine, theirs = window.frame(), chromium.background
            values = _value_differences(replayed, chromium)
            self.compared += 1
            if values or not np.array_equal(mine, theirs):
                rects, picture = changed_rects(theirs, mine), png(np.concatenate([theirs, mine], axis=1))
                self.differences.append(Difference(episode, step, call, tuple(rects), tuple(values), picture))
                return self.differences[-1]
            self.equal += 1
            if replayed.submitted is not None:
                break
        return None


class Window:
    """The frames of a captured page, patched where they change."""

    def __init__(self, page: CapturedPage) -> None:
        self.page = page
        width, height = page.pictures.capture.viewport
        self._frame = Frame(np.empty((height, width, 3), np.uint8))
        self.frame()

    def frame(self) -> Image:
        """The pixels now."""
        dirty = self.page.take_dirty()
        self._frame.update(self.page.background, self.page.layers, dirty)
        return self._frame.buffer


def do(page: Any, call: Call) -> None:
    """Carry out a click or a key on a page, whichever it is."""
    tool, arguments = call["tool"], {name: value for name, value in call.items() if name != "tool"}
    if tool == "double_click":
        page.click(arguments["x"], arguments["y"], 2)
    else:
        getattr(page, tool)(*arguments.values())


def _value_differences(captured: CapturedPage, chromium: ChromiumPage) -> list[tuple[str, Any, Any]]:
    mine, theirs = captured.draft(), chromium.draft()
    found = [(name, mine.get(name), theirs.get(name)) for name in mine.keys() | theirs.keys()]
    different = [(name, a, b) for name, a, b in sorted(found) if a != b]
    return (
        [*different, ("submitted", captured.submitted, chromium.submitted)]
        if captured.submitted != chromium.submitted
        else different
    )


def conform(form: str, theme: str, seeds: Sequence[int], steps: int, instances: Sequence[int]) -> Conformance:
    """Compare a form in a theme.

    Args:
        form: a shipped form's name.
        theme: how it looks.
        seeds: of random episodes.
        steps: of each of these.
        instances: numbers of test instances that an oracle fills in and submits.
    """
    result = Conformance(form, theme)
    pages = ChromiumPages()
    try:
        for name, files, calls in _episodes(form, theme, seeds, steps, instances):
            replayed = CapturedPage(load_pictures(CAPTURES / form / theme), files)
            result.compare(name, replayed, pages.open(form, theme, replayed), calls)
    finally:
        pages.close()
    return result


def _episodes(form: str, theme: str, seeds: Sequence[int], steps: int, instances: Sequence[int]) -> Iterator[_Episode]:
    files = frozen_instances(form)[0].files
    for seed in seeds:
        yield f"random {seed}", files, lambda page, seed=seed: random_walk(page, [seed, steps], steps)  # type: ignore[misc]
    env = WebFormEnv(forms=form, theme=theme)
    for number in instances:
        task = f"{form}/{TEST}{number}"
        env.reset(options={"task": task})
        calls = [call for call in env.solution() if call["tool"] != "terminate"]
        yield f"oracle {number}", frozen_instances(form)[number].files, lambda _, calls=calls: iter(calls)  # type: ignore[misc]


def random_walk(page: CapturedPage, seed: Sequence[int], steps: int) -> Iterator[Call]:
    """Random clicks and keys, most of them on a control."""
    rng = np.random.default_rng(seed)
    return (random_call(page, rng) for _ in range(steps))


def conformance(forms: Sequence[str] | None, looks: Sequence[str] | None, episodes: int, steps: int, out: Path) -> bool:
    """Compare forms and themes with Chromium; whether everything was equal.

    A form that fails in a theme counts as not equal; the others are compared all the same.

    Args:
        forms: names; ``None``: all.
        looks: themes; ``None``: all.
        episodes: how many random ones, and how many of an oracle, of each form and theme.
        steps: of each random episode.
        out: the folder for pictures.

    Raises:
        ValueError: if there is no such form or theme, or a form has fewer instances than ``episodes``.
    """
    forms, looks = forms or web_forms(), looks or themes()
    _check_names("form", forms, web_forms())
    _check_names("theme", looks, themes())
    _check_number(forms, episodes)
    results = []
    with ProcessPoolExecutor(2) as pool:
        pairs = [(form, look) for form in forms for look in looks]
        jobs = [pool.submit(conform, *pair, range(episodes), steps, range(episodes)) for pair in pairs]
        for pair, job in track(zip(pairs, jobs, strict=True), "comparing", len(pairs)):
            results.append(_outcome(*pair, job))
            _print_result(results[-1], out)
    return _sum_up(results)


def _check_names(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"no {kind} {unknown[0]!r}; there are {', '.join(known)}")


def _check_number(forms: Sequence[str], episodes: int) -> None:
    for form in forms:
        if episodes > (number := len(frozen_instances(form))):
            raise ValueError(
                f"an oracle plays as many instances as there are episodes: {form} has {number}, not {episodes}"
            )


def _outcome(form: str, theme: str, job: Future[Conformance]) -> Conformance:
    """The result of a job, or the reason that it failed."""
    error = job.exception()
    if error is None:
        return job.result()
    return Conformance(form, theme, f"{type(error).__name__}: {error}")


def _print_result(result: Conformance, out: Path) -> None:
    if result.failed:
        say_failure(f"{result.form} in {result.theme}: failed: {result.failed}")
        return
    console.print(f"{result.form} in {result.theme}: {result.equal} of {result.compared} frames equal")
    for one in result.differences:
        out.mkdir(parents=True, exist_ok=True)
        path = out / f"{result.form}_{result.theme}_{one.episode.replace(' ', '_')}_{one.step}.png"
        path.write_bytes(one.picture)
        console.print(
            f"  {one.episode}, step {one.step}, {one.call}: {list(one.rects[:3])} {list(one.values)} -> {path}"
        )


def _sum_up(results: Sequence[Conformance]) -> bool:
    by_theme = {theme: [r for r in results if r.theme == theme] for theme in dict.fromkeys(r.theme for r in results)}
    headings = ("theme", "frames compared", "frames equal", "share", "forms failed")
    rows = (_theme_row(name, some) for name, some in {**by_theme, "all": results}.items())
    print_table(table_of("captured pages against Chromium", headings, rows))
    return all(result.is_equal for result in results)


def _theme_row(name: str, results: Sequence[Conformance]) -> tuple[str, ...]:
    compared, equal = sum(r.compared for r in results), sum(r.equal for r in results)
    failed = sum(1 for r in results if r.failed)
    return name, f"{compared:,}", f"{equal:,}", f"{100 * equal / max(compared, 1):.3f} %", f"{failed}"
