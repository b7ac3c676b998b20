"""``formgym import`` of a web page: its files in a folder, a picture of it, and its tasks, drafted and then checked."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import typer

from ....envs.core.files import atomic_write, load
from ....envs.core.pages import png_bytes
from ....envs.web_forms.chromium import BrowserHold
from ....envs.web_forms.custom.contained_tab import ContainedTab
from ....envs.web_forms.custom.env import CustomFormEnv
from ....envs.web_forms.custom.gold import GOLD, GoldFile
from ....envs.web_forms.custom.live_page import LivePage
from ....envs.web_forms.custom.live_pages import LivePages
from ....envs.web_forms.custom.servers import HOST, FolderServer
from ...terminal.console import say, say_written
from .drafted_fields import explored_fields
from .page_folder import copy_folder, copy_page, extract_zip, save_page, start_page

PICTURE = "page.png"
"""The name of the picture of the page in its folder, as an agent sees it at first."""
_LOOPBACK = (HOST, "localhost", "[::1]", "::1")
_MAX_NAMED = 8


def import_page(
    source: str, out: Path | None = None, page: str | None = None, server: str | None = None, accept: bool = False
) -> None:
    """Bring a page into a folder, or check the tasks of one that is there.

    Args:
        source: an HTML file, a folder, a zip file, or a URL on loopback.
        out: the folder to write; ``None``: ``source`` is such a folder, whose tasks are checked.
        page: the file of the folder, or the path of the server, to open.
        server: the command of the page's own server, which runs in the folder; ``{port}`` stands for its port.
        accept: whether a command that the folder's ``gold.json`` names is run without asking.

    Raises:
        ValueError: if the page cannot be opened or has no field, or a value cannot be entered: which, and why.
    """
    if out is None and (Path(source) / GOLD).is_file():
        _check_tasks(Path(source), accept)
        return
    folder = out or Path(Path(urlsplit(source).path).stem or "page")
    if folder.exists():
        raise ValueError(f"{folder} is there already: choose another folder by --out, or remove it first")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Hidden, so that it is no part of a folder that it is in.
    with BrowserHold() as hold, tempfile.TemporaryDirectory(prefix=".import", dir=folder.parent) as unfinished:
        made = Path(unfinished) / folder.name
        made.mkdir()
        served = page or "/" if server is not None else None
        first = _bring(source, made, served or page, hold)
        gold = _gold(made, served or first, server, accept)
        fields, refused = _draft(made, gold)
        made.rename(folder)
    say_written(folder, f"{folder}: {fields} fields, a picture of the page, and a draft of its tasks")
    if refused:
        more = f" and {len(refused) - _MAX_NAMED} more" if len(refused) > _MAX_NAMED else ""
        say(f"Without what it loads from elsewhere, which no episode reaches: {', '.join(refused[:_MAX_NAMED])}{more}")
    say(f"Write the text and the values of its tasks into {folder / GOLD}, then: formgym import {folder}")


def _bring(source: str, folder: Path, page: str | None, hold: BrowserHold) -> str:
    """Copy the files of a page into a folder; the page to open."""
    if source.startswith(("http://", "https://")):
        parts = urlsplit(source)
        if parts.scheme != "http" or parts.hostname not in _LOOPBACK:
            raise ValueError(f"{source} is not on this machine: save the page with its files, and import the folder")
        with _contained(hold, _TEMPLATE, parts.port or 80) as tab:
            return save_page(source, folder, tab)
    path = Path(source)
    if path.is_dir():
        copy_folder(path, folder)
        return start_page(folder, page)
    if not path.is_file():
        raise ValueError(f"there is no {source} to import")
    if path.suffix.lower() == ".zip":
        extract_zip(path, folder)
        return start_page(folder, page)
    server = FolderServer(path.parent)
    try:
        with _contained(hold, _TEMPLATE, server.port) as tab:
            copy_page(path.resolve(), folder, tab, server)
    finally:
        server.close()
    return path.name


@contextmanager
def _contained(hold: BrowserHold, gold: GoldFile, port: int) -> Iterator[ContainedTab]:
    tab = ContainedTab(hold, gold, port, can_navigate=False)
    try:
        yield tab
    finally:
        tab.close()


_TEMPLATE = GoldFile.model_validate({"tasks": [{"name": "first"}]})


def _gold(folder: Path, page: str, server: str | None, accept: bool) -> GoldFile:
    """The tasks that came with the page, or a template of them."""
    gold = load(GoldFile, folder / GOLD) if (folder / GOLD).is_file() else _TEMPLATE
    named: dict[str, Any] = {"page": page} if gold is _TEMPLATE else {}
    if server is not None:
        named["server"] = {"command": shlex.split(server)}
    elif gold.server is not None:
        _ask(folder, gold, accept)
    return GoldFile.model_validate(gold.model_dump() | named)


def _ask(folder: Path, gold: GoldFile, accept: bool) -> None:
    """Ask before a command of somebody else's folder is run.

    Raises:
        ValueError: if the answer is no.
    """
    assert gold.server is not None
    command = shlex.join(gold.server.command)
    if not accept and not typer.confirm(f"{folder / GOLD} runs this command in {folder}: {command}\nRun it?"):
        raise ValueError(f"{folder}: its page needs its server, which was not started; --yes starts it")


def _draft(folder: Path, gold: GoldFile) -> tuple[int, list[str]]:
    """Open the page, and write its picture and ``gold.json`` with a field for each of its controls.

    Returns:
        The number of fields, and the URLs elsewhere that the page asked for.
    """
    pages = LivePages(folder, gold, allow_commands=True)
    try:
        page = LivePage(pages, gold.tasks[0])
        atomic_write(folder / PICTURE, png_bytes(page.background, compress_level=6))
        title = page.live.evaluate("document.title")
        fields = explored_fields(page)
        refused = page.live.refused
        page.close()
    finally:
        pages.close()
    if not fields:
        raise ValueError(f"{gold.page} has no field to fill in when it opens")
    data = gold.model_dump(mode="json", exclude_defaults=True)
    data = {"title": title} | data | {"fields": fields | data.get("fields", {})}
    if gold.tasks == _TEMPLATE.tasks:
        data["tasks"] = [{"name": "first", "source": "", "values": dict.fromkeys(fields), "files": []}]
    atomic_write(folder / GOLD, (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode())
    return len(fields), list(dict.fromkeys(refused))


def _check_tasks(folder: Path, accept: bool) -> None:
    """Enter the values of every task as the oracle does, and say how to play them.

    Raises:
        ValueError: if one cannot be entered: which, and why.
    """
    gold = load(GoldFile, folder / GOLD)
    if gold.server is not None:
        _ask(folder, gold, accept)
    env = CustomFormEnv(form=folder, allow_commands=True)
    try:
        for task in env.task_ids:
            _check_task(env, folder, task)
    finally:
        env.close()
    command = f"formgym sweep env=formfactory/custom env.form={folder} agent=oracle"
    say(f"{folder}: every value of {len(env.task_ids)} tasks can be entered. Play them: {command}")


def _check_task(env: CustomFormEnv, folder: Path, task: str) -> None:
    env.reset(seed=0, options={"task": task})
    info: dict[str, Any] = {}
    for call in env.solution():
        info = env.step(env.action_space.from_call(call))[4]
    if info["score"]["success"] < 1:
        wrong = [result.name for result in env.state.score().fields if not result.correct]
        raise ValueError(f"{folder / GOLD}: task {task!r}: entered as expected, these differ: {', '.join(wrong)}")
