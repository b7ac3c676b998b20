"""Verbs that measure agents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .options import Json, Overrides


def evaluate(overrides: Overrides = None, as_json: Json = False) -> None:
    """Run an agent on an environment, and print its scores.

    For example: formgym evaluate env=formgym/scans agent=oracle
    """
    if as_json and {"-m", "--multirun"}.intersection(overrides or ()):
        raise ValueError("--json is for one run; of a sweep: formgym report RUN_DIR --json")
    _evaluate("evaluate", overrides or [])


def sweep(overrides: Overrides = None) -> None:
    """Run all combinations of agents, models and environments.

    A task of a SLURM array does its shard of every job.
    For example: formgym sweep agent=noop,oracle 'env=glob(formgym/*)'
    """
    from ..running.shards import slurm_shard

    arguments = overrides or []
    shard = slurm_shard()
    is_given = any(argument.startswith("shard=") for argument in arguments)
    _evaluate("sweep", ["-m", *arguments, *([f"shard={shard}"] if shard and not is_given else [])])


def _evaluate(verb: str, arguments: list[str]) -> None:
    from ..running.choices import register_choices
    from ..running.config_errors import config_errors
    from ..running.environment_names import with_names_listed
    from ..running.evaluate import main as evaluate_main

    # As `python -m` would: an agent of one's own may lie beside.
    sys.path.insert(0, str(Path.cwd()))
    with config_errors():
        arguments = with_names_listed(arguments)
        register_choices(arguments)
        sys.argv = [f"formgym {verb}", *arguments]
        evaluate_main()


def report(
    folder: Annotated[
        str | None,
        typer.Argument(help="a run, or a folder above runs; default: the latest"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="the file to write; default: report.html in the folder"),
    ] = None,
    episodes: Annotated[
        int | None, typer.Option(min=0, help="how many episodes of each run to show; default: 4, and 18 in all")
    ] = None,
    tables: Annotated[bool, typer.Option("--tables", help="print the tables of every environment")] = False,
    as_json: Json = False,
) -> None:
    """Write runs as one HTML page."""
    from ..reporting.report import report_on

    report_on(Path(folder) if folder is not None else None, out, episodes, tables)


def rescore(
    folders: Annotated[list[Path], typer.Argument(help="runs, or folders above runs")],
    write: Annotated[bool, typer.Option("--write", help="put the new scores into the runs")] = False,
    as_json: Json = False,
) -> None:
    """Grade recorded episodes with today's scorer.

    Exit status 1 if an episode does not lead to the pixels of its record.
    """
    from ..reporting.rescore import rescore as rescore_runs

    raise typer.Exit(0 if rescore_runs(folders, write) else 1)
