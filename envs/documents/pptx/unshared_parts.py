"""Parts that a copied shape must not share with its model: a chart and its numbers, a diagram, an embedded object."""

from __future__ import annotations

import re
from typing import Any

from .xml import Node

_REFERENCES = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SHARED = ("image", "hyperlink", "slide", "slideLayout", "slideMaster", "theme", "video", "audio", "media")
"""The kinds of parts that several shapes may show."""


def give_own_parts(node: Node, slide: Any) -> None:
    """Give a copied shape parts of its own.

    Args:
        node: the copy, whose references are changed.
        slide: the part of python-pptx that it is on.
    """
    made: dict[str, str] = {}
    for one in node.iter():
        for key, link in one.attrib.items():
            if str(key).startswith(_REFERENCES) and link in slide.rels and _is_own(slide.rels[link]):
                if link not in made:
                    kind = slide.rels[link].reltype
                    made[link] = slide.relate_to(_cloned(slide.rels[link].target_part, _names(slide)), kind)
                one.set(key, made[link])


def _is_own(link: Any) -> bool:
    return not link.is_external and link.reltype.rpartition("/")[2] not in _SHARED


def _names(slide: Any) -> set[str]:
    return {str(part.partname) for part in slide.package.iter_parts()}


def _cloned(part: Any, taken: set[str]) -> Any:
    """A part with the same content and parts of its own; ``taken``: names of parts, to which new ones are added."""
    from pptx.opc.package import Part
    from pptx.oxml import parse_xml

    clone = Part(_fresh(part.partname, taken), part.content_type, part.package, part.blob)
    if not len(part.rels):
        return clone
    told = parse_xml(part.rels.xml)
    parts = {}
    for entry in told:
        link = part.rels[entry.get("Id")]
        if not link.is_external:
            target = _cloned(link.target_part, taken) if _is_own(link) else link.target_part
            parts[target.partname] = target
            entry.set("Target", target.partname.relative_ref(clone.partname.baseURI))
    clone.rels.load_from_xml(clone.partname.baseURI, told, parts)
    return clone


def _fresh(name: Any, taken: set[str]) -> Any:
    """A name like one of a part, with another number."""
    from pptx.opc.packuri import PackURI

    stem, number = re.sub(r"\d*$", "", str(name).rpartition(".")[0]), 1
    while f"{stem}{number}.{name.ext}" in taken:
        number += 1
    taken.add(f"{stem}{number}.{name.ext}")
    return PackURI(f"{stem}{number}.{name.ext}")
