"""Tiny data sets in the layouts of DocEdit and Crello, and PPTC's beside them; all that is in them is made here."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

from PIL import Image
from pptc_fixture import write_pptc

READABLE = [
    ("move the logo to the top right", "MOVE(logo, position, bottom left, top right), [12, 40, 30, 60]"),
    ("shift the second paragraph down", "move(<paragraph>, <position>, <middle>, <bottom>), [10.5, 200, 80, 400]"),
    ("put the table below the title", "MOVE_PARA(<table>, position), [0, 0, 10, 10]"),
    ("take out the footer", "DELETE(footer), [0, 900, 40, 700]"),
    ("please get rid of the second bullet point", 'REMOVE("bullet point", "content", "Second, of three", "")'),
    ("erase the line under the heading", "DELETE(line under the heading)"),
    ("add a caption under the picture", 'ADD(caption, text, none, "Our team, in May"), [5, 6, 7, 8]'),
    ("insert a star in the corner", "INSERT(star, shape)"),
    ("append a row to the table", 'ADD(row in the table, cells, , "a, b"), [1, 2, 3, 4]'),
    ("copy the icon to the right", "COPY(icon, position, left, right)"),
    ("duplicate the list", "DUPLICATE(list)"),
    ("put another copy of the photo at the bottom", "COPY(photo, , , bottom), [9, 9, 9, 9]"),
    ("replace the picture by a map", "REPLACE(image, content, picture, map), [100, 100, 50, 50]"),
    ("swap the title for “Summer, at last”", "REPLACE(title, text, “Spring, at last”, “Summer, at last”)"),
    ("exchange the circle for a square", "Replace(circle, shape, circle, square)"),
    ("make the heading bold", "MODIFY(heading, font weight, regular, bold), [3, 4, 5, 6]"),
    ("turn the border red", "MODIFY(border, color, black, red)"),
    ("change the date to 3 May", "CHANGE(date, text, 2 May, 3 May)"),
    ("größer, bitte: die Überschrift", "MODIFY(headline, Größe, 12, 14)"),
    ("split the paragraph in two", "SPLIT(paragraph, , one, two)"),
    ("break the list after the third item", "SPLIT(list, after item 3)"),
    ("divide the table", "SPLIT(table)"),
    ("merge both paragraphs", "MERGE(paragraphs, , two, one)"),
    ("join the two boxes", "COMBINE(boxes)"),
    ('make it say "a, b"\non two lines', 'MODIFY(text, content, "x", "a, b"), [1, 1, 1, 1]'),
]
"""Requests and commands that can be read, of all eight actions."""
UNREADABLE = [
    ("no idea what is meant", ""),
    ("make it nicer", "BEAUTIFY(page), [1, 2, 3, 4]"),
    ("move the thing", "MOVE(thing, position, left, right)"),
    ("delete the title", "the title is deleted"),
    ("add something", "ADD()"),
]
"""Requests and commands that cannot."""


def write_fixture(root: Path) -> Path:
    """Write everything that can be played: ``crello/`` and ``pptc/``."""
    for folder, write in (("crello", write_crello), ("pptc", write_pptc)):
        (root / folder).mkdir(parents=True)
        write(root / folder)
    return root


def write_docedit(root: Path) -> Path:
    """Write two CSV files: one with a byte order mark and a column more, one in a folder below."""
    (root / "images").mkdir(parents=True)
    (root / "test").mkdir()
    Image.new("RGB", (60, 90), (250, 240, 230)).save(root / "images" / "page_0.png")
    rows = [(f"r{i}", f"page_{i % 3}.png", *row) for i, row in enumerate(READABLE + UNREADABLE)]
    write_csv(root / "requests.csv", ["id", "image", "split", "user_request", "command"], rows[:20], mark=True)
    write_csv(root / "test" / "requests.csv", ["id", "image", "user_request", "command"], rows[20:])
    return root


def write_csv(path: Path, columns: list[str], rows: list[tuple[str, ...]], mark: bool = False) -> None:
    """Write rows; where the columns name a split, it goes third."""
    with path.open("w", encoding="utf-8-sig" if mark else "utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows((*row[:2], "train", *row[2:]) if "split" in columns else row for row in rows)


def element(kind: str, box: tuple[float, float, float, float], **more: Any) -> dict[str, Any]:
    """An element of a design."""
    return {"type": kind, **dict(zip(("left", "top", "width", "height"), box, strict=True)), **more}


def text(words: str, box: tuple[float, float, float, float], size: float, **more: Any) -> dict[str, Any]:
    """A text of a design."""
    return element("textElement", box, text=words, font_size=size, **more)


def _designs() -> list[dict[str, Any]]:
    """Seven designs of several sizes and kinds."""
    ground = element("coloredBackground", (0, 0, 1, 1), color=[250, 230, 60])
    poster = [
        ground,
        element("imageElement", (0.1, 0.3, 0.35, 0.3), image="pictures/red.png", angle=math.pi / 12),
        element("imageElement", (0.55, 0.3, 0.35, 0.3), image="pictures/missing.png", opacity=0.5),
        element("svgElement", (0.1, 0.7, 0.8, 0.002), color=[200, 30, 30]),
        element("svgElement", (0.4, 0.75, 0.2, 0.1), color=[30, 30, 200]),
        text("Autumn market", (0.1, 0.05, 0.8, 0.09), 150, font="Playfair Display Bold", text_align="center"),
        text("Every Saturday\nfrom ten to four", (0.1, 0.16, 0.8, 0.08), 60, font="Open Sans", color=[20, 90, 50]),
        text("Old harbour", (0.1, 0.9, 0.8, 0.05), 60, font="Open Sans", text_align="right"),
    ]
    card = [
        element("coloredBackground", (0.2, 0, 0.8, 1), color=[30, 30, 30]),
        text("Für Zoë: 誕生日", (0.3, 0.2, 0.4, 0.2), 24, font="Dancing Script"),
        text("• cake\n• tea\n• songs", (0.3, 0.5, 0.4, 0.4), 20, font="Courier Mono"),
        element("maskElement", (-0.05, 0.1, 0.2, 0.8), color=[1, 2, 3]),
    ]
    words = "Far too many words for a box that is this small"
    banner = [text(words, (0.02, 0.1, 0.2, 0.5), 60), ground | {"left": 0.5}]
    crowd = [element("svgElement", (0.05 + 0.3 * (i % 3), 0.05 + 0.3 * (i // 3), 0.1, 0.1)) for i in range(9)]
    crowd += [element("svgElement", (0.02 * i, 0.95, 0.01, 0.01), color=[200, 40, 40]) for i in range(12)]
    return [
        {"id": "5f2-poster", "canvas_width": 1587, "canvas_height": 2245, "format": "Poster", "elements": poster},
        {"id": "card zoë", "canvas_width": 640, "canvas_height": 400, "title": "Für Zoë", "elements": card},
        {"id": "banner", "canvas_width": 728, "canvas_height": 90, "elements": banner},
        {"id": "Banner", "canvas_width": 160, "canvas_height": 600, "format": "Skyscraper", "elements": banner[:1]},
        {"id": "crowd", "canvas_width": "1080", "canvas_height": "1080", "elements": crowd},
        {"id": "empty", "canvas_width": 300, "canvas_height": 300, "elements": []},
        transposed({"id": "columns", "canvas_width": 2000, "canvas_height": 1000, "elements": poster}),
    ]


def transposed(design: dict[str, Any]) -> dict[str, Any]:
    """A design as published: a list for each field of its elements."""
    elements = design["elements"]
    fields = dict.fromkeys(name for one in elements for name in one)
    lists = {name: [one.get(name) for one in elements] for name in fields}
    return {**{k: v for k, v in design.items() if k != "elements"}, **lists, "length": len(elements)}


def _modify(element_id: str, kind: str, value: Any) -> list[Any]:
    names = {"object_id_to_modify": element_id, "modification": value, "type_of_modification": kind}
    return ["MODIFY", names]


REQUESTS: list[tuple[str, str, list[list[Any]]]] = [
    ("5f2-poster", "move the headline down", [["MOVE", {"object_id": "text_1", "position_diff": ["DOWN", 8]}]]),
    ("5f2-poster", "delete the red line", [["DELETE", {"object_id": "line_1"}]]),
    ("5f2-poster", "call it Winter market", [_modify("text_1", "text", "Winter market")]),
    ("5f2-poster", "swap the pictures", [
        ["MOVE", {"object_id": "image_1", "new_position": [373, 288]}],
        ["MOVE", {"object_id": "image_2", "new_position": [68, 288]}],
    ]),
    ("5f2-poster", "part the two lines", [["SPLIT", {"object_id": "text_2"}]]),
    ("5f2-poster", "merge place and time", [["MERGE", {"object_ids": ["text_2", "text_3"]}]]),
    ("card zoë", "add a star", [["ADD", {"object_type": "shape", "object_description": "yellow star"}]]),
    ("card zoë", "make the list bold", [_modify("list_1", "bold", True)]),
    ("banner", "copy the square", [["COPY", {"object_id": "shape_1", "position": [0, 0]}]]),
    ("crowd", "replace the first one by a hexagon", [["REPLACE", {
        "object_id_to_replace": "shape_1", "type_of_object_replaced": "shape",
        "new_object_type": "shape", "new_object_content": "hexagon",
    }]]),
    ("empty", "write hello", [["ADD", {"object_type": "text", "object_description": "hello"}]]),
    ("columns", "no pictures", [["DELETE", {"object_id": "image_1"}], ["DELETE", {"object_id": "image_2"}]]),
]  # fmt: skip
"""Design, request and calls."""


def write_crello(root: Path) -> Path:
    """Write the designs into three files, a picture and the requests."""
    (root / "pictures").mkdir(parents=True)
    Image.new("RGB", (40, 30), (220, 20, 20)).save(root / "pictures" / "red.png")
    designs = _designs()
    (root / "a.json").write_text(json.dumps(designs[0], indent=1), encoding="utf-8-sig")
    (root / "b.json").write_text(json.dumps(designs[1:3], ensure_ascii=False), encoding="utf-8")
    write_rows(root / "c.jsonl", designs[3:])
    rows = [{"id": f"q{i}", "document": d, "request": r, "calls": c} for i, (d, r, c) in enumerate(REQUESTS)]
    write_rows(root / "requests.jsonl", rows)
    return root


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write an object a line, with a blank line at the end."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join([*lines, "", ""]), encoding="utf-8")
