"""Headless Chromium, driven by clicks and keys and observed as pixels."""

from .browser import Browser, BrowserHold
from .pipe import BrowserError, BrowserGone, BrowserHung, CommandFailed, PageGone, ScriptFailed
from .settings import browser_path
from .tab import Tab

__all__ = [
    "Browser",
    "BrowserError",
    "BrowserGone",
    "BrowserHold",
    "BrowserHung",
    "CommandFailed",
    "PageGone",
    "ScriptFailed",
    "Tab",
    "browser_path",
]
