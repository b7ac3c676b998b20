"""What must hold of the pages of a form, so that they can be drawn and read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..fields import FieldDefinition
from ..form import Page, WebForm
from .faults import Fault

MOST_FIELDS, MOST_CONDITIONS = 16, 2
"""Of a page, each row of a repeated block counted once."""
MOST_OPTIONS = 9
"""Of a field; one select of a form may have more."""
TALLEST_PAGE, ROW_HEIGHT, LINE_HEIGHT, HEAD_HEIGHT = 1700, 70, 24, 120
"""In pixels: of a page, of a row of fields, of a further line in one, and of what stands above the fields."""
_COLUMNS = 6
_WIDTHS = {"full": 6, "half": 3, "third": 2}
_LINES = {"multi_select": 4, "radio": 1, "checkbox_group": 2}


def layout_faults(form: WebForm) -> Iterator[Fault]:
    """Pages with too much on them, and fields with too many options."""
    for page in form.pages:
        yield from (Fault("pages", f"form.json: page {page.title!r}", problem) for problem in _page_problems(page))
    many = {field.base_name: field.control for field in form.fields if _most_options(field) > MOST_OPTIONS}
    if len(many) > 1 or set(many.values()) - {"select"}:
        problem = f"more than {MOST_OPTIONS} options; only one select of a form may have them"
        yield Fault("options", f"form.json: {', '.join(many)}", problem)


def page_height(page: Page) -> int:
    """About how high a page is with all its rows and hidden fields shown, in pixels."""
    height = HEAD_HEIGHT
    for block in page.blocks:
        rows = sum(max(map(_field_height, row)) for row in _laid_out(block.fields))
        height += ROW_HEIGHT // 2 * bool(block.title) + rows * len(block.rows)
    return height


def _page_problems(page: Page) -> Iterator[str]:
    fields = [field for block in page.blocks for field in block.fields]
    conditions = {(field.when.field, field.when.values) for field in fields if field.when}
    repeated = sum(block.repeat is not None for block in page.blocks)
    most = 1 if repeated else MOST_CONDITIONS
    if len(fields) > MOST_FIELDS:
        yield f"it has {len(fields)} fields, not {MOST_FIELDS} at most"
    if len(conditions) > most:
        yield f"{len(conditions)} different `when`, not {most} at most" + " beside a repeated block" * bool(repeated)
    if repeated > 1:
        yield f"{repeated} repeated blocks, not one at most"
    if (height := page_height(page)) > TALLEST_PAGE:
        yield f"it is about {height} pixels high with all shown, not {TALLEST_PAGE} at most"


def _laid_out(fields: Iterable[FieldDefinition]) -> list[list[FieldDefinition]]:
    """The fields in rows, filled from left to right."""
    rows: list[list[FieldDefinition]] = []
    room = 0
    for field in fields:
        if _WIDTHS[field.width] > room:
            rows.append([])
            room = _COLUMNS
        rows[-1].append(field)
        room -= _WIDTHS[field.width]
    return rows


def _field_height(field: FieldDefinition) -> int:
    lines = field.rows - 1 if field.control == "textarea" else _LINES.get(field.control, 0)
    return ROW_HEIGHT + LINE_HEIGHT * lines


def _most_options(field: FieldDefinition) -> int:
    groups = field.option_groups
    return max(map(len, groups))
