"""Capturing a web form of one's own: any page of ordinary controls, with tasks to fill it in."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....envs.core.files import atomic_write, load, validated
from ....envs.web_forms.custom_form import GOLD, Gold, check_gold
from ....envs.web_forms.forms.fields import default_matcher
from ....envs.web_forms.replay.capture import Capture, Pictures, load_capture, load_pictures
from ....envs.web_forms.replay.fonts import load_face
from ....envs.web_forms.replay.page import CapturedPage
from .capture_custom_form import OwnPhotographer
from .capture_form import VIEWPORT, set_up, write_capture
from .custom_page import StillPage, moves, page_url, still_page
from .screenshots import Camera

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_MOST_TRIES = 6
SCRIPTS = ("capture.js", "own.js")


@dataclass(frozen=True)
class OwnForm:
    """A form that was captured.

    Attributes:
        capture: what was photographed.
        gold: its tasks, or a template of them.
        html: the page as it was photographed.
        folder: where it lies.
        is_template: whether the tasks are still to be written.
    """

    capture: Capture
    gold: Gold
    html: str
    folder: Path
    is_template: bool


def capture_own_form(page: str, out: Path, gold: Path | None, browser: Browser) -> OwnForm:
    """Photograph a page and check or begin its tasks.

    Args:
        page: a URL, or the path of an HTML file.
        out: the folder for all that is written.
        gold: the tasks; ``None``: those in ``out``, or a template.
        browser: a Playwright browser.

    Raises:
        ValueError: if the page cannot be opened or holds no control, or a value cannot be entered: which, and why.
    """
    if gold is not None:
        load(Gold, gold)
    still = still_page(page_url(page), browser)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        capture, html, fields = _photographed(still, Path(folder), Path(folder) / "faces", browser)
        _move(Path(folder), out)
    for cached in (load_capture, load_pictures, load_face):
        cached.cache_clear()
    pictures = Pictures(out.resolve())
    own = gold if gold is not None else out / GOLD
    tasks, is_template = _with_fields(own, fields), not own.is_file()
    if is_template:
        tasks = _template(capture, fields, pictures)
    check_gold(tasks, pictures, own)
    atomic_write(out / GOLD, _json(tasks).encode())
    return OwnForm(capture, tasks, html, out, is_template)


def _photographed(
    still: StillPage, folder: Path, faces: Path, browser: Browser
) -> tuple[Capture, str, dict[str, dict[str, str]]]:
    """Photograph a page; controls that cannot be are left as a part of the picture."""
    left: dict[int, str] = {}
    for _ in range(_MOST_TRIES):
        html = still.without(list(left))
        (folder / "page.html").write_text(html, encoding="utf-8")
        data, fields, failed = _tried(folder, faces, browser)
        if not failed:
            inexact = [*still.inexact, *dict.fromkeys(left.values()), *data.pop("moving")]
            return write_capture(data | {"inexact": inexact}, still.html.encode(), folder, browser), html, fields
        left |= failed
    raise ValueError(f"{still.url} cannot be captured: {'; '.join(left.values())}")


def _tried(folder: Path, faces: Path, browser: Browser) -> tuple[dict[str, Any], dict[str, Any], dict[int, str]]:
    for old in folder.glob("*.webp"):
        old.unlink()
    page = browser.new_page(viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]})
    try:
        page.goto((folder / "page.html").as_uri())
        set_up(page, SCRIPTS)
        moving = ["a part of the page moves by itself: here it does not"] if moves(page) else []
        camera = Camera(page)
        fields = camera.ask("fields")
        photographer = OwnPhotographer(camera, folder, faces)
        data = photographer.capture() | {"moving": moving}
    finally:
        page.close()
    return data, fields, photographer.failed


def _move(folder: Path, out: Path) -> None:
    for old in [*out.glob("page_*.webp"), out / "sheet.webp", out / "capture.json"]:
        old.unlink(missing_ok=True)
    shutil.rmtree(out / "faces", ignore_errors=True)
    for path in folder.iterdir():
        if path.suffix != ".html":
            shutil.move(path, out / path.name)


def _with_fields(path: Path, fields: dict[str, dict[str, str]]) -> Gold:
    """The tasks in a file, with what it does not tell of the fields taken from the page."""
    if not path.is_file():
        return Gold.model_construct()
    gold = load(Gold, path)
    told = _fields(fields) | {name: field.model_dump() for name, field in gold.fields.items()}
    return validated(Gold, gold.model_dump() | {"fields": told}, path)


def _template(capture: Capture, fields: dict[str, dict[str, str]], pictures: Pictures) -> Gold:
    """A task that asks for nothing yet: every field as it is at first."""
    values = {name: value for name, value in CapturedPage(pictures).draft().items() if name in fields}
    goal = f'Fill in the web form "{capture.title}" with what the text tells, and submit it.'
    return Gold.model_validate(
        {
            "title": capture.title,
            "goal": goal,
            "tasks": [{"name": "1", "source": "", "values": values, "files": []}],
            "fields": _fields(fields),
        }
    )


def _fields(fields: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {name: {**field, "matcher": default_matcher(field["control"])} for name, field in fields.items()}


def _json(gold: Gold) -> str:
    return json.dumps(gold.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n"
