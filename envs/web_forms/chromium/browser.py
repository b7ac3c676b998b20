"""The browser of this process: shared by its environments, restarted on failure."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Self

from .browser_session import FramedSession, PageSession
from .pipe import BrowserError, BrowserGone, BrowserHung, CommandFailed, PageGone, Pipe
from .process import BrowserProcess
from .settings import DRIVEN, FLAGS, browser_path, environment, is_shell
from .tab import Tab

Proxy = tuple[str, str]
_TIMEOUT = 30.0


class Browser:
    """A browser process.

    Args:
        path: the browser; what is found by default.
        timeout: seconds that any answer may take before the browser counts as hung.

    Attributes:
        pid: of the process from which all of the browser's processes descend.
        version: for example "Chromium 120.0.6099.5".

    Raises:
        BrowserError: if there is no browser, or it cannot be started.
    """

    def __init__(self, path: str | None = None, timeout: float = _TIMEOUT) -> None:
        path = path or browser_path()
        if path is None:
            raise BrowserError("no Chromium found: apt-get install chromium, or set FORMGYM_CHROMIUM to its path")
        self._sessions = FramedSession if is_shell(path) else PageSession
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._alive = True
        self._process = BrowserProcess([path, *FLAGS, *DRIVEN, *self._sessions.switches, "about:blank"], environment())
        self.pid = self._process.pid
        self._pipe = Pipe(self._process.reader, self._process.writer, timeout)
        _shared.browsers.add(self)
        try:
            with self.exclusive_pipe() as pipe:
                self.version = "Chromium " + pipe.call("Browser.getVersion")["product"].partition("/")[2]
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
                words = self._process.stderr_tail()
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
            where = {"browserContextId": made["browserContextId"], "width": width, "height": height}
            try:
                target = pipe.call("Target.createTarget", {"url": "about:blank"} | where | self._sessions.target)
                attached = {"targetId": target["targetId"], "flatten": True}
                name = pipe.call("Target.attachToTarget", attached)["sessionId"]
                return Tab(self, made["browserContextId"], self._sessions(pipe, name, (width, height)))
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
            self._process.end()

    def forget(self) -> None:
        """Release it without ending it, in a process forked from its owner."""
        self._alive = False
        self._process.forget()


class BrowserHold:
    """A claim on this process's browser.

    The browser starts when a tab is opened, and ends when its last claim is closed.

    Args:
        timeout: seconds that any answer may take, for the browser that this claim starts.
    """

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
            return _shared.held_browser(self, self._timeout).open_tab(width, height, proxy)
        return _shared.held_browser(self, self._timeout).open_tab(width, height, proxy)

    def close(self) -> None:
        """Release the claim; the last one to do so ends the browser."""
        _shared.release(self)


class _Shared:
    """The browser of one process and its claims, with a lock for these.

    Attributes:
        browsers: all that this process has started, including unshared ones.
    """

    def __init__(self) -> None:
        self.browsers: weakref.WeakSet[Browser] = weakref.WeakSet()
        self._holds: weakref.WeakSet[BrowserHold] = weakref.WeakSet()
        self._browser: Browser | None = None
        self._lock = threading.RLock()

    def held_browser(self, hold: BrowserHold, timeout: float) -> Browser:
        """The browser, now held by ``hold``; a dead one is replaced."""
        with self._lock:
            self._holds.add(hold)
            if self._browser is None or not self._browser.alive:
                self._browser = Browser(timeout=timeout)
            return self._browser

    def release(self, hold: BrowserHold) -> None:
        """End the browser if nobody else holds it."""
        with self._lock:
            self._holds.discard(hold)
            if not self._holds and self._browser is not None:
                self._browser.end()
                self._browser = None

    def end_all(self) -> None:
        for browser in list(self.browsers):
            browser.end()

    def after_fork(self) -> None:
        """Release the browsers in a forked process: open pipes would keep them alive."""
        for browser in list(self.browsers):
            browser.forget()
        # A lock that another thread held would stay locked here.
        vars(self).update(vars(_Shared()))


_shared = _Shared()
atexit.register(_shared.end_all)
os.register_at_fork(after_in_child=_shared.after_fork)
