"""Text of slides as runs in a style, and the pieces of XML that each letter is in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ..scene.elements import Run, Style
from .text_styles import Look, Sources, is_bulleted, line_height, told
from .units import ALIGNS, ANCHORS, tag
from .xml import Node, children, find, number

_ALIGNS = {code: align for align, code in ALIGNS.items()}
_ANCHORS = {code: anchor for anchor, code in ANCHORS.items()}
_LONGEST_RUN = 4000
_IN_RUNS = ("bold", "italic", "underline", "colour", "size")


@dataclass(frozen=True, eq=False)
class Piece:
    """Text of one paragraph in one piece of XML.

    Attributes:
        text: as it is in a document: each character stands for one in the XML, line breaks and ends of paragraphs
            are line feeds.
        node: an ``a:r``, ``a:fld`` or ``a:br``; ``None``: the end of a paragraph.
        paragraph: the ``a:p`` that it is in.
    """

    text: str
    node: Node
    paragraph: Node


def pieces_of(body: Node) -> list[Piece]:
    """The pieces of a text body, with the end of each paragraph but the last one."""
    pieces: list[Piece] = []
    paragraphs = body.findall(tag("a:p"))
    for i, paragraph in enumerate(paragraphs):
        if i:
            pieces.append(Piece("\n", None, paragraphs[i - 1]))
        for node in children(paragraph):
            if node.tag == tag("a:br"):
                pieces.append(Piece("\n", node, paragraph))
            elif node.tag in (tag("a:r"), tag("a:fld")) and (text := raw_text(node)):
                pieces.append(Piece("".join(map(_shown, text)), node, paragraph))
    return pieces


def raw_text(node: Node) -> str:
    """What stands in an ``a:r`` or an ``a:fld``."""
    text = find(node, "a:t")
    return "" if text is None or text.text is None else str(text.text)


def text_fields(body: Node, sources: Sources) -> dict[str, Any]:
    """The fields of an element that come from a text body: ``style``, ``runs`` and ``opacity``."""
    looked = list(_looked(body, sources))
    looks = Counter[Look]()
    for piece, look in looked:
        looks[look] += len(piece.text.strip())
    paragraphs = body.findall(tag("a:p"))
    end = find(paragraphs[0], "a:endParaRPr") if paragraphs else None
    plain = sources.look(paragraphs[0] if paragraphs else None, end)
    main = Look(*(_most(looks, k, plain[k]) for k in range(len(plain))))
    first = next((p for p in paragraphs if _is_written(p)), paragraphs[0] if paragraphs else None)
    followed = sources.paragraph(first)
    style = {name: getattr(main, name) for name in (*_IN_RUNS, "face")}
    style |= {
        "align": _ALIGNS.get(told(followed, "algn") or "l", "left"),
        "line_height": line_height(followed, main.size * sources.emu / 127),
    }
    return {"style": style, "runs": _runs(looked, main), "opacity": main.opacity}


def is_list(body: Node, sources: Sources) -> bool:
    """Whether more of the paragraphs of a text body have bullets than have none."""
    written = [p for p in body.findall(tag("a:p")) if _is_written(p)]
    bulleted = sum(is_bulleted(sources.paragraph(paragraph)) for paragraph in written)
    return bulleted * 2 > len(written)


def anchor_of(bodies: list[Node]) -> str:
    """Where text stands in its box, by the bodies of a shape and of those that it follows."""
    codes = (properties.get("anchor") for body in bodies if (properties := find(body, "a:bodyPr")) is not None)
    return _ANCHORS.get(next((code for code in codes if code is not None), "t"), "top")


def insets_of(bodies: list[Node]) -> tuple[int, int, int, int]:
    """How far text stays off the left, top, right and bottom edge, in EMU."""
    nodes = [properties for body in bodies if (properties := find(body, "a:bodyPr")) is not None]
    sides = (("lIns", 91_440), ("tIns", 45_720), ("rIns", 91_440), ("bIns", 45_720))
    left, top, right, bottom = (
        number(next((node for node in nodes if node.get(name) is not None), None), name, usual) for name, usual in sides
    )
    return left, top, right, bottom


def looks_of(runs: tuple[Run, ...], style: Style) -> Iterator[tuple[str, Look]]:
    """Each letter of an element with its look; opacity is not told."""
    for run in runs:
        told_by = {
            name: getattr(run, name) if getattr(run, name) is not None else getattr(style, name) for name in _IN_RUNS
        }
        look = Look(**told_by, face=style.face, opacity=1)
        for letter in run.text:
            yield letter, look


def _shown(letter: str) -> str:
    """A character as it is in a document: what would end a line there is a space."""
    return " " if letter in "\n\r\t\v\f\u00a0\u2028" else letter


def _looked(body: Node, sources: Sources) -> Iterator[tuple[Piece, Look]]:
    last: Look | None = None
    for piece in pieces_of(body):
        if piece.node is None and last is not None:
            # The end of a paragraph looks as what it ends: it makes no run of its own.
            yield piece, last
            continue
        last = sources.look(piece.paragraph, None if piece.node is None else find(piece.node, "a:rPr"))
        yield piece, last


def _is_written(paragraph: Node) -> bool:
    return any(map(raw_text, paragraph.iter(tag("a:r"))))


def _most(looks: Counter[Look], place: int, otherwise: Any) -> Any:
    """What most letters have at a place of their look."""
    counted = Counter[Any]()
    for look, letters in looks.items():
        counted[look[place]] += letters
    return max(counted, key=lambda value: counted[value]) if any(counted.values()) else otherwise


def _runs(looked: list[tuple[Piece, Look]], main: Look) -> list[dict[str, Any]]:
    """Runs that say only what is not so in most of the text."""
    runs: list[dict[str, Any]] = []
    for look, group in groupby(looked, key=lambda pair: pair[1][:5]):
        text = "".join(piece.text for piece, _ in group)
        own = {name: look[k] for k, name in enumerate(_IN_RUNS) if look[k] != main[k]}
        runs += [{"text": text[i : i + _LONGEST_RUN], **own} for i in range(0, len(text), _LONGEST_RUN)]
    return runs
