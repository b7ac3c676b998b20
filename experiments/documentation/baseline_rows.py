"""Rows of baselines for an environment's page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..health.baselines import BASELINES
from ..health.pages import PAPERS_METRIC, interval


@dataclass(frozen=True)
class BaselineRows:
    """A table of baselines.

    Attributes:
        metrics: the columns between the agent's and that of the number of episodes.
        rows: title, values and number of episodes of each agent.
    """

    metrics: list[str]
    rows: list[list[str]]


def baseline_rows(measured: Mapping[str, Any]) -> BaselineRows:
    """The baselines of an environment, as ``formgym health --json`` has them."""
    played = {name: one for name, one in measured["baselines"].items() if name in BASELINES}
    scored = set.intersection(*(set(one["scores"]) for one in played.values())) if played else set()
    metrics = [name for name in dict.fromkeys((measured["metric"], PAPERS_METRIC)) if name in scored]
    rows = [
        [BASELINES[name].title, *(interval(dict(measured), name, metric) for metric in metrics), str(one["episodes"])]
        for name, one in played.items()
    ]
    return BaselineRows(metrics, rows)
