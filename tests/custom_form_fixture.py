"""A form of one's own of two pages, with tasks of every kind, without a PDF."""

import json
from pathlib import Path

from PIL import Image, ImageDraw

FIELDS = [
    {"name": "name", "label": "Full name", "matcher": "name", "box": [40, 60, 360, 90], "source_name": "member.name"},
    {"name": "born", "label": "Born", "matcher": "date", "box": [40, 120, 200, 150], "max_length": 10},
    {"name": "plan_one", "label": "Plan: one", "matcher": "checkbox", "box": [40, 200, 60, 220],
     "source_name": "plan", "group": "plan", "on_value": "A"},
    {"name": "plan_all", "label": "Plan: all", "matcher": "checkbox", "box": [140, 200, 160, 220],
     "source_name": "plan", "group": "plan", "on_value": "B"},
    {"name": "code", "label": "Code", "matcher": "identifier", "box": [40, 260, 240, 290], "comb": 8},
    {"name": "country", "label": "Country", "matcher": "choice", "box": [40, 320, 240, 350],
     "choices": ["France", "Spain"]},
    {"name": "again", "label": "Full name", "matcher": "name", "box": [40, 40, 300, 70], "page": 2,
     "source_name": "member.name"},
    {"name": "remarks", "label": "Remarks", "matcher": "text", "box": [40, 100, 300, 200], "page": 2},
    {"name": "fee", "label": "Fee", "matcher": "money", "box": [40, 220, 200, 250], "page": 2},
    {"name": "signature", "label": "Signature", "matcher": "signature", "box": [40, 280, 300, 320], "page": 2},
]  # fmt: skip
SIZES = ((400, 480), (340, 420))
GOLD = {
    "tasks": {
        "ann": {
            "source": "Ann Lee, born on 3 May 1980, takes all plans. Her code is AB12CD34. She lives in Spain.",
            "answers": {
                "member.name": "Ann Lee", "born": "05/03/1980", "plan": "all", "code": "AB12CD34", "country": "Spain",
                "signature": "Ann Lee",
            },
        },
        "bob": {
            "source": {"file": "bob.txt"},
            "pictures": ["page_2.png", "page_1.png"],
            "tables": {"fees": "fees.csv"},
            "answers": {"name": "Bob Ray", "again": "Bob Ray", "plan_one": True, "plan_all": False, "fee": 12.5,
                        "remarks": {"value": "none", "matcher": "choice"}, "born": None},
        },
    }
}  # fmt: skip


def write_form(folder: Path) -> Path:
    """Write the form into a new folder; where it is."""
    folder.mkdir(parents=True)
    for number, size in enumerate(SIZES, start=1):
        picture = Image.new("RGB", size, "white")
        for field in (field for field in FIELDS if field.get("page", 1) == number):
            ImageDraw.Draw(picture).rectangle(field["box"], outline="black")
        picture.save(folder / f"page_{number}.png")
    pages = [{"image": f"page_{n}.png", "width": w, "height": h} for n, (w, h) in enumerate(SIZES, start=1)]
    form = {
        "title": "Membership", "description": "", "width": 400, "height": 480, "pages": pages, "vocabulary": "gold",
        "fields": FIELDS, "source_sha256": "", "browser": "Pillow",
    }  # fmt: skip
    (folder / "form.json").write_text(json.dumps(form))
    (folder / "gold.json").write_text(json.dumps(GOLD))
    (folder / "bob.txt").write_text("Bob Ray takes plan one. He has no remarks: write none.")
    (folder / "fees.csv").write_text("plan,fee\none,12.50\nall,\n")
    return folder
