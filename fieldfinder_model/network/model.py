"""The network: a backbone that sees the page once, and a head that looks at it from one label."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from .geometry import PLANES
from .picture import CHANNELS
from .text import BUCKETS

FEATURES = 32
"""Of a cell, as the head is given them."""
_FINE, _MIDDLE, _COARSE = 48, 80, 112
_TEXT = 48


def _block(inputs: int, outputs: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, dilation, dilation, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)
    )


class Backbone(nn.Module):
    """The page as features: float (n, CHANNELS, height, width) to (n, FEATURES, height / 4, width / 4)."""

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
    """Where the answer is, in windows of the page.

    Takes features (n, FEATURES, 32, 104), planes (n, PLANES, 32, 104) and ids (n, MOST). Gives (n, 32, 104) logits of
    the cell that the answer's middle lies in, (n, 4, 32, 104) how far from a cell the answer's sides are, in cells, and
    (n,) the logit of its being nowhere in the window.
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
        seen = torch.cat([far.mean((2, 3)), far.amax((2, 3)), text], 1)
        joined = self.join(near + functional.interpolate(self.up(far), scale_factor=2))
        out = self.out(joined)
        return out[:, 0], functional.softplus(out[:, 1:]), self.nowhere(seen)[:, 0]

    def _embedded(self, ids: Tensor) -> Tensor:
        there = (ids > 0).to(self.embedding.weight.dtype)[:, :, None]
        total: Tensor = (self.embedding(ids) * there).sum(1)
        return total / there.sum(1).clamp(min=1)


class Network(nn.Module):
    """Backbone and head."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone, self.head = Backbone(), Head()
