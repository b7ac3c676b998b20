"""The networks of the learned feedback, applied with numpy."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Annotated

import numpy as np
import pydantic
from numpy.typing import NDArray

from ....assets import ROOT
from ...core.files import Data, load

Numbers = NDArray[np.float64]
SHIPPED = ROOT / "document_models" / "feedback.json"
"""The weights learned on the train split."""
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

    def scores(self, values: Numbers) -> Numbers:
        """One score for each output: float64 (outputs,), from float64 (inputs,)."""
        means, scales, hidden, hidden_bias, out, out_bias = self._arrays
        units = np.maximum((values - means) / scales @ hidden + hidden_bias, 0)
        scores: Numbers = units @ out + out_bias
        return scores

    @cached_property
    def _arrays(self) -> tuple[Numbers, ...]:
        fields = (self.means, self.scales, self.hidden, self.hidden_bias, self.out, self.out_bias)
        return tuple(np.array(field) for field in fields)


class Weights(Data):
    """The shipped weights of the learned feedback.

    Attributes:
        reader: classifies requests by the kinds of edits that they ask for; any number of its outputs is true.
        judge: classifies edits by the kinds of judgements; one of its outputs is true.
    """

    reader: Network
    judge: Network


@lru_cache(maxsize=1)
def shipped_weights() -> tuple[Network, Network]:
    """The shipped networks: the classifier of requests and the judge of edits.

    Raises:
        ValueError: if the file is missing or broken.
    """
    weights = load(Weights, SHIPPED)
    return weights.reader, weights.judge
