"""A tiny data set in the layout of XFUND, drawn here, French and Chinese, two pages a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from funsd_fixture import entity
from PIL import Image, ImageDraw

from formgym.envs.core.text_sprites import TYPED_FACE, font

SIZE = (1654, 2339)
"""Width and height of a page: A4 at 200 dpi."""
TEXTS = {
    "fr": ("Prénom :", "Zoé Çelik", "Montant", ("12,50", "8,00", "31,75"), "Écrivez à l’encre"),
    "zh": ("姓名：", "夏艳辰", "金额", ("三百元", "五十元", "七元"), "请用墨水填写"),
}
FILES = ("fr.val", "fr.train", "zh.val")

_FACE = font(TYPED_FACE, 34)


def write_fixture(root: Path, files: tuple[str, ...] = FILES) -> Path:
    """Write the data set to ``root`` and return it."""
    for file in files:
        (root / file).mkdir(parents=True)
        documents = [_document(root / file, *file.split("."), number) for number in range(2)]
        content = {"lang": file[:2], "version": "0.1", "split": file[3:], "documents": documents}
        (root / f"{file}.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return root


def _document(folder: Path, language: str, split: str, number: int) -> dict[str, Any]:
    picture = Image.new("L", SIZE, 246)
    draw = ImageDraw.Draw(picture)
    name, first, amount, amounts, note = TEXTS[language]
    draw.rectangle((400, 348, 1200, 350), fill=40)
    things = [
        ("question", name, (150, 310), [[0, 1]]),
        ("answer", f"{first} {number}", (420, 310), [[0, 1]]),
        ("question", amount, (150, 600), [[2, 4], [2, 3], [2, 5]]),
        # In another order than they are read.
        ("answer", amounts[1], (150, 780), [[2, 3]]),
        ("answer", amounts[0], (150, 690), [[2, 4]]),
        ("answer", amounts[2], (600, 784), [[2, 5]]),
        ("other", note, (150, 2200), []),
        ("answer", "?", (1000, 2200), []),
    ]
    document = [entity(draw, i, *thing, face=_FACE) for i, thing in enumerate(things)]
    noise = np.random.default_rng(number).normal(0, 2, SIZE[::-1])
    name = f"{language}_{split}_{number}"
    pixels = (np.asarray(picture) + noise).clip(0, 255).astype(np.uint8)
    Image.fromarray(pixels).save(folder / f"{name}.jpg", quality=95)
    img = {"fname": f"{name}.jpg", "width": SIZE[0], "height": SIZE[1]}
    return {"id": name, "uid": name, "document": document, "img": img}
