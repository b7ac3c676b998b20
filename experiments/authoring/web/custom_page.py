"""A page of the web made to stand still: as HTML without scripts, and what of it cannot be replayed."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .capture_form import VIEWPORT
from .screenshots import Camera

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_HERE = Path(__file__).parent
_HAS_SCRIPT = "() => document.scripts.length || !!document.querySelector('[onclick], [onchange], [oninput], [onkeyup]')"
_PATIENCE = 10_000
_MOST_HEIGHT = 16_000
_MOST_NAMED = 8


@dataclass(frozen=True)
class StillPage:
    """A page that stands still.

    Attributes:
        url: where it was.
        html: what it is now.
        inexact: what of it cannot be replayed, and why.
    """

    url: str
    html: str
    inexact: tuple[str, ...]

    def without(self, numbers: list[int]) -> str:
        """Its HTML with some controls, by their numbers, left as a part of the picture."""
        html = self.html
        for number in numbers:
            html = html.replace(f'data-n="{number}"', f'data-n="{number}" inert=""', 1)
        return html


def page_url(page: str) -> str:
    """The URL of a page that is named by its URL or its file.

    Raises:
        ValueError: if there is no such file.
    """
    if is_url(page):
        return page
    if not Path(page).is_file():
        raise ValueError(f"there is no {page} to capture")
    return Path(page).resolve().as_uri()


def is_url(page: str) -> bool:
    """Whether a page is named by its URL."""
    return page.startswith(("http://", "https://", "file://"))


def still_page(url: str, browser: Browser) -> StillPage:
    """Open a page, let its scripts build it, and make it stand still.

    Raises:
        ValueError: if it cannot be opened or is too high.
    """
    page = browser.new_page(viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]})
    try:
        _open(page, url)
        page.evaluate((_HERE / "freeze.js").read_text(encoding="utf-8") + "\nnull")
        page.evaluate("() => window.fgFreeze.still()")
        _pin_heights(page)
        found: dict[str, Any] = page.evaluate("() => window.fgFreeze.html()")
        if found["height"] > _MOST_HEIGHT:
            raise ValueError(f"{url} is {found['height']} px high; {_MOST_HEIGHT} are the most that can be captured")
        return StillPage(url, found["html"], (*found["inexact"], *_scripted(page, url)))
    finally:
        page.close()


def moves(page: Page) -> bool:
    """Whether a page that should stand still does not."""
    camera = Camera(page)
    before = camera.picture((0, 0, *VIEWPORT))
    page.wait_for_timeout(300)
    return not np.array_equal(before, camera.picture((0, 0, *VIEWPORT)))


def _open(page: Page, url: str) -> None:
    from playwright.sync_api import Error

    page.on("dialog", lambda dialog: dialog.dismiss())
    try:
        answer = page.goto(url, wait_until="load")
    except Error as error:
        raise ValueError(f"{url} cannot be opened: {error.message.splitlines()[0]}") from None
    if answer is not None and answer.status >= 400:
        raise ValueError(f"{url} cannot be opened: it answers {answer.status}")
    with contextlib.suppress(Error):
        page.wait_for_load_state("networkidle", timeout=_PATIENCE)
    page.evaluate("() => document.fonts.ready.then(() => null)")


def _pin_heights(page: Page) -> None:
    """Give what grows with the window the height it has in the usual one."""
    height = page.evaluate("() => document.documentElement.scrollHeight")
    if height <= VIEWPORT[1]:
        return
    before = page.evaluate("() => window.fgFreeze.heights()")
    page.set_viewport_size({"width": VIEWPORT[0], "height": height})
    page.evaluate("before => window.fgFreeze.pin(before)", before)
    page.set_viewport_size({"width": VIEWPORT[0], "height": VIEWPORT[1]})


def _scripted(page: Page, url: str) -> list[str]:
    """What the page's own scripts do when it is used."""
    from playwright.sync_api import Error

    try:
        _open(page, url)
        if not page.evaluate(_HAS_SCRIPT):
            return []
        answering: list[str] = page.evaluate((_HERE / "probe.js").read_text(encoding="utf-8"))
    except (Error, ValueError):
        return ["a script that leaves the page when it is used: here it does not"]
    if not answering:
        return []
    named = ", ".join(answering[:_MOST_NAMED]) + (" and more" if len(answering) > _MOST_NAMED else "")
    return [f"scripts that change the page when it is used: here they do not run: {named}"]
