"""The layout of the editor's window, in pixels of the window."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.boxes import Rect, contains_pixel

WIDTH, HEIGHT = 1280, 800

TITLE_BAR: Rect = (0, 0, WIDTH, 36)
TOOLBAR: Rect = (0, 36, WIDTH, 84)
CANVAS: Rect = (0, 84, WIDTH, 774)
"""The page on its desk, and the scrollbars; with a database, its query above them."""
QUERY_PANE: Rect = (0, 84, WIDTH, 204)
QUERY_BOX: Rect = (16, 98, 1136, 190)
RUN_BUTTON: Rect = (1152, 98, 1264, 134)
STATUS_BAR: Rect = (0, 774, WIDTH, HEIGHT)
STATUS: Rect = (12, 775, 1080, HEIGHT)
"""The feedback of the last action."""
POINTER_POSITION: Rect = (1120, 775, WIDTH - 8, HEIGHT)
"""The last mouse position."""

SCROLLBAR = 14
"""The thickness of a scrollbar."""
MARGIN = 16
"""The minimum visible desk around a page."""

_TAB_WIDTH, _TAB_TOP = 340, 5
_TOP, _BOTTOM = TOOLBAR[1] + 6, TOOLBAR[3] - 6
_GAP, _WIDE_GAP = 4, 21

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


def _placed() -> dict[str, Rect]:
    buttons, left = {}, 10
    for group in _GROUPS:
        for name, (_, width) in group.items():
            buttons[name] = (left, _TOP, left + width, _BOTTOM)
            left += width + _GAP
        left += _WIDE_GAP - _GAP
    return buttons


BUTTONS: Mapping[str, Rect] = _placed()
"""The buttons of the toolbar by name."""
LABELS = {name: label for group in _GROUPS for name, (label, _) in group.items()}
DIVIDERS = tuple(BUTTONS[next(iter(group))][0] - _WIDE_GAP // 2 - 1 for group in _GROUPS[1:])
"""The x of the lines between groups of buttons."""


def tabs(names: tuple[str, ...]) -> Mapping[str, Rect]:
    """The tabs of several documents in the title bar, by the documents' names; one document has none."""
    lefts = range(8, WIDTH, _TAB_WIDTH + _GAP) if len(names) > 1 else ()
    return {name: (left, _TAB_TOP, left + _TAB_WIDTH, TITLE_BAR[3]) for name, left in zip(names, lefts, strict=False)}


def name_at(rects: Mapping[str, Rect], x: int, y: int) -> str | None:
    """The name of the button or tab at a pixel."""
    return next((name for name, rect in rects.items() if contains_pixel(rect, x, y)), None)


def middle(rect: Rect) -> tuple[int, int]:
    """The pixel in the middle of a rectangle."""
    return (rect[0] + rect[2]) // 2, (rect[1] + rect[3]) // 2
