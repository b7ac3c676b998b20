"""Evaluate locators over data sets and protocols: metrics and causes of errors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TextIO

from ... import __version__
from ...envs.core.files import atomic_write
from ...envs.core.locators import Locator
from ...fieldfinder_model.data.example_pages import built_pages
from ...fieldfinder_model.evaluation.localisation_metrics import METRICS, by_kind, causes, latencies, tallies
from ...fieldfinder_model.evaluation.measuring import TargetResult, measure
from ...fieldfinder_model.locators import named_locator
from ..running.intervals import share_with_interval
from ..terminal.console import EMPTY, NOTHING, Cell, Table, mean_cell, print_table, say, table_of, track
from .errors import Errors, write_error_gallery

RESULTS, SUMMARY, GALLERY = "results.jsonl", "summary.json", "errors.html"
_BY_KIND = "centre_in_field"


@dataclass(frozen=True)
class Plan:
    """The settings of an evaluation.

    Attributes:
        data: names of data sets.
        protocols: see ``example_pages.PROTOCOLS``.
        locators: names, see ``named_locator``.
        split: of the data sets; ``None``: the usual one of each.
        root: the folder of a user's own data set; ``None``: below FORMGYM_DATA.
        limit: the most annotated pages of each data set.
        decoys: whether blank places are erased too.
        options: arguments of the locators; ``"name.option"`` is for the locator of that name alone.
        together: whether the targets of a page are located together; see ``measure``.
    """

    data: Sequence[str]
    protocols: Sequence[str]
    locators: Sequence[str]
    split: str | None = None
    root: str | None = None
    limit: int | None = None
    decoys: bool = False
    options: Mapping[str, Any] | None = None
    together: bool = True


@dataclass(frozen=True)
class Evaluation:
    """A locator on a data set under a protocol.

    Attributes:
        data: the name of the data set.
        protocol: the name of the protocol.
        locator: the name of the locator.
        decoys: whether blank places were erased too; never with ``"single"``.
        results: one a target.
        dropped: why targets were left out, and how many.
        errors: pictures of some that went wrong.
    """

    data: str
    protocol: str
    locator: str
    decoys: bool
    results: Sequence[TargetResult]
    dropped: Counter[str]
    errors: Errors

    @property
    def title(self) -> str:
        """A title that distinguishes it from the others."""
        return f"{self.locator} on {self.data}, {self.protocol}{', with decoys' * self.decoys}"


def evaluate_locators(plan: Plan, out: Path) -> list[Evaluation]:
    """Measure all that is planned, print tables, and write the results.

    The files are ``results.jsonl``, ``summary.json`` and ``errors.html``. The results of a page are written as soon as
    it has been measured.

    Args:
        plan: what is measured.
        out: the folder to write to; it is made if need be.

    Raises:
        ValueError: if there is no such data set, protocol or locator, there is nothing to measure, or the folder holds
            results.
    """
    if (out / RESULTS).exists():
        raise ValueError(f"{out / RESULTS} is there already; remove it, or choose another folder (--out)")
    out.mkdir(parents=True, exist_ok=True)
    with (out / RESULTS).open("x", encoding="utf-8") as file:
        evaluations = list(_evaluations(plan, file))
    summaries = [summary_of(evaluation) for evaluation in evaluations]
    for table in evaluation_tables(summaries):
        print_table(table)
    settings = {name: getattr(plan, name) for name in ("split", "limit", "together")}
    summary = {"version": __version__, **settings, "options": dict(plan.options or {}), "runs": summaries}
    atomic_write(out / SUMMARY, (json.dumps(summary, ensure_ascii=False, default=str) + "\n").encode())
    write_error_gallery(out / GALLERY, [(e.title, s, e.errors) for e, s in zip(evaluations, summaries, strict=True)])
    say(f"Written: {', '.join(str(out / name) for name in (RESULTS, SUMMARY, GALLERY))}")
    return evaluations


def _evaluations(plan: Plan, file: TextIO) -> Iterator[Evaluation]:
    for name in plan.locators:
        locator = named_locator(name, **_options_of(name, plan.options or {}))
        for data, protocol in product(plan.data, plan.protocols):
            yield _evaluation(plan, locator, name, data, protocol, file)


def _options_of(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a locator: the options for all, and those of its own name."""
    return {
        key.removeprefix(f"{name}."): value for key, value in options.items() if key.partition(".")[0] in (key, name)
    }


def _evaluation(plan: Plan, locator: Locator, name: str, data: str, protocol: str, file: TextIO) -> Evaluation:
    decoys = plan.decoys and protocol != "single"
    made = built_pages(data, protocol, plan.root, plan.split, plan.limit, decoys)
    results: list[TargetResult] = []
    dropped, errors = Counter[str](), Errors()
    for built in track(made, f"{name}, {data}, {protocol}"):
        of_page = measure(locator, [built.page], together=plan.together)
        run = {"data": data, "protocol": protocol, "locator": name, "decoys": decoys}
        file.writelines(json.dumps(run | _record(result), ensure_ascii=False) + "\n" for result in of_page)
        file.flush()
        errors.add(built.page, of_page)
        results += of_page
        dropped += built.dropped
    if not results:
        raise ValueError(f"{data} has no target under the protocol {protocol}: {dict(dropped) or 'no pages'}")
    return Evaluation(data, protocol, name, decoys, results, dropped, errors)


def summary_of(evaluation: Evaluation) -> dict[str, Any]:
    """The metrics of an evaluation with 95 % intervals, also by kind; JSON-ready.

    The intervals are by documents.
    """
    results = evaluation.results
    return {
        "data": evaluation.data,
        "protocol": evaluation.protocol,
        "locator": evaluation.locator,
        "decoys": evaluation.decoys,
        "documents": len({result.document for result in results}),
        "targets": len(results),
        "dropped": dict(evaluation.dropped),
        "metrics": _metrics(results),
        "kinds": {kind: {"targets": len(of), "metrics": _metrics(of)} for kind, of in by_kind(results).items()},
        "causes": dict(causes(results).most_common()),
        "latency": dict(latencies(results)),
    }


def _metrics(results: Sequence[TargetResult]) -> dict[str, Any]:
    return {name: share_with_interval(*tally) for name, tally in tallies(results).items()}


def _record(result: TargetResult) -> dict[str, Any]:
    """A result as JSON."""
    copied = ("page", "target", "kind", "in_box", "in_field", "rank", "label_met", "cause")
    return {name: getattr(result, name) for name in copied} | {
        "iou": round(result.iou, 4),
        "box": _rounded(result.box),
        "field": _rounded(result.field),
        "seconds": round(result.seconds, 5),
        "cpu_seconds": round(result.cpu_seconds, 5),
        "found": [{"box": _rounded(place.box), "score": round(float(place.score), 4)} for place in result.found],
    }


def _rounded(box: Sequence[float]) -> list[float]:
    return [round(float(edge), 1) for edge in box]


# -- Tables ------------------------------------------------------------------------------------------------------------


def evaluation_tables(summaries: Sequence[dict[str, Any]]) -> Iterator[Table]:
    """Tables of metrics, kinds of field, errors and latencies for each data set.

    Args:
        summaries: of ``summary_of``.
    """
    for data in dict.fromkeys(summary["data"] for summary in summaries):
        runs = [summary for summary in summaries if summary["data"] == data]
        locators = [f"{run['locator']}\n{run['protocol']}" for run in runs]
        yield _metric_table(data, runs)
        title = "Per cent with the centre in the field (mean IoU) by kind of field"
        kinds = dict.fromkeys(kind for run in runs for kind in run["kinds"])
        rows = [(kind, *(_kind_cell(run["kinds"].get(kind)) for run in runs)) for kind in kinds]
        yield table_of(title, ("kind", *locators), rows)
        yield table_of("What went wrong, per cent of targets", ("", *locators), _causes(runs))
        title = "Time of a query, medians: of a page's first, and of further ones"
        rows = [(run["locator"], run["protocol"], *map(milliseconds, run["latency"].values())) for run in runs]
        yield table_of(title, ("locator", "protocol", "first", "first, CPU", "further", "further, CPU"), rows, 2)


def _metric_table(data: str, runs: Sequence[dict[str, Any]]) -> Table:
    names = [name for name in METRICS if any(name in run["metrics"] for run in runs)]
    rows = [
        (
            Cell(run["locator"], (run["protocol"],)),
            Cell(str(run["targets"]), (f"{run['documents']} pages",)),
            *(mean_cell(run["metrics"].get(name), 1, 100) for name in names),
        )
        for run in runs
    ]
    headings = ("locator", "targets", *(METRICS[name].title for name in names))
    return table_of(f"{data}: per cent of targets, 95 % intervals over documents", headings, rows)


def _kind_cell(of: dict[str, Any] | None) -> Cell:
    if of is None:
        return EMPTY
    share, iou = (100 * of["metrics"][name]["mean"] for name in (_BY_KIND, "iou"))
    return Cell(f"{share:.1f} ({iou:.1f})", (f"of {of['targets']}",))


def _causes(runs: Sequence[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """A row a cause: what was right first, then the most frequent."""
    found = {cause: sum(run["causes"].get(cause, 0) for run in runs) for run in runs for cause in run["causes"]}
    for cause in sorted(found, key=lambda cause: (cause != "right", -found[cause])):
        yield cause, *(f"{100 * run['causes'].get(cause, 0) / run['targets']:.1f}" for run in runs)


def milliseconds(seconds: float | None) -> str:
    """A time for a table."""
    if seconds is None:
        return NOTHING
    return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000 * seconds:.2f} ms"
