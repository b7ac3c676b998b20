"""ChromiumPage: a form in a real browser, observed as pixels."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from ...core.boxes import Rect
from ...core.painting import Image, Layer
from ..forms.form_fields import Value
from ..replay.captured_page import CapturedPage
from .browser import BrowserHold
from .pipe import BrowserError, BrowserGone, BrowserHung
from .tab import Tab

_REPORT = """(() => { const report = {draft: formgym.draft(), submitted: formgym.submitted ? formgym.values : null,
  clicks: formgym.clicks.splice(0), choices: formgym.choices.splice(0)}; return report; })()"""


@lru_cache(maxsize=1)
def _site_url(pid: int) -> str:
    """The URL of the site, which a thread of this process, ``pid``, serves for as long as that lives.

    Raises:
        BrowserError: if Flask is missing; the message explains how to get it.
        OSError: if no port is available.
    """
    try:
        from ..site.app import listening_server
        from ..site.records import Records
    except ImportError as error:
        raise BrowserError(f"the pages that Chromium opens need Flask: pip install 'formgym[web]' ({error})") from None
    # Nothing is submitted to it: the store is never opened.
    server, url = listening_server("127.0.0.1", 0, Records(Path()))
    threading.Thread(target=server.serve_forever, name="formgym-site", daemon=True).start()
    return url


class ChromiumPage:
    """A form in its own tab, with the methods of ``CapturedPage`` that tools use.

    Args:
        tab: showing the form.
        captured: the same form without a browser, untouched; every action is repeated on it, and solutions are planned
            on its copies.
    """

    def __init__(self, tab: Tab, captured: CapturedPage) -> None:
        self.tab = tab
        self.layers: Sequence[Layer] = ()
        self.edits = 0
        self.submitted: dict[str, Value] | None = None
        self.clicks: list[str] = []
        self.choices: list[tuple[str, str]] = []
        self._captured = captured
        self._actions: list[tuple[str, tuple[Any, ...]]] = []
        self._draft: dict[str, Value] = {}
        self.background: Image = np.empty((0, 0, 3), np.uint8)
        self._refresh()

    def take_dirty(self) -> list[Rect]:
        """Nothing: another frame is another ``background``."""
        return []

    def click(self, x: int, y: int, times: int = 1) -> bool:
        """Click at a pixel of the window; see ``FormPage.click``."""
        self._act(lambda: self.tab.click(x, y, count=times), "click", x, y, times)
        return self._captured.click(x, y, times)

    def type_text(self, text: str) -> int:
        """Type characters; see ``CapturedPage.type_text``."""
        self._act(lambda: self.tab.type_text(text), "type_text", text)
        return self._captured.type_text(text)

    def press_key(self, key: str) -> bool:
        """Press a key of ``KEYS``; see ``CapturedPage.press_key``."""
        self._act(lambda: self.tab.press_key(key), "press_key", key)
        return self._captured.press_key(key)

    def scroll(self, by: int) -> int:
        """Turn the wheel; see ``FormPage.scroll``."""
        self._act(lambda: self.tab.wheel(by), "scroll", by)
        return self._captured.scroll(by)

    @property
    def has_focus(self) -> bool:
        """Whether keys go to some control."""
        return self._captured.has_focus

    def draft(self) -> Mapping[str, Value]:
        """The value of every field; ``None``: hidden."""
        return self._draft

    def missing(self, text: str) -> str:
        """The characters of ``text`` that the focused field holds, drawn as boxes."""
        return "" if text.isascii() else self._captured.missing(text)

    def may_differ(self) -> bool:
        """Whether replay may draw the text of the focused field otherwise."""
        return self._captured.may_differ()

    def clone(self) -> CapturedPage:
        """A captured page in the same state."""
        return self._captured.clone()

    def dump(self) -> dict[str, Any]:
        """The page as a JSON object: its actions and their results."""
        return {"done": [[name, *arguments] for name, arguments in self._actions], "draft": dict(self._draft)}

    def _act(self, act: Callable[[], None], name: str, *arguments: Any) -> None:
        act()
        self._actions.append((name, arguments))
        self._refresh()

    def _refresh(self) -> None:
        """Update the picture, the values and the events from the page."""
        self.background = self.tab.screenshot()
        report = self.tab.evaluate(_REPORT)
        self.clicks += report["clicks"]
        self.choices += [(name, value) for name, value in report["choices"]]
        self.submitted = report["submitted"]
        if report["draft"] != self._draft:
            self._draft = report["draft"]
            self.edits += 1


class ChromiumPages:
    """Pages in one tab of this process's browser, one at a time: the next one replaces the last."""

    def __init__(self) -> None:
        self._hold = BrowserHold()
        self._tab: Tab | None = None

    def open(self, form: str, theme: str, captured: CapturedPage) -> ChromiumPage:
        """Open a form; its pages store nothing, so that the tab is as good as a fresh one.

        Args:
            form: a shipped form's name.
            theme: how it looks.
            captured: the same form without a browser.

        Raises:
            BrowserError: if there is no browser, or the site cannot be opened.
        """
        query = urlencode([("theme", theme), *(("file", name) for name in captured.values.files)])
        url = f"{_site_url(os.getpid())}forms/{form}/env?{query}"
        width, height = captured.values.pictures.capture.viewport
        if self._tab is not None:
            with suppress(BrowserGone, BrowserHung):
                self._tab.goto(url)
                return ChromiumPage(self._tab, captured)
            self._close_tab()
        self._tab = self._hold.open_tab(width, height)
        self._tab.goto(url)
        return ChromiumPage(self._tab, captured)

    def close(self) -> None:
        """Close the page, and release the browser."""
        self._close_tab()
        self._hold.close()

    def _close_tab(self) -> None:
        if self._tab is not None:
            self._tab.close()
            self._tab = None
