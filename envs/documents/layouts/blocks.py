"""Make the nodes of a layout into blocks with words.

To add a leaf, add a row to the tables beside it.
"""

from __future__ import annotations

from collections.abc import Callable

from .cell_blocks import cells
from .containers import inset, panel, row, stack
from .decorations import Decoration
from .document_words import Writer
from .drawing_blocks import DRAWINGS
from .placed_parts import Block, Draw
from .schema import Node, content
from .text_blocks import TEXT_BLOCKS, draw_text

_JITTER = (0.8, 1.2)
"""The range of random factors for gaps."""
LEAVES: dict[str, tuple[Callable[[Node, Writer], Draw], float]] = {**TEXT_BLOCKS, **DRAWINGS, "cells": (cells, 0.7)}
"""The drawing of each block without children, and its share of spare height."""


def make_block(node: Node, writer: Writer) -> Block | None:
    """The block of a node with its words; ``None`` if this document has none."""
    if node.shape and (node.shape == "wide") != writer.is_wide:
        return None
    if node.chance < 1 and not writer.chance(node.chance):
        return None
    if node.block == "any":
        choice = writer.one(node.of)
        return make_block(choice.model_copy(update={"optional": node.optional}) if node.optional else choice, writer)
    if node.block in LEAVES:
        draw, grow = LEAVES[node.block]
        return Block(draw(node, writer), grow if node.grow is None else node.grow, node.optional)
    children = Children(node, writer)
    draw_container = CONTAINERS[node.block](node, writer, children)
    return Block(draw_container, children.grow, node.optional)


class Children:
    """The children of a node as blocks, in their order on the page.

    Attributes:
        blocks: those that this document has.
        shares: of the width of a row.
        grow: how much they take of height that is left.
    """

    def __init__(self, node: Node, writer: Writer) -> None:
        shares = node.shares or (1.0,) * len(node.of)
        pairs = [
            (block, share)
            for child, share in zip(node.of, shares, strict=True)
            if (block := make_block(child, writer)) is not None
        ]
        if node.shuffled:
            pairs = [pairs[i] for i in writer.rng.permutation(len(pairs))]
        self.blocks = tuple(block for block, _ in pairs)
        self.shares = tuple(share for _, share in pairs)
        self.grow = node.grow if node.grow is not None else max((block.grow for block in self.blocks), default=0.0)


def _gap(node: Node, writer: Writer, usual: float) -> float:
    gap = usual if node.gap is None else node.gap
    return gap * float(writer.rng.uniform(*_JITTER))


def _stack(node: Node, writer: Writer, children: Children, tight: bool = False) -> Draw:
    return stack(children.blocks, _gap(node, writer, 0.35 if tight else 1.0), tight, node.align or None)


def _row(node: Node, writer: Writer, children: Children) -> Draw:
    return row(children.blocks, children.shares, _gap(node, writer, 1.4), "top" not in node.looks)


def _split(node: Node, writer: Writer, children: Children) -> Draw:
    """A row on wide pages, a stack on others."""
    return _row(node, writer, children) if writer.is_wide else _stack(node, writer, children)


def _panel(node: Node, writer: Writer, children: Children, is_rounded: bool = True) -> Draw:
    child = Block(stack(children.blocks, _gap(node, writer, 0.6), align=node.align or None), children.grow)
    pad = 1.0 if node.pad is None else node.pad
    decoration = Decoration(writer.one(node.looks), tuple(writer.rng.random(3))) if node.looks else None
    return panel(child, node.name or "{} panel", node.fill or "soft", pad, is_rounded, decoration)


def _inset(node: Node, writer: Writer, children: Children) -> Draw:
    """A stack with padding: ``pad`` at its sides, ``gap`` between children."""
    pad = 1.8 if node.pad is None else node.pad
    return inset(_stack(node, writer, children), pad, pad * 0.85)


def _section(node: Node, writer: Writer, children: Children) -> Draw:
    """A heading above its children."""
    name = content().headings.get(node.what, f"heading of the {node.what}")
    text, underline = writer.words.heading(node.what), writer.chance(0.08)
    colour = writer.one(("", "", "accent"))
    heading = Block(draw_text(name, text, "heading", lines=2, underline=underline, colour=colour))
    return stack((heading, *children.blocks), _gap(node, writer, 0.45), tight=True, align=node.align or None)


CONTAINERS: dict[str, Callable[[Node, Writer, Children], Draw]] = {
    "stack": _stack,
    "tight": lambda node, writer, children: _stack(node, writer, children, tight=True),
    "row": _row,
    "split": _split,
    "panel": _panel,
    "banner": lambda node, writer, children: _panel(node, writer, children, is_rounded=False),
    "inset": _inset,
    "section": _section,
}
"""The drawing of each block with children."""
