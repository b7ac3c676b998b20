"""Verbs that train, and that write data to train on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion import environment_names
from .options import Overrides


def train(overrides: Overrides = None) -> None:
    """Train a policy or a model by an experiment.

    For example: formgym train experiment=grounding_reward_web
    """
    from ..training.command import train_command

    train_command(overrides or [])


def export(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="an id and settings of it, such as domain=made; or runs, or folders above runs",
            autocompletion=environment_names,
        ),
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="the folder to write; it must be new")] = None,
    format_: Annotated[str, typer.Option("--format", help="parquet, jsonl; of a grounding id also minari")] = "parquet",
    targets: Annotated[int | None, typer.Option(min=1, help="of an id: how many rows; default: all")] = None,
    split: Annotated[str | None, typer.Option(help="of an id: train (default), dev or test")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31 - 1, help="of an id: draws the pages; default: 0")
    ] = None,
    random: Annotated[float | None, typer.Option(min=0, max=1, help="of minari: the share of random answers")] = None,
    images: Annotated[bool, typer.Option(help="with pictures of pages")] = True,
    chat: Annotated[
        bool, typer.Option("--chat", help="conversations with right calls, of any id; or with those of runs")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="replay an export and compare; exit status 1 if it differs")
    ] = False,
) -> None:
    """Write targets, conversations or recorded episodes as data.

    For example: formgym export FormGym/Grounding-v0 domain=made --targets 1000 -o data/made
    """
    if check:
        from ..exporting.export_check import check_export

        results = [check_export(Path(source)) for source in sources]
        raise typer.Exit(0 if all(results) else 1)
    from ..exporting.command import Choices, export

    if out is None:
        raise ValueError("--out is missing: the folder to write")
    export(sources, Choices(out, format_, targets, split, seed, random, images, chat))
