"""A tiny data set in the layout of Form-NLU, drawn here: three notices, linked in all the ways there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from formgym.envs.core.text_sprites import TYPED_FACE, font

SIZES = ((596, 842), (612, 792), (595, 842))
"""Width and height of each page."""
CATEGORIES = ("Title", "Section", "Other", "Form_key", "Form_value", "Table_key", "Table_value")
SPLITS = ("val", "train", "printed")
KEYS = ("To Company Name/Scheme", "ACN/ARSN", "Name", "Class of securities", "Person’s votes", "Person’s votes")
VALUES = ("QUARRY HILL  LIMITED", "ACN 012 345 678", "Harriet Moss", "ORD", "1,204,331", "1,507,002")
_SHIFT = 6048
"""By how much the published relations differ from the ids of keys; for values it is 24 more."""

_FACE = font(TYPED_FACE, 9)


def write_fixture(root: Path, splits: tuple[str, ...] = SPLITS) -> Path:
    """Write the data set to ``root`` and return it."""
    (root / "images").mkdir(parents=True)
    for place, split in enumerate(splits):
        pages = [_page(root, split, 10 * place + number, number) for number in range(3)]
        content = {
            "annotations": [thing for _, things in pages for thing in things],
            "categories": [{"id": i + 1, "name": name, "supercategory": ""} for i, name in enumerate(CATEGORIES)],
            "images": [image for image, _ in pages],
        }
        (root / f"{split}.json").write_text(json.dumps(content))
    return root


def _page(root: Path, split: str, image: int, number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The last page has a key without a value, and relations that are plain ids."""
    picture = Image.new("RGB", SIZES[number], "white")
    draw = ImageDraw.Draw(picture)
    first = 1000 * (image + 1)
    things = [_thing(draw, first, 1, "Form 604", (250, 40)), _thing(draw, first + 1, 3, "Present notice", (300, 400))]
    keys = [_thing(draw, first + 10 + i, 4 + 2 * (i > 2), key, _place(i, 0)) for i, key in enumerate(KEYS)]
    # Values come in another order than keys.
    order = (5, 4, 3, 0, 1, 2)
    values = [_thing(draw, first + 40 + n, 5 + 2 * (i > 2), VALUES[i], _place(i, 1)) for n, i in enumerate(order)]
    if number == 2:
        del values[order.index(1)]
    for value, i in zip(values, [i for i in order if number < 2 or i != 1], strict=True):
        value["relation"] = keys[i]["id"] + (_SHIFT if number < 2 else 0)
        keys[i]["relation"] = value["id"] + (_SHIFT + 24 if number < 2 else 0)
    name = f"00{first}_page-{split}-{number}.png"
    picture.save(root / "images" / name)
    for thing in (*things, *keys, *values):
        thing["image_id"] = image
    size = {"width": SIZES[number][0], "height": SIZES[number][1]}
    return {"id": image, "file_name": name, **size}, [*things, *keys, *values]


def _place(field: int, column: int) -> tuple[int, int]:
    """Of a key (0) or a value (1): three lines, and a table of three columns."""
    if field < 3:
        return 80 + 160 * column, 200 + 30 * field
    return 80 + 140 * (field - 3), 420 + 14 * column


def _thing(draw: ImageDraw.ImageDraw, number: int, category: int, text: str, place: tuple[int, int]) -> dict[str, Any]:
    draw.text(place, text, fill="black", font=_FACE)
    left, top, right, bottom = draw.textbbox(place, text, font=_FACE)
    return {
        "id": number,
        "category_id": category,
        "bbox": [float(left), float(top), float(right - left), float(bottom - top)],
        "text": text,
        "iscrowd": False,
    }
