"""Localisation metrics, summed by document so that documents can be resampled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from .measuring import TOP, TargetResult


class LocalisationMetric(NamedTuple):
    """A metric: the title of its column, and its value for one result, from 0 to 1.

    Results with the value ``None`` do not count.
    """

    title: str
    value: Callable[[TargetResult], float | None]


METRICS: dict[str, LocalisationMetric] = {
    "iou": LocalisationMetric("IoU", lambda result: result.iou),
    "iou_50": LocalisationMetric("IoU ≥ .5", lambda result: float(result.iou >= 0.5)),
    "centre_in_box": LocalisationMetric("in answer", lambda result: float(result.in_box)),
    "centre_in_field": LocalisationMetric("in field", lambda result: float(result.in_field)),
    "top_5": LocalisationMetric(f"top {TOP}", lambda result: float(result.rank is not None)),
    "found": LocalisationMetric("found", lambda result: float(bool(result.found))),
    "label_met": LocalisationMetric(
        "label", lambda result: None if result.label_met is None else float(result.label_met)
    ),
}
"""All are means over targets: of the overlap with the answer; of whether that is at least a half; of whether the centre
lies in the answer's box, in the field, or in the field for one of the most likely places; of whether anything was
found; and of whether the locator matched the right printed label.
"""


def tallies(results: Iterable[TargetResult]) -> dict[str, tuple[list[float], list[float]]]:
    """For each metric the sums and counts by document, in the order of documents.

    The metric itself is the sum of the sums over the sum of the counts. Metrics without a value for any result are left
    out.
    """
    sums: dict[str, dict[str, list[float]]] = {name: {} for name in METRICS}
    for result in results:
        for name, metric in METRICS.items():
            value = metric.value(result)
            if value is not None:
                tally = sums[name].setdefault(result.document, [0.0, 0.0])
                tally[0] += value
                tally[1] += 1
    return {
        name: ([part for part, _ in by.values()], [whole for _, whole in by.values()])
        for name, by in sums.items()
        if by
    }


def means(results: Iterable[TargetResult]) -> dict[str, float]:
    """The value of each metric, without its interval."""
    return {name: sum(parts) / sum(wholes) for name, (parts, wholes) in tallies(results).items()}


def latencies(results: Sequence[TargetResult]) -> Mapping[str, float | None]:
    """Median seconds, wall and CPU, of the first target of a page and of the others.

    The time of the first target includes reading the page.
    """
    first = [result for result in results if result.first]
    further = [result for result in results if not result.first]
    return {
        "first_seconds": _median(result.seconds for result in first),
        "first_cpu_seconds": _median(result.cpu_seconds for result in first),
        "further_seconds": _median(result.seconds for result in further),
        "further_cpu_seconds": _median(result.cpu_seconds for result in further),
    }


def _median(values: Iterable[float]) -> float | None:
    known = list(values)
    return median(known) if known else None


def by_kind(results: Iterable[TargetResult]) -> dict[str, list[TargetResult]]:
    """The results of each kind of field, the most frequent kind first."""
    kinds: dict[str, list[TargetResult]] = {}
    for result in results:
        kinds.setdefault(result.kind, []).append(result)
    return dict(sorted(kinds.items(), key=lambda item: -len(item[1])))


def causes(results: Iterable[TargetResult]) -> Counter[str]:
    """How often each cause occurs, ``"right"`` included."""
    return Counter(result.cause for result in results)
