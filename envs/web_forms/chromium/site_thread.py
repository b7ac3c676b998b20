"""The site as this process's browser opens it: on loopback, in a thread of its own."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path

from .errors import BrowserError

_START_SECONDS = 30.0


class SiteThread:
    """The site, served for as long as this process lives. ``url``: where it answers."""

    def __init__(self) -> None:
        self.url = ""
        self.pid = os.getpid()
        self._folder = tempfile.TemporaryDirectory(prefix="formgym-site-")
        self._ready = threading.Event()
        threading.Thread(target=self._serve, name="formgym-site", daemon=True).start()
        if not self._ready.wait(_START_SECONDS):
            raise BrowserError("the site on loopback does not start")

    def _serve(self) -> None:
        from ..site.app import serve

        serve(port=0, results=Path(self._folder.name), ready=self._take_url)

    def _take_url(self, url: str) -> None:
        self.url = url
        self._ready.set()


_threads: list[SiteThread] = []
_lock = threading.Lock()


def site_url() -> str:
    """Where this process's site answers; it is started the first time, and in each process anew."""
    with _lock:
        if not _threads or _threads[-1].pid != os.getpid():
            _threads[:] = [SiteThread()]
        return _threads[-1].url
