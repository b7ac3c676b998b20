"""Time edits of documents and slide decks against memcpy and Pillow."""

from __future__ import annotations

import io
import itertools
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
from PIL import Image
from pillow_page import pillow_page
from timing import MEMCPY, Work, batches, measured, memcpy, print_rows, repeated, resets, steps

from formgym.envs.core.vector import BatchVectorEnv
from formgym.envs.documents.env import DocumentEnv
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.pptx.deck_reader import open_deck
from formgym.envs.documents.pptx.patcher import save_edited
from formgym.envs.documents.programs.program import run_program
from formgym.envs.documents.scene.document import Document
from formgym.envs.documents.shipped import shipped_document, shipped_documents
from formgym.envs.documents.state import DocumentState

_SIZE = (960, 720)
_N_BATCH, _BATCHED = 16, "bakery_menu"
_N_SLIDES, _N_PARAGRAPHS, _N_RUNS = 10, 8, 6
_CELLS = 10, 6
_NAME = "deck.pptx"
_PROGRAM = """
def main(document):
    texts = [one for one in document.elements if one.type == "text" and one.text]
    MOVE(texts[-1], position_diff=(UP, 4))
"""
REDRAWN = "step, everything redrawn (Pillow)"
IN_PLACE = "step, an edit seen before, in place"


def run_document_benchmark(rounds: int) -> dict[str, Any]:
    """Measure and print a table; the timings by row."""
    rows = measured(_works(), rounds, "documents")
    for row in rows.values():
        row["cheaper_than_pillow"] = rows[REDRAWN]["ratio_to_memcpy"] / row["ratio_to_memcpy"]
    print_rows(f"documents of {_SIZE[1]} x {_SIZE[0]}, median of {rounds} rounds, thread CPU time", rows)
    return {"page": [*_SIZE, 3], "documents": list(_documents()), "candidates": rows}


def _works() -> dict[str, Work]:
    return {
        MEMCPY: memcpy((*_SIZE, 3)),
        IN_PLACE: _edits(copy=False),
        "step, an edit seen before, own copy": _edits(copy=True),
        "step, an edit that nobody has drawn, in place": _new_steps(),
        f"step, BatchVectorEnv, N = {_N_BATCH}, per environment": _batch_steps(),
        REDRAWN: _redrawn(),
        "reset, in place": _resets(),
        "program that reads every element": _programs(),
        **_deck_works(),
    }


def _documents() -> tuple[str, ...]:
    """The documents of the most frequent size."""
    pages = {name: shipped_document(name).pages[0] for name in shipped_documents()}
    return tuple(name for name, page in pages.items() if (page.height, page.width) == _SIZE)


def _script(env: DocumentEnv, task: str) -> list[dict[str, Any]]:
    """The gold edit of a task, and the inverse of its operations."""
    env.reset(options={"task": task})
    calls = [call for call in env.state.solution()[:-1] if call["tool"] != "show_page"]
    return [env.action_space.from_call(call) for call in [*calls, *[{"tool": "undo"}] * len(calls)]]


def _edits(copy: bool) -> Work:
    """Edits of one document after the other, without resets between them."""
    envs = [DocumentEnv(name, copy=copy) for name in _documents()]
    # A script is undone in the end, so that it can be played on whatever task is open.
    scripts = [(env, _script(env, env.task_ids[i])) for i in range(6) for env in envs]
    return steps([(env, action) for env, script in scripts for action in script])


def _new_steps() -> Work:
    """Texts that are all different, so that no cache holds their pictures."""
    env = DocumentEnv("concert_poster", copy=False)
    env.reset(seed=0)
    state = cast(DocumentState, env.state)
    numbers = itertools.count()
    texts = [element.id for element in state.document.elements() if element.type == "text"]

    def run() -> None:
        number = next(numbers)
        modification = f"Doors open, {number:,} seats"
        call = {"tool": "modify", "object_id": texts[number % len(texts)], "modification": modification}
        env.step(env.action_space.from_call({**call, "type_of_modification": "text"}))
        del state.history[:-1]
        state.history[0].operations = ()

    return repeated(run)


def _batch_steps() -> Work:
    # All of one document, so that a script fits whatever task is drawn.
    vector = BatchVectorEnv(DocumentEnv, _N_BATCH, documents=_BATCHED)
    vector.reset(seed=0)
    env = DocumentEnv(_BATCHED)
    tasks = itertools.islice(itertools.cycle(env.task_ids), _N_BATCH)
    scripts = [_script(env, task) for task in tasks]
    return steps([(vector, batch) for batch in batches(vector.single_action_space, scripts)], _N_BATCH)


def _redrawn() -> Work:
    """The usual way: every element of the page drawn by Pillow after each edit."""
    pages: Iterator[Document] = itertools.cycle([shipped_document(name) for name in _documents()])
    return repeated(lambda: np.array(pillow_page(next(pages).pages[0])))


def _resets() -> Work:
    env = DocumentEnv(_documents(), copy=False)
    return resets(env, env.task_ids[::5])


def _programs() -> Work:
    documents = itertools.cycle([shipped_document(name) for name in ("invoice", "conference_slides")])
    return repeated(lambda: run_program(next(documents), _PROGRAM))


def _deck_works() -> dict[str, Work]:
    """Opening a deck and writing an edit of it; nothing without python-pptx."""
    if find_spec("pptx") is None:
        return {}
    return {
        "open a deck of 10 slides and 4 MB": repeated(lambda: open_deck(_deck(), _NAME)),
        "write an edit of that deck": _writes(),
    }


def _writes() -> Work:
    before = open_deck(_deck(), _NAME)
    text = next(element.id for element in before.elements() if element.type == "text")
    after = OPERATIONS["MODIFY"](before, text, "Other words", "text")
    folder = tempfile.TemporaryDirectory()
    return repeated(lambda: save_edited(_deck(), before, after, Path(folder.name) / _NAME))


@lru_cache(maxsize=1)
def _deck() -> bytes:
    """A deck of slides with a title, a list, a photograph and a table; about 4 MB."""
    from pptx import Presentation
    from pptx.util import Inches

    deck, rng = Presentation(), np.random.default_rng(0)
    for number in range(_N_SLIDES):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Harbour traffic {number}"
        for i in range(_N_PARAGRAPHS):
            paragraph = slide.placeholders[1].text_frame.add_paragraph()
            for k in range(_N_RUNS):
                run = paragraph.add_run()
                run.text, run.font.bold = f"words {k} of line {i} ", k % 2 == 0
        coarse = Image.fromarray(rng.integers(0, 255, (150, 200, 3), np.uint8))
        noise = Image.fromarray(rng.integers(0, 255, (1200, 1600, 3), np.uint8))
        photograph = io.BytesIO()
        Image.blend(coarse.resize(noise.size, Image.Resampling.BICUBIC), noise, 0.05).save(
            photograph, "JPEG", quality=80
        )
        slide.shapes.add_picture(photograph, Inches(5), Inches(1.5), Inches(4), Inches(3))
        table = slide.shapes.add_table(*_CELLS, Inches(1), Inches(4.6), Inches(8), Inches(2.5)).table
        for i, k in itertools.product(*map(range, _CELLS)):
            table.cell(i, k).text = f"cell {i}.{k}"
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()
