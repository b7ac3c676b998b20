"""Give the nodes of a layout their words, and make the choices that they leave to chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...core.templates import evaluate
from ..scene.elements import Colour, Run
from .schema import LEAVES, Node, kit
from .words import Scope, Words

_TEMPLATES = ("words", "name", "group", "noun", "ink", "fill", "stroke", "shape")
"""The fields of a node that are templates."""
_GROWS = {"image": 3.0, "table": 1.0, "grid": 0.7, "list": 0.5}
"""How much of the height that is left each block takes, if its node does not say."""
_JITTER = (0.8, 1.2)
"""The range of random factors for gaps."""
_HEADING = Node(block="heading")
_SHORT = 26
"""The number of letters from which a text is never set in capitals."""


@dataclass(frozen=True, slots=True)
class Emphasis:
    """A stretch of a text, and the style that it gets: a field of ``Run``, of which the colour is the accent's."""

    begin: int
    end: int
    style: str

    def runs(self, text: str, accent: Colour) -> tuple[Run, ...]:
        """The text as runs."""
        style = {"bold": True, "colour": accent} if self.style == "colour" else {self.style: True}
        inner = Run.model_validate({"text": text[self.begin : self.end], **style})
        return tuple(run for run in (Run(text=text[: self.begin]), inner, Run(text=text[self.end :])) if run.text)


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """A node with its words: nothing is left to chance.

    Attributes:
        node: with its templates filled, and one choice of each kind.
        of: its children.
        shares: of the width of a row.
        emphasis: in its text.
        cells: of a table.
        chances: three numbers from 0 to 1 that vary its ornament.
        grow: how much it takes of height that is left, relative to others.
        optional: 0: always there; else only where there is room, those with lower numbers first.
    """

    node: Node
    of: tuple[Block, ...] = ()
    shares: tuple[float, ...] = ()
    emphasis: Emphasis | None = None
    cells: tuple[tuple[str, ...], ...] = ()
    chances: tuple[float, ...] = ()
    grow: float = 0
    optional: int = 0


@dataclass(frozen=True, slots=True)
class Writer:
    """Makes blocks of nodes, for pages that are wide or not."""

    words: Words
    is_wide: bool

    def block(self, node: Node, scope: Scope, optional: int = 0) -> Block | None:
        """The block of a node; ``None`` if it has no words."""
        optional = node.optional or optional
        scope = self._scope(node, scope)
        if node.block == "any":
            return self.block(self.words.choice(node.of), scope, optional)
        children = list(self._children(node, scope))
        if node.shuffled:
            children = self.words.shuffled(children)
        changes = self._choices(node, scope)
        node = node.model_copy(update=changes)
        if node.block in ("text", "list", "image") and not node.words:
            return None
        grows = [child.grow for child, _ in children] if node.block not in _GROWS else []
        return Block(
            node,
            tuple(child for child, _ in children),
            tuple(share for _, share in children),
            self._emphasis(node),
            self.words.rows(node.each, scope) if node.block == "table" else (),
            tuple(self.words.rng.random(3)) if node.ornaments[0] else (),
            node.grow if node.grow is not None else max(grows, default=_GROWS.get(node.block, 0.0)),
            optional,
        )

    def _scope(self, node: Node, scope: Scope) -> dict[str, Any]:
        """The values for the texts of a node and its children."""
        named = {name: value for name in ("what", "topic", "noun") if (value := getattr(node, name))}
        counted = {"count": self.words.between(*node.count)} if node.each or node.block == "list" else {}
        scope = {**scope, **named, **counted}
        return {**scope, **self.words.draw(node.let, {**self.words.scope, **scope}, node.block)} if node.let else scope

    def _children(self, node: Node, scope: Scope) -> Iterator[tuple[Block, float]]:
        """The children of a container, with their shares of a row."""
        if node.block in LEAVES:
            return
        if node.topic and (heading := self.block(_HEADING.expanded(), scope)):
            yield heading, 1
        for i, (child, own) in enumerate(self._each(node, scope)):
            block = self.block(child, own)
            share = (node.shares or (1,))[i % len(node.shares or (1,))]
            if block is not None:
                yield block, evaluate(share, own) if isinstance(share, str) else share

    def _each(self, node: Node, scope: Scope) -> Iterator[tuple[Node, Scope]]:
        """The nodes of the children, and the values for each."""
        if not node.each:
            yield from ((child, scope) for child in node.of)
            return
        child, noun = self.words.choice(node.of), node.noun or kit().things[node.each].noun
        noun = self.words.filled(child.noun or noun, scope)
        yield from ((child, {**scope, "noun": noun, "it": it}) for it in self.words.things(node.each, scope))

    def _choices(self, node: Node, scope: Scope) -> dict[str, Any]:
        """The fields of a node that are filled or chosen."""
        words, changes = self.words, dict[str, Any]()
        for field in _TEMPLATES:
            if "{{" in (template := getattr(node, field)):
                changes[field] = words.filled(template, scope)
        for field in ("roles", "angles", "ornaments"):
            if len(options := getattr(node, field)) > 1:
                changes[field] = (words.choice(options),)
        if node.block == "split":
            changes["block"] = "row" if self.is_wide else "stack"
        if node.block == "image":
            changes["what"] = scope.get("what", "")
        if node.block not in LEAVES:
            changes["gap"] = node.gap * words.uniform(*_JITTER)
        text = changes.get("words", node.words)
        if node.capitals and len(text) < _SHORT and words.chance(0.4):
            changes["words"] = text.upper()
        if node.maybe:
            changes["maybe"] = {style: 1.0 for style, share in node.maybe.items() if words.chance(share)}
        return changes

    def _emphasis(self, node: Node) -> Emphasis | None:
        """Words in the middle of a text that are set in another style, or the first words of a list."""
        pieces = node.words.split(" ")
        if node.block == "list":
            first = " ".join(node.words.split("\n")[0].split(" ")[:2])
            return Emphasis(0, len(first), "bold") if self.words.chance(0.4) else None
        if node.block != "text" or node.plain or len(pieces) < 4 or "\n" in node.words or self.words.chance(0.5):
            return None
        if not (long := [i for i, word in enumerate(pieces[:-1]) if len(word) > 3]):
            return None
        start, count = self.words.choice(long), self.words.between(1, 2)
        begin = len(" ".join(pieces[:start])) + bool(start)
        end = begin + len(" ".join(pieces[start : start + count]).rstrip(".,;:!?”"))
        style = self.words.weighted({"bold": 0.45, "colour": 0.25, "italic": 0.2, "underline": 0.1})
        return Emphasis(begin, end, style) if end > begin else None
