"""Weights as ONNX, so that they run without torch."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import torch

from .geometry import DEEPEST, PLANES, WINDOW
from .model import FEATURES, Network
from .picture import CHANNELS
from .runtime import BACKBONE, HEAD
from .text import MOST

_OPSET = 17


def export(network: Network, folder: Path) -> None:
    """Write a network as two ONNX files.

    Args:
        network: in evaluation mode, on the CPU.
        folder: that they are written to; made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = torch.zeros(1, CHANNELS, 8 * DEEPEST, 8 * DEEPEST)
    window = torch.zeros(2, FEATURES, *WINDOW)
    planes, ids = torch.zeros(2, PLANES, *WINDOW), torch.ones(2, MOST, dtype=torch.int64)
    sides = {2: "height", 3: "width"}
    with contextlib.redirect_stdout(io.StringIO()):
        torch.onnx.export(
            network.backbone, (page,), str(folder / BACKBONE), input_names=["page"], output_names=["features"],
            dynamic_axes={"page": sides, "features": sides}, opset_version=_OPSET, dynamo=False,
        )  # fmt: skip
        torch.onnx.export(
            network.head, (window, planes, ids), str(folder / HEAD), input_names=["features", "planes", "ids"],
            output_names=["heat", "sides", "nowhere"], opset_version=_OPSET, dynamo=False,
            dynamic_axes={name: {0: "labels"} for name in ("features", "planes", "ids", "heat", "sides", "nowhere")},
        )  # fmt: skip
