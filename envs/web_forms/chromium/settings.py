"""Where the headless shell of Chromium is, and settings by which it draws the same pixels everywhere."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from xml.sax.saxutils import escape

import fontpkg

from ...core.files import cache_folder
from ..html.fallback_fonts import fallback_fonts

FAMILIES = (
    "Arimo", "Archivo Narrow", "Caveat", "Dancing Script", "IBM Plex Mono", "Inter", "Noto Serif", "Open Sans",
    "Roboto Condensed", "Source Code Pro",
)  # fmt: skip
"""The families that come with the package and its extra ``web``."""

_RULES = Path(__file__).with_name("fonts.conf")


def fonts_file() -> Path:
    """The configuration of fontconfig for Chromium, with only our fonts.

    It is in the cache folder, or below the folder for temporary files if that cannot be written.
    """
    digest = sha256("\n".join(map(str, (_RULES.read_text(encoding="utf-8"), *_folders()))).encode()).hexdigest()[:16]
    try:
        return _written(cache_folder().resolve() / f"fonts-{digest}")
    except (OSError, RuntimeError):
        return _written(Path(tempfile.gettempdir()) / f"formgym-{os.getuid()}-fonts-{digest}")


def _folders() -> Iterator[Path]:
    for name in FAMILIES:
        try:
            yield fontpkg.family(name).files[0].path.parent
        except fontpkg.FamilyNotInstalled:
            continue
    yield from dict.fromkeys(file.parent for file in fallback_fonts().values())


def _written(folder: Path) -> Path:
    """The configuration in ``folder``; several processes may write it at once."""
    path = folder / "fonts.conf"
    text = _configuration(folder)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = folder / f"{os.getpid()}.part"
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    return path


def _configuration(folder: Path) -> str:
    elements = [
        "<reset-dirs/>",
        *(f"<dir>{escape(str(one))}</dir>" for one in _folders()),
        f"<cachedir>{escape(str(folder / 'cache'))}</cachedir>",
        f"<include>{escape(str(_RULES))}</include>",
    ]
    body = "\n".join(elements)
    return f'<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n<fontconfig>\n{body}\n</fontconfig>\n'


HOW_TO_GET = (
    "apt-get install chromium-headless-shell, or pip install playwright && playwright install --only-shell chromium; "
    "FORMGYM_CHROMIUM may be its path"
)
_NAMES = ("chromium-headless-shell", "chrome-headless-shell", "headless_shell")
SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync --disable-default-apps "
    "--disable-extensions --disable-back-forward-cache --mute-audio --no-default-browser-check "
    "--disable-breakpad --disable-crash-reporter "
    "--font-render-hinting=slight --disable-lcd-text --force-device-scale-factor=1 --hide-scrollbars "
    "--force-color-profile=srgb --disable-smooth-scrolling --force-prefers-reduced-motion "
    # With it pixels at the edge of a repainted part would depend on what was there before.
    "--disable-partial-raster "
    # Pages of others may open no window, and reach nobody around their proxy.
    "--block-new-web-contents --force-webrtc-ip-handling-policy=disable_non_proxied_udp "
    "--disable-background-timer-throttling --disable-backgrounding-occluded-windows --disable-renderer-backgrounding "
    # There is a mouse, which ticks and pages can show that they are under.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4 "
    # Containers often have a /dev/shm that is too small.
    "--disable-dev-shm-usage"
).split()
"""What makes pages look alike everywhere, and contains them."""

CONTROL = (
    # A frame is drawn only on request, and whole.
    "--remote-debugging-pipe --enable-begin-frame-control --run-all-compositor-stages-before-draw "
    "--disable-new-content-rendering-timeout --disable-threaded-animation --disable-threaded-scrolling "
    "--disable-checker-imaging"
).split()
"""What the driver needs besides."""


def environment() -> dict[str, str]:
    """The environment variables of a browser: our fonts, one language, one time zone."""
    return {"FONTCONFIG_FILE": str(fonts_file()), "LANGUAGE": "en_US", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def browser_path() -> str | None:
    """The headless shell of Chromium: ``FORMGYM_CHROMIUM``, or the first of its usual names."""
    found = (path for name in _NAMES if (path := shutil.which(name)))
    return os.environ.get("FORMGYM_CHROMIUM") or next(found, None)
