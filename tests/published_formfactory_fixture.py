"""A checkout in the layout of the published FormFactory: 10 of its 25 forms with every oddity, made here.

``published_formfactory/checkout`` holds the app, its templates and an evaluator; gold, texts and pictures are made from
a seed. ``published_formfactory/truth.json`` holds for each form the name of the control that each gold key belongs to
(null: none) and, as [instance from 1, key], the values that its control does not take: no option, no number, no date,
too many items or too long. A date in any format, a number with "$" and ",", and the name of a file can be entered; an
option goes by its text or its value, in any case; "" leaves a control as it is.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from published_formfactory_records import RECIPES, records, source_text

FOLDER = Path(__file__).with_name("published_formfactory")
TRUTH = FOLDER / "truth.json"
PICTURES = {"E12": ("E12", 0, 5), "B12_1": ("B12", 0, 10), "B12_2": ("B12", 10, 19)}
"""Screenshots of a form's filled first instance, and which of its keys they show."""


def write_checkout(folder: Path, *, stylesheet: bool = True) -> None:
    """Write the checkout to ``folder``, without the stylesheet that its pages link if so wished."""
    shutil.copytree(FOLDER / "checkout", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    if not stylesheet:
        shutil.rmtree(folder / "static")
    for name in ("submission", "data/data1", "data/data2", *(f"data/labeled-images/{p[0]}" for p in PICTURES)):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for form_id, form in RECIPES.items():
        gold = records(form_id)
        text = json.dumps(gold, indent=2, ensure_ascii=False)
        (folder / "data" / "data1" / f"{form['file']}.json").write_text(text, encoding="utf-8")
        (folder / "data" / "data2" / f"{form['file']}.txt").write_text(source_text(form_id, gold), encoding="utf-8")
    for name, (form_id, first, last) in PICTURES.items():
        values = list(records(form_id)[0].items())[first:last]
        _draw(folder / "data" / "labeled-images" / name[0] / name, [(key, str(value)) for key, value in values])


def _draw(stem: Path, values: list[tuple[str, str]]) -> None:
    """A picture of filled fields, and a file with their boxes under the labels that are seen."""
    image = Image.new("RGB", (2850, 160 * len(values) + 120), "white")
    draw, face, lines = ImageDraw.Draw(image), ImageFont.load_default(34), []
    for row, (key, value) in enumerate(values):
        label, box = key.replace("E-mail", "Email Address"), (150, 160 * row + 100, 2700, 160 * row + 170)
        draw.text((150, box[1] - 50), label, "black", face)
        draw.rectangle(box, outline="#ced4da", width=3)
        draw.text((170, box[1] + 14), value, "#495057", face)
        lines.append(f"[{stem.name}][{label}][{','.join(map(str, box))}]\n")
    image.save(stem.with_suffix(".png"))
    stem.with_suffix(".txt").write_text("".join(lines), encoding="utf-8")
