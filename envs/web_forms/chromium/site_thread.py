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
        self._ready = threading.Event()
        threading.Thread(target=self._serve, name="formgym-site", daemon=True).start()
        if not self._ready.wait(_START_SECONDS):
            raise BrowserError("the site on loopback does not start")

    def _serve(self) -> None:
        from ..site.app import serve

        # Nothing is submitted to it: the folder is never made.
        results = Path(tempfile.gettempdir()) / f"formgym-site-{self.pid}"
        serve(port=0, results=results, ready=self._take_url)

    def _take_url(self, url: str) -> None:
        self.url = url
        self._ready.set()


_threads: list[SiteThread] = []
_locks = [threading.Lock()]
# A lock that another thread holds while the process forks would stay locked in the child.
os.register_at_fork(after_in_child=lambda: _locks.__setitem__(0, threading.Lock()))


def site_url() -> str:
    """Where this process's site answers; it is started the first time, and in each process anew."""
    with _locks[0]:
        if not _threads or _threads[-1].pid != os.getpid():
            _threads[:] = [SiteThread()]
        return _threads[-1].url
