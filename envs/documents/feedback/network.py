"""Networks: one hidden layer, applied with numpy; the weights are shipped."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import pydantic
from numpy.typing import NDArray

from ....assets import ROOT
from ...core.files import Data, load

Numbers = NDArray[np.float64]
SHIPPED = ROOT / "document_models" / "feedback.json"
"""The weights that were learned on the train split."""
_Row = tuple[float, ...]
_Table = Annotated[tuple[_Row, ...], pydantic.Field(min_length=1)]


class Network(Data):
    """One hidden layer of rectified units over standardised inputs.

    Attributes:
        inputs: their names.
        outputs: their names.
        means, scales: of each input over the train split.
        hidden, hidden_bias: weights from inputs (rows) to units, and biases.
        out, out_bias: weights from units (rows) to outputs, and biases.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    means: _Row
    scales: _Row
    hidden: _Table
    hidden_bias: _Row
    out: _Table
    out_bias: _Row


class Weights(Data):
    """The shipped weights of the learned feedback.

    Attributes:
        reader: which kinds of edits words ask for; each output by itself.
        judge: which kind of judgement the evidence supports; one of its outputs is true.
    """

    reader: Network
    judge: Network


class Layers:
    """A network ready to be applied."""

    def __init__(self, network: Network) -> None:
        self.outputs = network.outputs
        self.inputs = network.inputs
        self._means, self._scales = np.array(network.means), np.array(network.scales)
        self._hidden, self._hidden_bias = np.array(network.hidden), np.array(network.hidden_bias)
        self._out, self._out_bias = np.array(network.out), np.array(network.out_bias)

    def scores(self, values: Numbers) -> Numbers:
        """One score for each output: float64 (outputs,), from float64 (inputs,)."""
        units = np.maximum((values - self._means) / self._scales @ self._hidden + self._hidden_bias, 0)
        scores: Numbers = units @ self._out + self._out_bias
        return scores


@lru_cache(maxsize=1)
def shipped_weights() -> tuple[Layers, Layers]:
    """Reader and judge as shipped.

    Raises:
        ValueError: if the file is missing or broken.
    """
    weights = load(Weights, SHIPPED)
    return Layers(weights.reader), Layers(weights.judge)
