"""Play the demo tour in the terminal and write its page."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from rich.markup import escape

from ... import __version__
from ...envs.core.files import atomic_write
from ...envs.core.metrics import title
from ...envs.core.painting import Image
from ...envs.core.texts import truncate
from ..reporting.page_images import png
from ..reporting.report import template
from ..terminal.console import console, say, say_written
from .scenes import Scene, call_text, scenes, without_desk

_PAGE = "index.html"
_FIRST, _LAST = 4, 2
"""How many calls of a long episode are printed, at its beginning and end."""
_LINE_SECONDS, _GOAL_SECONDS = 0.4, 2.5
"""How long a reader in a terminal gets for a call, and for a goal."""
_BAR = 10


@dataclass(frozen=True)
class Played:
    """A scene that was played: file names of pictures, and calls with scores."""

    scene: Scene
    metric: str
    before: str
    after: str
    calls: list[tuple[str, str, float]]


def show_demo(out: Path, opens: bool) -> None:
    """Play the tour, narrate it, and write its pictures and page.

    Args:
        out: the folder; it is made if need be.
        opens: whether to open the page in a browser.
    """
    out.mkdir(parents=True, exist_ok=True)
    wait = time.sleep if console.is_terminal and not console.quiet else lambda seconds: None
    tour = scenes()
    played = [_play(scene, f"{n} of {len(tour)}", out, wait) for n, scene in enumerate(tour, start=1)]
    path = out / _PAGE
    html = template("demo.html.jinja").render(played=played, version=__version__)
    atomic_write(path, html.encode())
    say_written(path, f"\nOpen {path} in a browser: it shows all calls, with pictures.")
    say("Next: formgym play, the same by hand; formgym sweep agent=random episodes=9")
    if opens:
        webbrowser.open(path.resolve().as_uri())


def _play(scene: Scene, number: str, out: Path, wait: Callable[[float], None]) -> Played:
    metric = title(scene.env.reward_metric)
    console.print(
        f"\n[bold]{number}: {scene.suite}[/bold], {scene.about}\n  [dim]{scene.env_id}[/dim]", highlight=False
    )
    say(fill(scene.env.state.goal, 78, initial_indent="  Task: ", subsequent_indent="  "))
    wait(_GOAL_SECONDS)
    steps = scene.steps()
    first = next(steps)
    name = scene.suite.lower()
    before = _saved(first.page, out / f"{name}-before.png")
    calls: list[tuple[str, str, float]] = []
    page, best = first.page, scene.score(first)
    for i, step in enumerate(steps, start=1):
        calls.append((call_text(step.call or {}), step.feedback, scene.score(step)))
        _narrate(i, len(scene.calls), calls[-1], wait)
        # The page as it was filled in: a web form is gone once it is submitted.
        if scene.score(step) > best:
            page, best = step.page, scene.score(step)
    after = _saved(page, out / f"{name}-after.png")
    console.print(f"  [green]{metric}: {scene.score(first):.2f} → {calls[-1][2]:.2f}[/green]", highlight=False)
    return Played(scene, metric, before, after, calls)


def _narrate(i: int, n: int, call: tuple[str, str, float], wait: Callable[[float], None]) -> None:
    """Print a call and its score; of a long episode, the first and last calls."""
    hidden = n - _FIRST - _LAST
    if hidden > 1 and _FIRST < i <= n - _LAST:
        if i == n - _LAST:
            say(f"  … {hidden} more calls")
            wait(_LINE_SECONDS)
        return
    words, feedback, score = call
    filled = round(_BAR * score)
    bar = f"{'█' * filled}[dim]{'░' * (_BAR - filled)}[/dim]"
    console.print(f"  {escape(truncate(words, 58)):<59}{bar} {score:.2f}", highlight=False)
    if i == 1:
        console.print(f"  [dim]→ {escape(truncate(feedback, 74))}[/dim]", highlight=False)
    wait(_LINE_SECONDS)


def _saved(page: Image, path: Path) -> str:
    path.write_bytes(png(without_desk(page)))
    return path.name
