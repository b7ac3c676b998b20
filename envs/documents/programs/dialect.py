"""Rewrite what the sandbox lacks of Python: methods as values, and generators that are gone through bit by bit."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_TYPES = {"str": str, "list": list, "dict": dict, "set": set}
_METHODS = {name for kind in _TYPES.values() for name in vars(kind) if not name.startswith("_")} - {"title"}
"""Names of methods; ``document.title`` is a text."""
_OF_CLASSES = {"fromkeys", "maketrans"}
Edit = tuple[int, int, int, str]
"""A line, the bytes of it that are replaced (from, to), and what replaces them."""


def supported(code: str) -> str:
    """A program in the part of Python that the sandbox has; each line stays where it is.

    >>> print(supported("best = max(sizes, key=sizes.get)"))
    best = max(sizes, key=(lambda *a, **k: sizes.get(*a, **k)))
    >>> print(supported("print(*map(str.strip, lines))"))
    print(*map((lambda self, *a, **k: self.strip(*a, **k)), lines))
    >>> print(supported("first = next(e for e in found)"))
    first = next(iter(e for e in found))
    """
    lines = [line.encode() for line in code.split("\n")]
    for line, start, end, text in sorted(_edits(ast.parse(code)), reverse=True):
        lines[line] = lines[line][:start] + text.encode() + lines[line][end:]
    return b"\n".join(lines).decode()


def _edits(tree: ast.Module) -> Iterator[Edit]:
    nodes = list(ast.walk(tree))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    # Before Python 3.12 what is in an f-string does not know its place.
    hidden = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in nodes:
        if node in hidden:
            continue
        if isinstance(node, ast.GeneratorExp):
            yield from _around(node, "(iter", ")")
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in _METHODS:
            yield from _method(node, node in called)


def _method(node: ast.Attribute, is_called: bool) -> Iterator[Edit]:
    kind = node.value
    if isinstance(kind, ast.Name) and kind.id in _TYPES and node.attr not in _OF_CLASSES:
        yield from _around(node, "(lambda self, *a, **k: self", "(*a, **k))", skipped=len(kind.id))
    elif not is_called:
        yield from _around(node, "(lambda *a, **k: ", "(*a, **k))")


def _around(node: ast.expr, before: str, after: str, skipped: int = 0) -> Iterator[Edit]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    yield node.lineno - 1, node.col_offset, node.col_offset + skipped, before
    yield node.end_lineno - 1, node.end_col_offset, node.end_col_offset, after
