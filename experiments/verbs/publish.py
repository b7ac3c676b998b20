"""Verbs for publishing results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json


def submit(
    folders: Annotated[list[Path], typer.Argument(help="runs, or folders above runs")],
    out: Annotated[Path, typer.Option("--out", "-o", help="the file to write; compressed if it ends in .gz")],
    as_json: Json = False,
) -> None:
    """Write runs as one file that others can check."""
    from ..publishing.commands import submit as submit_runs

    submit_runs(folders, out)


def verify(
    file: Annotated[Path, typer.Argument(help="what formgym submit has written")],
    as_json: Json = False,
) -> None:
    """Replay a submission, and confirm its pixels and scores.

    Exit status 1 if anything differs.
    """
    from ..publishing.commands import verify as verify_submission

    raise typer.Exit(0 if verify_submission(file) else 1)
