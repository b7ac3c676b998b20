"""The operations that lead from one document to another, where operations can."""

from __future__ import annotations

from collections.abc import Iterator

from ..operations.draft import Operation
from ..operations.table import OPERATIONS
from ..scene.document import Document


def operations_between(before: Document, expected: Document) -> tuple[Operation, ...]:
    """Operations that change what differs; what none can change stays as it is.

    New elements are added and not modified: what they show and where they are is what is asked for.
    """
    return tuple(_operations(before, expected))


def _operations(before: Document, expected: Document) -> Iterator[Operation]:
    couples = [(element, expected.find(element.id)) for element in before.elements()]
    new = [(None, element) for element in expected.elements() if element.id not in before.places]
    for old, after in (*couples, *new):
        for name, operation in OPERATIONS.items() if old != after else ():
            for arguments in operation.between(old, after):
                yield Operation(name=name, arguments=arguments)
