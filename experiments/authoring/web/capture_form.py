"""Photograph a form: every page in every state that changes its layout."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....envs.core.files import atomic_write, validated
from ....envs.core.pages import PACKED, packed
from ....envs.core.painting import Image
from ....envs.web_forms.chromium import Browser, Tab
from ....envs.web_forms.env import CAPTURES
from ....envs.web_forms.html.form_document import runtime_script
from ....envs.web_forms.html.themes import box_rules, theme
from ....envs.web_forms.replay.capture import Capture
from ....envs.web_forms.replay.fonts import BULLET, Face, load_face
from .camera import AWAY, Camera
from .capture_controls import Sheet, photograph_looks, photograph_parts, photograph_selection, tile_place
from .capture_fonts import photograph_face

VIEWPORT = (1024, 768)
_SAMPLE_CHARACTER = "1"
FACES = CAPTURES / "faces"
"""The folder of the glyphs of all shipped forms."""


def capture_web_form(url: str, source: bytes, folder: Path, faces: Path, browser: Browser) -> Capture:
    """Photograph the form at ``url`` into ``folder``.

    Args:
        url: of the page.
        source: its HTML, to be remembered by its hash.
        folder: where ``capture.json``, ``sheet.lz4`` and the pages' pictures go.
        faces: where faces go.
        browser: a running browser.

    The page has not run the runtime's script.

    Raises:
        ValueError: if the page cannot be captured; the message names what.
    """
    with browser.open_tab(*VIEWPORT) as tab:
        tab.goto(url)
        set_up(tab)
        data = Photographer(Camera(tab), folder, faces).capture()
    data |= {"browser": browser.version, "source_sha256": hashlib.sha256(source).hexdigest(), "viewport": VIEWPORT}
    capture = validated(Capture, data, folder / "capture.json")
    atomic_write(folder / "capture.json", _readable(capture).encode())
    return capture


def set_up(tab: Tab) -> None:
    """Run the runtime's script in a page, with the capture script in its scope."""
    style = json.dumps(box_rules(theme(tab.evaluate("document.body.dataset.theme"))))
    tab.evaluate(f"document.head.append(Object.assign(document.createElement('style'), {{ textContent: {style} }}))")
    more = (Path(__file__).parent / "capture.js").read_text(encoding="utf-8")
    tab.evaluate(runtime_script().removesuffix("}\n") + more + "}\nnull")
    tab.evaluate("Promise.all(Array.from(document.fonts, face => face.load().catch(() => 0))).then(() => 0)")


class Photographer:
    """Takes all pictures of one form.

    Args:
        camera: on the form's page.
        folder: where pictures go.
        faces: where faces go.
    """

    def __init__(self, camera: Camera, folder: Path, faces: Path) -> None:
        self._camera = camera
        self._folder = folder
        self._faces_folder = faces
        self._face: Face
        self._sheet = Sheet()
        self._pages: dict[str, str] = {}
        self._about: dict[str, Any] = {}
        self._looks: list[dict[str, tuple[int, int, int]]] = []
        self._known: dict[tuple[Any, ...], int] = {}

    def capture(self) -> dict[str, Any]:
        """The data of ``Capture``, except the origin of the page."""
        self._folder.mkdir(parents=True, exist_ok=True)
        about = self._about = self._camera.ask("about")
        face = self._faces_folder / photograph_face(self._camera, self._style(), self._faces_folder)
        self._face = load_face(face)
        layouts = [self._layout(*key) for key in self._layouts()]
        parts = photograph_parts(self._camera, self._face, self._sheet)
        sheet, places = self._sheet.packed()
        self._write("sheet", sheet)
        return {
            **{name: about[name] for name in ("today", "conditions", "blocks", "pages")},
            "controls": [_without_nulls(control) for control in about["controls"]],
            "layouts": layouts,
            "parts": parts,
            "looks": self._looks,
            "sheet": places,
            "face": os.path.relpath(face, self._folder),
        }

    def _style(self) -> dict[str, Any]:
        """The style of all texts of the form."""
        first, *others = filter(None, self._about["styles"])
        if any(style != first for style in others):
            raise ValueError("the texts of the form are not of one face and colour")
        return dict(first)

    def _layouts(self) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...]]]:
        about = self._about
        for page in range(about["pages"]):
            here = [i for i, one in enumerate(about["conditions"]) if one["page"] == page]
            counts = [range(1, b["most"] + 1) if b["page"] == page else (0,) for b in about["blocks"]]
            for rows in itertools.product(*counts):
                for k in range(len(here) + 1):
                    for met in itertools.combinations(here, k):
                        if self._possible(met, rows):
                            yield page, met, rows

    def _possible(self, met: tuple[int, ...], rows: tuple[int, ...]) -> bool:
        """Whether conditions can hold together: one value a control, in a visible row."""
        possible: dict[str, set[str]] = {}
        for i in met:
            condition = self._about["conditions"][i]
            values = set(condition["values"])
            possible[condition["field"]] = possible.get(condition["field"], values) & values
            row = next((c["row"] for c in self._about["controls"] if c["name"] == condition["field"]), None)
            if row and row[1] > rows[row[0]]:
                return False
        return all(possible.values())

    def _layout(self, page: int, met: tuple[int, ...], rows: tuple[int, ...]) -> dict[str, Any]:
        camera = self._camera
        camera.resize(*VIEWPORT)
        height = max(camera.ask("arrange", page, list(met), list(rows)), VIEWPORT[1])
        camera.resize(VIEWPORT[0], height)
        camera.ask("setFocus", None, False)
        camera.point_at(*AWAY)
        camera.ask("setTexts", "", True)
        everything = (0, 0, VIEWPORT[0], height)
        base = camera.picture(everything)
        places = camera.ask("standing")
        for place in places:
            control = self._about["controls"][place["id"]]
            place["looks"] = self._looks_of(control, place, base)
            if control["kind"] in ("text", "area") and "selection" not in control:
                control |= photograph_selection(camera, control, place, base)
        self._find_origins(places, everything)
        layout = {"page": page, "met": met, "rows": rows, "height": height}
        return layout | {"places": places, "picture": self._picture(base)}

    def _looks_of(self, control: dict[str, Any], place: dict[str, Any], base: Image) -> int:
        """The number of a control's looks here, photographed unless they are known."""
        key = control["id"], *tile_place(place["box"])
        if key not in self._known:
            looks = photograph_looks(self._camera, control, place, base, self._sheet)
            if looks not in self._looks:
                self._looks.append(looks)
            self._known[key] = self._looks.index(looks)
        return self._known[key]

    def _find_origins(self, places: list[dict[str, Any]], everything: Any) -> None:
        """Find where the first line of each text lies, by drawing a character there."""
        self._camera.ask("setTexts", "", False)
        blank = self._camera.picture(everything)
        self._camera.ask("setTexts", _SAMPLE_CHARACTER, False)
        seen = self._camera.picture(everything)
        self._camera.ask("setTexts", "", True)
        for place in places:
            control = self._about["controls"][place["id"]]
            if control["kind"] in ("text", "area", "box"):
                place["baseline"] = self._origin(control, place, blank, seen)

    def _origin(self, control: dict[str, Any], place: dict[str, Any], blank: Image, seen: Image) -> int:
        left, top, right, bottom = (round(edge) for edge in place["padding"])
        inked = np.nonzero((blank[top:bottom, left:right] != seen[top:bottom, left:right]).any(axis=(1, 2)))[0]
        if not inked.size:
            raise ValueError(f"the text of {control['name'] or control['kind']!r} cannot be seen")
        character = BULLET if control.get("type") == "password" else _SAMPLE_CHARACTER
        glyph, _ = self._face.glyph(character, 0.0)
        assert glyph is not None
        return int(top + int(inked[0]) - glyph.top - math.floor(place["box"][1]))

    def _picture(self, base: Image) -> str:
        """The file of a page's picture; equal pages share one."""
        digest = hashlib.sha256(base.tobytes()).hexdigest()
        if digest not in self._pages:
            self._pages[digest] = self._write(f"page_{len(self._pages)}", base)
        return self._pages[digest]

    def _write(self, name: str, picture: Image) -> str:
        """Write a picture as small as LZ4 makes it, and return the name of its file."""
        content = packed(picture, mode="high_compression", compression=12).dump()
        (self._folder / f"{name}{PACKED}").write_bytes(content)
        return f"{name}{PACKED}"


def _without_nulls(control: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in control.items() if value is not None}


def _readable(capture: Capture) -> str:
    """JSON with one control and one layout a line."""
    data = capture.model_dump(mode="json", exclude_defaults=True)
    lists = {
        name: "[\n" + ",\n".join("  " + _compact(item) for item in data.pop(name)) + "\n ]"
        for name in ("controls", "looks", "layouts")
    }
    rest = [f' "{name}": {_compact(value)}' for name, value in data.items()]
    rest += [f' "{name}": {text}' for name, text in lists.items()]
    return "{\n" + ",\n".join(rest) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
