"""Train the network by the recipe of the shipped weights; publish it with a card."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from ...assets import INDEX
from ..network.model import FieldFinderNetwork, blank_loss, export, place_loss
from ..network.runtime import BACKBONE, HEAD
from .batches import Batch, NoTargets, Sample, batch_of, windows_of

MIN_STEPS = 20
_RISE = 0.1
"""The share of the steps in which the learning rate rises."""
_TRIES = 100
_NORMALISED = 60
"""How many batches to compute the batch normalisation of the averaged weights from."""


@dataclass(frozen=True)
class NetworkRecipe:
    """Hyperparameters of training the network.

    Attributes:
        steps: the number of batches.
        pages: the number of pages in a batch.
        looks: the maximum number of labels of a page to train on.
        rate: the highest learning rate of AdamW (one cycle, cosine).
        decay: weight decay.
        average: the decay of the moving average of the weights, which is the result.
        seed: of weights and batches.
    """

    steps: int = 4_200
    pages: int = 4
    looks: int = 14
    rate: float = 2e-3
    decay: float = 1e-2
    average: float = 0.999
    seed: int = 0


def train(
    samples: Sequence[Sample],
    out: Path,
    recipe: NetworkRecipe | None = None,
    start: Path | None = None,
    report: Callable[[dict[str, Any]], None] | None = None,
) -> FieldFinderNetwork:
    """Train the network.

    Args:
        samples: pages, drawn by the recipe's seed.
        out: the file for the weights, written every 500 steps and at the end.
        recipe: the hyperparameters; ``None``: the defaults.
        start: the file of the initial weights; ``None``: random ones.
        report: called with the losses every 100 steps and at the end.

    Returns:
        The network with averaged weights, on the CPU, in evaluation mode.

    Raises:
        ValueError: if there are no samples, none with a target, or hardly any steps.
    """
    recipe = recipe or NetworkRecipe()
    if not samples or recipe.steps < MIN_STEPS:
        raise ValueError(f"there are no pages to train on, or fewer than {MIN_STEPS} steps: {recipe.steps}")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(recipe.seed)
    rng = np.random.default_rng(recipe.seed)
    network = _initial(start).to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    averaged = _averaged(network, recipe)
    optimizer = torch.optim.AdamW(network.parameters(), recipe.rate, weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, recipe.steps, pct_start=_RISE)
    began, losses = time.monotonic(), []
    for step in range(1, recipe.steps + 1):
        losses.append(_step(network, _draw_batch(samples, recipe, rng), optimizer, device))
        schedule.step()
        averaged.update_parameters(network)
        if report is not None and (step % 100 == 0 or step == recipe.steps):
            report({"step": step, "seconds": round(time.monotonic() - began)} | _means(losses[-100:]))
        if step % 500 == 0:
            _save(averaged.module, out, recipe)
    trained = averaged.module
    assert isinstance(trained, FieldFinderNetwork)
    normalise(trained, (_draw_batch(samples, recipe, rng) for _ in range(_NORMALISED)))
    _save(trained, out, recipe)
    return trained.cpu().eval()


def normalise(network: FieldFinderNetwork, batches: Iterable[Batch]) -> None:
    """Recompute the statistics of batch normalisation, which averaging makes wrong.

    Args:
        network: changed in place.
        batches: what they are computed from.
    """
    layers = [layer for layer in network.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
    for layer in layers:
        layer.reset_running_stats()
        # The plain mean of all batches.
        layer.momentum = None
    network.train()
    device = next(network.parameters()).device
    with torch.no_grad():
        for batch in batches:
            _forward(network, batch, device)
    for layer in layers:
        layer.momentum = 0.1


def _initial(start: Path | None) -> FieldFinderNetwork:
    network = FieldFinderNetwork()
    if start is not None:
        network.load_state_dict(torch.load(start, weights_only=True))
    return network


def _averaged(network: FieldFinderNetwork, recipe: NetworkRecipe) -> AveragedModel:
    averaging = get_ema_multi_avg_fn(recipe.average)  # type: ignore[no-untyped-call]
    return AveragedModel(network, multi_avg_fn=averaging, use_buffers=True)


def _draw_batch(samples: Sequence[Sample], recipe: NetworkRecipe, rng: np.random.Generator) -> Batch:
    """A batch of pages drawn at random."""
    for _ in range(_TRIES):
        with suppress(NoTargets):
            return batch_of([samples[i] for i in rng.integers(len(samples), size=recipe.pages)], recipe.looks, rng)
    raise ValueError(f"of {_TRIES} batches none had a target: the pages are too large for its windows")


def _step(
    network: FieldFinderNetwork, batch: Batch, optimizer: torch.optim.Optimizer, device: torch.device
) -> dict[str, float]:
    network.train()
    heat, sides, nowhere, blanks = _forward(network, batch, device)
    placing, fit = place_loss(
        heat.float(), sides.float(), nowhere.float(), batch.boxes.to(device), batch.there.to(device)
    )
    blank = blank_loss(blanks.float(), batch.blanks.to(device))
    total: Tensor = placing + 2 * fit + 2 * blank
    optimizer.zero_grad(set_to_none=True)
    total.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimizer.step()
    return {"place": placing.item(), "fit": fit.item(), "blank": blank.item()}


def _forward(network: FieldFinderNetwork, batch: Batch, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The network's output for the windows of a batch, and for its pages' blank space."""
    halved = device.type == "cpu" or torch.cuda.is_bf16_supported()
    with torch.autocast(device.type, torch.bfloat16, enabled=halved):
        features = network.backbone(batch.pages.to(device, memory_format=torch.channels_last))
        windows = windows_of(features, batch.windows).contiguous(memory_format=torch.channels_last)
        output = network.head(windows, batch.planes.to(device), batch.ids.to(device))
        return *output, network.backbone.blank(features)


def _means(losses: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: round(math.fsum(loss[name] for loss in losses) / len(losses), 4) for name in losses[0]}


def _save(network: torch.nn.Module, out: Path, recipe: NetworkRecipe) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_suffix(".partial")
    torch.save(network.state_dict(), partial)
    partial.replace(out)
    out.with_suffix(".json").write_text(json.dumps(asdict(recipe), indent=1) + "\n", encoding="utf-8")


CARD = "card.json"
_OURS, _THEIRS = "MIT", "as the data allow that it was trained on, and the weights that it began with"


def publish(
    network: FieldFinderNetwork,
    folder: Path,
    recipe: NetworkRecipe,
    pages: int,
    seed: int,
    data: Sequence[str] = (),
    start: Path | None = None,
) -> None:
    """Write a network as ONNX, with a model card.

    Args:
        network: in evaluation mode, on the CPU.
        folder: to write to; made if it does not exist.
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
    """A hash of the vocabulary of made pages, from the hashes of its files."""
    files = json.loads(INDEX.read_text(encoding="utf-8"))["files"]
    own = {name: entry["sha256"] for name, entry in sorted(files.items()) if name.startswith("fieldfinder/vocabulary/")}
    return hashlib.sha256(json.dumps(own).encode()).hexdigest()
