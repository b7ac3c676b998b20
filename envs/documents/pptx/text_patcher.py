"""Patch text runs of slides, preserving formatting that an edit does not change."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, TypeAlias

from ..scene.elements import Element
from .shape_xml import set_look
from .text_reader import Look, Piece, Sources, looks_of, pieces_of, raw_text
from .xml import ALIGNS, LINE, Node, children, find, made, put, tag

Difference: TypeAlias = tuple[tuple[str, Any], ...]
"""The changes of a letter's look by an edit, by the names in ``Look``."""
_BLANK = Look(False, False, False, (0, 0, 0), 0, "Arimo", 1.0)


@dataclass(frozen=True, slots=True)
class Letter:
    """A character, the XML piece of its text or look, and what changes in its look."""

    text: str
    raw: str
    piece: Piece | None
    change: Difference


def patch_text(body: Node, sources: Sources, before: Element, after: Element) -> None:
    """Patch a text body with the new text and style of an element.

    Args:
        body: whose text is that of ``before``.
        sources: of its style.
        before: the element before the edit.
        after: and after it.
    """
    _patch_paragraph_style(body, before, after)
    if before.runs == after.runs and _looks_same(before, after):
        return
    old, new = list(looks_of(before.runs, before.style)), list(looks_of(after.runs, after.style))
    letters = _letters(_owners(body), old, new, before, after)
    if letters != _kept(_owners(body)):
        _rebuild(body, letters, sources)


def patch_words(body: Node, sources: Sources, text: str) -> None:
    """Replace the words of a text body and keep their style."""
    owners = _owners(body)
    old = [(piece_letter, _BLANK) for piece_letter, _, _ in owners]
    plain = Element(id="words", type="text", bbox=(0, 0, 1, 1))
    letters = _letters(owners, old, [(letter, _BLANK) for letter in text], plain, plain)
    if letters != _kept(owners):
        _rebuild(body, letters, sources)


def patch_look(body: Node, sources: Sources, change: Difference) -> None:
    """Change the style of all text of a body."""
    letters = [Letter(text, raw, piece, change) for text, raw, piece in _owners(body)]
    _rebuild(body, letters, sources)


def _looks_same(before: Element, after: Element) -> bool:
    names = ("bold", "italic", "underline", "colour", "size", "face")
    style = all(getattr(before.style, name) == getattr(after.style, name) for name in names)
    return style and before.opacity == after.opacity


def _patch_paragraph_style(body: Node, before: Element, after: Element) -> None:
    old, new = before.style, after.style
    for paragraph in body.findall(tag("a:p")):
        if old.align != new.align:
            paragraph_properties(paragraph).set("algn", ALIGNS[new.align])
        if old.line_height != new.line_height:
            spacing = made("a:lnSpc")
            spacing.append(made("a:spcPct", val=str(round(new.line_height / LINE * 100_000))))
            put(paragraph_properties(paragraph), "a:pPr", spacing)


def paragraph_properties(paragraph: Node) -> Node:
    """The ``pPr`` of a paragraph, which is made if there is none."""
    properties = find(paragraph, "a:pPr")
    if properties is None:
        properties = made("a:pPr")
        paragraph.insert(0, properties)
    return properties


def _owners(body: Node) -> list[tuple[str, str, Piece]]:
    """Each letter of a body, as it is in a document and in the XML, and its piece."""
    owners = []
    for piece in pieces_of(body):
        raw = raw_text(piece.node) if piece.node is not None and piece.node.tag != tag("a:br") else piece.text
        owners += [(letter, original, piece) for letter, original in zip(piece.text, raw, strict=True)]
    return owners


def _kept(owners: Sequence[tuple[str, str, Piece]]) -> list[Letter]:
    return [Letter(text, raw, piece, ()) for text, raw, piece in owners]


def _letters(
    owners: Sequence[tuple[str, str, Piece]],
    old: Sequence[tuple[str, Look]],
    new: Sequence[tuple[str, Look]],
    before: Element,
    after: Element,
) -> list[Letter]:
    """The letters of the new text, each in its old piece or that of a neighbour."""
    letters: list[Letter] = []
    opacity = (("opacity", after.opacity),) if before.opacity != after.opacity else ()
    for kind, i, j, k, end in _matched([letter for letter, _ in old], [letter for letter, _ in new]):
        for at in range(k, end):
            source = i + at - k if kind == "equal" else _neighbour(owners, i, j)
            look = new[at][1]
            was = old[source][1] if source is not None else _plain(before)
            change = tuple((n, v) for n, v, o in zip(look._fields, look, was, strict=True) if v != o) + opacity
            piece = None if source is None else owners[source][2]
            raw = owners[source][1] if source is not None and kind == "equal" else new[at][0]
            letters.append(Letter(new[at][0], raw, piece, _coloured(change, look)))
    return letters


def _coloured(change: Difference, look: Look) -> Difference:
    """A change of opacity, completed with the colour that it belongs to."""
    entries = dict(change)
    return tuple((entries | {"colour": look.colour}).items()) if "opacity" in entries else change


def _plain(before: Element) -> Look:
    style = before.style
    return Look(style.bold, style.italic, style.underline, style.colour, style.size, style.face, 1)


def _neighbour(owners: Sequence[tuple[str, str, Piece]], start: int, end: int) -> int | None:
    """The letter whose style new ones take: the first replaced, or the one before."""
    if not owners:
        return None
    inside = [*range(start, end), *range(start - 1, -1, -1), *range(end, len(owners))]
    written: list[int] = [i for i in inside if owners[i][2].node is not None and owners[i][2].node.tag == tag("a:r")]
    return written[0] if written else inside[0]


def _matched(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """The ``SequenceMatcher`` opcodes of letters, computed on whole words.

    Letters that are equal by chance in other words do not match.
    """
    one, two = _words(old), _words(new)
    starts, ends = _starts(one), _starts(two)
    matched = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    return [(kind, starts[i], starts[j], ends[k], ends[end]) for kind, i, j, k, end in matched]


def _words(letters: list[str]) -> list[str]:
    kinds = groupby(letters, key=lambda letter: "\n" if letter == "\n" else letter.isalnum() or letter)
    return [word for kind, group in kinds for word in (["".join(group)] if kind is True else list(group))]


def _starts(words: list[str]) -> list[int]:
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return starts


def _rebuild(body: Node, letters: Sequence[Letter], sources: Sources) -> None:
    """Put letters into paragraphs, and keep the unchanged paragraphs."""
    old = body.findall(tag("a:p"))
    new: list[Node] = []
    used: set[int] = set()
    for line in _paragraphs(letters):
        model = next((letter.piece.paragraph for letter in line if letter.piece is not None), None)
        model = model if model is not None else (new[-1] if new else (old[0] if old else None))
        written = [letter for letter in line if not _ends_paragraph(letter)]
        if model is not None and id(model) not in used and _is_untouched(model, written):
            used.add(id(model))
            new.append(model)
        else:
            new.append(_paragraph(model, written, sources))
    for paragraph in old:
        body.remove(paragraph)
    body.extend(new)


def _paragraphs(letters: Sequence[Letter]) -> list[list[Letter]]:
    """Letters by paragraphs, each with the line feed that ends it."""
    lines: list[list[Letter]] = [[]]
    for letter in letters:
        lines[-1].append(letter)
        if _ends_paragraph(letter):
            lines.append([])
    return lines


def _ends_paragraph(letter: Letter) -> bool:
    if letter.text != "\n":
        return False
    node = None if letter.piece is None else letter.piece.node
    return node is None or node.tag != tag("a:br")


def _is_untouched(paragraph: Node, letters: Sequence[Letter]) -> bool:
    """Whether letters are all letters of a paragraph, in its pieces and unchanged."""
    if any(letter.change or letter.piece is None or letter.piece.paragraph is not paragraph for letter in letters):
        return False
    texts = [(node, raw_text(node) or "\n") for node in children(paragraph) if node.tag in _written()]
    entries = [(letter.piece.node, letter.raw) for letter in letters if letter.piece is not None]
    whole = [(node, "".join(raw for _, raw in group)) for node, group in groupby(entries, key=lambda pair: pair[0])]
    return whole == [(node, text) for node, text in texts if text]


def _written() -> tuple[str, ...]:
    return tag("a:r"), tag("a:fld"), tag("a:br")


def _paragraph(model: Node, letters: Sequence[Letter], sources: Sources) -> Node:
    """A paragraph of letters, with the properties of another paragraph."""
    paragraph = made("a:p")
    for node in children(model) if model is not None else ():
        if node.tag in (tag("a:pPr"), tag("a:endParaRPr")):
            paragraph.append(deepcopy(node))
    end = find(paragraph, "a:endParaRPr")
    for (_, change), group in groupby(letters, key=lambda one: (_node_id(one), one.change)):
        held = list(group)
        piece = _piece(held, find(paragraph, "a:endParaRPr"), change, sources)
        paragraph.append(piece) if end is None else end.addprevious(piece)
    return paragraph


def _node_id(letter: Letter) -> int:
    return 0 if letter.piece is None or letter.piece.node is None else id(letter.piece.node)


def _piece(letters: list[Letter], end: Node, change: Difference, sources: Sources) -> Node:
    """A copy of a piece with new letters."""
    text = "".join(letter.raw for letter in letters)
    model = None if letters[0].piece is None else letters[0].piece.node
    if model is not None and (model.tag == tag("a:r") or raw_text(model) == text or letters[0].text == "\n"):
        piece = deepcopy(model)
    else:
        piece = made("a:r")
        properties = find(model, "a:rPr") if model is not None else end
        if properties is not None:
            like = made("a:rPr", **dict(properties.attrib))
            like.extend(deepcopy(list(properties)))
            piece.append(like)
        piece.append(made("a:t"))
    written = find(piece, "a:t")
    if written is not None:
        written.text = text
    if change:
        properties = find(piece, "a:rPr")
        if properties is None:
            properties = made("a:rPr")
            piece.insert(0, properties)
        set_look(properties, dict(change), lambda pixels: min(max(sources.points(pixels), 100), 400_000))
    return piece
