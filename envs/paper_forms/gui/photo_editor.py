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
        source_tab: whether the source page is in the editor too, rather than beside the window.
    """

    def __init__(self, page: PaperFormState, steps: int | None = None, source_tab: bool = False) -> None:
        self.source_page = None if source_tab else page.source_page
        self.space = Workspace(page, source_tab)
        self.task_id, self.source = page.task_id, page.source
        self.goal = _goal(self.space, steps)
        self.background = window_image()
        self._screen = Screen(self.space)
        self.layers = self._screen.layers

    @property
    def places(self) -> tuple[FieldBox, ...]:  # type: ignore[override]
        """The fields whose middle is visible, in pixels of the window."""
        if self.space.tab != "form":
            return ()
        view, page = self.space.view, self.space.page
        visible = (FieldBox(p.label, view.around(_whole(p.box)), p.ticked) for p in page.places)
        return tuple(place for place in visible if view.on_page(*map(int, place.centre)))

    @property
    def text_extents(self) -> TextExtents:  # type: ignore[override]
        """How large typed text is in the window, at the zoom of now."""
        (width, height), on_page = self.space.views["form"].scaled, self.space.page.text_extents
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


def _goal(space: Workspace, steps: int | None) -> str:
    """The goal of a page, and how it is reached in the editor."""
    signing = any(target.signed for target in space.page.task.targets)
    parts = {
        "It is open in a photo editor: work with mouse and keyboard,": True,
        "write with the Text tool, and sign and initial with the Sign tool.": signing,
        "and write with the Text tool.": not signing,
        "The source page is in the second tab.": "source" in space.views,
        "To query the database, type one SELECT statement there and press Enter, or click Run.": "database"
        in space.views,
        f"You have {steps} actions.": steps is not None,
    }
    return " ".join([space.page.goal.replace("with query_sql", "in the second tab"), *(p for p in parts if parts[p])])


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
    return _report(editor, events.scroll(editor.space, dx, dy))


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


def _point(words: str, x: str = "x", y: str = "y") -> dict[str, Argument]:
    """The arguments for a pixel of the window."""
    return {
        x: Argument(spaces.Discrete(WIDTH), f"{words}, in pixels from the left edge of the window."),
        y: Argument(spaces.Discrete(HEIGHT), f"{words}, in pixels from the top edge of the window."),
    }


_BY = spaces.Discrete(2 * MAX_SCROLL + 1, start=-MAX_SCROLL)

TOOLS: tuple[Tool, ...] = (
    Tool("click", click, _point("Where")),
    Tool("double_click", double_click, _point("Where")),
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
    Tool("drag", drag, _point("From where", "x0", "y0") | _point("To where", "x1", "y1")),
    Tool("terminate", terminate, {}),
)
