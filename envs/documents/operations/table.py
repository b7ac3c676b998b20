"""The operations by name, with the signatures that Agent-DocEdit publishes."""

from __future__ import annotations

from .creating import ADD, REPLACE
from .modifying import MODIFY
from .operation import EditOperation
from .placing import COPY, DELETE, MOVE
from .split_merge import MERGE, SPLIT

OPERATIONS: dict[str, EditOperation] = {
    operation.name: operation for operation in (MOVE, DELETE, ADD, COPY, REPLACE, MODIFY, SPLIT, MERGE)
}
"""Each takes a document and arguments, and makes another document; a ``ToolError`` says what is wrong."""
