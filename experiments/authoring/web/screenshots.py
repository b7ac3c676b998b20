"""The camera: a page in Chromium, set up by the capture script, and pictures of it."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image as PillowImage

from ....envs.core.painting import Image, Rect

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

AWAY = (0, 0)
"""Where the pointer is when it is over nothing."""


class Camera:
    """Pictures of one page.

    Args:
        page: a Playwright page in which ``window.fgCapture`` is defined.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session: CDPSession = page.context.new_cdp_session(page)

    def ask(self, name: str, *arguments: Any) -> Any:
        """What a function of the capture script answers."""
        return self._page.evaluate("([name, given]) => window.fgCapture[name](...given)", [name, list(arguments)])

    def resize(self, width: int, height: int) -> None:
        """Make the window so large."""
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
