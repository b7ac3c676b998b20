"""The editor's data: page, view, tool, selection, text box, and undo history."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from ...core.boxes import intersection
from ...core.texts import one_line, truncate
from ...core.tools import ToolError
from ..state import Mark, PaperFormState
from ..tools import remarks
from .page_view import View, opening_view
from .text_box import TextBox, centre_of, reopened

MODES = {"select": "Select", "text": "Text", "sign": "Sign"}
"""The tools of the toolbar, one of which is always chosen."""


@dataclass(frozen=True, slots=True)
class Written:
    """The data of a mark, to write it again."""

    text: str
    x: float
    y: float
    signed: bool


@dataclass(frozen=True, slots=True)
class Edit:
    """An undoable change: the mark at an index is added, removed or replaced."""

    at: int
    old: Written | None
    new: Written | None

    @property
    def undone(self) -> Edit:
        """The inverse change."""
        return Edit(self.at, self.new, self.old)


class Workspace:
    """A page in the editor; methods that act on it return the feedback.

    Args:
        page: the form to edit.

    Attributes:
        view: the visible part of the page.
        mode: the chosen tool.
        box: the open text box.
        selected: the selected mark.
        past: the changes that can be undone, the latest last.
        future: the undone changes that can be redone, the next one last.
        status: the feedback of the last action.
        pointed: the last mouse position, in pixels of the window.
    """

    def __init__(self, page: PaperFormState) -> None:
        self.page = page
        self.view: View = opening_view(page.width, page.height)
        self.mode = "select"
        self.box: TextBox | None = None
        self.selected: Mark | None = None
        self.past: list[Edit] = []
        self.future: list[Edit] = []
        self.status = "Ready"
        self.pointed: tuple[int, int] | None = None

    # -- Choosing and selecting ----------------------------------------------------------------------------------------

    def choose(self, mode: str) -> str:
        """Choose a tool; an open text box is confirmed."""
        done = self.settle()
        self.mode, self.selected = mode, None
        return f"{done}The {MODES[mode]} tool is chosen."

    def mark_at(self, x: int, y: int) -> Mark | None:
        """The topmost mark at a pixel of the page, unless it is being edited."""
        edited = self.box.mark if self.box is not None else None
        return next((mark for mark in reversed(self.page.marks_at(x, y)) if mark is not edited), None)

    def select(self, mark: Mark | None) -> str:
        """Select a mark, or none."""
        was, self.selected = self.selected, mark
        if mark is not None:
            return f"Selected {quoted(mark.text)}."
        return "Nothing is selected now." if was is not None else "There is nothing to select here."

    # -- Text boxes ----------------------------------------------------------------------------------------------------

    def open_box(self, x: int, y: int) -> str:
        """Open a text box at a pixel of the page."""
        self.box, self.selected = TextBox(x, y, signed=self.mode == "sign"), None
        return f"A text box is open at {self.view.to_window(x, y)}: type, then press Enter."

    def reopen(self, mark: Mark) -> str:
        """Open a text box with the text of a mark."""
        self.box, self.selected = reopened(mark, self.page), None
        self.mode = "sign" if mark.signed else "text"
        return f"{quoted(mark.text)} is open for editing: type, then press Enter."

    def settle(self) -> str:
        """Confirm the open text box, if any; return the feedback and a space."""
        return f"{self.confirm()} " if self.box is not None else ""

    def confirm(self) -> str:
        """Write the text of the open text box on the page."""
        box, self.box = self.box, None
        assert box is not None
        text = one_line(box.text)
        at = len(self.page.marks) if box.mark is None else self.page.marks.index(box.mark)
        old = None if box.mark is None else written(box.mark)
        new = Written(text, *centre_of(box, text, self.page), box.signed) if text else None
        if box.mark is not None and text == box.mark.text:
            return f"{quoted(text)} stays as it was."
        if old is None and new is None:
            return "The empty text box was closed."
        return self._edit(Edit(at, old, new))

    def cancel(self) -> str:
        """Close the open text box without a change of the page."""
        box, self.box = self.box, None
        assert box is not None
        return "The text box was closed; nothing was written." if box.mark is None else "The text stays as it was."

    # -- Changing the page ---------------------------------------------------------------------------------------------

    def select_all(self) -> str:
        """Select all text in the open text box."""
        assert self.box is not None
        self.box.all_selected = bool(self.box.text)
        return "All that is in the text box is selected." if self.box.text else "The text box is empty."

    def place_caret(self, at: int) -> str:
        """Put the caret of the open text box after ``at`` characters."""
        assert self.box is not None
        self.box.place_caret(at)
        return f"The caret is after character {self.box.caret} of {len(self.box.text)}."

    def delete(self) -> str:
        """Delete the selected mark, or the open text box and its mark.

        Raises:
            ToolError: if there is neither.
        """
        box, mark = self.box, self.selected
        if box is not None:
            self.box, mark = None, box.mark
            if mark is None:
                return "The text box was deleted."
        if mark is None:
            raise ToolError("Nothing is selected. Choose the Select tool and click on text of yours first.")
        return self._edit(Edit(self.page.marks.index(mark), written(mark), None))

    def move(self, mark: Mark, across: int, down: int) -> str:
        """Move and select a mark, with its centre on the page; in pixels of the page."""
        old = written(mark)
        x = min(max(mark.x + across / self.page.width, 0.0), 1.0)
        y = min(max(mark.y + down / self.page.height, 0.0), 1.0)
        at = self.page.marks.index(mark)
        words = self._edit(Edit(at, old, Written(old.text, x, y, old.signed)))
        self.selected = self.page.marks[at]
        return words

    def undo(self) -> str:
        """Undo the last change.

        Raises:
            ToolError: if there is none, or a text box is open.
        """
        return self._step_history(self.past, self.future, "undo")

    def redo(self) -> str:
        """Redo the last undone change.

        Raises:
            ToolError: if there is nothing, or a text box is open.
        """
        return self._step_history(self.future, self.past, "redo")

    def _step_history(self, source: list[Edit], target: list[Edit], verb: str) -> str:
        if self.box is not None:
            raise ToolError(f"A text box is open; confirm or cancel it before you {verb}.")
        if not source:
            raise ToolError(f"There is nothing to {verb}.")
        edit = source.pop().undone
        target.append(edit)
        return f"{verb.capitalize()}: {self._carry_out(edit)}"

    def _edit(self, edit: Edit) -> str:
        self.past.append(edit)
        self.future.clear()
        return self._carry_out(edit)

    def _carry_out(self, edit: Edit) -> str:
        """Change the page; return the feedback."""
        self.selected = None
        if edit.old is not None:
            self.page.remove(self.page.marks[edit.at])
        if edit.new is None:
            assert edit.old is not None
            return f"Deleted {quoted(edit.old.text)}."
        new = edit.new
        mark = self.page.write(new.x, new.y, new.text, signed=new.signed, at=edit.at)
        return " ".join([f"{_verb(edit)} {quoted(new.text)} at {_reach(mark, self.view)}.", *remarks(mark, self.page)])

    # -- The rest ------------------------------------------------------------------------------------------------------

    def zoom(self, view: View) -> str:
        """Show the page at another zoom."""
        same, self.view = view.percent == self.view.percent, view
        return f"The zoom is {'already ' if same else ''}{view.percent} %."

    def scroll(self, view: View) -> str:
        """Show another part of the page."""
        old, self.view = self.view, view
        if old == view:
            return "The page does not scroll any further."
        ways = {"right": view.left - old.left, "down": view.top - old.top}
        ways |= {"left": -ways["right"], "up": -ways["down"]}
        return f"Scrolled {' and '.join(f'{way} by {by}' for way, by in ways.items() if by > 0)}."

    def copy(self) -> Workspace:
        """An independent workspace in the same state."""
        other = Workspace(self.page.copy())
        other.view, other.mode, other.status, other.pointed = self.view, self.mode, self.status, self.pointed
        other.past, other.future = list(self.past), list(self.future)
        twins = dict(zip(self.page.marks, other.page.marks, strict=True))
        if self.box is not None:
            other.box = replace(self.box, mark=None if self.box.mark is None else twins[self.box.mark])
        other.selected = None if self.selected is None else twins[self.selected]
        return other

    def dump(self) -> dict[str, Any]:
        """The workspace as a JSON object."""
        box = None if self.box is None else asdict(replace(self.box, mark=None)) | {"mark": self._number(self.box.mark)}
        return {
            "page": self.page.dump(),
            "view": asdict(self.view),
            "mode": self.mode,
            "box": box,
            "selected": self._number(self.selected),
            "past": [asdict(edit) for edit in self.past],
            "future": [asdict(edit) for edit in self.future],
            "status": self.status,
            "pointed": None if self.pointed is None else list(self.pointed),
        }

    def _number(self, mark: Mark | None) -> int | None:
        return None if mark is None else self.page.marks.index(mark)


def written(mark: Mark) -> Written:
    """The data of a mark, to write it again."""
    return Written(mark.text, mark.x, mark.y, mark.signed)


def quoted(text: str) -> str:
    """A text in quotes, short enough for a sentence."""
    return f'"{truncate(text, 60)}"'


def _verb(edit: Edit) -> str:
    if edit.old is None or edit.new is None:
        return "Wrote" if edit.new is not None and not edit.new.signed else "Signed"
    return "Moved" if edit.old.text == edit.new.text else f"Changed {quoted(edit.old.text)} to"


def _reach(mark: Mark, view: View) -> str:
    """Where a mark is in the window, in words."""
    left, top, right, bottom = view.around(mark.box)
    if intersection((left, top, right, bottom), view.viewport) is None:
        return "a place that is scrolled out of view"
    return f"x {left} to {right}, y {top} to {bottom}"
