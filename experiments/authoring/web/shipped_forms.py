"""Photographing the shipped web forms: every form in every theme."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from ....envs.web_forms.env import CAPTURES
from ....envs.web_forms.forms.form import web_form, web_forms
from ....envs.web_forms.html.document import form_html
from ....envs.web_forms.html.themes import themes
from ..browser import chromium
from .capture_form import capture_web_form

FACES = CAPTURES / "faces"


def capture_shipped(pairs: Iterable[tuple[str, str]] | None = None, processes: int = 2) -> Iterator[tuple[str, str]]:
    """Photograph shipped forms; each pair of form and theme is told when it is done.

    Args:
        pairs: forms and themes; ``None``: all.
        processes: how many browsers work at a time.
    """
    if pairs is None:
        # A face's name says nothing of the browser and the font's version that it is of.
        for old in FACES.glob("*"):
            old.unlink()
    wanted = list(pairs) if pairs is not None else [(form, theme) for theme in themes() for form in web_forms()]
    by_theme: dict[str, list[str]] = {}
    for form, theme in wanted:
        by_theme.setdefault(theme, []).append(form)
    # Forms of a theme share faces, which only one process may write.
    with ProcessPoolExecutor(processes) as pool:
        for done in pool.map(_capture_theme, by_theme, by_theme.values()):
            yield from done


def _capture_theme(theme: str, forms: list[str]) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        for form in forms:
            page = Path(folder) / f"{form}.html"
            page.write_text(form_html(web_form(form), theme, runtime=False), encoding="utf-8")
            capture_web_form(page.as_uri(), page_source(form, theme), CAPTURES / form / theme, FACES, browser)
    return [(form, theme) for form in forms]


def page_source(form: str, theme: str) -> bytes:
    """What a capture is remembered to be of: the page, with fonts named without their place on this machine."""
    return form_html(web_form(form), theme, runtime=False, font_url=lambda path: path.name).encode()
