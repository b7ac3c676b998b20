"""The Chrome DevTools Protocol over a pair of pipes, without an event loop."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable, Iterable, Mapping
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


class Pipe:
    """A connection to a browser.

    Commands are posted, many at a time, and sent by the next call that waits.

    Args:
        reader: a descriptor for messages from the browser.
        writer: a non-blocking descriptor for commands to the browser.
        timeout: seconds that any one wait may take.

    Attributes:
        timeout: these seconds.
        listeners: by session, functions of the method and parameters of each event. A listener may post.
    """

    def __init__(self, reader: int, writer: int, timeout: float) -> None:
        self.timeout = timeout
        self.listeners: dict[str, Listener] = {}
        self._reader, self._writer = reader, writer
        self._unsent, self._unread = bytearray(), bytearray()
        self._searched = 0
        self._last_id = 0
        self._answers: dict[int, Answer | None] = {}

    def post(self, method: str, params: Mapping[str, Any] | None = None, session: str = "", kept: bool = True) -> int:
        """Add a command to those that are sent next.

        Args:
            method: of the protocol.
            params: its parameters.
            session: the session that it is for; "" is the browser itself.
            kept: whether the answer is kept for ``take``.

        Returns:
            Its number.
        """
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": params or {}}
        self._unsent += json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0"
        if kept:
            self._answers[self._last_id] = None
        return self._last_id

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Answer:
        """Send the browser itself a command and wait for the answer.

        Raises:
            BrowserGone: if the browser closed the pipe.
            BrowserHung: if there was no answer in time.
            CommandFailed: if the browser refuses it.
        """
        number = self.post(method, params)
        try:
            self.wait(lambda: self.answered([number]))
            return self.take(number)
        finally:
            self.drop([number])

    def answered(self, numbers: Iterable[int]) -> bool:
        """Whether the answers to all of these commands have arrived."""
        return all(self._answers[number] is not None for number in numbers)

    def take(self, number: int) -> Answer:
        """The answer to a command, which must have arrived.

        Raises:
            CommandFailed: if it is a refusal.
        """
        message = self._answers.pop(number) or {}
        if error := message.get("error"):
            raise CommandFailed(f"the browser refused: {error.get('message')} {error.get('data', '')}".strip())
        result: Answer = message["result"]
        return result

    def drop(self, numbers: Iterable[int]) -> None:
        """Discard the answers to these commands, present and future."""
        for number in numbers:
            self._answers.pop(number, None)

    def wait(self, done: Callable[[], bool], patience: float | None = None) -> bool:
        """Send the posted commands and process messages until ``done()``.

        Args:
            done: the condition to wait for.
            patience: seconds after which to give up; without it, a timeout is an error.

        Returns:
            Whether it is done.

        Raises:
            BrowserGone: if the browser closed the pipe.
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
        writers = [self._writer] if self._unsent else []
        poll = select.poll()
        for fd, event in ((self._reader, select.POLLIN), *((fd, select.POLLOUT) for fd in writers)):
            poll.register(fd, event)
        ready = {fd for fd, _ in poll.poll(max(0.0, seconds) * 1000)}
        if self._writer in ready:
            try:
                del self._unsent[: os.write(self._writer, self._unsent)]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                raise BrowserGone("the browser has ended") from None
        if self._reader in ready:
            self._receive()
        return bool(ready)

    def _receive(self) -> None:
        """Read once and process the complete messages."""
        heard = os.read(self._reader, _CHUNK)
        if not heard:
            raise BrowserGone("the browser has ended")
        self._unread += heard
        while (end := self._unread.find(b"\0", self._searched)) >= 0:
            message = json.loads(self._unread[:end])
            del self._unread[: end + 1]
            self._searched = 0
            if (number := message.get("id")) in self._answers:
                self._answers[number] = message
            elif listener := "method" in message and self.listeners.get(message.get("sessionId", "")):
                listener(message["method"], message.get("params", {}))
        self._searched = len(self._unread)
