"""The editor's data: documents and their views, tool, selection, text box, undo history, query."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any, NamedTuple

from ...core.boxes import intersection
from ...core.painting import Image
from ...core.texts import one_line, truncate
from ...core.tools import ToolError
from ..state import Mark, PaperFormState
from ..tools import MAX_QUERY_LENGTH, remarks
from .database_pane import ResultTable, message, no_result
from .layout import QUERY_PANE
from .page_view import View, opening_view
from .text_box import EditedText, TextBox, centre_of, reopened

MODES = {"select": "Select", "text": "Text", "sign": "Sign"}
"""The tools of the toolbar, one of which is always chosen."""


class Written(NamedTuple):
    """The data of a mark, to write it again."""

    text: str
    x: float
    y: float
    signed: bool


class Edit(NamedTuple):
    """An undoable change: the mark at an index is added, removed or replaced."""

    at: int
    old: Written | None
    new: Written | None


_FORM_ONLY = {*MODES, "undo", "redo", "delete", "confirm", "cancel"}
_ZOOMING = {"zoom_out", "zoom", "zoom_in", "fit_width", "fit_page"}


class Workspace:
    """A page in the editor, with what belongs to it; methods that act on it return the feedback, or raise ToolErrors.

    Args:
        page: the form to edit. Where it has a database, this can be queried.
        source_tab: whether its source page can be read here.

    Attributes:
        titles: of the tabs, by their names: ``"form"``, ``"source"`` and ``"database"`` as far as they are there.
        views: the visible part of each: of the form, the source page, the result of the query.
        tab: the name of the one that is shown.
        query: the statement in the database's pane.
        result: what it gave.
        mode: the chosen tool.
        box: the open text box.
        selected: the selected mark.
        past: the changes that can be undone, the latest last.
        future: the undone changes that can be redone, the next one last.
        status: the feedback of the last action.
        pointed: the last mouse position, in pixels of the window.
    """

    def __init__(self, page: PaperFormState, source_tab: bool = False) -> None:
        self.page = page
        self.titles = {"form": page.task.title}
        self.views = {"form": opening_view(page.width, page.height)}
        if source_tab and page.source_page is not None:
            height, width = page.source_page.background.shape[:2]
            self.titles["source"], self.views["source"] = page.task.source_title, opening_view(width, height)
        self.tab = "form"
        self.query = EditedText(max_length=MAX_QUERY_LENGTH)
        self.result = no_result()
        if page.query is not None:
            self.titles["database"] = "Database"
            self.show_result(no_result())
        self.mode = "select"
        self.box: TextBox | None = None
        self.selected: Mark | None = None
        self.past: list[Edit] = []
        self.future: list[Edit] = []
        self.status = "Ready"
        self.pointed: tuple[int, int] | None = None

    # -- Documents -----------------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """The visible part of what is shown."""
        return self.views[self.tab]

    @view.setter
    def view(self, view: View) -> None:
        self.views[self.tab] = view

    @cached_property
    def source(self) -> Image:
        """The source page."""
        assert self.page.source_page is not None
        return self.page.source_page.pixels()

    @property
    def edited(self) -> EditedText | None:
        """The text that keys change: the query, or that of the open text box."""
        return self.query if self.tab == "database" else self.box

    def show(self, tab: str) -> str:
        """Show another document; an open text box is confirmed."""
        done, self.selected = self.settle(), None
        self.tab = tab
        return f"{done}{quoted(self.titles[tab])} is shown."

    def run(self) -> str:
        """Carry out the query, and show its rows or what is wrong with it."""
        assert self.page.query is not None
        try:
            rows = [line.split(" | ") for line in self.page.query(self.query.text).split("\n")]
        except ToolError as error:
            self.show_result(message(str(error), is_error=True))
            return "The query failed; the message is below it."
        self.show_result(ResultTable(rows))
        return "The rows that the query gave are below it."

    def clear(self) -> str:
        """Empty the query."""
        self.query.place_caret(0)
        self.query.text = ""
        return "The query is empty."

    def has(self, name: str) -> bool:
        """Whether a button, or a key that belongs to one, is there for what is shown."""
        return self.tab == "form" or (name not in _FORM_ONLY and (self.tab == "source" or name not in _ZOOMING))

    def show_result(self, result: ResultTable) -> None:
        """Show the result of a query, from its top."""
        self.result = result
        self.views["database"] = View(result.width, result.height, 100, begin=QUERY_PANE[3])

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
        self.box, self.selected = TextBox(x=x, y=y, signed=self.mode == "sign"), None
        return f"A text box is open at {self.view.to_window(x, y)}: type, then press Enter."

    def reopen(self, mark: Mark) -> str:
        """Open a text box with the text of a mark."""
        self.box, self.selected = reopened(mark), None
        self.mode = "sign" if mark.signed else "text"
        return f"{quoted(mark.text)} is open for editing: type, then press Enter."

    def settle(self) -> str:
        """Confirm the open text box, if any; return the feedback and a space."""
        return f"{self.confirm()} " if self.box is not None else ""

    def confirm(self) -> str:
        """Write the text of the open text box, which there must be, on the page."""
        box = self._closed_box()
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
        """Close the open text box, which there must be, without a change of the page."""
        box = self._closed_box()
        return "The text box was closed; nothing was written." if box.mark is None else "The text stays as it was."

    def _closed_box(self) -> TextBox:
        box, self.box = self.box, None
        if box is None:
            raise ToolError("No text box is open.")
        return box

    # -- Changing the page ---------------------------------------------------------------------------------------------

    def select_all(self) -> str:
        """Select all of the text that is edited."""
        assert self.edited is not None
        self.edited.all_selected = bool(self.edited.text)
        return "All that is in the text box is selected." if self.edited.text else "The text box is empty."

    def place_caret(self, at: int) -> str:
        """Put the caret after ``at`` characters of the text that is edited."""
        assert self.edited is not None
        self.edited.place_caret(at)
        return f"The caret is after character {self.edited.caret} of {len(self.edited.text)}."

    def delete(self) -> str:
        """Delete the selected mark, or the open text box and its mark; there must be one of them."""
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
        at, old = self.page.marks.index(mark), written(mark)
        x, y = mark.x + across / self.page.width, mark.y + down / self.page.height
        words = self._edit(Edit(at, old, old._replace(x=min(max(x, 0.0), 1.0), y=min(max(y, 0.0), 1.0))))
        self.selected = self.page.marks[at]
        return words

    def undo(self) -> str:
        """Undo the last change, if there is one and no text box is open."""
        return self._step_history(self.past, self.future, "undo")

    def redo(self) -> str:
        """Redo the last undone change, if there is one and no text box is open."""
        return self._step_history(self.future, self.past, "redo")

    def _step_history(self, source: list[Edit], target: list[Edit], verb: str) -> str:
        if self.box is not None:
            raise ToolError(f"A text box is open; confirm or cancel it before you {verb}.")
        if not source:
            raise ToolError(f"There is nothing to {verb}.")
        at, new, old = source.pop()
        target.append(Edit(at, old, new))
        return f"{verb.capitalize()}: {self._carry_out(target[-1])}"

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

    def zoom(self, percent: int) -> str:
        """Show the page at another zoom."""
        same, self.view = percent == self.view.percent, self.view.zoomed(percent)
        return f"The zoom is {'already ' if same else ''}{percent} %."

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
        other = copy(self)
        other.page, other.views, other.query = self.page.copy(), dict(self.views), replace(self.query)
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
            "views": {name: asdict(view) for name, view in self.views.items()},
            "tab": self.tab,
            "query": asdict(self.query),
            "result": self.result.rows,
            "mode": self.mode,
            "box": box,
            "selected": self._number(self.selected),
            "history": json.loads(json.dumps([self.past, self.future])),
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
