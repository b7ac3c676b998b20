"""Verbs for a first look: what there is, and what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion import environment_names
from .options import EnvId, Json


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="a folder for pictures and a page")] = Path("formgym-demo"),
    open_: Annotated[bool, typer.Option("--open", help="open the page in a browser")] = False,
    gif: Annotated[Path | None, typer.Option(help="write only this: the tour as an animated picture")] = None,
) -> None:
    """Tour the three suites in 20 seconds, with pictures and a page."""
    if gif is not None:
        from ..demo.animation import write_animation

        write_animation(gif)
        return
    from ..demo.command import show_demo

    show_demo(out, open_)


def list_(
    pattern: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="show these in full: a part of ids, or ids with *", autocompletion=environment_names
        ),
    ] = None,
    as_json: Json = False,
    deep: Annotated[bool, typer.Option("--deep", help="open every environment, your own data as well")] = False,
) -> None:
    """List environments: what each asks, and how many tasks it has."""
    from ..overview.listing import print_environments

    print_environments(pattern, deep)


def play(
    env_id: EnvId = None,
    task: Annotated[str | None, typer.Option(help="default: one drawn at random")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="draws the task")] = None,
    window: Annotated[bool | None, typer.Option("--window/--terminal", help="default: a window if it can be")] = None,
    out: Annotated[Path, typer.Option(help="where the pictures of the page go")] = Path("play"),
    runs: Annotated[Path, typer.Option(help="where the episode is recorded, as agents' are")] = Path("runs/human"),
) -> None:
    """Do a task yourself, in a window or in the terminal."""
    from ..play.command import play_task

    play_task(env_id, task, seed, out, window, runs)


def doctor(
    as_json: Json = False,
    deep: Annotated[bool, typer.Option("--deep", help="open every environment, and step in one")] = False,
) -> None:
    """Say what is installed, what is missing, and how to get it.

    Exit status 1 if something needed is missing.
    """
    from ..overview.doctor import examine

    raise typer.Exit(0 if examine(deep) else 1)
