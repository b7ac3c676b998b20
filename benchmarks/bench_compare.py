"""Compare environments of ours with Chromium, MiniWoB++ and BrowserGym: the same steps, in turn, on one machine.

Each is played in a process of its own, as ``gym.make`` makes it, and all take turns within every round in random order.
Costs are those of all processes that an environment starts. Those of others need a Python of their own, which ``make
bench-others`` makes.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple, Self

from formgym.envs.web_forms.chromium import browser_path
from formgym.experiments.terminal.console import print_table, table_of, track

OTHERS = Path(__file__).resolve().parents[1] / "build" / "others" / "bin" / "python"
"""The Python with the packages of others."""
STEPS = ("click", "letter", "word")
_KINDS = (*STEPS, "reset")
_PEERS = {"Playwright": "x Chromium", "MiniWoB++": "x MiniWoB++", "BrowserGym": "x BrowserGym"}
"""Rows that ours are compared with, and the columns in which they are."""

_WEB = {"env_id": "FormFactory/ConferenceSpeaker-v0", "theme": "quarterly"}
_WINDOW, _SMALL = (1024, 768), {"render_size": (192, 256)}


class _Place(NamedTuple):
    """What ``player.py`` opens, and in which Python."""

    python: str
    kind: str
    options: dict[str, Any]


def run_comparison(rounds: int, others: Path = OTHERS) -> dict[str, Any]:
    """Measure and print tables; the costs by row, and why rows are missing."""
    rows: dict[str, Any] = {}
    missing = {}
    with ExitStack() as stack:
        players = {}
        for name, place in track(_places(others).items(), "comparison: memory"):
            try:
                with _Player(place) as player:
                    memory = player.ask("memory")
                players[name] = stack.enter_context(_Player(place))
                rows[name] = {"memory": memory, **players[name].ask("about")}
            except (OSError, RuntimeError) as error:
                players.pop(name, None)
                missing[name] = str(error)
        missing |= _add_samples(rows, players, rounds)
    _add_ratios(rows)
    _print(rows, missing, rounds)
    return {"rows": rows, "missing": missing}


def _places(others: Path) -> dict[str, _Place]:
    own, theirs = sys.executable, str(others)
    shell, chromium = browser_path() or "none", shutil.which("chromium") or "none"
    driver = shutil.which("chromedriver") or "none"
    awake = {"slow_mo": 0, "pre_observation_delay": 0}
    login = {"task": "login-user", "browser": chromium}
    return {
        "FormGym, marks": _Place(own, "formgym", {"env_id": "FormGym/AutoLoans-Text-v0"}),
        "FormGym, photo editor": _Place(own, "formgym", {"env_id": "FormGym/AutoLoans-GUI-v0"}),
        "FormFactory, replay": _Place(own, "formgym", _WEB),
        "FormFactory, replay, 256 x 192": _Place(own, "formgym", _WEB | _SMALL),
        "FormFactory, Chromium": _Place(own, "formgym", _WEB | {"backend": "chromium"}),
        "FormFactory, Chromium, 256 x 192": _Place(own, "formgym", _WEB | _SMALL | {"backend": "chromium"}),
        "DocEdit": _Place(own, "formgym", {"env_id": "DocEdit/ConcertPoster-v0"}),
        "Playwright": _Place(own, "playwright", _WEB | {"size": _WINDOW, "browser": shell}),
        "MiniWoB++": _Place(theirs, "miniwob", login | {"driver": driver}),
        "BrowserGym": _Place(theirs, "browsergym", login),
        "BrowserGym, no sleeps": _Place(theirs, "browsergym", login | awake),
    }


class _Player:
    """A process that plays, until the end of the ``with``."""

    def __init__(self, place: _Place) -> None:
        command = [place.python, str(Path(__file__).with_name("player.py")), place.kind, json.dumps(place.options)]
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  # closed in __exit__
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._errors, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._errors.close()

    def ask(self, name: str) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            RuntimeError: if the player has failed; the message is its last line.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(name, file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self._process.wait()
            self._errors.seek(0)
            raise RuntimeError((self._errors.read().strip().splitlines() or ["it ended"])[-1])
        return dict(json.loads(answer))


def _add_samples(rows: dict[str, Any], players: dict[str, _Player], rounds: int) -> dict[str, str]:
    """Measure ``costs`` of each kind, in turn, in each round after one that warms up.

    Rows that fail are taken out, and why is returned.
    """
    failed = {}
    for row in rows.values():
        row["costs"] = {kind: [] for kind in _KINDS if kind == "reset" or kind in row["changed"]}
    for number in track(range(rounds + 1), "comparison"):
        for name in random.sample(list(players), len(players)):
            try:
                for kind, cost in players[name].ask("costs").items():
                    rows[name]["costs"][kind] += [cost] if number else []
            except RuntimeError as error:
                failed[name] = str(error)
                del rows[name], players[name]
    return failed


def _add_ratios(rows: dict[str, Any]) -> None:
    """How many steps of a row cost as much CPU time as one of a peer: medians of ratios within a round."""
    for row in rows.values():
        kinds = [kind for kind in STEPS if kind in row["costs"]]
        row["ratios"] = {
            column: median(
                their / own for their, own in zip(_means(rows[peer], kinds), _means(row, kinds), strict=True)
            )
            for peer, column in _PEERS.items()
            if peer in rows
        }


def _means(row: dict[str, Any], kinds: list[str], clock: str = "cpu") -> list[float]:
    """Seconds of a step in each round: the mean of the kinds."""
    return [fmean(cost[clock] for cost in costs) for costs in zip(*(row["costs"][k] for k in kinds), strict=True)]


def _print(rows: dict[str, Any], missing: dict[str, str], rounds: int) -> None:
    heads = ("", "frame", *_KINDS, "wall ms a step", "steps a second", "MB", "MB a further", *_PEERS.values())
    title = f"CPU ms of all processes, medians of {rounds} rounds"
    print_table(table_of(title, heads, [(name, *_cells(row)) for name, row in rows.items()]))
    for name, row in rows.items():
        if blank := {kind: f"{share:.0%}" for kind, share in row["changed"].items() if share < 1}:
            print(f"{name}: steps that change the frame: {blank}")
        print(f"{name}: {row['versions']}")
    for name, why in missing.items():
        print(f"left out: {name}: {why}")


def _cells(row: dict[str, Any]) -> list[str]:
    height, width, _ = row["shape"]
    costs = row["costs"]
    wall = median(_means(row, [kind for kind in STEPS if kind in costs], "wall"))
    return [
        f"{width} x {height}",
        *(f"{1e3 * median(cost['cpu'] for cost in costs[k]):,.3f}" if k in costs else "" for k in _KINDS),
        f"{1e3 * wall:,.2f}",
        f"{1 / wall:,.1f}",
        *(f"{row['memory'][part] / 1e6:,.0f}" for part in ("one", "further")),
        *(f"{row['ratios'][column]:,.1f}" if column in row["ratios"] else "" for column in _PEERS.values()),
    ]
