"""Camera: pictures of the page that is captured."""

from __future__ import annotations

import json
from typing import Any

from ....envs.core.boxes import Rect
from ....envs.core.painting import Image
from ....envs.web_forms.chromium import Tab

AWAY = (0, 0)
"""A place of the pointer that is over nothing."""


class Camera:
    """Pictures of one page.

    Args:
        tab: a page in which ``window.fgCapture`` is defined.
    """

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self.resize, self.point_at = tab.resize, tab.move

    def ask(self, name: str, *arguments: Any) -> Any:
        """The result of a function of the capture script."""
        return self._tab.evaluate(f"window.fgCapture[{json.dumps(name)}](...{json.dumps(arguments)})")

    def picture(self, rect: Rect) -> Image:
        """The pixels of a part of the window: uint8 (height, width, 3)."""
        left, top, right, bottom = rect
        return self._tab.screenshot()[top:bottom, left:right]
