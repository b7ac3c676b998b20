"""Where Chromium is, and how it is started to draw the same pixels on every machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .fonts import fonts_file

_FULL = ("chromium", "chromium-browser", "google-chrome", "chrome")
_SHELLS = ("chromium-headless-shell", "chrome-headless-shell", "headless_shell")

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --font-render-hinting=slight --disable-lcd-text "
    "--force-device-scale-factor=1 --hide-scrollbars --force-color-profile=srgb "
    # With it pixels at the edge of what is drawn anew would depend on what was there before.
    "--disable-partial-raster"
).split()
"""Switches for every use."""

DRIVEN = (
    "--remote-debugging-pipe --disable-default-apps --disable-extensions --mute-audio --no-default-browser-check "
    "--disable-breakpad --disable-crash-reporter --disable-background-timer-throttling "
    "--disable-backgrounding-occluded-windows --disable-renderer-backgrounding "
    "--disable-smooth-scrolling --force-prefers-reduced-motion "
    # There is a mouse, which ticks and pages can show that they are under.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4 "
    # Containers often have a /dev/shm that is too small.
    "--disable-dev-shm-usage"
).split()
"""Switches for pages that are acted on, besides."""


def environment() -> dict[str, str]:
    """Variables that a browser needs in its environment: our fonts, one language, one time zone."""
    # The headless shell hints glyphs as a switch above says; Chromium as fontconfig does.
    return {"FONTCONFIG_FILE": str(fonts_file()), "LANGUAGE": "en_US", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def chromium_path() -> str | None:
    """Where Chromium is: ``FORMGYM_CHROMIUM``, or the first of its usual names on the path; None if nowhere."""
    return os.environ.get("FORMGYM_CHROMIUM") or _first(_FULL)


def browser_path() -> str | None:
    """The browser to drive: ``FORMGYM_CHROMIUM``, or the headless shell, which is faster, or Chromium; or None."""
    return os.environ.get("FORMGYM_CHROMIUM") or _first(_SHELLS) or _first(_FULL)


def is_shell(path: str) -> bool:
    """Whether a browser is the headless shell, by its name."""
    return Path(path).name.replace("_", "-").endswith("headless-shell")


def _first(names: tuple[str, ...]) -> str | None:
    return next((path for name in names if (path := shutil.which(name))), None)
