"""Options that verbs share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..terminal import set_mode
from .completion import environment_names, overrides


def _as_json(chosen: bool) -> bool:
    if chosen:
        set_mode(as_json=True)
    return chosen


EnvId = Annotated[
    str | None, typer.Argument(metavar="ID", help="default: the first that is listed", autocompletion=environment_names)
]
Json = Annotated[bool, typer.Option("--json", callback=_as_json, help="print JSON, and nothing else")]
Overrides = Annotated[
    list[str] | None, typer.Argument(metavar="NAME=VALUE...", help="settings of Hydra", autocompletion=overrides)
]
PASS_ON: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""The settings of verbs whose arguments are Hydra's."""
