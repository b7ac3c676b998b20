"""Verbs that check environments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion import web_form_names
from .options import Json


def health(
    ids: Annotated[str, typer.Option(help="of environments, with *")] = "*",
    episodes: Annotated[int, typer.Option(min=2, help="of each baseline")] = 20,
    fieldfinder: Annotated[int, typer.Option(min=0, help="episodes of the rules with FieldFinder; 0: none")] = 0,
    processes: Annotated[int, typer.Option(min=1, help="how many work at a time")] = 1,
    out: Annotated[Path | None, typer.Option(help="where the checks go as Markdown")] = None,
    baselines: Annotated[Path | None, typer.Option(help="where the baselines go as Markdown")] = None,
    as_json: Json = False,
) -> None:
    """Check what must hold of a benchmark, and play baselines.

    Exit status 1 if a check does not hold.
    """
    from ..health.command import health as check_health

    raise typer.Exit(0 if check_health(ids, episodes, fieldfinder, processes, out, baselines) else 1)


def conformance(
    forms: Annotated[
        list[str] | None, typer.Argument(help="names of web forms; default: all", autocompletion=web_form_names)
    ] = None,
    theme: Annotated[list[str] | None, typer.Option(help="default: all")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="random ones, and an oracle's, of each form and theme")] = 2,
    steps: Annotated[int, typer.Option(min=1, help="of each random episode")] = 40,
    out: Annotated[Path, typer.Option(help="where pictures of what differs go")] = Path("conformance"),
) -> None:
    """Compare captured web forms with Chromium, frame by frame.

    Exit status 1 if any frame differs.
    """
    from ..authoring.web.conformance import conformance as compare_all

    raise typer.Exit(0 if compare_all(forms, theme, episodes, steps, out) else 1)


def fuzz(
    actions: Annotated[int, typer.Option(min=1, help="how many, over all environments")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="the same seed gives the same episodes")] = 0,
    ids: Annotated[str, typer.Option(help="of environments, with *")] = "*",
    corpus: Annotated[Path, typer.Option(help="where failing episodes are kept")] = Path("fuzz_corpus.json"),
    processes: Annotated[int | None, typer.Option(min=1, help="default: one for each core")] = None,
) -> None:
    """Send random and hostile actions, and check invariants.

    Exit status 1 if anything breaks.
    """
    from ..fuzz.running import fuzz_all

    raise typer.Exit(0 if fuzz_all(ids, actions, seed, corpus, processes) else 1)


def bench(
    out: Annotated[Path, typer.Option(help="where the results go as JSON")] = Path("bench.json"),
    rounds: Annotated[int, typer.Option(min=3, help="rounds of measurement; the median counts")] = 15,
    group: Annotated[str, typer.Option(help="paper, web, documents, models, memory, training or all")] = "all",
) -> None:
    """Measure speed and memory against a memcpy of a page."""
    from ..bench.command import run_benchmark

    run_benchmark(out, rounds, group)
