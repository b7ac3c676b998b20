"""A tiny data set in the layout of the published FormGym, drawn here: two auto loans and a tax form, all blank."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

PAGES = {"al_0_0": ((1224, 1584), 1.0), "al_1_0": ((612, 792), 3.0), "db_0_0": ((800, 1000), 1.0)}
"""The size of each picture, and by how much its slot is larger."""
LOAN = (
    ("Initials", (300, 700, 80, 30)),
    ("LastName", (40, 60, 200, 30)),
    ("FirstName", (260, 62, 200, 30)),
    ("ResidenceStatus_Own", (40, 120, 16, 16)),
    ("ResidenceStatus_Renting", (140, 120, 16, 16)),
    ("ResidenceStatus_Other", (240, 121, 16, 16)),
    ("GrossMonthlyIncome", (40, 160, 200, 30)),
    ("Initials", (40, 702, 80, 30)),
    ("Signature", (40, 750, 240, 26)),
    ("TodaysDate", (300, 750, 120, 26)),
)
TAX = (("db_0_name", (40, 60, 300, 30)), ("db_0_5ac1", (40, 120, 120, 30)), ("db_0_4", (300, 120, 16, 16)))


def write_fixture(root: Path) -> Path:
    """Write the data set to ``root`` and return it."""
    for folder in ("annotations", "pngs"):
        (root / folder).mkdir(parents=True)
    for name, (size, larger) in PAGES.items():
        fields = LOAN if name.startswith("al") else TAX
        _picture(size, fields).save(root / "pngs" / f"{name}.png")
        slot = {"type": "image", "slot_name": "0", "width": round(size[0] * larger), "height": round(size[1] * larger)}
        annotations: list[dict[str, Any]] = [
            {
                "id": f"{name}-{i}",
                "name": field,
                "bounding_box": {k: v * larger for k, v in zip("xywh", box, strict=True)},
            }
            for i, (field, box) in enumerate(fields)
        ]
        annotations.append({"id": f"{name}-tag", "name": "a_tag", "tag": {}})
        content = {"version": "2.0", "item": {"name": f"{name}.png", "slots": [slot]}, "annotations": annotations}
        (root / "annotations" / f"{name}.json").write_text(json.dumps(content))
    return root


def _picture(size: tuple[int, int], fields: tuple[tuple[str, tuple[int, int, int, int]], ...]) -> Image.Image:
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    for _, (x, y, w, h) in fields:
        draw.rectangle((x - 1, y - 1, x + w, y + h), outline=(90, 90, 90))
    return picture
