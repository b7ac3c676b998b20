"""What a slide says of shapes elsewhere: animations and connections, which must not outlive them."""

from __future__ import annotations

from collections.abc import Set

from .units import tag
from .xml import Node, children, find


def forget(root: Node, numbers: Set[str]) -> None:
    """Take out of a slide what it says of shapes that are gone; ``numbers``: theirs."""
    for name in ("a:stCxn", "a:endCxn"):
        for link in [link for link in root.iter(tag(name)) if link.get("id") in numbers]:
            link.getparent().remove(link)
    timing = find(root, "p:timing")
    if timing is None:
        return
    for target in [target for target in timing.iter(tag("p:spTgt")) if target.get("spid") in numbers]:
        _take_out(target, timing)
    for build in [node for node in timing.iter() if node.get("spid") in numbers and node.tag != tag("p:spTgt")]:
        listed = build.getparent()
        listed.remove(build)
        if not list(children(listed)):
            listed.getparent().remove(listed)
    if next(timing.iter(tag("p:spTgt")), None) is None:
        timing.getparent().remove(timing)


def _take_out(target: Node, timing: Node) -> None:
    """Take out the effect that a target is of, and what would be left empty around it."""
    effect = next((node for node in target.iterancestors() if _is_effect(node)), None)
    node = effect if effect is not None else next(target.iterancestors(tag("p:par")), None)
    while node is not None and node is not timing and node.getparent() is not None:
        parent = node.getparent()
        parent.remove(node)
        if list(children(parent)) and parent.tag != tag("p:cTn"):
            return
        node = parent if parent.tag != tag("p:cTn") else _timed(parent)


def _is_effect(node: Node) -> bool:
    inside = find(node, "p:cTn")
    return inside is not None and inside.get("presetClass") is not None


def _timed(node: Node) -> Node:
    """The ``p:par`` or ``p:seq`` of a time node."""
    return node.getparent()
