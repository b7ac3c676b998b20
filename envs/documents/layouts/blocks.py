"""Blocks by name: the nodes of a layout as blocks with words in them."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import TypeAdapter

from ..scene.elements import Shape
from .cells import Badge, Cells, Picture, Stamp
from .containers import Inset, Panel, Row, Stack
from .contents import CONTENTS, TABLES, price_lines, scene
from .decorations import Ornament
from .drawings import RULES, Barcode, Bars, Divider, Logo, Perforation, Rule, Shapes, Signature
from .parts import Block
from .schema import Node
from .texts import Bullets, Button, Checks, Fields, Prices, Table, Text
from .words import LINES, Writer, accent

_ROLES = {
    "headline": "headline", "subtitle": "lead", "kicker": "label", "paragraph": "body", "long paragraph": "body",
    "sentence": "body", "date": "label", "when": "label", "time": "label", "price": "figure", "quote": "lead",
    "by": "caption", "footer": "small", "fine print": "small", "script": "script", "call": "label",
    "caption": "caption", "greeting": "display", "wish": "lead", "salutation": "body", "voucher": "body",
    "terms": "small", "conditions": "small", "reference": "label", "issue": "caption", "item": "heading",
    "note": "body", "address": "body", "hours": "label",
}  # fmt: skip
_NAMES = {
    "kicker": "name of the host", "when": "date and time", "by": "name under the quote", "script": "written line",
    "call": "call to action", "note": "{} note", "item": "{} item", "item caption": "text of the {} item",
    "paragraph": "{} paragraph", "long paragraph": "main text", "sentence": "{} sentence", "letter": "letter text",
    "hours": "hours", "person": "name of the {} person", "voucher": "voucher text", "caption": "{} caption",
}  # fmt: skip
"""What texts are called; else what they are."""
_LINES = {"headline": 2, "greeting": 2, "kicker": 1, "date": 2, "when": 1, "price": 1, "script": 1, "subtitle": 2}
_COLOURED = {"kicker", "reference", "hours"}
_RULES, _SHAPES = TypeAdapter(tuple[Rule, ...]), TypeAdapter(tuple[Shape, ...])
_SMALL: tuple[Shape, ...] = ("triangle", "diamond", "star", "ellipse", "hexagon", "chevron", "arrow")
_RATIOS = {"": (0.42, 0.85), "band": (0.22, 0.6), "square": (0.8, 1.1), "small": (0.5, 0.8), "full": (0.42, 4.0)}
"""Heights of pictures in widths, at least and at most, by what a node calls them."""
_SHORT = 16
"""Hexagons have room for fewer letters than this."""
_BADGES: tuple[Shape, ...] = ("star", "ellipse", "hexagon", "ellipse")


def _text(node: Node, writer: Writer) -> Block:
    text = LINES[node.what](writer.words)
    if node.what == "kicker" and len(text) < 26 and writer.rng.random() < 0.4:
        text = text.upper()
    role = writer.one(node.looks) if node.looks else _ROLES.get(node.what, "body")
    italic = node.what in ("subtitle", "quote", "wish", "caption", "by") and writer.rng.random() < 0.5
    colour = "accent" if node.what in _COLOURED else ""
    return Text(
        node.name or _NAMES.get(node.what, node.what),
        text,
        role,
        accent(text, node.what, writer.rng),
        _LINES.get(node.what, 0),
        italic,
        colour=colour,
        optional=node.optional,
    )


def _list(node: Node, writer: Writer) -> Block:
    lines = writer.words.notes(writer.count(node))
    bold = len(" ".join(lines[0].split(" ")[:2])) if writer.rng.random() < 0.4 else 0
    return Bullets(node.name or "list of notes", lines, bold, node.optional)


def _prices(node: Node, writer: Writer) -> Block:
    noun = node.name or ("dish" if writer.words.subject.sort == "food" else "offer")
    has_captions = "told" in node.looks if len(node.looks) < 2 else writer.rng.random() < 0.5
    leader = not has_captions and writer.rng.random() < 0.5
    return Prices(
        noun, price_lines(writer.words, writer.count(node), has_captions), "line" if leader else "", node.optional
    )


def _button(node: Node, writer: Writer) -> Block:
    text = LINES[node.what or "call"](writer.words)
    shape: Shape = "hexagon" if len(text) < _SHORT and writer.rng.random() < 0.35 else "rectangle"
    return Button(node.name or "{} button", text, shape, node.fill or "accent", optional=node.optional)


def _cells(node: Node, writer: Writer) -> Block:
    way = writer.one(node.looks or ("above", "disc", "beside", "card"))
    cells = CONTENTS[node.what or "items"](writer.words, writer.count(node), way, node.name)
    return Cells(cells, way, optional=node.optional, grow=0.7 if node.grow is None else node.grow)


def _table(node: Node, writer: Writer) -> Block:
    name, cells = TABLES[node.what](writer.words, writer.count(node))
    return Table(node.name or name, cells, "center" if writer.rng.random() < 0.2 else "left", node.optional)


def _badge(writer: Writer) -> Badge:
    words = writer.words
    text, small = (
        (words.phrase("badge"), "") if writer.rng.random() < 0.6 else (words.price(), words.phrase("badge small"))
    )
    angle = int(writer.rng.choice((8, 12, 15, 345, 350, 352)))
    return Badge(text, small, writer.one(_BADGES), angle, writer.one(("accent", "second", "accent")))


def _stamp(node: Node, writer: Writer) -> Block:
    return Stamp(_badge(writer), optional=node.optional)


def _picture(node: Node, writer: Writer) -> Block:
    name, asset = scene(writer.words, node.what, writer.rng)
    caption = writer.words.phrase("caption") if "caption" in node.looks else ""
    badge = _badge(writer) if writer.rng.random() < (0.4 if "badge" in node.looks else 0.0) else None
    low, high = _RATIOS[node.name]
    return Picture(
        name,
        asset,
        low,
        high,
        caption,
        badge,
        writer.rng.random() < 0.12,
        node.optional,
        3.0 if node.grow is None else node.grow,
    )


def _divider(node: Node, writer: Writer) -> Block:
    way = writer.one(_RULES.validate_python(node.looks) or RULES)
    return Divider(way, writer.one(("accent", "main", "second")), node.optional)


def _shapes(node: Node, writer: Writer) -> Block:
    shape = writer.one(_SHAPES.validate_python(node.looks) or _SMALL)
    angle = 180 if shape == "triangle" else int(writer.rng.choice((0, 0, 12, 20)))
    opacity = float(writer.rng.choice((1, 1, 0.6)))
    return Shapes(shape, writer.count(node), angle, opacity, node.optional)


def _bars(node: Node, writer: Writer) -> Block:
    shares = writer.rng.integers(25, 100, size=writer.count(node))
    labels = [item.name for item in writer.words.items(len(shares))]
    return Bars(
        tuple((label, int(share) / 100, f"{share}%") for label, share in zip(labels, shares, strict=False)),
        node.optional,
    )


def _barcode(node: Node, writer: Writer) -> Block:
    return Barcode(writer.words.code(), tuple(int(w) for w in writer.rng.integers(1, 4, size=6)), node.optional)


def _logo(node: Node, writer: Writer) -> Block:
    host = writer.words.host
    initials = "".join(word[0] for word in host.split() if word[0].isupper())[:2] or host[:1].upper()
    return Logo(initials, host, writer.one(("ellipse", "hexagon", "rectangle", "diamond")), node.optional)


def _signature(node: Node, writer: Writer) -> Block:
    person = writer.words.people(1)[0]
    return Signature(person.name, f"{person.name}, {person.role}", node.optional)


def _fields(node: Node, writer: Writer) -> Block:
    boxed = writer.rng.random() < 0.5 if not node.looks else "boxes" in node.looks
    return Fields(writer.words.fields(node.what, writer.count(node)), boxed, node.optional)


def _checks(node: Node, writer: Writer) -> Block:
    labels = writer.words.fields(node.what or "checks", writer.count(node))
    return Checks(labels, writer.rng.random() < 0.25, node.optional)


LEAVES: dict[str, Callable[[Node, Writer], Block]] = {
    "text": _text,
    "list": _list,
    "prices": _prices,
    "button": _button,
    "cells": _cells,
    "table": _table,
    "stamp": _stamp,
    "picture": _picture,
    "divider": _divider,
    "shapes": _shapes,
    "bars": _bars,
    "barcode": _barcode,
    "logo": _logo,
    "signature": _signature,
    "fields": _fields,
    "checks": _checks,
    "perforation": lambda node, writer: Perforation(node.optional),
}
"""How each is written."""


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
