"""Headless Chromium for captures, and screenshots of its pages."""

from __future__ import annotations

import base64
import io
import json
import shutil
from typing import Any

import numpy as np
from PIL import Image as PillowImage

from ....envs.core.boxes import Rect
from ....envs.core.painting import Image
from ....envs.web_forms.chromium import Browser, Tab, chromium_path


def chromium() -> Browser:
    """A running browser, to be closed in the end.

    Raises:
        RuntimeError: if Chromium is missing; the message says how to get it.
    """
    path = chromium_path()
    if path is None:
        raise RuntimeError("no Chromium found: apt-get install chromium, or set FORMGYM_CHROMIUM to its path")
    if shutil.which(path) is None:
        raise RuntimeError(f"FORMGYM_CHROMIUM is {path}, which is no program; unset it, or set it to Chromium's path")
    return Browser(path)


AWAY = (0, 0)
"""A place of the pointer that is over nothing."""


class Camera:
    """Pictures of one page.

    Args:
        tab: a page in which ``window.fgCapture`` is defined.
    """

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    def ask(self, name: str, *arguments: Any) -> Any:
        """The result of a function of the capture script."""
        return self._tab.evaluate(f"window.fgCapture[{json.dumps(name)}](...{json.dumps(arguments)})")

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._tab.call("Emulation.setDeviceMetricsOverride", metrics)

    def point_at(self, x: float, y: float) -> None:
        """Move the pointer."""
        self._tab.move(x, y)

    def picture(self, rect: Rect) -> Image:
        """The pixels of a part of the window: uint8 (height, width, 3)."""
        left, top, right, bottom = rect
        clip = {"x": left, "y": top, "width": right - left, "height": bottom - top, "scale": 1}
        options = {"format": "png", "clip": clip, "optimizeForSpeed": True}
        data = base64.b64decode(self._tab.call("Page.captureScreenshot", options)["data"])
        with PillowImage.open(io.BytesIO(data)) as picture:
            return np.asarray(picture.convert("RGB"))
