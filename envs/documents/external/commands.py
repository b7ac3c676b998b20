"""Commands of DocEdit (Mathur et al., AAAI 2023), as far as their text can be read.

A command names an action and, in brackets, a component, an attribute, an initial and a final state; a box of the
region follows: ``ACTION(<component>, <attribute>, <initial>, <final>), [x, y, h, w]``. We know this form from what is
written about the data set, not from its files, and theirs may differ. So letters may be small or capital, angle
brackets and quotation marks may be there or not, ``_PARA`` may follow the action, and all but action and component may
be missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..scene.elements import Kind

ACTIONS: dict[str, str] = {
    "move": "MOVE",
    "delete": "DELETE",
    "remove": "DELETE",
    "add": "ADD",
    "insert": "ADD",
    "copy": "COPY",
    "duplicate": "COPY",
    "replace": "REPLACE",
    "modify": "MODIFY",
    "change": "MODIFY",
    "edit": "MODIFY",
    "update": "MODIFY",
    "split": "SPLIT",
    "merge": "MERGE",
    "combine": "MERGE",
}
"""Operations by the words that commands may begin with."""
COMPONENTS: dict[str, Kind] = {
    **dict.fromkeys(("text", "textbox", "text box", "paragraph", "para", "sentence", "word", "phrase"), "text"),
    **dict.fromkeys(("title", "subtitle", "heading", "headline", "header", "footer", "footnote"), "text"),
    **dict.fromkeys(("caption", "label", "name", "date", "number", "page number", "link", "url"), "text"),
    **dict.fromkeys(("address", "email", "quote", "signature", "slogan", "body"), "text"),
    **dict.fromkeys(("image", "picture", "photo", "photograph", "figure", "logo", "icon"), "image"),
    **dict.fromkeys(("illustration", "chart", "graph", "diagram", "map", "graphic", "banner"), "image"),
    **dict.fromkeys(("shape", "box", "rectangle", "square", "circle", "oval", "ellipse", "triangle"), "shape"),
    **dict.fromkeys(("star", "diamond", "arrow", "button", "checkbox", "background"), "shape"),
    **dict.fromkeys(("line", "border", "divider", "rule", "separator", "underline"), "line"),
    **dict.fromkeys(("table", "row", "column", "cell", "grid"), "table"),
    **dict.fromkeys(("list", "bullet", "bullet point", "bullets", "list item", "item"), "list"),
    **dict.fromkeys(("group", "section", "block"), "group"),
}
"""Our kinds of elements by the words for components; the mapping is ours."""
Region = tuple[float, float, float, float]
"""Left, top, width and height."""

_HEAD = re.compile(r"\s*([A-Za-z]+)(?:[ _]?para)?\s*\(", re.IGNORECASE)
_BOX = re.compile(r"\[\s*" + r"\s*,\s*".join([r"(-?\d+(?:\.\d+)?)"] * 4) + r"\s*\]")
_BESIDE = re.compile(r"\b(?:of|in|on|at|from|to|with|under|above|below|beside|near|next|that|which)\b")
"""What comes after one of these words tells which component is meant, not what it is."""
_OPENING, _CLOSING = "([{", ")]}"
_MARKS = {'"': '"', "“": "”", "<": ">"}
"""Marks around an argument, by the one that it begins with."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        action: one of the eight operations.
        component: the kind of element it is about.
        attribute, initial, final: what changes, from what to what, in the command's own words; ``""``: not told.
        box: the region in the units of the file. The file's order is x, y, height, width; here it is left, top, width,
            height. ``None``: not told.
    """

    action: str
    component: Kind
    attribute: str = ""
    initial: str = ""
    final: str = ""
    box: Region | None = None


def parse_command(text: str) -> Command | None:
    """The command in a text; ``None`` if its action or its component cannot be read."""
    head = _HEAD.match(text)
    action = ACTIONS.get(head[1].lower()) if head else None
    if head is None or action is None:
        return None
    boxes = list(_BOX.finditer(text))
    rest = text[head.end() : boxes[-1].start()] if boxes else text[head.end() :]
    parts = [*_arguments(_bracketed(rest)), "", "", ""]
    kind = component_kind(parts[0])
    if kind is None:
        return None
    return Command(action, kind, parts[1], parts[2], ", ".join(filter(None, parts[3:])), _box(boxes))


def component_kind(words: str) -> Kind | None:
    """The kind of element that words such as ``"image caption"`` name; the last word that names one counts."""
    spoken = " ".join(re.findall(r"[a-z]+", _BESIDE.split(words.lower())[0]))
    for candidate in (spoken, *reversed(spoken.split())):
        for form in (candidate, candidate.removesuffix("s"), candidate.removesuffix("es")):
            if form in COMPONENTS:
                return COMPONENTS[form]
    return None


def _box(found: list[re.Match[str]]) -> Region | None:
    if not found:
        return None
    left, top, height, width = map(float, found[-1].groups())
    return left, top, width, height


def _bracketed(text: str) -> str:
    """What stands before the bracket that closes a command; all of it if none does."""
    depth = 1
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[:at]
    return text


def _arguments(text: str) -> list[str]:
    """The parts between commas that stand in no brackets and no quotation marks, without marks around them."""
    parts, depth, mark = [""], 0, ""
    for at, letter in enumerate(text):
        if mark:
            mark = "" if letter == mark else mark
        elif not parts[-1].strip() and letter in _MARKS and _MARKS[letter] in text[at + 1 :]:
            mark = _MARKS[letter]
        else:
            depth = max(0, depth + (letter in _OPENING) - (letter in _CLOSING))
        if letter == "," and not depth and not mark:
            parts.append("")
        else:
            parts[-1] += letter
    return [_unmarked(part) for part in parts]


def _unmarked(part: str) -> str:
    """An argument without the marks around it."""
    part = part.strip()
    while len(part) > 1 and (part[0], part[-1]) in (*_MARKS.items(), ("'", "'")):
        part = part[1:-1].strip()
    return part
