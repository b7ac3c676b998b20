"""Verbs that check environments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
