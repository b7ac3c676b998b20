"""The network, its losses, and its export as ONNX."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from .inputs import BUCKETS, CHANNELS, MAX_STRIDE, MAX_TEXT_IDS, PLANES, WINDOW
from .runtime import BACKBONE, HEAD

FEATURES = 32
"""The number of features of a cell, which the head takes."""
_FINE, _MIDDLE, _COARSE = 48, 80, 112
_TEXT = 48


def _block(inputs: int, outputs: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, dilation, dilation, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)
    )


class Backbone(nn.Module):
    """Computes features of a page.

    From float (n, CHANNELS, height, width) to (n, FEATURES, height / 4, width / 4).
    """

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(_block(CHANNELS * 4, 32), _block(32, _FINE, stride=2), _block(_FINE, _FINE))
        self.middle = nn.Sequential(
            _block(_FINE, _MIDDLE, stride=2), _block(_MIDDLE, _MIDDLE), _block(_MIDDLE, _MIDDLE)
        )
        self.coarse = nn.Sequential(
            _block(_MIDDLE, _COARSE, stride=2),
            *(_block(_COARSE, _COARSE, dilation=dilation) for dilation in (1, 2, 4)),
        )
        self.from_coarse, self.from_middle = nn.Conv2d(_COARSE, _MIDDLE, 1), nn.Conv2d(_MIDDLE, _FINE, 1)
        self.join_middle, self.join_fine = _block(_MIDDLE, _MIDDLE), _block(_FINE, _FINE)
        self.out = nn.Conv2d(_FINE, FEATURES, 1)
        self.blank = nn.Conv2d(FEATURES, 2, 1)

    def forward(self, page: Tensor) -> Tensor:
        """Features of a page."""
        fine = self.fine(functional.pixel_unshuffle(page, 2))
        middle = self.middle(fine)
        coarse = self.coarse(middle)
        middle = self.join_middle(middle + functional.interpolate(self.from_coarse(coarse), scale_factor=2))
        fine = self.join_fine(fine + functional.interpolate(self.from_middle(middle), scale_factor=2))
        return cast(Tensor, self.out(fine))


class Head(nn.Module):
    """Predicts where the answer is, in windows of the page.

    Takes features (n, FEATURES, 32, 104), planes (n, PLANES, 32, 104) and ids (n, MAX_TEXT_IDS). Returns (n, 32, 104)
    logits of the cell that the answer's middle lies in, (n, 4, 32, 104) distances from a cell to the answer's sides, in
    cells, and (n,) the logit that the answer is nowhere in the window.
    """

    def __init__(self, far: int = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(BUCKETS, _TEXT)
        nn.init.normal_(self.embedding.weight, std=0.3)
        self.text = nn.Sequential(nn.Linear(_TEXT, 64), nn.ReLU(True), nn.Linear(64, 2 * far))
        self.enter = nn.Conv2d(PLANES, FEATURES, 1)
        self.down = _block(FEATURES, far, stride=2)
        self.context = nn.ModuleList(nn.Sequential(_block(far, far, dilation=d), _block(far, far)) for d in (2, 4, 2))
        self.up = nn.Conv2d(far, FEATURES, 1)
        self.join = _block(FEATURES, FEATURES)
        self.out = nn.Conv2d(FEATURES, 5, 1)
        nn.init.constant_(self.out.bias[1:], 1.0)  # type: ignore[index]
        self.nowhere = nn.Sequential(nn.Linear(2 * far + _TEXT, 64), nn.ReLU(True), nn.Linear(64, 1))

    def forward(self, features: Tensor, planes: Tensor, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """See the class."""
        text = self._embedded(ids)
        scale, shift = self.text(text)[:, :, None, None].chunk(2, 1)
        near = functional.relu(features + self.enter(planes))
        far = self.down(near) * (1 + scale) + shift
        for block in self.context:
            far = far + block(far)
        pooled = torch.cat([far.mean((2, 3)), far.amax((2, 3)), text], 1)
        joined = self.join(near + functional.interpolate(self.up(far), scale_factor=2))
        out = self.out(joined)
        return out[:, 0], functional.softplus(out[:, 1:]), self.nowhere(pooled)[:, 0]

    def _embedded(self, ids: Tensor) -> Tensor:
        present = (ids > 0).to(self.embedding.weight.dtype)[:, :, None]
        total: Tensor = (self.embedding(ids) * present).sum(1)
        return total / present.sum(1).clamp(min=1)


class FieldFinderNetwork(nn.Module):
    """Backbone and head."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone, self.head = Backbone(), Head()


def place_loss(heat: Tensor, sides: Tensor, nowhere: Tensor, boxes: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
    """The losses of a batch: for the cell, in nats, and for the box, 1 - GIoU.

    Args:
        heat: logits of cells (n, height, width).
        sides: distances to the sides of the box in cells (n, 4, height, width).
        nowhere: logits that there is no place in the window (n,).
        boxes: the right ones in cells of the window (n, 4).
        there: 1 where there is a place in the window, otherwise 0 (n,).
    """
    aim = _target_distribution(heat.shape[1:], boxes)
    chances = functional.log_softmax(torch.cat([heat.flatten(1), nowhere[:, None]], 1), 1)
    cell = -(aim.flatten(1) * chances[:, :-1]).sum(1)
    placing = torch.where(there > 0, cell, -chances[:, -1]).mean()
    fit = ((1 - _generalised_iou(sides, boxes)) * aim).sum((1, 2))
    return placing, (fit * there).sum() / there.sum().clamp(min=1)


def blank_loss(blanks: Tensor, aim: Tensor) -> Tensor:
    """Cross entropy of predicting which cells belong to an answer, and to a field.

    Both arguments are (n, 2, height, width).
    """
    return functional.binary_cross_entropy_with_logits(blanks, aim)


def _grid(height: int, width: int, device: torch.device) -> tuple[Tensor, Tensor]:
    x = torch.arange(width, device=device, dtype=torch.float32)[None, None] + 0.5
    y = torch.arange(height, device=device, dtype=torch.float32)[None, :, None] + 0.5
    return x, y


def _target_distribution(size: torch.Size, boxes: Tensor) -> Tensor:
    """The target distribution over cells: a Gaussian around the middle of the box."""
    x, y = _grid(size[0], size[1], boxes.device)
    middle_x, middle_y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    spread_x = (0.06 * (boxes[:, 2] - boxes[:, 0])).clamp(0.6, 2.0)[:, None, None]
    spread_y = (0.10 * (boxes[:, 3] - boxes[:, 1])).clamp(0.5, 1.5)[:, None, None]
    off_x, off_y = (x - middle_x[:, None, None]) / spread_x, (y - middle_y[:, None, None]) / spread_y
    bump = torch.exp(-0.5 * (off_x**2 + off_y**2))
    return bump / bump.sum((1, 2), keepdim=True).clamp(min=1e-6)


def _generalised_iou(sides: Tensor, boxes: Tensor) -> Tensor:
    """Generalised IoU of each cell's box and the right one (Rezatofighi et al. 2019)."""
    x, y = _grid(sides.shape[2], sides.shape[3], sides.device)
    left, top, right, bottom = x - sides[:, 0], y - sides[:, 1], x + sides[:, 2], y + sides[:, 3]
    gold = boxes[:, :, None, None]
    width = (torch.minimum(right, gold[:, 2]) - torch.maximum(left, gold[:, 0])).clamp(min=0)
    height = (torch.minimum(bottom, gold[:, 3]) - torch.maximum(top, gold[:, 1])).clamp(min=0)
    both = width * height
    area = (gold[:, 2] - gold[:, 0]) * (gold[:, 3] - gold[:, 1])
    union = (right - left) * (bottom - top) + area - both
    hull_x = torch.maximum(right, gold[:, 2]) - torch.minimum(left, gold[:, 0])
    hull_y = torch.maximum(bottom, gold[:, 3]) - torch.minimum(top, gold[:, 1])
    hull = (hull_x * hull_y).clamp(min=1e-3)
    return both / union.clamp(min=1e-3) - (hull - union) / hull


_OPSET = 17


def export(network: FieldFinderNetwork, folder: Path) -> None:
    """Write a network as two ONNX files.

    Args:
        network: in evaluation mode, on the CPU.
        folder: that they are written to; made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = torch.zeros(1, CHANNELS, 8 * MAX_STRIDE, 8 * MAX_STRIDE)
    window = torch.zeros(2, FEATURES, *WINDOW)
    planes, ids = torch.zeros(2, PLANES, *WINDOW), torch.ones(2, MAX_TEXT_IDS, dtype=torch.int64)
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
