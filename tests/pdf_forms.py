"""Ten fillable PDFs in the structure of real forms, with tasks and gold answers.

A form is a file of ``data/pdf_forms``: pages of blocks, each of which becomes rows of cells. A cell is a printed label
with or without a field. ReportLab draws what is printed (``pdf_drawing``), pypdf adds the AcroForm (``pdf_fields``).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).with_name("data") / "pdf_forms"
FORMS = tuple(sorted(path.stem for path in DATA.glob("*.yaml")))
OPTIONS = ("check", "checks", "radio", "group")

Cell = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """Cells side by side; ``h`` is the least height in points."""

    cells: list[Cell]
    h: float = 0


def write_pdf(name: str, folder: Path) -> Path:
    """Write the form ``name`` (one of FORMS) to ``folder`` as a fillable PDF; where it is."""
    from pdf_drawing import draw
    from pdf_fields import add_fields

    form, file = read_form(name), io.BytesIO()
    path = folder / f"{name}.pdf"
    path.write_bytes(add_fields(file, form, draw(form, file), field_names(form)))
    return path


def read_form(name: str) -> dict[str, Any]:
    """The content of the data file of a form."""
    form: dict[str, Any] = yaml.load((DATA / f"{name}.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    return form


def gold(name: str) -> dict[str, Any]:
    """The content of gold.json: tasks with their source text, and answers by the full name of the field.

    The answer of a check box is true, of a group of radio buttons the state of one, of a list the choice as it is seen.
    """
    form = read_form(name)
    names = field_names(form)
    return {
        "tasks": {
            task: {**content, "answers": {names[key]: value for key, value in content["answers"].items()}}
            for task, content in form["tasks"].items()
        }
    }


def field_names(form: dict[str, Any]) -> dict[str, str]:
    """The full name of each AcroForm field, by its key in the data file."""
    pattern = form.get("names", "{key}")
    names: dict[str, str] = {}
    for page, blocks in enumerate(form["pages"], 1):
        first = len(names)
        for cell in (cell for row in rows(blocks, form["styles"]) for cell in row.cells):
            kind = "c" if cell.get("k") in OPTIONS else "f"
            for key in _keys(cell):
                if key not in names:
                    names[key] = pattern.format(key=key, page=page, kind=kind, n=len(names) - first + 1, all=len(names))
    return names


def rows(blocks: list[dict[str, Any]], styles: dict[str, Cell]) -> Iterator[Row]:
    """The rows of blocks: ``row``, ``table``, ``repeat``, or one line of text in a style of the form."""
    for block in blocks:
        if "row" in block:
            yield Row(_styled(block["row"], styles), block.get("h", 0))
        elif "repeat" in block:
            for values in _counted(block["repeat"]):
                yield from rows(_substituted(block["blocks"], values), styles)
        elif "table" in block:
            yield from _table(block, styles)
        else:
            ((style, text),) = block.items()
            yield Row([{"l": text, **styles[style]}], styles[style].get("h", 0))


def options(cell: Cell) -> list[tuple[str, str, str]]:
    """Key, state and printed text of each check box or radio button of a cell."""
    if cell["k"] == "check":
        return [(cell["f"], cell.get("state", "Yes"), cell.get("l", ""))]
    if cell["k"] in ("radio", "group"):
        return [(cell["f"], str(state), text) for state, text in cell["of"].items()]
    return [(cell["f"] + key, cell.get("state", "Yes"), text) for key, text in cell["of"].items()]


def _table(block: dict[str, Any], styles: dict[str, Cell]) -> Iterator[Row]:
    columns: list[Cell] = block["table"]
    if any("l" in column for column in columns):
        yield Row([{"l": c.get("l", ""), "w": c.get("w", 1), **styles["column"]} for c in columns])
    for values in _counted(block["rows"]):
        cells = [{**column, "l": column.get("t", ""), "tip": column.get("tip", column.get("l"))} for column in columns]
        yield Row(_styled(_substituted(cells, values), styles), block.get("h", 0))


def _styled(cells: list[Cell], styles: dict[str, Cell]) -> list[Cell]:
    return [{**styles.get(cell.get("style", ""), {}), **cell} for cell in cells]


def _counted(values: int | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"i": i + 1} for i in range(values)] if isinstance(values, int) else values


def _substituted(node: Any, values: dict[str, Any]) -> Any:
    if isinstance(node, dict):
        return {key: _substituted(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [_substituted(value, values) for value in node]
    if isinstance(node, str):
        for key, value in values.items():
            node = node.replace(f"{{{key}}}", str(value))
    return node


def _keys(cell: Cell) -> list[str]:
    if "f" not in cell:
        return []
    return [key for key, _, _ in options(cell)] if cell.get("k") in OPTIONS else [cell["f"]]


GOLD = {name: gold(name) for name in FORMS}
