"""Edit programs of models: what the prompt tells about them, and the dry run."""

from __future__ import annotations

import json
import re
from typing import Any

from ..envs.core.texts import truncate
from ..envs.documents.grounding.lookup import Grounder
from ..envs.documents.operations.modifying import TYPES_USAGE
from ..envs.documents.operations.table import OPERATIONS
from ..envs.documents.operations.values import COLOURS, FACES, SHAPES, pictures
from ..envs.documents.programs.program import run_program, usage
from ..envs.documents.scene.document import Document
from ..envs.documents.scene.elements import Element, Style

_GROUNDER = Grounder()
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
_VALUES = {"colours": COLOURS, "faces": FACES, "shapes": SHAPES}
_MAX_TEXT_LENGTH = 200
_FENCED = re.compile(r"```[ \t]*(?:\w+)?[ \t]*\n(.*?)```", re.S)


def template_variables(page_size: tuple[int, int], strict: bool) -> dict[str, Any]:
    """What the prompt for programs tells: page, functions and worked examples.

    Args:
        page_size: height and width of a page in pixels.
        strict: whether calls must name every argument of the published signatures.
    """
    return {
        "page_height": page_size[0],
        "page_width": page_size[1],
        "strict": strict,
        **{name: ", ".join(values) for name, values in _VALUES.items()},
        "types": TYPES_USAGE,
        "pictures": pictures(),
        "usage": usage(),
        "examples": {name: (EXAMPLES[name][0], example(name)) for name in EXAMPLES},
    }


def dry_run(document: Document, code: str, strict: bool = False) -> int:
    """Run a program on a copy: the page that it adds elements to, or else 0.

    Raises:
        ProgramError: if it cannot be run.
    """
    pages: list[int] = []

    def find(edited: Document, words: str) -> list[Element]:
        found = _GROUNDER.find(edited, words)
        pages.extend(edited.places[one.id][0] for one in found[:1])
        return found

    def infer(edited: Document, words: str) -> tuple[int, int, int, int] | None:
        anchor = re.search(r"\b(?:below|above|under|over|of|beside|near|to) (the .+)", words)
        find(edited, anchor[1]) if anchor and len(edited.pages) > 1 else None
        return _GROUNDER.infer(edited, words, 0)

    context = run_program(document, code, find, infer, 0, strict)
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


def document_text(document: Document) -> str:
    """A document in words: an element a line."""
    lines = []
    for number, page in enumerate(document.pages, 1):
        lines.append(f"page {number} of {len(document.pages)}, {page.width} x {page.height} px")
        lines += [f"- {_element(element)}" for element in page.elements]
    return "\n".join(lines)


def _element(element: Element) -> str:
    """An element in a line: id, type, name, box, content and style."""
    parts = [f"{element.id}: {element.type}", f'"{element.name}"' if element.name else "", str(list(element.bbox))]
    parts += [str(part) for part in (element.shape, element.asset) if part]
    parts += [f"in {element.parent}"] if element.parent else []
    parts += [f"turned {element.angle:g}°"] if element.angle else []
    parts += [f"opacity {element.opacity:g}"] if element.opacity < 1 else []
    if element.text:
        parts.append(f"says {json.dumps(truncate(element.text, _MAX_TEXT_LENGTH), ensure_ascii=False)}")
    return ", ".join(part for part in (*parts, _style(element.style)) if part)


def _style(style: Style) -> str:
    """The settings of a style that are not the defaults."""
    changed = style.model_dump(exclude_defaults=True)
    return ", ".join(
        f"{name} #{''.join(f'{part:02x}' for part in value)}"
        if isinstance(value, tuple)
        else name
        if value is True
        else f"{name} {value}"
        for name, value in changed.items()
    )
