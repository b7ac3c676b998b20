"""Headless Chromium for captures, and screenshots of its pages."""

from __future__ import annotations

import base64
import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image as PillowImage

from ....envs.core.boxes import Rect
from ....envs.core.painting import Image
from ....envs.web_forms.chromium.settings import FLAGS, chromium_path, environment

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser, closed in the end.

    Raises:
        RuntimeError: if Playwright or Chromium is missing; the message says how to get it.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise RuntimeError("capturing needs Playwright: pip install 'formgym[web]'") from None
    path = chromium_path()
    if path is None:
        raise RuntimeError("no Chromium found: apt-get install chromium, or set FORMGYM_CHROMIUM to its path")
    if shutil.which(path) is None:
        raise RuntimeError(f"FORMGYM_CHROMIUM is {path}, which is no program; unset it, or set it to Chromium's path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, env={**os.environ, **environment()})
        try:
            yield browser
        finally:
            browser.close()


AWAY = (0, 0)
"""A place of the pointer that is over nothing."""


class Camera:
    """Pictures of one page.

    Args:
        page: a Playwright page in which ``window.fgCapture`` is defined.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session: CDPSession = page.context.new_cdp_session(page)

    def ask(self, name: str, *arguments: Any) -> Any:
        """The result of a function of the capture script."""
        return self._page.evaluate("([name, given]) => window.fgCapture[name](...given)", [name, list(arguments)])

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window."""
        self._page.set_viewport_size({"width": width, "height": height})

    def point_at(self, x: float, y: float) -> None:
        """Move the pointer."""
        self._page.mouse.move(x, y)

    def picture(self, rect: Rect) -> Image:
        """The pixels of a part of the window: uint8 (height, width, 3)."""
        left, top, right, bottom = rect
        clip = {"x": left, "y": top, "width": right - left, "height": bottom - top, "scale": 1}
        shot = self._session.send("Page.captureScreenshot", {"format": "png", "clip": clip, "optimizeForSpeed": True})
        with PillowImage.open(io.BytesIO(base64.b64decode(shot["data"]))) as picture:
            return np.asarray(picture.convert("RGB"))
