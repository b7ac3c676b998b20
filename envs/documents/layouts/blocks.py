"""Blocks by name: how the nodes of a layout become blocks with words in them."""

from __future__ import annotations

from collections.abc import Callable

from .containers import Inset, Panel, Row, Stack
from .decorations import Ornament
from .leaf_blocks import LEAVES
from .parts import Block
from .schema import Node
from .texts import Text
from .writing import Writer

_TOPICS = {
    "about": "story", "days": "dates", "choice": "choices", "person": "details", "order": "order", "items": "offer",
}  # fmt: skip
"""What sections are called where it is not the topic of their heading."""
_JITTER = (0.8, 1.2)
"""Gaps differ by so much from what the layout says."""


def written(node: Node, writer: Writer) -> Block | None:
    """A node with words in it; ``None``: this document does without."""
    if node.shape and (node.shape == "wide") != writer.is_wide:
        return None
    if node.chance < 1 and writer.rng.random() > node.chance:
        return None
    if node.block == "any":
        choice = node.of[int(writer.rng.integers(len(node.of)))]
        return written(choice.model_copy(update={"optional": node.optional}) if node.optional else choice, writer)
    return BLOCKS[node.block](node, writer)


def _children(node: Node, writer: Writer) -> list[Block]:
    children = [block for child in node.of if (block := written(child, writer)) is not None]
    if node.shuffled:
        return [children[i] for i in writer.rng.permutation(len(children))]
    return children


def _gap(node: Node, writer: Writer, usual: float) -> float:
    gap = usual if node.gap is None else node.gap
    return gap * float(writer.rng.uniform(*_JITTER))


def _grow(node: Node, children: list[Block]) -> float:
    return node.grow if node.grow is not None else max((child.grow for child in children), default=0.0)


def _stack(node: Node, writer: Writer, tight: bool = False) -> Block:
    children = _children(node, writer)
    gap = _gap(node, writer, 0.35 if tight else 1.0)
    return Stack(tuple(children), gap, node.optional, _grow(node, children), tight, node.align or None)


def _row(node: Node, writer: Writer) -> Block:
    nodes = node.of
    shares = node.shares or (1.0,) * len(nodes)
    pairs = [
        (block, share)
        for child, share in zip(nodes, shares, strict=True)
        if (block := written(child, writer)) is not None
    ]
    if node.shuffled:
        pairs = [pairs[i] for i in writer.rng.permutation(len(pairs))]
    children = [block for block, _ in pairs]
    middle = "top" not in node.looks
    return Row(
        tuple(children),
        tuple(share for _, share in pairs),
        _gap(node, writer, 1.4),
        node.optional,
        _grow(node, children),
        middle,
    )


def _split(node: Node, writer: Writer) -> Block:
    """A row on wide pages, a stack on others."""
    return _row(node, writer) if writer.is_wide else _stack(node, writer)


def _panel(node: Node, writer: Writer, rounded: bool = True) -> Block:
    children = _children(node, writer)
    stack = Stack(tuple(children), _gap(node, writer, 0.6), 0, _grow(node, children), align=node.align or None)
    pad = 1.0 if node.pad is None else node.pad
    ornament = Ornament(writer.one(node.looks), tuple(writer.rng.random(3))) if node.looks else None
    fill = node.fill or "soft"
    return Panel(
        stack,
        node.name or "{} panel",
        "outline" if fill == "paper" else fill,
        pad,
        node.optional,
        _grow(node, children),
        ornament,
        rounded=rounded,
    )


def _inset(node: Node, writer: Writer) -> Block:
    """Room around a stack: ``pad`` at its sides, ``gap`` between."""
    stack = _stack(node.model_copy(update={"optional": 0}), writer)
    pad = 1.8 if node.pad is None else node.pad
    return Inset(stack, pad, pad * 0.85, node.optional, stack.grow)


def _section(node: Node, writer: Writer) -> Block:
    """A heading above what it is of."""
    children = _children(node, writer)
    name = f"heading of the {_TOPICS.get(node.what, node.what)}"
    heading = Text(
        name,
        writer.words.heading(node.what),
        "heading",
        lines=2,
        underline=writer.rng.random() < 0.08,
        colour=writer.one(("", "", "accent")),
    )
    return Stack(
        (heading, *children), _gap(node, writer, 0.45), node.optional, _grow(node, children), True, node.align or None
    )


BLOCKS: dict[str, Callable[[Node, Writer], Block]] = {
    "stack": _stack,
    "tight": lambda node, writer: _stack(node, writer, tight=True),
    "row": _row,
    "split": _split,
    "panel": _panel,
    "banner": lambda node, writer: _panel(node, writer, rounded=False),
    "inset": _inset,
    "section": _section,
    **LEAVES,
}
"""How each block is written."""
