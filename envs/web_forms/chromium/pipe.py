"""The Chrome DevTools Protocol over a pair of sockets, without an event loop."""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any


class BrowserError(RuntimeError):
    """The browser fails or refuses a command."""


class BrowserGone(BrowserError):
    """The browser has ended and its episode is lost; ``reset`` starts another."""


class PageGone(BrowserGone):
    """The page crashed; the browser is well."""


class BrowserHung(BrowserError):
    """The browser did not answer in time and was ended; ``reset`` starts another."""


class CommandFailed(BrowserError):
    """The browser works and refuses a command."""


class ScriptFailed(CommandFailed):
    """A script raised an exception in the page."""


Answer = dict[str, Any]
Listener = Callable[[str, dict[str, Any]], None]

_CHUNK = 1 << 20


class Reply:
    """The reply to a command: ``message`` is ``None`` until it arrives."""

    message: Answer | None = None

    def result(self) -> Answer:
        """What it says; it must have arrived.

        Raises:
            CommandFailed: if it is a refusal.
        """
        message = self.message or {}
        if error := message.get("error"):
            raise CommandFailed(f"the browser refused: {error.get('message')} {error.get('data', '')}".strip())
        result: Answer = message["result"]
        return result


class Pipe:
    """A connection to a browser.

    Commands are posted, many at a time, and sent by the next call that waits.

    Args:
        connection: a non-blocking socket to the browser.
        timeout: seconds that any one wait may take.

    Attributes:
        timeout: these seconds.
        listeners: by session, functions of the method and parameters of each event. A listener may post.
    """

    def __init__(self, connection: socket.socket, timeout: float) -> None:
        self.timeout = timeout
        self.listeners: dict[str, Listener] = {}
        self._connection = connection
        self._poll = select.poll()
        self._unsent, self._unread = bytearray(), bytearray()
        self._searched = self._last_id = 0
        self._replies: dict[int, Reply] = {}

    def post(self, method: str, params: Mapping[str, Any] | None = None, session: str = "") -> Reply:
        """Add a command to those that are sent next.

        Args:
            method: of the protocol.
            params: its parameters.
            session: the session that it is for; "" is the browser itself.
        """
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": params or {}}
        self._unsent += json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0"
        return self._replies.setdefault(self._last_id, Reply())

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Answer:
        """Send the browser itself a command and wait for the answer.

        Raises:
            BrowserGone: if the browser closed the connection.
            BrowserHung: if there was no answer in time.
            CommandFailed: if the browser refuses it.
        """
        reply = self.post(method, params)
        self.wait(lambda: reply.message is not None)
        return reply.result()

    def wait(self, done: Callable[[], bool], patience: float | None = None) -> bool:
        """Send the posted commands and process messages until ``done()``.

        Args:
            done: the condition to wait for.
            patience: seconds after which to give up; without it, a timeout is an error.

        Returns:
            Whether it is done.

        Raises:
            BrowserGone: if the browser closed the connection.
            BrowserHung: if it was not done in time and there is no ``patience``.
        """
        deadline = time.monotonic() + (self.timeout if patience is None else patience)
        while self._unsent or not done():
            if not self._move(deadline - time.monotonic()):
                if patience is None:
                    raise BrowserHung(f"the browser did not answer within {self.timeout:g} s")
                return False
        return True

    def _move(self, seconds: float) -> bool:
        """Write and read once what is possible; return whether anything was within a time."""
        try:
            if self._unsent:
                with suppress(BlockingIOError):
                    del self._unsent[: self._connection.send(self._unsent)]
            self._poll.register(self._connection, select.POLLIN | (select.POLLOUT if self._unsent else 0))
            if not self._poll.poll(max(0.0, seconds) * 1000):
                return False
            with suppress(BlockingIOError):
                self._receive(self._connection.recv(_CHUNK))
        except ConnectionError:
            raise BrowserGone("the browser has ended") from None
        return True

    def _receive(self, received: bytes) -> None:
        """Process the messages that are complete now."""
        if not received:
            raise BrowserGone("the browser has ended")
        self._unread += received
        while (end := self._unread.find(b"\0", self._searched)) >= 0:
            message = json.loads(self._unread[:end])
            del self._unread[: end + 1]
            self._searched = 0
            if reply := self._replies.pop(message.get("id"), None):
                reply.message = message
            elif listener := "method" in message and self.listeners.get(message.get("sessionId", "")):
                listener(message["method"], message.get("params", {}))
        self._searched = len(self._unread)
