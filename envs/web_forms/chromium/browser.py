"""The browser of this process: shared by its environments, restarted on failure."""

from __future__ import annotations

import atexit
import os
import socket
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar, Self

from .pipe import BrowserError, BrowserGone, BrowserHung, CommandFailed, PageGone, Pipe
from .process import LaunchedProcess
from .settings import CONTROL, HOW_TO_GET, SWITCHES, browser_path, environment
from .tab import Tab

Proxy = tuple[str, str]
_TIMEOUT = 30.0


class Browser:
    """A headless shell of Chromium in processes of its own.

    Args:
        path: the program; what is found by default.
        timeout: seconds that any answer may take before the browser counts as hung.

    Attributes:
        pid: of the process from which all of the browser's processes descend.
        version: for example "Chromium 120.0.6099.5".

    Raises:
        BrowserError: if there is no headless shell, or it cannot be started.
    """

    _all: ClassVar[weakref.WeakSet[Browser]] = weakref.WeakSet()

    def __init__(self, path: str | None = None, timeout: float = _TIMEOUT) -> None:
        path = path or browser_path()
        if path is None:
            raise BrowserError(f"no headless shell of Chromium found: {HOW_TO_GET}")
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._connection, theirs = socket.socketpair()
        with theirs:
            try:
                command = [path, *SWITCHES, *CONTROL, "--user-data-dir={folder}", "about:blank"]
                self._process = LaunchedProcess(command, environment(), theirs)
            except BaseException:
                self._connection.close()
                raise
        self._connection.setblocking(False)
        self._alive = True
        self.pid = self._process.pid
        self._pipe = Pipe(self._connection, timeout)
        self._all.add(self)
        try:
            with self.exclusive_pipe() as pipe:
                name, _, version = pipe.call("Browser.getVersion")["product"].partition("/")
            if "Headless" not in name:
                raise BrowserError(f"{path} is not the headless shell of Chromium: {HOW_TO_GET}")
            self.version = f"Chromium {version}"
        except BaseException:
            self.end()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def alive(self) -> bool:
        """Whether it runs, as far as is known, and is this process's own."""
        return self._alive and self._owner == os.getpid()

    @contextmanager
    def exclusive_pipe(self) -> Iterator[Pipe]:
        """The pipe, for one thread at a time; a browser that is gone or hung is ended.

        An interrupted browser is ended too: messages in both directions may be incomplete.

        Raises:
            BrowserGone: if it has ended; the message ends with its last error output.
            BrowserHung: if it did not answer in time.
        """
        if self._owner != os.getpid():
            raise BrowserGone("the browser belongs to the process that this one was forked from")
        with self._lock:
            if not self._alive:
                raise BrowserGone("the browser has ended")
            try:
                yield self._pipe
            except (CommandFailed, PageGone):
                raise
            except (BrowserGone, BrowserHung) as error:
                words = self._process.stderr_tail() if self._alive else ""
                self.end()
                raise type(error)(f"{error}\n{words}" if words else str(error)) from None
            except BaseException:
                self.end()
                raise

    def open_tab(self, width: int = 1024, height: int = 768, proxy: Proxy | None = None) -> Tab:
        """A blank page in its own context.

        Args:
            width: the viewport's, in pixels.
            height: the viewport's, in pixels.
            proxy: the server that all connections go through, and the hosts that are excepted from it, as Chromium
                writes them: ``("http://127.0.0.1:9", "<-loopback>;127.0.0.1:8080")`` allows one port only.

        Raises:
            CommandFailed: if the browser refuses it, for example because of an impossible size.
        """
        server = {"proxyServer": proxy[0], "proxyBypassList": proxy[1]} if proxy else {}
        with self.exclusive_pipe() as pipe:
            made = pipe.call("Target.createBrowserContext", {"disposeOnDetach": True} | server)
            context = {"browserContextId": made["browserContextId"]}
            where = context | {"width": width, "height": height, "enableBeginFrameControl": True}
            try:
                target = pipe.call("Target.createTarget", {"url": "about:blank"} | where)["targetId"]
                session = pipe.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
                return Tab(self, made["browserContextId"], session, (width, height))
            except (CommandFailed, PageGone):
                self.close_context(made["browserContextId"])
                raise

    def close_context(self, context: str) -> None:
        """Dispose of a tab's context; harmless if it is gone."""
        if self.alive:
            with suppress(BrowserError), self.exclusive_pipe() as pipe:
                pipe.call("Target.disposeBrowserContext", {"browserContextId": context})

    def end(self) -> None:
        """End the browser and all of its processes; harmless if it has ended."""
        if self.alive:
            self._alive = False
            self._connection.close()
            self._process.end()

    @classmethod
    def end_all(cls) -> None:
        """End all browsers that this process has started."""
        for browser in list(cls._all):
            browser.end()

    @classmethod
    def forget_all(cls) -> None:
        """Release the browsers in a process forked from their owner, where open connections would keep them alive."""
        for browser in list(cls._all):
            browser._alive = False
            browser._connection.close()
            browser._process.forget()
        cls._all = weakref.WeakSet()


class BrowserHold:
    """A claim on this process's browser.

    The browser starts when a tab is opened, and ends when its last claim is closed.

    Args:
        timeout: seconds that any answer may take, for the browser that this claim starts.
    """

    _holds: ClassVar[weakref.WeakSet[BrowserHold]] = weakref.WeakSet()
    _browser: ClassVar[Browser | None] = None
    _lock: ClassVar[threading.RLock] = threading.RLock()

    def __init__(self, timeout: float = _TIMEOUT) -> None:
        self._timeout = timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open_tab(self, width: int = 1024, height: int = 768, proxy: Proxy | None = None) -> Tab:
        """A blank page in its own context, as ``Browser.open_tab``; a dead or hung browser is replaced first.

        Raises:
            BrowserError: if no browser can be started.
        """
        with suppress(BrowserGone, BrowserHung):
            return self._held_browser().open_tab(width, height, proxy)
        return self._held_browser().open_tab(width, height, proxy)

    def close(self) -> None:
        """Release the claim; the last one to do so ends the browser."""
        cls = BrowserHold
        with cls._lock:
            cls._holds.discard(self)
            if not cls._holds and cls._browser is not None:
                cls._browser.end()
                cls._browser = None

    def _held_browser(self) -> Browser:
        cls = BrowserHold
        with cls._lock:
            cls._holds.add(self)
            if cls._browser is None or not cls._browser.alive:
                cls._browser = Browser(timeout=self._timeout)
            return cls._browser

    @classmethod
    def after_fork(cls) -> None:
        """Start without a browser in a forked process, in which a lock that another thread held would stay locked."""
        cls._holds, cls._browser, cls._lock = weakref.WeakSet(), None, threading.RLock()
        Browser.forget_all()


atexit.register(Browser.end_all)
os.register_at_fork(after_in_child=BrowserHold.after_fork)
