"""Prompts for models that write edit programs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ..envs.core.texts import truncate
from ..envs.documents.operations.modifying import TYPES
from ..envs.documents.operations.table import OPERATIONS
from ..envs.documents.operations.values import COLOURS, FACES, SHAPES
from ..envs.documents.programs.functions import usage
from ..envs.documents.programs.python_functions import BUILTINS
from ..envs.documents.scene.document import Document
from ..envs.documents.scene.elements import Element, Style

Message = dict[str, str]
"""A message to or from a model: ``role`` (system, user or assistant) and ``content``."""

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
        'MODIFY(headline, GET_METADATA(headline, "size", document) + 4, "font_size")',
    ),
}
"""For each function a request, and the lines of a program that does it with that function."""
_RULES = """You edit documents by writing programs.

Answer with one Python program in a ```python block: a single function `main(document)`, and nothing else.
- Ordinary Python: numbers, texts, lists, tuples, dicts and sets with their methods, comprehensions, lambda, f-strings,
  if, for, while, try, assert, and {builtins}.
- No imports, classes, other functions, or names that begin with an underscore. What is printed comes back to you.
- document.elements lists the elements; each has id, type, name, text, bbox, page and the fields of its style, to
  be read; only the functions below change anything.
- The program runs as a whole on the document as it was at first, or not at all.
- Change what is asked for and nothing else.
- For one element call FIND_AND_GET with the words of the request for it; for all of a kind, loop over ids or
  document.elements.
- Coordinates are pixels of the page, [x, y] from its left top corner: x grows to the right, y downwards. A box is
  [x, y, width, height]. Pages are {width} px wide and {height} px high. Sizes of type are pixels.
- Types of modification: {types}.
- Colours by name: {colours}; or #rrggbb. Typefaces: {faces}. Shapes: {shapes}. Icons: icon/NAME.
{strict}
The functions:
{usage}
"""
_STRICT = (
    "- Calls name every argument of the signatures; FIND_AND_GET, INFER and GET_METADATA take document as the last.\n"
)
_FENCED = re.compile(r"```[ \t]*(?:\w+)?[ \t]*\n(.*?)```", re.S)
_MAX_TEXT_LENGTH = 200


def program_prompt(
    document: Document,
    request: str,
    page_size: tuple[int, int],
    strict: bool = False,
    feedback: Sequence[tuple[str, str]] = (),
) -> list[Message]:
    """The messages that ask a model for an edit program.

    Args:
        document: what is edited.
        request: in English.
        page_size: height and width of a page in pixels.
        strict: whether calls must name every argument of the published signatures.
        feedback: programs that were tried, each with its feedback, the oldest first.
    """
    messages: list[Message] = [
        {"role": "system", "content": _system(page_size, strict)},
        {"role": "user", "content": f"The document:\n{_document_text(document)}\n\nThe request: {request}"},
    ]
    for code, outcome in feedback:
        messages += [
            {"role": "assistant", "content": f"```python\n{code.rstrip()}\n```"},
            {"role": "user", "content": f"{outcome}\nWrite the whole program again, mended."},
        ]
    return messages


def code_in(reply: str) -> str:
    """The program in a reply: its last fenced block, or what follows ``def main``."""
    blocks = [block for block in _FENCED.findall(reply) if "def main" in block]
    if blocks:
        return str(blocks[-1]).strip() + "\n"
    at = reply.find("def main")
    return (reply if at < 0 else reply[at:]).replace("```", "").strip() + "\n"


def example(name: str) -> str:
    """The worked example of a function, as a whole program."""
    return "def main(document):\n" + "".join(f"    {line}\n" for line in EXAMPLES[name][1].splitlines())


def _system(page_size: tuple[int, int], strict: bool) -> str:
    rules = _RULES.format(
        builtins=", ".join(BUILTINS),
        width=page_size[1],
        height=page_size[0],
        types=", ".join(TYPES),
        colours=", ".join(COLOURS),
        faces=", ".join(FACES),
        shapes=", ".join(SHAPES),
        strict=_STRICT if strict else "",
        usage=usage(),
    )
    worked = [f"{name}\nRequest: {EXAMPLES[name][0]}\n```python\n{example(name)}```" for name in EXAMPLES]
    return rules + "\nA worked example of each:\n\n" + "\n\n".join(worked)


def _document_text(document: Document) -> str:
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
