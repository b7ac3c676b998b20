"""The published web app, run as a process of its own."""

from __future__ import annotations

import shutil
import sys
import weakref
from collections import Counter
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ...core.extras import needed
from ..custom.gold import GoldServer
from ..custom.servers import HOST, CommandServer

if TYPE_CHECKING:
    from .tasks import Survey

_SUBMISSIONS = "submission"
_RUN = (sys.executable, "-B", "-m", "flask", "--app", "app", "run", "--host", HOST, "--port", "{port}")
_SECONDS = 20


class PublishedApp:
    """The Flask app of a checkout on a free port of loopback; it ends with this object.

    It runs in a folder of links to the checkout, in which alone it keeps what is submitted.

    Args:
        folder: the checkout.

    Raises:
        ImportError: if Flask is missing; the message explains how to get it.
        ValueError: if the app does not start; the message ends with its last error output.

    Attributes:
        surveys: what of each form can be played, and counts of what cannot, as far as that is known.
    """

    def __init__(self, folder: Path) -> None:
        needed("flask", "web")
        self._folder = folder
        self.surveys: dict[str, tuple[Survey | None, Counter[str]]] = {}
        copy = TemporaryDirectory(prefix="formgym_app_")
        for path in folder.iterdir():
            if path.name != _SUBMISSIONS and not path.name.startswith("."):
                (Path(copy.name) / path.name).symlink_to(path.resolve())
        if (folder / _SUBMISSIONS).is_dir():
            shutil.copytree(folder / _SUBMISSIONS, Path(copy.name) / _SUBMISSIONS)
        server = CommandServer(GoldServer(command=_RUN), Path(copy.name))
        self.port = server.port
        # What is registered last is done first.
        weakref.finalize(self, copy.cleanup)
        self.close = weakref.finalize(self, server.close)

    def __reduce__(self) -> tuple[Callable[[Path], PublishedApp], tuple[Path]]:
        return running_app, (self._folder,)

    def answers(self, route: str) -> bool:
        """Whether it serves a page there."""
        connection = HTTPConnection(HOST, self.port, timeout=_SECONDS)
        connection.request("GET", route)
        return connection.getresponse().status == 200


_running: weakref.WeakValueDictionary[Path, PublishedApp] = weakref.WeakValueDictionary()


def running_app(folder: Path) -> PublishedApp:
    """The app of a checkout, which all of this process's environments share; see ``PublishedApp``."""
    app = _running.get(folder)
    if app is None:
        app = _running[folder] = PublishedApp(folder)
    return app
