"""``formgym capture`` of a web page: what it prints."""

from __future__ import annotations

from pathlib import Path

from ...terminal.console import say
from ..browser import chromium
from .check_custom_form import Unequal, check_own_form
from .custom_form import OwnForm, capture_own_form

_STEPS = 25


def capture_page(page: str, out: Path, gold: Path | None, episodes: int) -> bool:
    """Capture a page, tell what was found and compare it with Chromium; whether all frames were equal.

    Args:
        page: a URL, or the path of an HTML file.
        out: the folder for the capture.
        gold: its tasks, if there are any yet.
        episodes: how many random ones are compared.

    Raises:
        ValueError: if it cannot be captured, or a value cannot be entered.
    """
    with chromium() as browser:
        form = capture_own_form(page, out, gold, browser)
    _tell_form(form)
    compared, equal, unequal = check_own_form(form, episodes, _STEPS)
    say(f"Compared with Chromium: {equal} of {compared} frames equal.")
    _tell_unequal(unequal, out / "unequal")
    return not unequal


def _tell_form(form: OwnForm) -> None:
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


def _tell_unequal(unequal: list[Unequal], folder: Path) -> None:
    for i, one in enumerate(unequal):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{i}.png"
        path.write_bytes(one.picture)
        say(f"  {one.episode}, {one.call}: {one.where} -> {path}")
