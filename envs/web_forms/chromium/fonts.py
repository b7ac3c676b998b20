"""The fonts that Chromium finds: those of our dependencies and no other, so that pages look alike on every machine."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from xml.sax.saxutils import escape

import fontpkg

from ...core.files import cache_folder

FAMILIES = (
    "Arimo", "Archivo Narrow", "Caveat", "Dancing Script", "IBM Plex Mono", "Inter", "Noto Serif", "Open Sans",
    "Roboto Condensed", "Source Code Pro",
)  # fmt: skip
"""The families that come with the package and its extra ``web``."""

_RULES = Path(__file__).with_name("fonts.conf")


def fonts_file() -> Path:
    """The configuration of fontconfig for Chromium: the folders of our fonts, and nothing of the machine's.

    It lies in the cache folder, or below the folder for temporary files if that cannot be written.
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
    if east_asian := east_asian_font():
        yield east_asian.parent


def east_asian_font() -> Path | None:
    """The file of Noto Sans CJK, which comes with the extra ``web``; ``None`` without it."""
    try:
        import cvttf_NotoSansCJK_Regular as package  # type: ignore[import-untyped]
    except ImportError:
        return None
    return Path(package.get_TTF_path())


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
