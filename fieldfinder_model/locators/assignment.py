"""Assign each of several names a place of its own, with the highest joint chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...envs.core.boxes import Box, centre, contains, iou
from ...envs.core.locators import Detection

_NO_PLACE, _UNPROPOSED = 1e-4, 1e-6
"""The chance that a name has no place of its own, and that it has one that the locator did not propose."""
_SAME = 0.3
"""Boxes with a larger intersection over union than this are one place."""


def one_place_each(found: Sequence[Sequence[Detection]]) -> list[list[Detection]]:
    """The places of each name, reordered so that no two names share the first.

    The product of the chances of all first places is as large as possible. The other places keep their order, and so do
    all places of a name that gets none of them.

    Args:
        found: for each name its places, the most likely first.
    """
    places, ranks = _distinct(found)
    chances = np.full((len(found), len(places) + len(found)), _UNPROPOSED)
    chances[:, len(places) :] = _NO_PLACE
    for (name, place), rank in ranks.items():
        chances[name, place] += found[name][rank].score
    first = [ranks.get((name, int(place)), 0) for name, place in enumerate(assignment(-np.log(chances)))]
    return [[*each[rank : rank + 1], *each[:rank], *each[rank + 1 :]] for each, rank in zip(found, first, strict=True)]


def assignment(costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """The column of each row in the assignment of the lowest total cost.

    The Hungarian method (Kuhn 1955), by shortest augmenting paths.

    Args:
        costs: shape (rows, columns), finite; at least as many columns as rows.
    """
    n, m = costs.shape
    row_prices, prices = np.zeros(n + 1), np.zeros(m + 1)
    row_of, previous = np.zeros(m + 1, np.intp), np.zeros(m + 1, np.intp)
    for row in range(1, n + 1):
        row_of[0], column = row, 0
        distances, visited = np.full(m + 1, np.inf), np.zeros(m + 1, np.bool_)
        while row_of[column]:
            visited[column] = True
            reduced = costs[row_of[column] - 1] - row_prices[row_of[column]] - prices[1:]
            closer = ~visited[1:] & (reduced < distances[1:])
            distances[1:][closer], previous[1:][closer] = reduced[closer], column
            open_distances = np.where(visited, np.inf, distances)
            column = int(np.argmin(open_distances[1:])) + 1
            row_prices[row_of[visited]] += open_distances[column]
            prices[visited] -= open_distances[column]
            distances[~visited] -= open_distances[column]
        while column:
            row_of[column] = row_of[previous[column]]
            column = int(previous[column])
    columns = np.zeros(n, np.intp)
    taken = np.flatnonzero(row_of[1:])
    columns[row_of[1:][taken] - 1] = taken
    return columns


def _distinct(found: Sequence[Sequence[Detection]]) -> tuple[list[Box], dict[tuple[int, int], int]]:
    """The distinct places of all names, and the rank of each, by name and place."""
    places: list[Box] = []
    ranks: dict[tuple[int, int], int] = {}
    ordered = sorted(
        ((name, rank) for name, each in enumerate(found) for rank in range(len(each))),
        key=lambda item: -found[item[0]][item[1]].score,
    )
    for name, rank in ordered:
        box = found[name][rank].box
        place = next((i for i, other in enumerate(places) if _is_same(box, other)), len(places))
        if place == len(places):
            places.append(box)
        ranks.setdefault((name, place), rank)
    return places, ranks


def _is_same(one: Box, other: Box) -> bool:
    return iou(one, other) > _SAME or (contains(one, *centre(other)) and contains(other, *centre(one)))
