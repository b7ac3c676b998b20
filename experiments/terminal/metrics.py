"""The metrics of all suites, the most important first, and their titles."""

from __future__ import annotations

from collections.abc import Iterable

from ...envs.documents import metrics as document_metrics
from ...envs.paper_forms import metrics as paper_metrics
from ...envs.web_forms import metrics as web_metrics

METRICS = document_metrics.METRICS | web_metrics.METRICS | paper_metrics.METRICS
SHARES = tuple(name for name, metric in METRICS.items() if not metric.is_count and not metric.verbose_only)
"""The metrics from 0 to 1 that narrow tables have room for."""


def title(metric: str) -> str:
    """The title of a metric in tables."""
    return METRICS[metric].title if metric in METRICS else metric.replace("_", " ")


def places(metric: str) -> int:
    """How many decimals of a metric are printed: fewer for counts than for shares."""
    return 1 if metric in METRICS and METRICS[metric].is_count else 3


def headline_of(names: Iterable[str]) -> str:
    """The most important of some metrics."""
    found = list(names)
    return next((name for name in METRICS if name in found), found[0])
