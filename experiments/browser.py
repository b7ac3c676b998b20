"""The browser that photographs forms: headless Chromium, the same pixels on every machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --font-render-hinting=none --disable-lcd-text "
    "--force-device-scale-factor=1 --hide-scrollbars"
).split()


def chromium_path() -> str | None:
    """Where Chromium is: ``FORMGYM_CHROMIUM``, or the first of its usual names on the path; None if nowhere."""
    named = os.environ.get("FORMGYM_CHROMIUM")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)


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
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()
