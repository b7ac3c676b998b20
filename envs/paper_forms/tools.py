"""The tools of paper forms: write, delete, sign, query a database, terminate."""

from __future__ import annotations

import unicodedata

import numpy as np
from gymnasium import spaces

from ..core.texts import UnicodeText, one_line, truncate
from ..core.tools import Argument, Tool, ToolError
from .paged_form import PagedForm
from .state import Mark, PaperFormState

MAX_TEXT_LENGTH = 1_000
MAX_QUERY_LENGTH = 4_000
_MAX_COVERED = 3
"""How many texts that are covered are named."""


Form = PaperFormState | PagedForm


def place_text(form: Form, x: float, y: float, text: str) -> str:
    """Write text on the page, with its centre at (x, y). Tick a box by writing X or ✓ in it."""
    return _report("Placed", form.page.write(x, y, _writable(text)), form.page)


def sign_or_initial(form: Form, x: float, y: float, text: str) -> str:
    """Sign or initial by hand, centred at (x, y). Fields for signatures and initials take nothing else."""
    return _report("Signed", form.page.write(x, y, _writable(text), signed=True), form.page)


def delete_text(form: Form, x: float, y: float) -> str:
    """Delete what you have written at the point (x, y). What is printed stays."""
    deleted = form.page.delete(x, y)
    if not deleted:
        raise ToolError(f"There is no text of yours at ({x:.3f}, {y:.3f}); nothing was deleted.")
    return f"Deleted {', '.join(_quoted(mark.text) for mark in deleted)} at ({x:.3f}, {y:.3f})."


def turn_page(form: PagedForm, page: int) -> str:
    """Show another page of the form. Text is written on, and deleted from, the page that is shown."""
    if page > len(form.pages):
        raise ToolError(f"There is no page {page}; the form has {len(form.pages)}.")
    form.turn_to(page - 1)
    return f"Page {page} of {len(form.pages)} is shown."


def query_sql(form: Form, query: str) -> str:
    """Query the database with one SQL SELECT statement; returns the rows as text."""
    if form.page.query is None:
        raise ToolError("There is no database for this form.")
    return form.page.query(query)


def terminate(form: Form) -> str:
    """End the task: the page is handed in as it is."""
    form.finished = True
    return "The page was handed in."


_X = Argument(spaces.Box(0.0, 1.0, (), np.float64), "Across the page: 0 is the left edge, 1 the right edge.")
_Y = Argument(spaces.Box(0.0, 1.0, (), np.float64), "Down the page: 0 is the top edge, 1 the bottom edge.")
_TEXT = Argument(UnicodeText(MAX_TEXT_LENGTH), "What to write, in one line.")
_QUERY = Argument(UnicodeText(MAX_QUERY_LENGTH), "One SQL SELECT statement.")

_WRITE = Tool("place_text", place_text, {"x": _X, "y": _Y, "text": _TEXT})
_DELETE = Tool("delete_text", delete_text, {"x": _X, "y": _Y})
_SIGN = Tool("sign_or_initial", sign_or_initial, {"x": _X, "y": _Y, "text": _TEXT})
_QUERY_SQL = Tool("query_sql", query_sql, {"query": _QUERY})
_END = Tool("terminate", terminate, {})

TYPING_TOOLS: tuple[Tool, ...] = (_WRITE, _DELETE, _END)
"""The tools where no field is signed."""
TOOLS: tuple[Tool, ...] = (_WRITE, _DELETE, _SIGN, _END)
"""The tools of forms with signatures or initials."""
DATABASE_TOOLS: tuple[Tool, ...] = (_WRITE, _DELETE, _SIGN, _QUERY_SQL, _END)
"""The tools of forms that are filled in from a database."""


def tools_of(*, signed: bool, database: bool, n_pages: int) -> tuple[Tool, ...]:
    """The tools of forms of one's own: with signatures, with a database, with at most so many pages."""
    number = Argument(spaces.Discrete(n_pages, start=1), "The number of the page, from 1 on.")
    turning = Tool("turn_page", turn_page, {"page": number})
    chosen = (_SIGN, signed), (_QUERY_SQL, database), (turning, n_pages > 1)
    return (_WRITE, _DELETE, *(tool for tool, is_used in chosen if is_used), _END)


def _writable(text: str) -> str:
    """``text`` in one line, without invisible characters.

    Raises:
        ToolError: if nothing is left, or it holds a control character other than white space.
    """
    line = one_line(text)
    check_characters(line, "written")
    if not line:
        raise ToolError("The text is empty; nothing was written. Leave a field empty by not writing in it.")
    return line


def check_characters(text: str, done: str) -> None:
    """Check that a text holds no control character; ``done`` is "written" or the like, for the message.

    Raises:
        ToolError: if it holds one.
    """
    control = None if text.isprintable() else next((c for c in text if unicodedata.category(c) == "Cc"), None)
    if control is not None:
        raise ToolError(f"The text holds the control character U+{ord(control):04X}, which cannot be {done}.")


def _report(verb: str, mark: Mark, page: PaperFormState) -> str:
    left, _, right, _ = mark.box
    reach = f"from x = {left / page.width:.3f} to {right / page.width:.3f}"
    place = f"{verb} {_quoted(mark.text)} at ({mark.x:.3f}, {mark.y:.3f}), {reach}."
    return " ".join([place, *remarks(mark, page)])


def remarks(mark: Mark, page: PaperFormState) -> list[str]:
    """Remarks on problems of a mark, such as text that runs off the page."""
    left, _, right, _ = mark.box
    notes = []
    if left < 0 or right > page.width:
        notes.append("It is wider than the room there and runs off the page.")
    if mark.overlapping:
        notes.append(f"It covers your {', '.join(_quoted(other.text) for other in mark.overlapping[:_MAX_COVERED])}.")
    if mark.stamp.sprite.unsupported:
        notes.append(f"The page's typeface lacks {_quoted(mark.stamp.sprite.unsupported)}: drawn as boxes.")
    if not mark.text.isascii() and any(unicodedata.bidirectional(c) in ("R", "AL") for c in mark.text):
        notes.append("Right-to-left letters were drawn from left to right.")
    return notes


def _quoted(text: str) -> str:
    return f'"{truncate(text, 80)}"'
