"""The card of weights: what they are, what they were trained on, and by which recipe."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...assets import INDEX
from ..network.export import export
from ..network.model import Network
from ..network.runtime import BACKBONE, HEAD
from .train import Recipe

CARD = "card.json"
_OURS, _THEIRS = "MIT", "as the data allow that it was trained on, and the weights that it began with"


def publish(
    network: Network,
    folder: Path,
    recipe: Recipe,
    pages: int,
    seed: int,
    data: Sequence[str] = (),
    start: Path | None = None,
) -> None:
    """Write a network as ONNX with its card.

    Args:
        network: in evaluation mode, on the CPU.
        folder: that is written to; made if it is not there.
        recipe: that it was trained by.
        pages: how many made pages it was trained on.
        seed: of the first of them.
        data: the user's own data sets that it was trained on as well.
        start: the weights that it began with; the card beside them becomes a part of this one.
    """
    export(network, folder)
    before = _card_beside(start)
    ours = not data and (start is None or (before or {}).get("licence") == _OURS)
    card = {
        "licence": _OURS if ours else _THEIRS,
        "data": [*(["synthetic"] if pages else []), *data],
        "pages": pages,
        "seed": seed,
        "vocabulary": _vocabulary(),
        "start": _digest(start) if start is not None else None,
        "before": before,
        "recipe": asdict(recipe),
        "weights": sum(parameter.numel() for parameter in network.parameters()),
        "sha256": {name: _digest(folder / name) for name in (BACKBONE, HEAD)},
    }
    (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def _card_beside(start: Path | None) -> dict[str, Any] | None:
    file = start.parent / CARD if start is not None else None
    if file is None or not file.is_file():
        return None
    card: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return card


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _vocabulary() -> str:
    """The version of the made pages' words: the sha256 of the files' own, as the index has them."""
    files = json.loads(INDEX.read_text(encoding="utf-8"))["files"]
    own = {name: entry["sha256"] for name, entry in sorted(files.items()) if name.startswith("fieldfinder/vocabulary/")}
    return hashlib.sha256(json.dumps(own).encode()).hexdigest()
