"""What it costs to open a PowerPoint file of ten slides and 4 MB, and to write an edit of it."""

from __future__ import annotations

import io
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ...envs.documents.operations.table import OPERATIONS
from ...envs.documents.pptx.deck_reader import open_deck
from ...envs.documents.pptx.patcher import save_edited
from .timing import Work, repeated

_N_SLIDES, _N_PARAGRAPHS, _N_RUNS = 10, 8, 6
_CELLS = 10, 6
_PICTURE = 1200, 1600
_NAME = "deck.pptx"


def deck_works() -> dict[str, Work]:
    """Opening a deck, and writing an edit of one slide; nothing where python-pptx is not installed."""
    if find_spec("pptx") is None:
        return {}
    return {"open a deck of 10 slides and 4 MB": repeated(_opens), "write an edit of that deck": _writes()}


def _opens() -> int:
    open_deck(made_deck(), _NAME)
    return 1


def _writes() -> Work:
    before = open_deck(made_deck(), _NAME)
    text = next(element.id for element in before.elements() if element.type == "text")
    after = OPERATIONS["MODIFY"](before, text, "Other words", "text")
    folder = tempfile.TemporaryDirectory()

    def run() -> int:
        save_edited(made_deck(), before, after, Path(folder.name) / _NAME)
        return 1

    return repeated(run)


@lru_cache(maxsize=1)
def made_deck() -> bytes:
    """A deck whose slides have a title, a list of many runs, a photograph and a table; about 4 MB."""
    from pptx import Presentation
    from pptx.util import Inches

    deck, rng = Presentation(), np.random.default_rng(0)
    for number in range(_N_SLIDES):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Harbour traffic {number}"
        _write_list(slide.placeholders[1].text_frame)
        slide.shapes.add_picture(_photograph(rng), Inches(5), Inches(1.5), Inches(4), Inches(3))
        _fill(slide.shapes.add_table(*_CELLS, Inches(1), Inches(4.6), Inches(8), Inches(2.5)).table)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def _write_list(frame: Any) -> None:
    for i in range(_N_PARAGRAPHS):
        paragraph = frame.add_paragraph()
        for k in range(_N_RUNS):
            run = paragraph.add_run()
            run.text, run.font.bold = f"words {k} of line {i} ", k % 2 == 0


def _fill(table: Any) -> None:
    for i in range(_CELLS[0]):
        for k in range(_CELLS[1]):
            table.cell(i, k).text = f"cell {i}.{k}"


def _photograph(rng: np.random.Generator) -> io.BytesIO:
    """A JPEG file of smooth colours with noise."""
    height, width = _PICTURE
    coarse = Image.fromarray(rng.integers(0, 255, (height // 8, width // 8, 3), np.uint8))
    smooth = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC)).astype(np.int16)
    noisy = np.clip(smooth + rng.integers(-6, 6, smooth.shape), 0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(noisy).save(file, "JPEG", quality=80)
    file.seek(0)
    return file
