"""``formgym play``: a person tries a task, in a window or in the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ...envs.registration import ids
from ..running.command_line import suggestion
from ..running.recorded import options_of
from ..terminal.console import print_table, say, table_of
from .session import RESULT_COLUMNS, Session
from .terminal import play_in_terminal, say_page


def play_task(
    env_id: str | None,
    options: Sequence[str],
    task: str | None,
    seed: int | None,
    out: Path,
    window: bool | None,
    runs: Path,
) -> None:
    """Let a person try a task, and record the episode.

    Args:
        env_id: the environment's id; ``None``: the first of all.
        options: of the environment, as ``NAME=VALUE``.
        task: the task's id; ``None`` lets the seed choose.
        seed: of the environment; ``None``: any.
        out: the folder for pictures.
        window: whether in a window; ``None``: if there is a display and a person at the keyboard.
        runs: the folder of the runs of people.

    Raises:
        ValueError: if there is no such environment or task, or its data are missing.
    """
    if env_id and ":" not in env_id and env_id not in ids():
        raise ValueError(f"there is no environment {env_id!r}; {suggestion(env_id, ids())} (formgym list has them all)")
    session = Session(env_id or ids()[0], task, seed, out, **options_of(options))
    # Lines that are piped in are for the terminal.
    in_window = window if window is not None else sys.stdin.isatty()
    problem = display_problem() if in_window else None
    if problem is not None:
        say(f"No window: {problem} Going on in the terminal.\n")
    if in_window and problem is None:
        from .window import PlayWindow

        PlayWindow(session).run()
    else:
        play_in_terminal(session)
    if session.steps:
        say(f"Recorded in {session.record(runs)}")
    _print_result(session)


def display_problem() -> str | None:
    """Why no window can be opened, and how to repair that; ``None`` if one can."""
    try:
        import tkinter
    except ImportError:
        return "this Python has no tkinter; apt-get install python3-tk."
    try:
        tkinter.Tk().destroy()
    except tkinter.TclError:
        display = os.environ.get("DISPLAY")
        reason = f"the display {display} does not answer" if display else "DISPLAY is not set"
        return f"{reason}; run it on a desktop, with ssh -X, or under xvfb-run."
    return None


def _print_result(session: Session) -> None:
    """Print every field with an answer or an entry, then the metrics."""
    rows, n_fields = session.results, len(session.env.state.score().fields)
    print_table(table_of("Result", RESULT_COLUMNS, rows, n_texts=4))
    if n_fields > len(rows):
        say(f"{n_fields - len(rows)} more fields had to stay empty, and did.")
    say(f"{(session.ended or 'left unfinished').capitalize()} at {session.standing}")
    say_page(session)
