"""What the network is trained for."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def place_loss(heat: Tensor, sides: Tensor, nowhere: Tensor, boxes: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
    """Two losses of a batch: that of the cell, in nats, and that of the box there, 1 - generalised IoU.

    Args:
        heat: logits of cells (n, height, width).
        sides: distances to the sides of the box in cells (n, 4, height, width).
        nowhere: logits of there being no place in the window (n,).
        boxes: the right ones in cells of the window (n, 4).
        there: 1 where there is a place in the window, otherwise 0 (n,).
    """
    aim = _aim(heat.shape[1:], boxes)
    chances = functional.log_softmax(torch.cat([heat.flatten(1), nowhere[:, None]], 1), 1)
    cell = -(aim.flatten(1) * chances[:, :-1]).sum(1)
    placing = torch.where(there > 0, cell, -chances[:, -1]).mean()
    fit = ((1 - _generalised_iou(sides, boxes)) * aim).sum((1, 2))
    return placing, (fit * there).sum() / there.sum().clamp(min=1)


def blank_loss(blanks: Tensor, aim: Tensor) -> Tensor:
    """How well each cell of a page is told to be of an answer, and of a field; both (n, 2, height, width)."""
    return functional.binary_cross_entropy_with_logits(blanks, aim)


def _grid(height: int, width: int, device: torch.device) -> tuple[Tensor, Tensor]:
    x = torch.arange(width, device=device, dtype=torch.float32)[None, None] + 0.5
    y = torch.arange(height, device=device, dtype=torch.float32)[None, :, None] + 0.5
    return x, y


def _aim(size: torch.Size, boxes: Tensor) -> Tensor:
    """How right each cell is: a bump about the middle of the box that sums to 1."""
    x, y = _grid(size[0], size[1], boxes.device)
    middle_x, middle_y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    spread_x = (0.06 * (boxes[:, 2] - boxes[:, 0])).clamp(0.6, 2.0)[:, None, None]
    spread_y = (0.10 * (boxes[:, 3] - boxes[:, 1])).clamp(0.5, 1.5)[:, None, None]
    off_x, off_y = (x - middle_x[:, None, None]) / spread_x, (y - middle_y[:, None, None]) / spread_y
    bump = torch.exp(-0.5 * (off_x**2 + off_y**2))
    return bump / bump.sum((1, 2), keepdim=True).clamp(min=1e-6)


def _generalised_iou(sides: Tensor, boxes: Tensor) -> Tensor:
    """Of the box that each cell tells and the right one (Rezatofighi et al., 2019)."""
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
