"""``formgym doctor``: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
from fontpkg.errors import FontpkgError
from packaging.requirements import Requirement
from rich.markup import escape
from rich.table import Table

from ... import __version__
from ...assets import ROOT, broken_files
from ...envs.core.env import PaperworkEnv
from ...envs.core.text_sprites import SIGNED_FACE, TYPED_FACE, sprite
from ...envs.registration import ids, index
from ...envs.web_forms.chromium.settings import HOW_TO_GET, browser_path
from ...fieldfinder_model.processors import processors
from ..play.command import display_problem
from ..terminal.console import console, print_json
from .listing import UNREAD, environments

_OLDEST_PYTHON = (3, 11)
_MARKS = {True: "[green]✓[/green]", False: "[red]✗[/red]", None: "[dim]–[/dim]"}


@dataclass(frozen=True)
class Finding:
    """A check of one thing.

    Attributes:
        group: the kind of thing.
        name: the thing.
        ok: ``True`` if all is well, ``False`` if something needed is amiss, ``None`` if something optional is missing.
        found: the result.
        hint: how to get it or repair it; empty if all is well.
    """

    group: str
    name: str
    ok: bool | None
    found: str
    hint: str = ""


def examine(deep: bool = False) -> bool:
    """Print all findings; whether everything needed is there."""
    found = list(findings(deep))
    fine = all(finding.ok is not False for finding in found)
    print_json({"ok": fine, "findings": [asdict(finding) for finding in found]})
    amiss = ", ".join(finding.name for finding in found if finding.ok is False)
    bad = f"[red]Something needed is amiss: {escape(amiss)}[/red]"
    console.print(bad if amiss else "[green]All that is needed is here.[/green]", highlight=False)
    console.print(_table(found))
    return fine


def findings(deep: bool = False) -> Iterator[Finding]:
    """All findings, one after the other.

    Args:
        deep: whether to open every environment and step in the first.
    """
    yield from _formgym()
    yield from _packages()
    yield _browser()
    yield _window()
    yield from _fonts()
    yield from _data(deep)
    yield _assets()
    if deep:
        yield _first_step()
    yield _wandb()
    yield from _machine()


def _table(found: list[Finding]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(no_wrap=True)
    # A hint stands below what was found: a command that is broken by a narrow column cannot be copied.
    table.add_column(overflow="fold")
    for group in dict.fromkeys(finding.group for finding in found):
        table.add_row("", f"[bold]{group}[/bold]", "")
        for finding in (f for f in found if f.group == group):
            hint = f"\n[yellow]{escape(finding.hint)}[/yellow]" if finding.hint else ""
            table.add_row(_MARKS[finding.ok], escape(finding.name), escape(finding.found) + hint)
    return table


def _formgym() -> Iterator[Finding]:
    new_enough = sys.version_info >= _OLDEST_PYTHON
    oldest = ".".join(map(str, _OLDEST_PYTHON))
    hint = "" if new_enough else f"Python {oldest} or newer is needed"
    yield Finding("python", "Python", new_enough, f"{platform.python_version()}, {sys.executable}", hint)
    yield Finding("python", "formgym", True, f"{__version__}, {ROOT.parent}")


# -- Packages ----------------------------------------------------------------------------------------------------------


def _packages() -> Iterator[Finding]:
    lines = _requirements()
    if not lines:
        yield Finding("packages", "requirements", None, "unknown", f"pip install {ROOT.parent}")
    for line in lines:
        yield _package(line, _extra_of(line))


def _requirements() -> list[Requirement]:
    """The requirements of formgym, the extras' last, as installed or in the checkout."""
    try:
        lines = metadata.requires("formgym") or []
    except metadata.PackageNotFoundError:
        lines = list(_checkout_requirements(ROOT.parent / "pyproject.toml"))
    parsed = {(r.name, _extra_of(r)): r for r in map(Requirement, lines) if _applies_here(r)}
    return sorted(parsed.values(), key=lambda r: (_extra_of(r) is not None, _extra_of(r) or ""))


def _checkout_requirements(path: Path) -> Iterator[str]:
    if not path.is_file():
        return
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    yield from project["dependencies"]
    for extra, lines in project["optional-dependencies"].items():
        yield from (f'{line}; extra == "{extra}"' for line in lines)


def _extra_of(requirement: Requirement) -> str | None:
    """The extra that a requirement belongs to, if any."""
    _, found, rest = str(requirement.marker or "").partition('extra == "')
    return rest.split('"')[0] if found else None


def _applies_here(requirement: Requirement) -> bool:
    """Whether a requirement applies to this Python and this system."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": _extra_of(requirement) or ""})


def _package(requirement: Requirement, extra: str | None) -> Finding:
    get = f"pip install '{requirement.name}{requirement.specifier}'"
    group, amiss = ("packages", False) if extra is None else (f"extra {extra}", None)
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return Finding(group, requirement.name, amiss, "missing", get)
    if not requirement.specifier.contains(version, prereleases=True):
        return Finding(group, requirement.name, amiss, f"{version}, not {requirement.specifier}", get)
    return Finding(group, requirement.name, True, version)


# -- What else is there ------------------------------------------------------------------------------------------------


def _browser() -> Finding:
    how = f"{HOW_TO_GET}; only for pages in Chromium, and to photograph forms"
    return _program("Chromium, headless shell", browser_path(), how)


def _program(name: str, path: str | None, how: str) -> Finding:
    if path is None:
        return Finding("programs", name, None, "missing", how)
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("programs", name, None, f"{path} does not run: {error}", how)
    return Finding("programs", name, True, f"{answer.stdout.strip()}, {path}")


def _window() -> Finding:
    problem = display_problem()
    if problem is None:
        return Finding("programs", "a display", True, "formgym play opens a window")
    return Finding("programs", "a display", None, "formgym play runs in the terminal", problem)


def _fonts() -> Iterator[Finding]:
    for face in (TYPED_FACE, SIGNED_FACE):
        package = f"fontpkg-{face.lower().replace(' ', '-')}"
        try:
            drawn = sprite("Ag", 24, face)
        except (ImportError, KeyError, LookupError, OSError, ValueError) as error:
            yield Finding("fonts", face, False, f"not drawn: {error}", f"pip install {package}")
        else:
            yield Finding("fonts", face, not drawn.unsupported, f"drawn, {drawn.advance} pixels wide")


def _data(deep: bool) -> Iterator[Finding]:
    folder = os.environ.get("FORMGYM_DATA")
    there = folder is not None and Path(folder).is_dir()
    found = "not set" if not folder else folder if there else f"{folder} is no folder"
    hint = "" if there else "set it to the folder with your own data sets; shipped environments need none"
    yield Finding("data", "FORMGYM_DATA", there or None, found, hint)
    rows = environments(deep)
    # Web forms that are fine share one line: there are many.
    web = [row for row in rows if row["id"].startswith("FormFactory/") and row["missing"] is None]
    for row in rows:
        if row not in web:
            yield _environment(row)
    if web:
        tasks = sum(row["tasks"] for row in web)
        yield Finding("data", "FormFactory", True, f"{len(web)} environments of web forms, {tasks:,} tasks")


def _environment(row: dict[str, Any]) -> Finding:
    # What is shipped must be there; what the user has to bring may be missing.
    amiss = False if "shipped" in row["data"] else None
    if row["missing"] is not None:
        return Finding("data", row["id"], amiss, "missing", row["missing"])
    if row["tasks"] is None:
        return Finding("data", row["id"], True, UNREAD)
    pages = "1 page" if row["pages"] == 1 else f"{row['pages']:,} pages"
    return Finding("data", row["id"], True, f"{pages}, {row['tasks']:,} tasks")


def _assets() -> Finding:
    files = index()["files"]
    broken = [name for name in broken_files() if name in files]
    if not broken:
        return Finding("data", "shipped files", True, f"{len(files)} files, all as they should be")
    more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
    how = "reinstall formgym; after an intended change: make assets"
    return Finding("data", "shipped files", False, f"changed or missing: {', '.join(broken[:3])}{more}", how)


def _first_step() -> Finding:
    env_id, began = ids()[0], time.perf_counter()
    try:
        made = gym.make(env_id, disable_env_checker=True)
        env = cast(PaperworkEnv, made.unwrapped)
        made.reset(seed=0)
        made.step(env.action_space.from_call(env.state.solution()[0]))
    except (ImportError, OSError, RuntimeError, ValueError, FontpkgError, gym.error.Error) as error:
        return Finding("check", "first step", False, f"{env_id}: {error}", "reinstall formgym")
    took = 1000 * (time.perf_counter() - began)
    return Finding("check", "first step", True, f"{env_id}: made, reset and stepped in {took:.0f} ms")


def _wandb() -> Finding:
    mode = os.environ.get("WANDB_MODE")
    try:
        found = f"{metadata.version('wandb')}, WANDB_MODE={mode}" if mode else metadata.version("wandb")
    except metadata.PackageNotFoundError:
        return Finding("check", "W&B", None, "missing", "pip install wandb; only for logger=wandb")
    return Finding("check", "W&B", True, f"{found}; logger=wandb writes files offline and needs no account")


def _machine() -> Iterator[Finding]:
    yield Finding("machine", "CPU cores", True, str(processors()))
    yield Finding("machine", "free memory", True, _size(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    yield Finding("machine", "free disk", True, f"{_size(shutil.disk_usage(Path.cwd()).free)} in {Path.cwd()}")


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.1f} GiB"
