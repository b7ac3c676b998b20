"""Rows of baselines for an environment's page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PAPERS_METRIC = "field_accuracy"


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
    """The baselines of an environment, as ``docs/baselines.json`` has them."""
    played = measured["baselines"].values()
    scored = set.intersection(*(set(one["scores"]) for one in played)) if played else set()
    metrics = [name for name in dict.fromkeys((measured["metric"], PAPERS_METRIC)) if name in scored]
    rows = [
        [one["title"], *(_interval(one["scores"][metric]) for metric in metrics), str(one["episodes"])]
        for one in played
    ]
    return BaselineRows(metrics, rows)


def _interval(score: Mapping[str, Any]) -> str:
    bounds = "" if score["ci95"] is None else " [{:.2f}, {:.2f}]".format(*score["ci95"])
    return f"{score['mean']:.2f}{bounds}"
