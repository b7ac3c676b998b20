"""The operations by name, and the kinds of edits that requests ask for."""

from __future__ import annotations

from .copying import COPY, DELETE
from .creating import ADD
from .draft import EditKind
from .modifying import MODIFY
from .operation import EditOperation
from .pages import ADD_PAGE, COPY_PAGE, DELETE_PAGE, MODIFY_PAGE, MOVE_PAGE
from .parts import INSERT, REMOVE, SHIFT
from .placing import MOVE
from .replacing import REPLACE
from .split_merge import MERGE, SPLIT

OPERATIONS: dict[str, EditOperation] = {
    operation.name: operation
    for operation in (
        *(MOVE, DELETE, ADD, COPY, REPLACE, MODIFY, SPLIT, MERGE, INSERT, REMOVE, SHIFT),
        *(DELETE_PAGE, ADD_PAGE, COPY_PAGE, MOVE_PAGE, MODIFY_PAGE),
    )
}
"""Each takes a document and arguments and returns another document, or raises a ``ToolError``.

If two of them explain a difference, the later one counts.
"""
EDITS: dict[str, EditKind] = {name: kind for one in OPERATIONS.values() for name, kind in one.edits.items()}
"""The kinds of edits that requests ask for, by name."""
