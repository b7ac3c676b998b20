"""The command ``formgym`` and its verbs."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any

import typer

from .. import __version__
from ..assets import ROOT
from . import verbs
from .fieldfinder_verbs import fieldfinder
from .terminal.console import QUIET, print_crash, say, set_mode, user_errors

_PANELS: dict[str, dict[str, Callable[..., None]]] = {
    "Look": {"demo": verbs.demo, "list": verbs.list_, "play": verbs.play, "doctor": verbs.doctor},
    "Measure": {"sweep": verbs.sweep, "report": verbs.report, "rescore": verbs.rescore},
    "Bring your own": {
        "import": verbs.import_,
        "fill": verbs.fill,
        "edit": verbs.edit,
        "serve": verbs.serve,
        "mcp": verbs.mcp,
    },
    "Train": {"train": verbs.train, "export": verbs.export},
    "Publish": {"submit": verbs.submit, "verify": verbs.verify},
}
"""The verbs in the order of the help."""
_HELP = """Paperwork as Gymnasium environments.

For scripts: "formgym --quiet VERB" prints errors and paths only; "VERB --json", for verbs that have figures, prints \
JSON and nothing else. Progress bars are shown in terminals only, never in pipes.
"""
_CONTEXTS: dict[str, dict[str, Any]] = {
    # Its help explains settings.
    "sweep": {"help_option_names": []},
    # Its arguments are Hydra's.
    "train": {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
}
_START = """\
formgym {version}: paperwork as Gymnasium environments.
Agents fill in paper forms, fill in web forms and edit documents, from pixels.

Try next:
  formgym demo                             see the three suites in 20 seconds
  formgym list                             see what environments there are
  formgym play                             do a task yourself
  formgym sweep agent=random episodes=9    measure an agent (or agent=oracle)
  formgym report                           see the run as a page with replays

An agent of your own, a class in my_module.py:
  formgym sweep agent=my_module.MyAgent episodes=9

In Python:
  import formgym, gymnasium as gym
  env = gym.make("FormGym/AutoLoans-Text-v0")

All commands: formgym --help. Is something missing? formgym doctor
Documentation: {docs}"""


app = typer.Typer(invoke_without_command=True, pretty_exceptions_enable=False)


def _print_version(chosen: bool) -> None:
    if chosen:
        say(f"formgym {__version__} (Python {platform.python_version()}, gymnasium {version('gymnasium')})")
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
        docs = ROOT.parent / "docs"
        where = f"{docs} (make docs builds a site)" if docs.is_dir() else "docs/ in formgym's source"
        say(_START.format(version=__version__, docs=where))


for panel, commands in _PANELS.items():
    for name, verb in commands.items():
        app.command(name, rich_help_panel=panel, context_settings=_CONTEXTS.get(name))(verb)
app.add_typer(fieldfinder, name="fieldfinder", rich_help_panel="Train")


def main() -> None:
    """Entry point of the console command."""
    sys.excepthook = print_crash
    with user_errors():
        app()
