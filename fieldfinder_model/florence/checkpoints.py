"""What a fine-tuning leaves in its folder, written so that a process may be killed at any moment.

``best/`` is the model with the lowest validation loss, ``state.pt`` what a resumed run goes on from, ``history.jsonl``
(see ``history``) a row for each validation. Each is written beside its place and then moved there.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ..examples import ExamplePage
from .loading import Florence
from .recipe import Recipe

BEST, STATE = "best", "state.pt"


def identity(model_path: Path, train: Sequence[ExamplePage], valid: Sequence[ExamplePage], recipe: Recipe) -> str:
    """A digest of all that decides what a run comes to, but for the weights that it begins with.

    Of those only the shape is told. Workers are left out, for the result does not depend on them.
    """
    digest = hashlib.sha256(recipe.model_dump_json(exclude={"workers"}).encode())
    digest.update((model_path / "config.json").read_bytes())
    for pages in (train, valid):
        for page in pages:
            told = (page.name, page.gray.shape, [(example.target, example.box) for example in page.examples])
            digest.update(repr(told).encode())
            digest.update(page.gray.tobytes())
        digest.update(b"|")
    return digest.hexdigest()


def save_state(out: Path, state: dict[str, Any]) -> None:
    """Write what a resumed run needs."""
    unfinished = out / f"{STATE}.part"
    torch.save(state, unfinished)
    unfinished.replace(out / STATE)


def load_state(out: Path, run: str) -> dict[str, Any] | None:
    """What ``save_state`` wrote; ``None`` if nothing was.

    Args:
        out: the folder of the run.
        run: its ``identity``.

    Raises:
        ValueError: if the folder holds another run.
    """
    if not (out / STATE).is_file():
        return None
    state: dict[str, Any] = torch.load(out / STATE, map_location="cpu", weights_only=True)
    if state["run"] != run:
        raise ValueError(f"{out} holds a run with another recipe, model or pages: choose another folder, or remove it")
    return state


def save_best(out: Path, florence: Florence) -> None:
    """Write a model and its processor, as ``load_florence`` reads them, in the place of the best one before."""
    new, old = out / f"{BEST}.part", out / f"{BEST}.old"
    for left_over in (new, old):
        shutil.rmtree(left_over, ignore_errors=True)
    florence.model.save_pretrained(new)
    florence.processor.save_pretrained(new)
    if (out / BEST).exists():
        (out / BEST).rename(old)
    new.rename(out / BEST)
    shutil.rmtree(old, ignore_errors=True)
