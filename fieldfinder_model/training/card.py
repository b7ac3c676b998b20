"""The card of weights: what they are, what they were trained on, and by which recipe."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

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
        start: the weights that it began with.
    """
    export(network, folder)
    card = {
        "licence": _THEIRS if data or start is not None else _OURS,
        "data": [*(["synthetic"] if pages else []), *data],
        "pages": pages,
        "seed": seed,
        "vocabulary": _vocabulary(),
        "start": _digest(start) if start is not None else None,
        "recipe": asdict(recipe),
        "weights": sum(parameter.numel() for parameter in network.parameters()),
        "sha256": {name: _digest(folder / name) for name in (BACKBONE, HEAD)},
    }
    (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _vocabulary() -> str:
    """The version of the made pages' words: the sha256 of the files' own, as the index has them."""
    files = json.loads(INDEX.read_text(encoding="utf-8"))["files"]
    own = {name: entry["sha256"] for name, entry in sorted(files.items()) if name.startswith("fieldfinder/vocabulary/")}
    return hashlib.sha256(json.dumps(own).encode()).hexdigest()
