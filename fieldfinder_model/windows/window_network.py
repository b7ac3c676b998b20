"""The network of a window policy, and the files of its weights."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ...envs.core.files import atomic_write
from .label_windows import CHANNELS, PLANES

WEIGHTS, CARD = "policy.pt", "card.json"
_FINE, _COARSE, _OUT, _VALUE = 24, 24, 16, 32
_BLOCKS = (((1, 7), (1, 1)), ((3, 5), (1, 2)), ((5, 3), (1, 1)), ((3, 3), (1, 1)))
"""The kernel and the dilation of each block."""
_OFF_PAGE = 8.0
"""What the logit of a cell that is off the page loses."""


class WindowNetwork(nn.Module):
    """Observations of windows to logits of their cells (n, 720), and to values (n,).

    It has 35,610 parameters. Each cell of the output is one logit; most layers run on 10 by 18 cells, which is cheap.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(CHANNELS, _FINE, (4, 6), (2, 4), (1, 1))
        self.mix = nn.Conv2d(_FINE + PLANES, _FINE, 1)
        self.down = nn.Conv2d(_FINE, _COARSE, 2, 2)
        self.blocks = nn.ModuleList(_block(kernel, dilation) for kernel, dilation in _BLOCKS)
        self.up, self.skip = nn.ConvTranspose2d(_COARSE, _OUT, 2, 2), nn.Conv2d(_FINE, _OUT, 1)
        self.out = nn.Conv2d(_OUT, 1, 1)
        self.value = nn.Sequential(nn.Linear(2 * _COARSE, _VALUE), nn.ReLU(), nn.Linear(_VALUE, 1))
        # Twice as fast on processors.
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, observations: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Logits and values.

        Args:
            observations: ``picture`` and ``planes``, from 0 to 255.
        """
        picture, planes = (
            observations[name].to(torch.float32, memory_format=torch.channels_last) / 255
            for name in ("picture", "planes")
        )
        fine = functional.relu(self.mix(torch.cat([functional.relu(self.stem(picture)), planes], 1)))
        coarse = functional.relu(self.down(fine))
        for block in self.blocks:
            coarse = coarse + functional.relu(block(coarse))
        heat = self.out(functional.relu(self.up(coarse) + self.skip(fine)))
        pooled = torch.cat([coarse.mean((2, 3)), coarse.amax((2, 3))], 1)
        return heat.flatten(1) - _OFF_PAGE * planes[:, -1].flatten(1), self.value(pooled).squeeze(-1)


def _block(kernel: tuple[int, int], dilation: tuple[int, int]) -> nn.Conv2d:
    """A convolution that keeps the size of its input."""
    padding = (dilation[0] * (kernel[0] - 1) // 2, dilation[1] * (kernel[1] - 1) // 2)
    return nn.Conv2d(_COARSE, _COARSE, kernel, padding=padding, dilation=dilation)


def save_network(network: nn.Module, folder: Path, card: Mapping[str, Any]) -> None:
    """Write a network's weights with a card that says how they were trained.

    Args:
        network: a ``WindowNetwork``.
        folder: that ``policy.pt`` and ``card.json`` are written to; made if it is not there.
        card: what is to be known of the training, as JSON.
    """
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    torch.save(network.state_dict(), buffer)
    content = buffer.getvalue()
    facts = {
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "sha256": hashlib.sha256(content).hexdigest(),
        **card,
    }
    atomic_write(folder / WEIGHTS, content)
    atomic_write(folder / CARD, (json.dumps(facts, indent=2) + "\n").encode())


def load_network(folder: Path) -> WindowNetwork:
    """The network in a folder that ``save_network`` wrote, in evaluation mode.

    Raises:
        ValueError: if there are no such weights.
    """
    network = WindowNetwork()
    try:
        network.load_state_dict(torch.load(folder / WEIGHTS, map_location="cpu", weights_only=True))
    except (OSError, EOFError, KeyError, TypeError, RuntimeError, UnpicklingError) as error:
        raise ValueError(f"{folder / WEIGHTS} holds no weights of a window policy: {error}") from error
    return network.eval()
