"""The command ``formgym`` and its verbs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Any

import typer

from .fieldfinder.commands import fieldfinder
from .terminal import QUIET, set_mode, user_errors
from .verbs import bring, first, learn, measure, publish
from .verbs.options import PASS_ON
from .verbs.start import print_start, print_version

_PANELS: dict[str, dict[str, Callable[..., None]]] = {
    "Look": {"demo": first.demo, "list": first.list_, "play": first.play, "doctor": first.doctor},
    "Measure": {
        "evaluate": measure.evaluate,
        "sweep": measure.sweep,
        "report": measure.report,
        "rescore": measure.rescore,
    },
    "Bring your own": {"capture": bring.capture, "serve": bring.serve, "edit": bring.edit},
    "Train": {"train": learn.train, "export": learn.export},
    "Publish": {"submit": publish.submit, "verify": publish.verify},
}
"""The verbs in the order of the help."""
_HELP = """Paperwork as Gymnasium environments.

For scripts: "formgym --quiet VERB" prints errors and paths only; "VERB --json", for verbs that have figures, prints \
JSON and nothing else. Progress bars are shown in terminals only, never in pipes.
"""
_SETTINGS: dict[str, Any] = dict.fromkeys(("evaluate", "sweep", "train"), PASS_ON)

app = typer.Typer(invoke_without_command=True, pretty_exceptions_enable=False)


def _print_version(chosen: bool) -> None:
    if chosen:
        print_version()
        raise typer.Exit


@app.callback(help=_HELP)
def start(
    context: typer.Context,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="before a verb: print errors and the paths of written files only")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="print versions and exit")
    ] = False,
) -> None:
    """Choose what is printed; without a verb, print what to try first."""
    set_mode(quiet)
    if quiet:
        os.environ[QUIET] = "1"
    if context.invoked_subcommand is None:
        print_start()


for panel, verbs in _PANELS.items():
    for name, verb in verbs.items():
        app.command(name, rich_help_panel=panel, context_settings=_SETTINGS.get(name))(verb)
app.add_typer(fieldfinder, name="fieldfinder", rich_help_panel="Train")


def main() -> None:
    """Entry point of the console command."""
    with user_errors():
        app()
