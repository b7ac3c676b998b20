"""The browser that photographs forms: headless Chromium, the same pixels on every machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...envs.web_forms.chromium.settings import FLAGS, chromium_path, environment

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["chromium", "chromium_path"]


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
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, env={**os.environ, **environment()})
        try:
            yield browser
        finally:
            browser.close()
