"""Statistics of FieldFinder's data: pages, targets, dropped targets, kinds, sizes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.paper_forms.examples import ExamplePage
from ...envs.paper_forms.made_pages.page_generator import draw
from ...fieldfinder_model.data.building import Built
from ...fieldfinder_model.data.example_pages import built_pages
from ..terminal.console import print_table, say, table_of, track

_QUANTILES = (0.1, 0.5, 0.9)


def print_statistics(
    name: str, protocol: str, root: str | None, split: str | None, limit: int | None, decoys: bool, out: Path | None
) -> dict[str, Any]:
    """Build the pages of a data set, print their statistics, and draw them.

    Args:
        name: of the data set; for this and the following arguments see ``built_pages``.
        protocol: of it.
        root: of it.
        split: of it.
        limit: the maximum number of annotated pages; ``None``: all.
        decoys: whether blank places are erased too.
        out: the folder for a picture of each page (labels blue, answers red, fields green); ``None``: no pictures.

    Returns:
        ``documents``, ``pages``, ``targets``, ``dropped``, ``kinds`` and ``sizes``; sizes are the 10th, 50th and 90th
        percentiles in pixels.

    Raises:
        ValueError: if the data are missing.
    """
    made = []
    for built in track(built_pages(name, protocol, root, split, limit, decoys), name):
        if out is not None and built.page.examples:
            _write(built.page, out)
        made.append(Built(_without_picture(built.page), built.document, built.dropped))
    summary = statistics(made)
    _print(f"{name}, {protocol}", summary)
    return summary


def statistics(made: Sequence[Built]) -> dict[str, Any]:
    """The statistics of some pages; see ``print_statistics``."""
    examples = [example for built in made for example in built.page.examples]
    sizes: dict[str, list[float]] = {
        "answer width": [e.box[2] - e.box[0] for e in examples],
        "answer height": [e.box[3] - e.box[1] for e in examples],
        "field width": [e.field[2] - e.field[0] for e in examples],
        "field height": [e.field[3] - e.field[1] for e in examples],
        "targets of a page": [len(built.page.examples) for built in made if built.page.examples],
        "words of a page": [len(built.page.words) for built in made if built.page.examples],
        "parts of a name": [len(e.target.split(" | ")) for e in examples],
    }
    return {
        "documents": len({built.document for built in made}),
        "pages": sum(bool(built.page.examples) for built in made),
        "targets": len(examples),
        "dropped": dict(sum((built.dropped for built in made), Counter[str]()).most_common()),
        "kinds": dict(Counter(e.kind for e in examples).most_common()),
        "sizes": {what: [float(q) for q in np.quantile(of, _QUANTILES)] for what, of in sizes.items() if of},
    }


def _without_picture(page: ExamplePage) -> ExamplePage:
    """The page without its picture: many pages would not fit into memory."""
    return ExamplePage(page.name, page.gray[:0, :0].copy(), page.words, page.examples)


def _print(title: str, summary: dict[str, Any]) -> None:
    say(f"{title}: {summary['documents']} documents, {summary['pages']} pages with {summary['targets']} targets")
    for what in ("kinds", "dropped"):
        say(f"{what}: " + (", ".join(f"{count} {name}" for name, count in summary[what].items()) or "none"))
    headings = ("", *(f"{100 * q:.0f} %" for q in _QUANTILES))
    rows = ((name, *(f"{q:.0f}" for q in quantiles)) for name, quantiles in summary["sizes"].items())
    print_table(table_of("sizes in pixels, and counts", headings, rows))


def _write(page: ExamplePage, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w.-]", "_", page.name)
    draw(page).save(out / f"{name}.png")
