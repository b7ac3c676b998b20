"""Writing: lines of an edit program for each kind of edit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...envs.documents.grounding.plural_resolution import meant
from ...envs.documents.operations.creating import size_of_new
from ...envs.documents.operations.values import colour_of, picture_in
from ...envs.documents.programs.python_functions import BUILTINS
from ...envs.documents.scene.document import Document
from .edits import Edit
from .lexicon import KIND
from .understanding import NotUnderstood

Slots = Mapping[str, str]

_GAP = 12
"""How far something new stands off what it is put beside, in pixels."""
_FIRST = {"left": "{box}[0]", "right": "{box}[0] + {box}[2]", "top": "{box}[1]", "bottom": "{box}[1] + {box}[3]"}
"""Where each edge of a box is."""
_ADDED = {"add_text": "text", "add_shape": "shape", "add_image": "image"}


@dataclass
class Program:
    """A program that is being written.

    Attributes:
        document: what it edits.
        lines: the lines that edit.
        names: the variables of elements by the words that mean them.
    """

    document: Document
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def element(self, words: str) -> str:
        """The variable of the element that words mean; its left top corner is in ``..._at``, its box in ``..._box``."""
        if words not in self.names:
            noun = re.search(KIND, re.sub(r"[\"“].*?[\"”]", " ", words), re.I)
            name = re.sub(r"(?<=[a-z]{2})s$", "", noun[0].lower()) if noun else "element"
            taken = {*BUILTINS, *self.names.values()}
            numbered = (f"{name}_{number}" for number in range(1, len(taken) + 2))
            self.names[words] = next(one for one in (name, *numbered) if one not in taken)
        return self.names[words]

    @property
    def code(self) -> str:
        """The program. Elements are found before anything is edited, for words mean the document as it was."""
        lines = [self._finding(words, name) for words, name in self.names.items()] + self.lines
        return "def main(document):\n" + "".join(f"    {line}\n" for line in lines)

    def _finding(self, words: str, name: str) -> str:
        call = f"FIND_AND_GET({_quoted(words)}, document)"
        is_placed = any(re.search(rf"\b{name}_(?:at|box)\b", line) for line in self.lines)
        return f"{name}, {name}_at, {name}_box = {call}" if is_placed else f"{name} = {call}[0]"


def written(program: Program, edit: Edit) -> None:
    """Write the lines of an edit.

    Raises:
        NotUnderstood: if it asks for something that there is not.
    """
    if edit.kind in _PAIRS:
        program.lines += _PAIRS[edit.kind](program.element(edit.target), program.element(edit.anchor))
    elif edit.kind in _ADDED:
        program.lines.append(_addition(program, edit))
    elif edit.kind == "cell":
        program.lines += _cell(program, edit)
    elif edit.is_plural:
        program.lines += _each(program, edit)
    else:
        name = program.element(edit.target)
        program.lines.append(_call(program, edit, name, f"{name}_box"))


def _each(program: Program, edit: Edit) -> list[str]:
    """A loop over all elements that are meant."""
    ids = [element.id for element in meant(program.document, edit.target)]
    if not ids:
        raise NotUnderstood(f"Nothing in the document is meant by {edit.target!r}.")
    call = _call(program, edit, "element", "box")
    box = ['    box = GET_METADATA(element, "bbox", document)'] if re.search(r"\bbox\b", call) else []
    return [f"for element in {json.dumps(ids)}:", *box, f"    {call}"]


def _call(program: Program, edit: Edit, name: str, box: str) -> str:
    """The call that edits one element."""
    if edit.kind == "center":
        return _centred(program, edit, name, box)
    if edit.kind == "copy_beside":
        return f"COPY({name}, {_copied_to(edit.slots['side'], box)})"
    if edit.kind == "align_edge":
        anchor = program.element(edit.anchor)
        return f"MOVE({name}, new_position={_aligned(edit.slots['edge'], box, f'{anchor}_box')})"
    return _CALLS[edit.kind](name, edit.slots)


def _centred(program: Program, edit: Edit, name: str, box: str) -> str:
    page, axis = program.document.pages[0], edit.slots["axis"]
    left = f"{box}[0]" if axis == "vertically" else f"({page.width} - {box}[2]) // 2"
    top = f"{box}[1]" if axis == "horizontally" else f"({page.height} - {box}[3]) // 2"
    return f"MOVE({name}, new_position=[{left}, {top}])"


def _copied_to(side: str, box: str) -> str:
    return {
        "below": f"[{box}[0], {box}[1] + {box}[3] + {_GAP}]",
        "above": f"[{box}[0], {box}[1] - {box}[3] - {_GAP}]",
        "left": f"[{box}[0] - {box}[2] - {_GAP}, {box}[1]]",
        "right": f"[{box}[0] + {box}[2] + {_GAP}, {box}[1]]",
    }[side]


def _aligned(edge: str, box: str, anchor: str) -> str:
    """Where a box goes so that an edge of it is on one line with that of another."""
    at = _FIRST[edge].format(box=anchor)
    if edge in ("left", "right"):
        return f"[{at}{f' - {box}[2]' if edge == 'right' else ''}, {box}[1]]"
    return f"[{box}[0], {at}{f' - {box}[3]' if edge == 'bottom' else ''}]"


def _swapped(one: str, other: str) -> list[str]:
    return [f"MOVE({one}, new_position={other}_at)", f"MOVE({other}, new_position={one}_at)"]


def _merged(one: str, other: str) -> list[str]:
    return [f'MERGE([{one}, {other}], "\\n")']


def _addition(program: Program, edit: Edit) -> str:
    kind = _ADDED[edit.kind]
    described = _description(edit.kind, edit.slots)
    told = f"{_quoted(kind)}, {described!r}" if '"' in described else f"{_quoted(kind)}, {_quoted(described)}"
    if edit.anchor:
        size = size_of_new(program.document, kind, described)
        return f"ADD({told}, {_beside(edit.place, f'{program.element(edit.anchor)}_box', size)})"
    where = "in the middle of the page" if edit.place == "middle" else f"at the {edit.place} of the page"
    return f'ADD({told}, INFER("{"picture" if kind == "image" else kind} {where}", document)[0])'


def _beside(side: str, box: str, size: tuple[int, int]) -> str:
    """Where something of a size goes beside a box."""
    return {
        "below": f"[{box}[0], {box}[1] + {box}[3] + {_GAP}]",
        "above": f"[{box}[0], max({box}[1] - {size[1] + _GAP}, 0)]",
        "left": f"[max({box}[0] - {size[0] + _GAP}, 0), {box}[1]]",
        "right": f"[{box}[0] + {box}[2] + {_GAP}, {box}[1]]",
    }[side]


def _description(kind: str, slots: Slots) -> str:
    """What describes something new."""
    if "text" in kind:
        return f'"{slots["text"]}"'
    if "shape" in kind:
        return f"{_colour(slots['colour'])} {slots['shape']}" if "colour" in slots else slots["shape"]
    picture = picture_in(slots["picture"])
    if picture is None:
        raise NotUnderstood(f"There is no picture of {slots['picture']}.")
    return picture


def _cell(program: Program, edit: Edit) -> list[str]:
    """The cell that says something is looked for."""
    table = program.element(edit.target)
    return [
        f'for row, cells in enumerate(GET_METADATA({table}, "cells", document), 1):',
        "    for column, text in enumerate(cells, 1):",
        f"        if text == {_quoted(edit.slots['old'])}:",
        f'            MODIFY({table}, [row, column, {_quoted(edit.slots["new"])}], "cell")',
    ]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _colour(name: str) -> str:
    try:
        colour_of(name)
    except ValueError as error:
        raise NotUnderstood(f"{error}.") from None
    return name


def _number(text: str) -> str:
    return f"{float(text):g}"


def _modified(kind: str, value: Callable[[Slots], str]) -> Callable[[str, Slots], str]:
    return lambda name, slots: f'MODIFY({name}, {value(slots)}, "{kind}")'


def _grown(sign: str) -> Callable[[str, Slots], str]:
    return lambda name, slots: (
        f'MODIFY({name}, GET_METADATA({name}, "size", document) {sign} {_number(slots["amount"])}, "font_size")'
    )


def _replaced(kind: str) -> Callable[[str, Slots], str]:
    new = {"replace_by_text": "text", "replace_shape": "shape"}.get(kind, "image")

    def write(name: str, slots: Slots) -> str:
        described = _description(kind, slots)
        told = repr(described) if '"' in described else _quoted(described)
        return f'REPLACE({name}, GET_METADATA({name}, "type", document), "{new}", {told})'

    return write


def _flag(kind: str, value: bool) -> Callable[[str, Slots], str]:
    return _modified(kind, lambda slots: str(value))


def _percent(slots: Slots) -> str:
    return _quoted(f"{slots['percent']}%")


def _turned(slots: Slots) -> str:
    return ("-" if slots["turn"] == "counterclockwise" else "") + _number(slots["degrees"])


_PAIRS: dict[str, Callable[[str, str], list[str]]] = {"swap": _swapped, "merge": _merged}
"""Edits of two elements: their lines, from the variables of both."""
_CALLS: dict[str, Callable[[str, Slots], str]] = {
    "move_by": lambda name, slots: f"MOVE({name}, position_diff=({slots['direction']}, {_number(slots['pixels'])}))",
    "move_to": lambda name, slots: f"MOVE({name}, new_position=[{slots['x']}, {slots['y']}])",
    "delete": lambda name, slots: f"DELETE({name})",
    "copy_to": lambda name, slots: f"COPY({name}, [{slots['x']}, {slots['y']}])",
    "replace_image": _replaced("replace_image"),
    "replace_shape": _replaced("replace_shape"),
    "replace_by_image": _replaced("replace_by_image"),
    "replace_by_text": _replaced("replace_by_text"),
    "text": _modified("text", lambda slots: _quoted(slots["text"])),
    "word": _modified("words", lambda slots: f"[{_quoted(slots['old'])}, {_quoted(slots['new'])}]"),
    "colour": _modified("color", lambda slots: _quoted(_colour(slots["colour"]))),
    "text_colour": _modified("text_color", lambda slots: _quoted(_colour(slots["colour"]))),
    "font_size": _modified("font_size", lambda slots: _number(slots["size"])),
    "font_larger": _grown("+"),
    "font_smaller": _grown("-"),
    "font": _modified("font", lambda slots: _quoted(slots["face"].replace("-", " "))),
    "bold": _flag("bold", True),
    "not_bold": _flag("bold", False),
    "italic": _flag("italic", True),
    "not_italic": _flag("italic", False),
    "underline": _flag("underline", True),
    "align_text": _modified("align", lambda slots: _quoted(slots["alignment"])),
    "upper_case": _modified("case", lambda slots: '"upper"'),
    "opacity": _modified("opacity", _percent),
    "rotate": _modified("rotate", _turned),
    "scale": _modified("scale", _percent),
    "width": _modified("width", lambda slots: _number(slots["pixels"])),
    "height": _modified("height", lambda slots: _number(slots["pixels"])),
    "to_front": _modified("order", lambda slots: '"front"'),
    "to_back": _modified("order", lambda slots: '"back"'),
    "split": lambda name, slots: f'SPLIT({name}, "\\n")',
}
"""Edits of one element: the call, from its variable and what is told."""
