"""Patch text runs of slides, preserving formatting that an edit does not change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate, chain, groupby
from typing import Any, TypeAlias

from ..scene.elements import Element, Style
from .text_reader import Look, Piece, Sources, level_in, line_count, look_of, looks_of, pieces_of, raw_text
from .xml import ALIGNS, Node, children, ensured, find, made, put, set_look, spacing_of, tag

Difference: TypeAlias = tuple[tuple[str, Any], ...]
"""The changes of a letter's look by an edit, by the names in ``Look``."""
_WRITTEN = ("a:r", "a:fld", "a:br")
"""The elements that hold the text of a paragraph."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A character, the XML piece of its text or look, and what changes in its look."""

    text: str
    raw: str
    piece: Piece | None
    change: Difference = ()


def patch_text(body: Node, sources: Sources, before: Element, after: Element) -> None:
    """Patch a text body with the new text and style of an element.

    Args:
        body: whose text is that of ``before``.
        sources: of its style.
        before: the element before the edit.
        after: and after it.
    """
    patch_paragraphs(body, before.style, after.style)
    _patch_letters(body, sources, before, after)
    if after.type == "list" and (before.levels or after.levels):
        _patch_levels(body, after)


def _patch_letters(body: Node, sources: Sources, before: Element, after: Element) -> None:
    plain = look_of(before.style)
    if before.runs == after.runs and plain == look_of(after.style) and before.opacity == after.opacity:
        return
    old, new = (
        [(letter, look._replace(opacity=one.opacity)) for letter, look in looks_of(one.runs, one.style)]
        for one in (before, after)
    )
    _patch(body, sources, old, new, plain._replace(opacity=before.opacity))


def _patch_levels(body: Node, after: Element) -> None:
    """Give each paragraph the level of its first line."""
    line = 0
    for paragraph in body.findall(tag("a:p")):
        if (level := after.level_of(line)) != level_in(paragraph):
            properties = ensured(paragraph, "a:pPr")
            properties.set("lvl", str(level))
            # Indents of its own belong to the level before.
            for name in ("marL", "indent"):
                properties.attrib.pop(name, None)
        line += line_count(paragraph)


def patch_words(body: Node, sources: Sources, text: str) -> None:
    """Replace the words of a text body and keep their style."""
    plain = look_of(Style())
    _patch(body, sources, [(letter.text, plain) for letter in _letters(body)], [(one, plain) for one in text], plain)


def patch_look(body: Node, sources: Sources, change: Difference) -> None:
    """Change the style of all text of a body."""
    _rebuild(body, [replace(letter, change=change) for letter in _letters(body)], sources)


def patch_paragraphs(body: Node, old: Style, new: Style) -> None:
    """Change the alignment and the line height of all text of a body where they differ."""
    for paragraph in body.findall(tag("a:p")):
        if old.align != new.align:
            ensured(paragraph, "a:pPr").set("algn", ALIGNS[new.align])
        if old.line_height != new.line_height:
            put(ensured(paragraph, "a:pPr"), spacing_of(new))


Looked: TypeAlias = Sequence[tuple[str, Look]]
"""Letters with their looks."""


def _patch(body: Node, sources: Sources, old: Looked, new: Looked, plain: Look) -> None:
    """Give a body new letters and looks; letters without a neighbour are made from a plain look."""
    held = _letters(body)
    letters: list[Letter] = []
    for kind, i, j, k, end in _matched([letter for letter, _ in old], [letter for letter, _ in new]):
        neighbour = None if kind == "equal" else _neighbour(held, i, j)
        for at in range(k, end):
            source = i + at - k if kind == "equal" else neighbour
            text, look = new[at]
            was = plain if source is None else old[source][1]
            change = {name: value for name, value, known in zip(look._fields, look, was, strict=True) if value != known}
            if "opacity" in change:
                # It is written into the colour that it belongs to.
                change["colour"] = look.colour
            piece = None if source is None else held[source].piece
            raw = held[source].raw if source is not None and kind == "equal" else text
            letters.append(Letter(text, raw, piece, tuple(change.items())))
    _keep_lines(letters, held, old, new)
    if letters != held:
        _rebuild(body, letters, sources)


def _keep_lines(letters: list[Letter], held: Sequence[Letter], old: Looked, new: Looked) -> None:
    """Take whole lines that were only moved from where they stood, with their paragraph's properties."""
    places: dict[Looked, list[int]] = {}
    for start, line in _lines_of(old):
        places.setdefault(line, []).append(start)
    for start, line in _lines_of(new):
        if len(line) > 1 and (known := places.get(line)):
            first = known.pop(0)
            letters[start : start + len(line)] = held[first : first + len(line)]


def _lines_of(looked: Looked) -> Iterator[tuple[int, Looked]]:
    """Where each line begins, and its letters without the line feed."""
    start = 0
    for end, (letter, _) in enumerate([*looked, ("\n", None)]):
        if letter == "\n":
            yield start, tuple(looked[start:end])
            start = end + 1


def _letters(body: Node) -> list[Letter]:
    """Each letter of a body, as it is in a document and in the XML, and its piece."""
    letters = []
    for piece in pieces_of(body):
        raw = raw_text(piece.node) if piece.node is not None and piece.node.tag != tag("a:br") else piece.text
        letters += [Letter(text, original, piece) for text, original in zip(piece.text, raw, strict=True)]
    return letters


def _neighbour(letters: Sequence[Letter], start: int, end: int) -> int | None:
    """The letter whose style new ones take: the first replaced, or the one before."""
    nearest = chain(range(start, end), range(start - 1, -1, -1), range(end, len(letters)))
    first = start if start < end else start - 1 if start else end if end < len(letters) else None
    return next((i for i in nearest if _tag_of(letters[i]) == tag("a:r")), first)


def _node_of(letter: Letter) -> Node:
    return None if letter.piece is None else letter.piece.node


def _tag_of(letter: Letter) -> str | None:
    """The tag of a letter's piece; ``None`` if it ends a paragraph or is new."""
    node = _node_of(letter)
    return None if node is None else str(node.tag)


def _matched(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """The ``SequenceMatcher`` opcodes of letters, computed on whole words.

    Letters that are equal by chance in other words do not match.
    """
    one, two = _words(old), _words(new)
    starts, ends = ([0, *accumulate(map(len, words))] for words in (one, two))
    matched = opcodes(one, two)
    return [(kind, starts[i], starts[j], ends[k], ends[end]) for kind, i, j, k, end in matched]


_MAX_COMPARED = 1_000_000
"""The most pairs of words that are compared; of longer texts all between the first and the last difference is new."""


def opcodes(one: Sequence[str], two: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """The ``SequenceMatcher`` opcodes, in bounded time."""
    if len(one) * len(two) <= _MAX_COMPARED:
        return list(SequenceMatcher(None, one, two, autojunk=False).get_opcodes())
    same = min(len(one), len(two))
    first = next((i for i in range(same) if one[i] != two[i]), same)
    last = next((i for i in range(same - first) if one[-1 - i] != two[-1 - i]), same - first)
    i, j = len(one) - last, len(two) - last
    parts = (("equal", 0, first, 0, first), ("replace", first, i, first, j), ("equal", i, len(one), j, len(two)))
    return [part for part in parts if part[1:4:2] != part[2:5:2]]


def _words(letters: list[str]) -> list[str]:
    kinds = groupby(letters, key=lambda letter: "\n" if letter == "\n" else letter.isalnum() or letter)
    return [word for kind, group in kinds for word in (["".join(group)] if kind is True else list(group))]


def _rebuild(body: Node, letters: Sequence[Letter], sources: Sources) -> None:
    """Put letters into paragraphs, and keep the unchanged paragraphs."""
    old = body.findall(tag("a:p"))
    new: dict[Node, None] = {}
    last = next(iter(old), None)
    for line in _paragraphs(letters):
        model = next((letter.piece.paragraph for letter in line if letter.piece is not None), last)
        written = [letter for letter in line if not _ends_paragraph(letter)]
        is_kept = model is not None and model not in new and _is_untouched(model, written)
        last = model if is_kept else _paragraph(model, written, sources)
        new[last] = None
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
    return letter.text == "\n" and _tag_of(letter) != tag("a:br")


def _is_untouched(paragraph: Node, letters: Sequence[Letter]) -> bool:
    """Whether letters are all letters of a paragraph, in its pieces and unchanged."""
    if any(letter.change or letter.piece is None or letter.piece.paragraph is not paragraph for letter in letters):
        return False
    written = [(node, raw_text(node) or "\n") for node in children(paragraph) if node.tag in map(tag, _WRITTEN)]
    pieces = groupby(letters, key=_node_of)
    return [(node, "".join(letter.raw for letter in group)) for node, group in pieces] == written


def _paragraph(model: Node, letters: Sequence[Letter], sources: Sources) -> Node:
    """A paragraph of letters, with the properties of another paragraph."""
    paragraph = made("a:p")
    for node in children(model) if model is not None else ():
        if node.tag in (tag("a:pPr"), tag("a:endParaRPr")):
            paragraph.append(deepcopy(node))
    end = find(paragraph, "a:endParaRPr")
    for (_, change), group in groupby(letters, key=lambda one: (id(_node_of(one)), one.change)):
        piece = _piece(list(group), end, change, sources)
        paragraph.append(piece) if end is None else end.addprevious(piece)
    return paragraph


def _piece(letters: list[Letter], end: Node, change: Difference, sources: Sources) -> Node:
    """A copy of a piece with new letters."""
    text = "".join(letter.raw for letter in letters)
    model = _node_of(letters[0])
    if model is not None and (model.tag == tag("a:r") or raw_text(model) == text or letters[0].text == "\n"):
        piece = deepcopy(model)
    else:
        piece = made("a:r")
        properties = find(model, "a:rPr") if model is not None else end
        if properties is not None:
            piece.append(made("a:rPr", *deepcopy(list(properties)), **dict(properties.attrib)))
        piece.append(made("a:t"))
    if (written := find(piece, "a:t")) is not None:
        written.text = text
    if change:
        set_look(ensured(piece, "a:rPr"), dict(change), lambda pixels: min(max(sources.points(pixels), 100), 400_000))
    return piece
