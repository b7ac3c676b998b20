"""Edit programs of models: what the prompt tells about them, and the dry run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any

from ..envs.core.texts import truncate
from ..envs.documents.grounding.grounder import named
from ..envs.documents.operations.modifying import TYPES_USAGE
from ..envs.documents.operations.table import OPERATIONS
from ..envs.documents.operations.values import COLOURS, FACES, SHAPES, pictures
from ..envs.documents.programs.program import run_program, usage
from ..envs.documents.scene.document import Document
from ..envs.documents.scene.elements import Element

EXAMPLES: dict[str, tuple[str, str]] = {
    **{name: operation.example for name, operation in OPERATIONS.items()},
    "FIND_AND_GET": (
        "Align the left edge of the badge with that of the headline.",
        'badge, position, box = FIND_AND_GET("the badge", document)\n'
        'headline_x = FIND_AND_GET("the headline", document)[1][0]\n'
        "MOVE(badge, new_position=[headline_x, position[1]])",
    ),
    "INFER": (
        "Draw a blue star in the bottom right corner of the page.",
        'ADD("shape", "blue star", INFER("a star in the bottom right corner of the page", document)[0])',
    ),
    "GET_METADATA": (
        "Make the font of the headline 4 px larger.",
        'headline = FIND_AND_GET("the headline", document)[0]\n'
        'MODIFY(headline, GET_METADATA(headline, "size", document) + 4, "size")',
    ),
}
"""For each function a request, and the lines of a program that does it with that function."""
BY_IDS = (
    'Make the headline (e4) 4 px larger and "Lights" in it red, and say "Sold out" right under it.',
    "def main(document):\n"
    '    MODIFY("e4", GET_METADATA("e4", "size", document) + 4, "size")\n'
    '    MODIFY("e4", ["Lights", "red"], "colour")\n'
    '    x, y, width, height = GET_METADATA("e4", "bbox", document)\n'
    '    ADD("text", \'"Sold out"\', [x, y + height + 8], style={"size": 24, "bold": True})\n',
)
"""A request and a program that names elements by their ids."""
_VALUES = {"colours": COLOURS, "faces": FACES, "shapes": SHAPES}
_MAX_TEXT_LENGTH = 4_000
"""The most characters of a text, or of a table's rows, that are listed."""
_FENCED = re.compile(r"```[ \t]*(?:\w+)?[ \t]*\n(.*?)```", re.S)


def template_variables(page_size: tuple[int, int], strict: bool, search: bool = False) -> dict[str, Any]:
    """What the prompt for programs tells: page, functions and worked examples.

    Args:
        page_size: height and width of a page in pixels.
        strict: whether calls must name every argument of the published signatures.
        search: whether elements are found by words, as in the paper, rather than named by their ids.
    """
    examples = {name: (EXAMPLES[name][0], example(name)) for name in EXAMPLES} if search else {"by ids": BY_IDS}
    return {
        "page_height": page_size[0],
        "page_width": page_size[1],
        "strict": strict,
        **{name: ", ".join(values) for name, values in _VALUES.items()},
        "types": TYPES_USAGE,
        "pictures": pictures(),
        "search": search,
        "usage": usage(search),
        "examples": examples,
    }


def dry_run(document: Document, code: str, strict: bool = False, search: bool = False) -> int:
    """Run a program, which may search by words or not, on a copy: the page that it adds elements to, or else 0.

    Raises:
        ProgramError: if it cannot be run.
    """
    pages: list[int] = []

    def find(edited: Document, words: str) -> list[Element]:
        found = named(edited, words)
        pages.extend(edited.places[one.id][0] for one in found[:1])
        # The environment may find what only a picture shows.
        return found or list(edited.elements())

    context = run_program(document, code, find if search else None, strict=strict)
    adds = any(operation.action == "ADD" for operation in context.operations)
    return pages[0] if adds and pages else 0


def code_in(reply: str) -> str:
    """The program in a reply: its last fenced block, or what follows ``def main``."""
    blocks = [block for block in _FENCED.findall(reply) if "def main" in block]
    if blocks:
        return str(blocks[-1]).strip() + "\n"
    at = reply.find("def main")
    return (reply if at < 0 else reply[at:]).replace("```", "").strip() + "\n"


def is_complaint(feedback: str) -> bool:
    """Whether feedback says that an edit is not as it should be, or could not be made."""
    return "as asked" not in feedback and bool(
        re.search(r"cannot be run|\b(?:wrong|nothing|only a part|something else|missing|not right)\b", feedback, re.I)
    )


def example(name: str) -> str:
    """The worked example of a function, as a whole program."""
    return "def main(document):\n" + "".join(f"    {line}\n" for line in EXAMPLES[name][1].splitlines())


def document_text(
    document: Document, ids: bool = True, pages: Iterable[int] | None = None, shown: int | None = None
) -> str:
    """A document in words: an element a line, with or without its id.

    Args:
        document: what is written.
        ids: whether elements have their ids.
        pages: the numbers of the pages, from 0; ``None``: all.
        shown: the page on the picture.
    """
    lines = []
    for number in range(len(document.pages)) if pages is None else pages:
        page = document.pages[number]
        notes = f", notes {_quoted(page.notes)}" if page.notes else ""
        here = ", which the picture shows" if number == shown and len(document.pages) > 1 else ""
        lines.append(f"page {number + 1} of {len(document.pages)}{here}, {page.width} x {page.height} px{notes}")
        lines += [f"- {_element(element, ids)}" for element in page.elements]
    return "\n".join(lines)


def _element(element: Element, ids: bool) -> str:
    """An element in a line: id, type, name, box, content and style."""
    parts = [
        f"{element.id}: {element.type}" if ids else element.type,
        f'"{element.name}"' if element.name else "",
        str(list(element.bbox)),
    ]
    parts += [str(part) for part in (element.shape, element.asset) if part]
    parts += [f"in {element.parent}"] if element.parent and ids else []
    parts += [f"turned {element.angle:g}°"] if element.angle else []
    parts += [f"opacity {element.opacity:g}"] if element.opacity < 1 else []
    if element.cells:
        parts.append(f"rows {_rows(element)}")
        parts += [f"formats {_formats(element)}"] if element.formats else []
    elif element.chart is not None:
        parts.append(f"shows {json.dumps(element.chart.model_dump(exclude={'colours'}), ensure_ascii=False)}")
    elif element.text:
        parts.append(f"says {_quoted(element.text)}")
    parts += [f"levels {list(element.levels)}"] if element.levels else []
    own = [(run.text, run.model_dump(exclude={"text"}, exclude_none=True)) for run in element.runs]
    pieces = [f"{_quoted(truncate(text, 80))} {_settings(style)}" for text, style in own if style]
    parts += [f"of it {'; '.join(pieces)}"] if pieces else []
    return ", ".join(part for part in (*parts, _settings(element.style.model_dump(exclude_defaults=True))) if part)


def _quoted(text: str) -> str:
    cut = f" (cut: {len(text):,} characters)" if len(text) > _MAX_TEXT_LENGTH else ""
    return json.dumps(truncate(text, _MAX_TEXT_LENGTH), ensure_ascii=False) + cut


def _rows(element: Element) -> str:
    """The rows of a table with all their cells; of a huge one the first."""
    rows = [json.dumps(row, ensure_ascii=False) for row in element.cells]
    shown = [row for row, length in zip(rows, accumulate(map(len, rows)), strict=True) if length <= _MAX_TEXT_LENGTH]
    cut = f" (cut: {len(rows):,} rows)" if len(shown) < len(rows) else ""
    return f"[{', '.join(shown)}]{cut}"


def _formats(element: Element) -> str:
    """The cells of a table that differ from its style, each with its row and column, counted from 1."""
    cells = ((i, k, one) for i, row in enumerate(element.formats, 1) for k, one in enumerate(row, 1))
    named = ((i, k, _settings(one.model_dump(exclude_defaults=True))) for i, k, one in cells)
    return "; ".join(f"({i}, {k}) {settings}" for i, k, settings in named if settings)


def _settings(style: Mapping[str, Any]) -> str:
    """Settings of a style by their names."""
    return ", ".join(name if value is True else f"{name} {_value(value)}" for name, value in style.items())


def _value(value: Any) -> str:
    """A value of a style: a colour as its hex number, several with slashes between them."""
    if not isinstance(value, tuple):
        return str(value)
    if value and isinstance(value[0], int):
        return f"#{''.join(f'{part:02x}' for part in value)}"
    return "/".join(map(_value, value))
