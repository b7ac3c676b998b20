"""Capture a custom web form: any page of ordinary controls, with its tasks."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ....envs.core.files import atomic_write, load, validated
from ....envs.core.painting import Image
from ....envs.web_forms.custom_form import GOLD, GoldFile, check_gold
from ....envs.web_forms.forms.form_fields import default_matcher
from ....envs.web_forms.replay.capture import Capture, Pictures, load_capture, load_pictures
from ....envs.web_forms.replay.captured_page import CapturedPage
from ....envs.web_forms.replay.fonts import load_face
from ....envs.web_forms.replay.validity import is_exact_pattern
from .browser import Camera
from .capture_controls import photograph_looks
from .capture_form import VIEWPORT, Photographer, set_up, write_capture

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_HERE = Path(__file__).parent
_HAS_SCRIPT = "() => document.scripts.length || !!document.querySelector('[onclick], [onchange], [oninput], [onkeyup]')"
_PATIENCE = 10_000
_MAX_HEIGHT = 16_000
_MAX_NAMED = 8


@dataclass(frozen=True)
class StillPage:
    """A page without scripts and animations.

    Attributes:
        url: where it was.
        html: what it is now.
        inexact: what of it cannot be replayed, and why.
    """

    url: str
    html: str
    inexact: tuple[str, ...]

    def without(self, numbers: list[int]) -> str:
        """Its HTML with some controls, given by number, left as a part of the picture."""
        html = self.html
        for number in numbers:
            html = html.replace(f'data-n="{number}"', f'data-n="{number}" inert=""', 1)
        return html


def page_url(page: str) -> str:
    """The URL of a page given by its URL or its file.

    Raises:
        ValueError: if there is no such file.
    """
    if page.startswith(("http://", "https://", "file://")):
        return page
    if not Path(page).is_file():
        raise ValueError(f"there is no {page} to capture")
    return Path(page).resolve().as_uri()


def still_page(url: str, browser: Browser) -> StillPage:
    """Open a page, let its scripts build it, and remove scripts and animations.

    Raises:
        ValueError: if it cannot be opened or is too high.
    """
    page = browser.new_page(viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]})
    try:
        _open(page, url)
        page.evaluate((_HERE / "freeze.js").read_text(encoding="utf-8") + "\nnull")
        page.evaluate("() => window.fgFreeze.still()")
        _pin_heights(page)
        found: dict[str, Any] = page.evaluate("() => window.fgFreeze.html()")
        if found["height"] > _MAX_HEIGHT:
            raise ValueError(f"{url} is {found['height']} px high; {_MAX_HEIGHT} are the most that can be captured")
        return StillPage(url, found["html"], (*found["inexact"], *_scripted(page, url)))
    finally:
        page.close()


def moves(page: Page) -> bool:
    """Whether a page that should not move does."""
    camera = Camera(page)
    before = camera.picture((0, 0, *VIEWPORT))
    page.wait_for_timeout(300)
    return not np.array_equal(before, camera.picture((0, 0, *VIEWPORT)))


def _open(page: Page, url: str) -> None:
    from playwright.sync_api import Error

    page.on("dialog", lambda dialog: dialog.dismiss())
    try:
        answer = page.goto(url, wait_until="load")
    except Error as error:
        raise ValueError(f"{url} cannot be opened: {error.message.splitlines()[0]}") from None
    if answer is not None and answer.status >= 400:
        raise ValueError(f"{url} cannot be opened: it answers {answer.status}")
    with contextlib.suppress(Error):
        page.wait_for_load_state("networkidle", timeout=_PATIENCE)
    page.evaluate("() => document.fonts.ready.then(() => null)")


def _pin_heights(page: Page) -> None:
    """Fix the heights that grow with the window at those of the usual window."""
    height = page.evaluate("() => document.documentElement.scrollHeight")
    if height <= VIEWPORT[1]:
        return
    before = page.evaluate("() => window.fgFreeze.heights()")
    page.set_viewport_size({"width": VIEWPORT[0], "height": height})
    page.evaluate("before => window.fgFreeze.pin(before)", before)
    page.set_viewport_size({"width": VIEWPORT[0], "height": VIEWPORT[1]})


def _scripted(page: Page, url: str) -> list[str]:
    """What the page's own scripts do when it is used, which cannot be replayed."""
    from playwright.sync_api import Error

    try:
        _open(page, url)
        if not page.evaluate(_HAS_SCRIPT):
            return []
        answering: list[str] = page.evaluate((_HERE / "probe.js").read_text(encoding="utf-8"))
    except (Error, ValueError):
        return ["a script that leaves the page when it is used: here it does not"]
    if not answering:
        return []
    named = ", ".join(answering[:_MAX_NAMED]) + (" and more" if len(answering) > _MAX_NAMED else "")
    return [f"scripts that change the page when it is used: here they do not run: {named}"]


_MARGIN = 48


class CustomFormPhotographer(Photographer):
    """Takes all pictures of one form.

    Args:
        camera: on the form's page.
        folder: where pictures go.
        faces: where faces go.

    Attributes:
        failed: what cannot be captured, by the numbers of controls.
    """

    def __init__(self, camera: Camera, folder: Path, faces: Path) -> None:
        super().__init__(camera, folder, faces)
        self.failed: dict[int, str] = {}

    def capture(self) -> dict[str, Any]:
        """The data of ``Capture``, except its origin; of no use if something ``failed``."""
        data = super().capture()
        numbers: list[int] = self.camera.ask("numbers")
        self.failed = {numbers[i]: why for i, why in self.failed.items()}
        return data

    def _layout(self, page: int, met: tuple[int, ...], rows: tuple[int, ...]) -> dict[str, Any]:
        self.camera.resize(*VIEWPORT)
        extent = self.camera.ask("arrange", page, list(met), list(rows))
        self.camera.resize(VIEWPORT[0], max(extent["height"], VIEWPORT[1]))
        for i in self.camera.ask("covered"):
            self._fail(i, "something lies over it")
        return super()._layout(page, met, rows)

    def _face_of(self, control: dict[str, Any], style: dict[str, Any]) -> int:
        try:
            return super()._face_of(control, style)
        except ValueError as error:
            self._fail(control["id"], str(error))
            return 0

    def _photographed(self, control: dict[str, Any], place: dict[str, Any], base: Image) -> dict[str, Any]:
        return photograph_looks(self.camera, control, place, base, self.sheet, _MARGIN)

    def _selection_of(self, control: dict[str, Any], place: dict[str, Any], base: Image) -> dict[str, Any]:
        try:
            return super()._selection_of(control, place | {"content": _visible_content(control, place)}, base)
        except (ValueError, IndexError):
            self._fail(control["id"], "text that is selected in it cannot be seen")
            return {"selection": (0, 0, 0), "selection_band": (0, 0)}

    def _origin(self, control: dict[str, Any], place: dict[str, Any], blank: Image, seen: Image) -> int:
        try:
            return super()._origin(control, place, blank, seen)
        except (ValueError, AssertionError, IndexError):
            self._fail(control["id"], "its text cannot be seen")
            return 0

    def _fail(self, i: int, why: str) -> None:
        control = self.about["controls"][i]
        name = f"{control['kind']} {control['name']!r}" if control["name"] else f"a {control['kind']}"
        self.failed.setdefault(i, f"{name}: {why}; it is only a part of the picture")


def _visible_content(control: dict[str, Any], place: dict[str, Any]) -> list[float]:
    """The area in which a text is visible, from the start of its only character."""
    left, top, right, bottom = place["content"]
    starts = {"right": right - 2, "center": (left + right) / 2 - 1}
    return [starts.get(control.get("align", ""), left), top, right, bottom]


_MAX_TRIES = 6
SCRIPTS = ("capture.js", "own.js")


@dataclass(frozen=True)
class CustomForm:
    """A captured form.

    Attributes:
        capture: the pictures and places of its pages.
        gold: its tasks, or a template of them.
        html: the captured page.
        folder: of all its files.
        is_template: whether the tasks are still to be written.
    """

    capture: Capture
    gold: GoldFile
    html: str
    folder: Path
    is_template: bool


def capture_custom_form(page: str, out: Path, gold: Path | None, browser: Browser) -> CustomForm:
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
        load(GoldFile, gold)
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
    atomic_write(out / GOLD, tasks.model_dump_json(indent=2).encode() + b"\n")
    return CustomForm(capture, tasks, html, out, is_template)


def _photographed(
    still: StillPage, folder: Path, faces: Path, browser: Browser
) -> tuple[Capture, str, dict[str, dict[str, str]]]:
    """Photograph a page; controls that cannot be captured stay in the picture."""
    left: dict[int, str] = {}
    for _ in range(_MAX_TRIES):
        html = still.without(list(left))
        (folder / "page.html").write_text(html, encoding="utf-8")
        data, fields, failed = _tried(folder, faces, browser)
        if not failed:
            inexact = [*still.inexact, *dict.fromkeys(left.values()), *data.pop("moving"), *_patterns(data["controls"])]
            return write_capture(data | {"inexact": inexact}, still.html.encode(), folder, browser), html, fields
        left |= failed
    raise ValueError(f"{still.url} cannot be captured: {'; '.join(left.values())}")


def _patterns(controls: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The patterns that are matched by Python's syntax, which reads them differently."""
    for pattern in dict.fromkeys(control.get("pattern") for control in controls):
        if pattern and not is_exact_pattern(pattern):
            yield f"the pattern {pattern} is matched as Python reads it, not as JavaScript does"


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
        if not fields:
            raise ValueError(
                "the page has no field to fill in; of a paper form, name the folder that holds form.html, without --out"
            )
        photographer = CustomFormPhotographer(camera, folder, faces)
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


def _with_fields(path: Path, fields: dict[str, dict[str, str]]) -> GoldFile:
    """The tasks in a file, with missing fields taken from the page."""
    if not path.is_file():
        return GoldFile.model_construct()
    gold = load(GoldFile, path)
    merged = _fields(fields) | {name: field.model_dump() for name, field in gold.fields.items()}
    return validated(GoldFile, gold.model_dump() | {"fields": merged}, path)


def _template(capture: Capture, fields: dict[str, dict[str, str]], pictures: Pictures) -> GoldFile:
    """A task that asks for nothing yet: every field keeps its first value."""
    values = {name: value for name, value in CapturedPage(pictures).draft().items() if name in fields}
    goal = f'Fill in the web form "{capture.title}" from the text, and submit it.'
    return GoldFile.model_validate(
        {
            "title": capture.title,
            "goal": goal,
            "tasks": [{"name": "1", "source": "", "values": values, "files": []}],
            "fields": _fields(fields),
        }
    )


def _fields(fields: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {name: {**field, "matcher": default_matcher(field["control"])} for name, field in fields.items()}
