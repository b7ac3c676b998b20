"""Plots as coordinates that a template draws as SVG."""

from __future__ import annotations

from dataclasses import dataclass

WIDTH, HEIGHT = 400, 280
LEFT, RIGHT, TOP, BOTTOM = 42, 390, 12, 232
"""The panel, and the plot in it, in pixels from its upper left corner."""
SIZE = WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM


@dataclass(frozen=True)
class Tick:
    """A line of the scale at ``at`` pixels."""

    at: float
    text: str


@dataclass(frozen=True)
class Point:
    """A point with its interval in pixels, and its text."""

    x: float
    y: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Series:
    """A line: its number (colour and mark), its points, and the pixels of its means."""

    number: int
    points: list[Point]
    line: str


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    across: str
    x_ticks: list[Tick]
    series: list[Series]

    @property
    def y_ticks(self) -> list[Tick]:
        """From 0 to 1."""
        return [Tick(down(share), f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)]


def down(share: float) -> float:
    """Where a share from 0 to 1 is, in pixels from the upper edge of a panel."""
    return round(BOTTOM - share * (BOTTOM - TOP), 1)
