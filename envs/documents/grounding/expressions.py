"""Referring expressions: what "the second red icon below the headline" asks for, as typed data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..operations.values import COLOURS, SHAPE_WORDS, SHAPES, quoted_in
from ..scene.elements import Colour

HEADS: dict[str, tuple[str, ...]] = {
    "text": ("text", "heading", "headline", "title", "subtitle", "caption", "paragraph", "label", "sentence", "words"),
    "image": ("image", "picture", "photo", "photograph", "icon", "illustration", "drawing"),
    "shape": ("shape", "circle", "oval", "square", "box", *SHAPES),
    "line": ("line", "rule", "divider"),
    "table": ("table", "grid"),
    "list": ("list", "bullets", "bullet points"),
    "group": ("group", "block"),
}
"""The words for each type of element."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
SUPERLATIVES = {
    "topmost": "top", "top": "top", "uppermost": "top", "highest": "top",
    "bottommost": "bottom", "bottom": "bottom", "lowest": "bottom", "last": "last",
    "leftmost": "left", "left": "left", "rightmost": "right", "right": "right",
    "largest": "large", "biggest": "large", "smallest": "small", "middle": "middle", "central": "middle",
}  # fmt: skip
RELATIONS = {
    "below": "below", "under": "below", "underneath": "below", "beneath": "below",
    "above": "above", "over": "above",
    "to the left of": "left of", "left of": "left of", "to the right of": "right of", "right of": "right of",
    "next to": "beside", "beside": "beside", "near": "beside", "closest to": "beside",
    "inside": "inside", "within": "inside", "in": "inside", "on": "inside",
}  # fmt: skip
DIRECTIONS = {"from the left": "left", "from the right": "right", "from the top": "top", "from the bottom": "bottom"}
_STYLES = ("bold", "italic", "underlined", "turned", "rotated", "tilted", "transparent", "faded")
_DROPPED = set("the a an of that which is are with text says saying reading all every each".split())
_RELATION = re.compile(
    r"\b(" + "|".join(sorted(map(re.escape, RELATIONS), key=len, reverse=True)) + r") (?:the |a |an )"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """What words ask for.

    Attributes:
        words: all of them but those that say where and which of several, in lower case, without articles.
        kind: the type of element; ``None``: any.
        shape: of a shape.
        quoted: what it says.
        colour: of what it shows.
        styles: bold, italic, …
        place: which of several: top, bottom, left, right, large, small, middle, last.
        ordinal: which in the order of ``direction``, counted from 1; 0: not told.
        direction: from where ordinals count: top, bottom, left, right; "": as one reads.
        relation: to the anchor: below, above, left of, right of, beside, inside.
        anchor: what the relation is to.
        is_plural: whether several are meant.
    """

    words: str
    kind: str | None = None
    shape: str | None = None
    quoted: str | None = None
    colour: Colour | None = None
    styles: tuple[str, ...] = ()
    place: str | None = None
    ordinal: int = 0
    direction: str = ""
    relation: str | None = None
    anchor: Reference | None = None
    is_plural: bool = False
    told: str = field(default="", compare=False)


def reference(expression: str) -> Reference:
    """What an expression asks for. It takes whatever there is; what is not understood stays among the words."""
    told = " ".join(expression.split())
    quoted = quoted_in(told)
    text = (told.replace(quoted, " ") if quoted else told).lower()
    text = re.sub(r"[\"“”'‘’.,;:!?]", " ", text)
    text, relation, anchor = _related(" ".join(text.split()))
    text, direction = _directed(text)
    plural = bool(re.search(r"\b(all|every|each)\b", text))
    text, ordinal = _ordered(text)
    text, place = _placed(text)
    kind, shape = _headed(text)
    colour = next((name for name in sorted(COLOURS, key=len, reverse=True) if re.search(rf"\b{name}\b", text)), None)
    styles = tuple(style for style in _STYLES if re.search(rf"\b{style}\b", text))
    words = " ".join(word for word in text.split() if word not in _DROPPED)
    return Reference(
        words=words,
        kind=kind,
        shape=shape,
        quoted=quoted,
        colour=COLOURS[colour] if colour else None,
        styles=styles,
        place=place,
        ordinal=ordinal,
        direction=direction,
        relation=relation,
        anchor=anchor,
        is_plural=plural,
        told=told,
    )


def _related(text: str) -> tuple[str, str | None, Reference | None]:
    """The text before a relation, the relation and what it is to."""
    found = _RELATION.search(text)
    if found is None or not text[: found.start()].strip() or not text[found.end() :].strip():
        return text, None, None
    return text[: found.start()].strip(), RELATIONS[found[1]], reference(text[found.end() :])


def _directed(text: str) -> tuple[str, str]:
    for words, direction in DIRECTIONS.items():
        if words in text:
            return text.replace(words, " "), direction
    return text, ""


def _ordered(text: str) -> tuple[str, int]:
    for i, word in enumerate(ORDINALS, 1):
        if re.search(rf"\b{word}\b", text):
            return re.sub(rf"\b{word}\b", " ", text, count=1), i
    found = re.search(r"\b(\d+)(?:st|nd|rd|th)\b", text)
    return (text.replace(found[0], " "), int(found[1])) if found else (text, 0)


def _placed(text: str) -> tuple[str, str | None]:
    for word, place in SUPERLATIVES.items():
        if re.search(rf"\b{word}\b", text):
            return text, place
    return text, None


def _headed(text: str) -> tuple[str | None, str | None]:
    """The type that the last word that names one names, and which shape it is."""
    best, kind, head = -1, None, ""
    for name, words in HEADS.items():
        for word in words:
            for found in re.finditer(rf"\b{word}(?:s|es)?\b", text):
                if found.start() > best:
                    best, kind, head = found.start(), name, word
    return kind, SHAPE_WORDS.get(head)
