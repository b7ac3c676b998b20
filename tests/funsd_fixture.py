"""A tiny data set in the layout of FUNSD, drawn here: two pages a split, answers on underlines and in a ruled table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from formgym.envs.core.text_sprites import TYPED_FACE, font

SIZE = (700, 1000)
"""Width and height of a page."""
PAPER = 240
RULES = {"underline": (200, 152, 620, 154), "table": (80, 330, 620, 332), "column": (300, 300, 302, 390)}
"""Left, top, right, bottom of a rule below the first answer, and of two that bound the answer in the table."""

_FACE = font(TYPED_FACE, 16)


def write_fixture(root: Path, splits: tuple[str, ...] = ("training_data", "testing_data")) -> Path:
    """Write the data set to ``root`` and return it."""
    for number, split in enumerate(splits):
        for folder in ("images", "annotations"):
            (root / split / folder).mkdir(parents=True)
        for page in range(2):
            picture, form = _page(seed=10 * number + page)
            picture.save(root / split / "images" / f"{split}_{page}.png")
            (root / split / "annotations" / f"{split}_{page}.json").write_text(json.dumps({"form": form}))
    return root


def _page(seed: int) -> tuple[Image.Image, list[dict[str, Any]]]:
    picture = Image.new("L", SIZE, PAPER)
    draw = ImageDraw.Draw(picture)
    for left, top, right, bottom in (*RULES.values(), (80, 300, 620, 302), (80, 388, 620, 390), (80, 300, 82, 390)):
        draw.rectangle((left, top, right - 1, bottom - 1), fill=30)
    form = [
        entity(draw, 0, "question", "NAME:", (90, 135)),
        # Its descenders cross the underline.
        entity(draw, 1, "answer", "Peggy Young", (210, 137), [[0, 1]]),
        entity(draw, 2, "question", "DATE:", (90, 200)),
        entity(draw, 3, "answer", f"{seed + 1}/12/1993", (210, 200)),
        entity(draw, 4, "header", "FILING", (320, 60)),
        entity(draw, 5, "question", "TOTAL", (100, 308)),
        # Touches the rule below and the one to its left.
        entity(draw, 6, "answer", "Jagged  edge", (301, 315), [[5, 6], [7, 6]]),
        entity(draw, 7, "question", "UNITS", (100, 350)),
        entity(draw, 8, "answer", "next line", (306, 350), [[7, 8]]),
        entity(draw, 9, "answer", "not asked", (210, 500)),
        entity(draw, 10, "answer", "", (210, 560), [[7, 10]]),
    ]
    form[2]["linking"] = [[3, 2]]
    noise = np.random.default_rng(seed).normal(0, 2, (SIZE[1], SIZE[0]))
    return Image.fromarray((np.asarray(picture) + noise).clip(0, 255).astype(np.uint8)), form


def entity(
    draw: ImageDraw.ImageDraw,
    number: int,
    label: str,
    text: str,
    place: tuple[int, int],
    linking: Any = (),
    face: Any = _FACE,
) -> dict[str, Any]:
    """Draw a text and describe it as FUNSD does."""
    left = place[0]
    words: list[str] = text.split()
    boxes: list[list[int]] = []
    for word in words:
        draw.text((left, place[1]), word, fill=20, font=face)
        boxes.append([round(edge) for edge in draw.textbbox((left, place[1]), word, font=face)])
        left = boxes[-1][2] + 5
    lefts, tops, rights, bottoms = zip(*boxes or [[*place, place[0] + 40, place[1] + 12]], strict=True)
    return {
        "id": number,
        "text": text,
        "box": [min(lefts), min(tops), max(rights), max(bottoms)],
        "label": label,
        "words": [{"text": word, "box": box} for word, box in zip(words, boxes, strict=True)],
        "linking": list(linking),
    }
