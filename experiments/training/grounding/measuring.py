"""Measuring of grounding: shares of targets hit, with intervals by page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....agents.policies.spatial_policy import SpatialPolicy, likeliest_cells
from ....fieldfinder_model.windows.window_pool import WindowPool
from ...running.intervals import share_with_interval
from .pools import is_held_out

ALL, UNSEEN_NAMES = "all", "unseen names"


class Outcome(NamedTuple):
    """Whether a target was hit.

    Attributes:
        page: the name of its page.
        name: the target's.
        kind: the target's.
        hit: whether the point lies in its box; a target without a label is missed.
    """

    page: str
    name: str
    kind: str
    hit: bool


@dataclass(frozen=True)
class HitRate:
    """The share of targets hit.

    Attributes:
        mean: the share.
        low, high: its 95 % interval, by pages. ``None`` for a single page.
        n: how many targets there are.
    """

    mean: float
    low: float | None
    high: float | None
    n: int


def policy_outcomes(policy: SpatialPolicy, pool: WindowPool) -> list[Outcome]:
    """The outcomes of a policy's likeliest cells."""
    index = np.arange(len(pool))
    hits = pool.rewards(index, likeliest_cells(policy, pool), pool.origins(index)) > 0
    matched = zip(pool.page_of.tolist(), pool.targets, hits.tolist(), strict=True)
    unmatched = ((number, target, False) for number, target in pool.unmatched)
    return [
        Outcome(pool.pages[number].name, target.name, target.kind, is_hit)
        for number, target, is_hit in (*matched, *unmatched)
    ]


def hit_rates(outcomes: Iterable[Outcome]) -> dict[str, HitRate]:
    """The hit rates of all targets, of unseen names and of each kind of target."""
    known = list(outcomes)
    groups = {ALL: known, UNSEEN_NAMES: [outcome for outcome in known if is_held_out(outcome.name)]}
    for outcome in known:
        groups.setdefault(outcome.kind, []).append(outcome)
    return {
        group: mean_by_page((outcome.page, outcome.hit) for outcome in members)
        for group, members in groups.items()
        if members
    }


def mean_by_page(values: Iterable[tuple[str, float]]) -> HitRate:
    """The mean of values, each with the name of its page."""
    sums, counts = dict[str, float](), dict[str, int]()
    for page, value in values:
        sums[page] = sums.get(page, 0) + value
        counts[page] = counts.get(page, 0) + 1
    share = share_with_interval(list(sums.values()), list(counts.values()))
    low, high = share["ci95"] or (None, None)
    return HitRate(share["mean"], low, high, sum(counts.values()))


def measure(policy: SpatialPolicy, pool: WindowPool) -> dict[str, HitRate]:
    """The hit rates of a policy on the targets of a pool."""
    return hit_rates(policy_outcomes(policy, pool))
