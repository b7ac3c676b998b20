"""The photo editor as the state of an episode, and its tools: mouse and keyboard."""

from __future__ import annotations

from math import ceil
from typing import Any

from gymnasium import spaces

from ...core.boxes import Rect
from ...core.env import FieldBox, State
from ...core.scoring import Score
from ...core.texts import TextExtents, UnicodeText
from ...core.tools import Argument, Call, Tool
from ..state import PaperFormState
from ..tools import MAX_TEXT_LENGTH
from . import events
from .chrome import window_image
from .gui_solution import solution
from .layout import HEIGHT, WIDTH
from .screen import Screen
from .workspace import Workspace


class PhotoEditor(State):
    """A page in the editor's window.

    Args:
        page: the form to fill in, which is also what is scored.
        steps: the number of steps that the goal states; ``None``: it states none.
    """

    def __init__(self, page: PaperFormState, steps: int | None = None) -> None:
        self.space = Workspace(page)
        self.task_id, self.source = page.task_id, page.source
        self.source_page = page.source_page
        self.goal = _goal(page, steps)
        self.background = window_image(page.task.title)
        self._screen = Screen(self.space)
        self.layers = self._screen.layers

    @property
    def places(self) -> tuple[FieldBox, ...]:  # type: ignore[override]
        """The fields whose middle is visible, in pixels of the window."""
        view, page = self.space.view, self.space.page
        visible = (FieldBox(p.label, view.around(_whole(p.box)), p.ticked) for p in page.places)
        return tuple(place for place in visible if view.on_page(*map(int, place.centre)))

    @property
    def text_extents(self) -> TextExtents:  # type: ignore[override]
        """How large typed text is in the window, at the zoom of now."""
        (width, height), on_page = self.space.view.scaled, self.space.page.text_extents
        widths = {text: share * width / WIDTH for text, share in on_page.widths.items()}
        return TextExtents(on_page.height * height / HEIGHT, widths)

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call."""
        return self._screen.update()

    def metrics(self) -> dict[str, float]:
        """The metrics of the score; what is in an open text box does not count yet."""
        return self.space.page.metrics()

    def score(self) -> Score:
        """The score with the result of every field."""
        return self.space.page.score()

    def solution(self) -> list[Call]:
        """Clicks and keys that complete the task correctly, and ``terminate``."""
        return solution(self.space)

    def dump(self) -> dict[str, Any]:
        """The editor as a JSON object."""
        return self.space.dump() | {"task": self.task_id, "finished": self.finished}


def _goal(page: PaperFormState, steps: int | None) -> str:
    """The goal of a page, and how it is reached in the editor."""
    signing = any(target.signed for target in page.task.targets)
    return (
        f"{page.goal} It is open in a photo editor: work with mouse and keyboard, "
        + (
            "write with the Text tool, and sign and initial with the Sign tool."
            if signing
            else "and write with the Text tool."
        )
        + f" You have {steps} actions." * (steps is not None)
    )


def _whole(box: tuple[float, float, float, float]) -> Rect:
    """The largest box in whole pixels inside a box."""
    left, top, right, bottom = box
    return ceil(left), ceil(top), int(right), int(bottom)


MAX_SCROLL = 2_000
"""The maximum scroll of one call, in pixels."""


def click(editor: PhotoEditor, x: int, y: int) -> str:
    """Click at a pixel of the window.

    With the Text or Sign tool, a click on the page opens a text box: the text begins at x and is centred on y. If
    another text box was open, its text is written on the page first. The button Done does so too, Cancel drops it.
    """
    return _report(editor, events.click(editor.space, x, y), (x, y))


def double_click(editor: PhotoEditor, x: int, y: int) -> str:
    """Double-click at a pixel of the window: opens text of yours for editing. Anywhere else it is a click."""
    return _report(editor, events.double_click(editor.space, x, y), (x, y))


def type_text(editor: PhotoEditor, text: str) -> str:
    """Type text into the open text box."""
    return _report(editor, events.type_text(editor.space, text))


def press_key(editor: PhotoEditor, key: str) -> str:
    """Press a key: Enter writes the text of the open text box, Escape drops it; t, s, v choose Text, Sign, Select."""
    return _report(editor, events.press(editor.space, key))


def scroll(editor: PhotoEditor, dx: int, dy: int) -> str:
    """Scroll the page in the window."""
    return _report(editor, editor.space.scroll(editor.space.view.scrolled(dx, dy)))


def drag(editor: PhotoEditor, x0: int, y0: int, x1: int, y1: int) -> str:
    """Drag from one pixel of the window to another: moves text of yours with the Select tool, or a scrollbar."""
    return _report(editor, events.drag(editor.space, (x0, y0), (x1, y1)), (x1, y1))


def terminate(editor: PhotoEditor) -> str:
    """End the task: text in an open text box is written, and the page is handed in."""
    done = editor.space.settle()
    editor.finished = editor.space.page.finished = True
    return _report(editor, f"{done}The page was handed in.")


def _report(editor: PhotoEditor, words: str, pointed: tuple[int, int] | None = None) -> str:
    """Show the feedback in the status bar, and where the mouse is if it has moved."""
    editor.space.status = words
    editor.space.pointed = pointed or editor.space.pointed
    return words


def _pixel(n: int, words: str) -> Argument:
    return Argument(spaces.Discrete(n), words)


_ACROSS, _DOWN = "in pixels from the left edge of the window.", "in pixels from the top edge of the window."
_X, _Y = _pixel(WIDTH, f"Where, {_ACROSS}"), _pixel(HEIGHT, f"Where, {_DOWN}")
_FROM_X, _FROM_Y = _pixel(WIDTH, f"From where, {_ACROSS}"), _pixel(HEIGHT, f"From where, {_DOWN}")
_TO_X, _TO_Y = _pixel(WIDTH, f"To where, {_ACROSS}"), _pixel(HEIGHT, f"To where, {_DOWN}")
_BY = spaces.Discrete(2 * MAX_SCROLL + 1, start=-MAX_SCROLL)

TOOLS: tuple[Tool, ...] = (
    Tool("click", click, {"x": _X, "y": _Y}),
    Tool("double_click", double_click, {"x": _X, "y": _Y}),
    Tool("type_text", type_text, {"text": Argument(UnicodeText(MAX_TEXT_LENGTH), "What to type, in one line.")}),
    Tool("press_key", press_key, {"key": Argument(UnicodeText(40), f"One of {events.KEYS}.")}),
    Tool(
        "scroll",
        scroll,
        {
            "dx": Argument(_BY, "How far to the right, in pixels; negative: to the left."),
            "dy": Argument(_BY, "How far down, in pixels; negative: up."),
        },
    ),
    Tool("drag", drag, {"x0": _FROM_X, "y0": _FROM_Y, "x1": _TO_X, "y1": _TO_Y}),
    Tool("terminate", terminate, {}),
)
