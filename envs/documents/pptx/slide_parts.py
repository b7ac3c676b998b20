"""Remove references to deleted shapes and slides, and give copies their own parts."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import count
from typing import Any

from .xml import Node, children, find, part_content, tag


def forget(root: Node, numbers: Set[str]) -> None:
    """Remove a slide's references to deleted shapes, given by their numbers."""
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
    """Remove an effect by its target, and the empty time nodes around it."""
    ancestors = list(target.iterancestors())
    effects = (node for node in ancestors if (timed := find(node, "p:cTn")) is not None and timed.get("presetClass"))
    node = next(effects, None)
    node = node if node is not None else next(target.iterancestors(tag("p:par")), None)
    while node is not None and node is not timing and node.getparent() is not None:
        parent = node.getparent()
        parent.remove(node)
        is_time_node = parent.tag == tag("p:cTn")
        if list(children(parent)) and not is_time_node:
            return
        # A time node is in a ``p:par`` or a ``p:seq``.
        node = parent.getparent() if is_time_node else parent


_REFERENCES = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SHARED = (
    "image", "hyperlink", "slide", "slideLayout", "slideMaster", "notesMaster", "theme", "video", "audio", "media",
)  # fmt: skip
"""The kinds of parts that several shapes or slides may show."""


def unlink(package: Any, gone: Set[Any]) -> dict[str, bytes]:
    """Remove what refers to deleted slides, such as entries of lists and links in texts.

    Args:
        package: of python-pptx.
        gone: the parts of the slides.

    Returns:
        The content of the members that are changed, by name.
    """
    from pptx.oxml import parse_xml

    members: dict[str, bytes] = {}
    for part in [part for part in package.iter_parts() if part not in gone]:
        links = {key for key, link in part.rels.items() if not link.is_external and link.target_part in gone}
        if not links:
            continue
        root = part._element if hasattr(part, "_element") else parse_xml(part.blob)
        for node in [node for node in root.iter() if links & _links_of(node)]:
            node.getparent().remove(node)
        for key in links:
            part.rels.pop(key)
        members |= {str(part.partname)[1:]: part_content(root), part.partname.rels_uri[1:]: part.rels.xml}
    return members


def _links_of(node: Node) -> set[str]:
    return {str(value) for key, value in node.attrib.items() if str(key).startswith(_REFERENCES)}


def give_own_parts(node: Node, slide: Any) -> None:
    """Give a copied shape its own parts.

    Args:
        node: the copy, whose references are changed.
        slide: the part of python-pptx that it is on.
    """
    made: dict[str, str] = {}
    for one in node.iter():
        for key, link in one.attrib.items():
            if str(key).startswith(_REFERENCES) and link in slide.rels and _is_own(slide.rels[link]):
                if link not in made:
                    taken = {str(part.partname) for part in slide.package.iter_parts()}
                    clone = cloned(slide.rels[link].target_part, taken, {})
                    made[link] = slide.relate_to(clone, slide.rels[link].reltype)
                one.set(key, made[link])


def _is_own(link: Any) -> bool:
    return not link.is_external and link.reltype.rpartition("/")[2] not in _SHARED


def cloned(part: Any, taken: set[str], clones: dict[Any, Any]) -> Any:
    """A copy of a part and of what only it may show.

    Args:
        part: of python-pptx.
        taken: the names of parts, to which the new ones are added.
        clones: takes the copies by their models; links between models become links between copies.
    """
    from pptx.oxml import parse_xml

    name = fresh_name(part.partname, taken)
    clone = clones[part] = type(part).load(name, part.content_type, part.package, part.blob)
    if not len(part.rels):
        return clone
    relations = parse_xml(part.rels.xml)
    parts = {}
    for entry in relations:
        link = part.rels[entry.get("Id")]
        if not link.is_external:
            target = clones.get(link.target_part, link.target_part)
            if target not in clones.values() and _is_own(link):
                target = cloned(target, taken, clones)
            parts[target.partname] = target
            entry.set("Target", target.partname.relative_ref(clone.partname.baseURI))
    clone.rels.load_from_xml(clone.partname.baseURI, relations, parts)
    return clone


def fresh_name(name: Any, taken: set[str]) -> Any:
    """An unused name like that of a part, with another number."""
    from pptx.opc.packuri import PackURI

    stem = re.sub(r"\d*$", "", str(name).rpartition(".")[0])
    fresh = next(one for number in count(1) if (one := f"{stem}{number}.{name.ext}") not in taken)
    taken.add(fresh)
    return PackURI(fresh)
