"""The layout of the editor's window, in pixels of the window."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.boxes import Rect, contains_pixel

WIDTH, HEIGHT = 1280, 800

TITLE_BAR: Rect = (0, 0, WIDTH, 36)
TOOLBAR: Rect = (0, 36, WIDTH, 84)
CANVAS: Rect = (0, 84, WIDTH, 774)
"""The page on its desk, and the scrollbars."""
STATUS_BAR: Rect = (0, 774, WIDTH, HEIGHT)
STATUS: Rect = (12, 775, 1080, HEIGHT)
"""The feedback of the last action."""
POINTER_POSITION: Rect = (1120, 775, WIDTH - 8, HEIGHT)
"""The last mouse position."""

SCROLLBAR = 14
"""The thickness of a scrollbar."""
MARGIN = 16
"""The minimum visible desk around a page."""

_TOP, _BOTTOM = TOOLBAR[1] + 6, TOOLBAR[3] - 6
_GAP, _WIDE_GAP = 4, 21


@dataclass(frozen=True, slots=True)
class ToolbarButton:
    """A button of the toolbar: its text and its place."""

    label: str
    rect: Rect

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        left, top, right, bottom = self.rect
        return right - left, bottom - top


_GROUPS = (
    {"select": ("Select", 86), "text": ("Text", 74), "sign": ("Sign", 74)},
    {"undo": ("Undo", 80), "redo": ("Redo", 80), "delete": ("Delete", 88)},
    {"zoom_out": ("Zoom out", 104), "zoom": ("", 62), "zoom_in": ("Zoom in", 94)},
    {"fit_width": ("Fit width", 102), "fit_page": ("Fit page", 98)},
    {"confirm": ("Done", 80), "cancel": ("Cancel", 90)},
)
"""The buttons from left to right: name, label and width. The label of ``zoom`` is the zoom.

Those that confirm and cancel a text box are here rather than beside it, where they would cover fields.
"""


def _placed() -> dict[str, ToolbarButton]:
    buttons, left = {}, 10
    for group in _GROUPS:
        for name, (label, width) in group.items():
            buttons[name] = ToolbarButton(label, (left, _TOP, left + width, _BOTTOM))
            left += width + _GAP
        left += _WIDE_GAP - _GAP
    return buttons


BUTTONS = _placed()
"""The buttons of the toolbar by name."""

DIVIDERS = tuple(BUTTONS[next(iter(group))].rect[0] - _WIDE_GAP // 2 - 1 for group in _GROUPS[1:])
"""The x of the lines between groups of buttons."""


def button_at(x: int, y: int) -> str | None:
    """The name of the button at a pixel."""
    return next((name for name, button in BUTTONS.items() if contains_pixel(button.rect, x, y)), None)
