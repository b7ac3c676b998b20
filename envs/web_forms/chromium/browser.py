"""The browser of this process: one for all environments in it, begun anew when it dies or hangs."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self

from .errors import BrowserError, BrowserGone, BrowserHung, CommandFailed, PageGone
from .pipe import Pipe
from .process import BrowserProcess
from .session import FramedSession, Session
from .settings import DRIVEN, ENVIRONMENT, FLAGS, browser_path, is_shell
from .tab import Tab

_TIMEOUT = 30.0
_browsers: weakref.WeakSet[Browser] = weakref.WeakSet()


class Browser:
    """A browser process.

    Args:
        path: the browser; what is found by default.
        timeout: seconds that any answer may take before the browser counts as hung.

    Raises:
        BrowserError: if there is no browser, or it cannot be started.
    """

    def __init__(self, path: str | None = None, timeout: float = _TIMEOUT) -> None:
        path = path or browser_path()
        if path is None:
            raise BrowserError("no Chromium found: apt-get install chromium, or set FORMGYM_CHROMIUM to its path")
        self._sessions = FramedSession if is_shell(path) else Session
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._alive = True
        self._process = BrowserProcess([path, *FLAGS, *DRIVEN, *self._sessions.switches, "about:blank"], ENVIRONMENT)
        self.pipe = Pipe(self._process.reader, self._process.writer, timeout)
        _browsers.add(self)
        try:
            with self.speaking() as pipe:
                pipe.call("Browser.getVersion")
        except BaseException:
            self.end()
            raise

    @property
    def alive(self) -> bool:
        """Whether it runs, as far as is known, and is this process's own."""
        return self._alive and self._owner == os.getpid()

    @property
    def pid(self) -> int:
        """The process of which all of the browser's processes descend."""
        return self._process.pid

    @contextmanager
    def speaking(self) -> Iterator[Pipe]:
        """The pipe, for one thread at a time; a browser that turns out to be gone or hung is ended for good.

        So is one that was interrupted: what was said to it and what was heard may be incomplete.

        Raises:
            BrowserGone: if it has ended; the message ends with what it last said.
            BrowserHung: if it did not answer in time.
        """
        if self._owner != os.getpid():
            raise BrowserGone("the browser belongs to the process that this one was forked from")
        with self._lock:
            if not self._alive:
                raise BrowserGone("the browser has ended")
            try:
                yield self.pipe
            except (CommandFailed, PageGone):
                raise
            except (BrowserGone, BrowserHung) as error:
                words = self._process.last_words()
                self.end()
                raise type(error)(f"{error}\n{words}" if words else str(error)) from None
            except BaseException:
                self.end()
                raise

    def open_tab(self, width: int = 1024, height: int = 768) -> Tab:
        """A blank page in a context of its own.

        Args:
            width: the viewport's, in pixels.
            height: the viewport's, in pixels.
        """
        with self.speaking() as pipe:
            context: str = pipe.call("Target.createBrowserContext", {"disposeOnDetach": True})["browserContextId"]
            where = {"url": "about:blank", "browserContextId": context, "width": width, "height": height}
            target = pipe.call("Target.createTarget", where | self._sessions.target)["targetId"]
            name = pipe.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
            return Tab(self, context, self._sessions(pipe, name, (width, height)))

    def close_context(self, context: str) -> None:
        """Dispose of a tab's context; harmless if it is gone."""
        if self.alive:
            with suppress(BrowserError), self.speaking() as pipe:
                pipe.call("Target.disposeBrowserContext", {"browserContextId": context})

    def end(self) -> None:
        """End the browser and all of its processes; harmless if it has ended."""
        if self.alive:
            self._alive = False
            self._process.end()

    def forget(self) -> None:
        """Let go of it without ending it, in a process that was forked off its owner."""
        self._alive = False
        self._process.forget()


class BrowserHold:
    """A claim on this process's browser, which starts when a tab is opened and ends when the last such claim is closed.

    Args:
        timeout: seconds that any answer may take, for the browser that this claim starts.
    """

    def __init__(self, timeout: float = _TIMEOUT) -> None:
        self._timeout = timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open_tab(self, width: int = 1024, height: int = 768) -> Tab:
        """A blank page in a context of its own; a browser that is dead or hung is replaced first.

        Raises:
            BrowserError: if no browser can be started.
        """
        _shared.holds.add(self)
        with suppress(BrowserGone, BrowserHung):
            return _shared.running(self._timeout).open_tab(width, height)
        return _shared.running(self._timeout).open_tab(width, height)

    def close(self) -> None:
        """Let go; the last one that does so ends the browser."""
        _shared.holds.discard(self)
        if not _shared.holds:
            _shared.end()


class _Shared:
    """The browser of this process and who holds it."""

    def __init__(self) -> None:
        self.holds: weakref.WeakSet[BrowserHold] = weakref.WeakSet()
        self._browser: Browser | None = None
        self._lock = threading.RLock()

    def running(self, timeout: float) -> Browser:
        with self._lock:
            if self._browser is None or not self._browser.alive:
                self._browser = Browser(timeout=timeout)
            return self._browser

    def end(self) -> None:
        with self._lock:
            browser, self._browser = self._browser, None
            if browser is not None:
                browser.end()

    def after_fork(self) -> None:
        self._lock = threading.RLock()
        self._browser = None


_shared = _Shared()


def _after_fork() -> None:
    """In a process that was forked off: to hold the pipes' ends would keep the browsers alive after their owner."""
    for browser in list(_browsers):
        browser.forget()
    _shared.after_fork()


def _end_all() -> None:
    for browser in list(_browsers):
        browser.end()


atexit.register(_end_all)
os.register_at_fork(after_in_child=_after_fork)
