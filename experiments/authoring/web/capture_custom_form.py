"""Photographing a form of one's own: what cannot be photographed is told, not raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....envs.core.painting import Image
from .capture_form import VIEWPORT, Photographer
from .capture_states import photograph_looks
from .screenshots import Camera

_MARGIN = 48


class OwnPhotographer(Photographer):
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
        """All that ``Capture`` holds but where it comes from; of no use if something ``failed``."""
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
            return super()._selection_of(control, place | {"content": _content_seen(control, place)}, base)
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


def _content_seen(control: dict[str, Any], place: dict[str, Any]) -> list[float]:
    """The room of a text from where its only character begins."""
    left, top, right, bottom = place["content"]
    starts = {"right": right - 2, "center": (left + right) / 2 - 1}
    return [starts.get(control.get("align", ""), left), top, right, bottom]
