"""The data of charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import pydantic
from pydantic import model_validator

from ...core.files import Data

ChartKind = Literal["column", "bar", "line", "pie", "doughnut", "other"]
Channel = Annotated[int, pydantic.Field(ge=0, le=255)]
Colour = tuple[Channel, Channel, Channel]
"""Red, green and blue, each from 0 to 255."""
ACCENTS: tuple[Colour, ...] = (
    (68, 114, 196), (237, 125, 49), (165, 165, 165), (255, 192, 0), (91, 155, 213), (112, 173, 71),
)  # fmt: skip


class Series(Data):
    """A row of numbers; ``values``: one a category, ``None`` where there is none."""

    name: Annotated[str, pydantic.Field(max_length=400)] = ""
    values: tuple[Annotated[float, pydantic.Field(allow_inf_nan=False)] | None, ...]


class Chart(Data):
    """What a chart shows.

    Attributes:
        kind: ``"column"`` is upright, ``"bar"`` lies; of any ``"other"`` kind only the title is drawn.
        title: above it; ``""``: none.
        categories: the labels of the values.
        series: rows of numbers, each as long as the categories.
        colours: of the series in turn, or of the slices of a pie.
        has_legend: whether the names of the series, or of the slices, are shown.
        has_values: whether each bar, dot or slice shows its number.
        stacked: whether the bars of a category stand on each other.
    """

    kind: ChartKind
    title: Annotated[str, pydantic.Field(max_length=400)] = ""
    categories: tuple[Annotated[str, pydantic.Field(max_length=400)], ...] = ()
    series: tuple[Series, ...] = ()
    colours: Annotated[tuple[Colour, ...], pydantic.Field(min_length=1)] = ACCENTS
    has_legend: bool = False
    has_values: bool = False
    stacked: bool = False

    @property
    def is_round(self) -> bool:
        """Whether its values are slices."""
        return self.kind in ("pie", "doughnut")

    @model_validator(mode="after")
    def _consistent(self) -> Chart:
        for problem in self._problems():
            raise ValueError(problem)
        return self

    def _problems(self) -> Iterator[str]:
        for i, row in enumerate(self.series, 1):
            if len(row.values) != len(self.categories):
                yield f"series {i} has {len(row.values)} values for {len(self.categories)} categories"
