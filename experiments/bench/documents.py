"""What an edit of a document costs, against a memcpy of the page and a page redrawn by Pillow."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from ...envs.documents.env import DocumentEnv, make_batch
from ...envs.documents.scene.document import Document, shipped_document, shipped_documents
from ...envs.documents.state import DocumentState, Snapshot
from .decks import deck_works
from .pillow_page import pillow_page
from .timing import MEMCPY, Work, batches, measured, memcpy, print_rows, repeated, resets, steps

_SIZE = (960, 720)
_N_BATCH, _BATCHED = 16, "bakery_menu"
REDRAWN = "step, everything redrawn (Pillow)"
IN_PLACE = "step, an edit seen before, in place"


def run_document_benchmark(rounds: int) -> dict[str, Any]:
    """Measure and print a table; the metrics by row, and how much cheaper than Pillow each step is."""
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
        **deck_works(),
    }


def _documents() -> tuple[str, ...]:
    """The documents of one size, which is the most frequent."""
    pages = {name: shipped_document(name).pages[0] for name in shipped_documents()}
    return tuple(name for name, page in pages.items() if (page.height, page.width) == _SIZE)


def _script(env: DocumentEnv, task: str) -> list[dict[str, Any]]:
    """The gold edit of a task, and its operations taken back."""
    env.reset(options={"task": task})
    calls = [call for call in env.state.solution()[:-1] if call["tool"] != "show_page"]
    return [env.action_space.from_call(call) for call in [*calls, *[{"tool": "undo"}] * len(calls)]]


def _edits(copy: bool) -> Work:
    """Edits of one document after the other; between them, uncounted in number but not in time, no reset."""
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

    def run() -> int:
        number = next(numbers)
        modification = f"Doors open, {number:,} seats"
        call = {"tool": "modify", "object_id": texts[number % len(texts)], "modification": modification}
        env.step(env.action_space.from_call({**call, "type_of_modification": "text"}))
        state.history = [Snapshot(state.document)]
        return 1

    return repeated(run)


def _batch_steps() -> Work:
    # All of one document, so that a script fits whatever task is drawn.
    vector = make_batch(_N_BATCH, documents=_BATCHED)
    vector.reset(seed=0)
    env = DocumentEnv(_BATCHED)
    scripts = [_script(env, task) for task in env.task_ids[:_N_BATCH]]
    return steps([(vector, batch) for batch in batches(vector.single_action_space, scripts)], _N_BATCH)


def _redrawn() -> Work:
    """The usual way: every element of the page drawn by Pillow after each edit."""
    pages: Iterator[Document] = itertools.cycle([shipped_document(name) for name in _documents()])

    def run() -> int:
        np.array(pillow_page(next(pages).pages[0]))
        return 1

    return repeated(run)


def _resets() -> Work:
    env = DocumentEnv(_documents(), copy=False)
    return resets(env, env.task_ids[::5])
