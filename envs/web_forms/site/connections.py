"""Connections to the site: what comes in has its time, and whoever sends too much reads the answer all the same."""

from __future__ import annotations

import contextlib
import io
import socket
import time
from typing import TYPE_CHECKING

from werkzeug.serving import WSGIRequestHandler

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_SECONDS = 1.2
"""The time that a request has to come in, and at most from one piece to the next."""
_BYTES_PER_SECOND = 20_000
"""The speed of sending that earns it more."""
_WRITING_SECONDS = 30.0
_LINGERING_SECONDS = 0.5


class RequestHandler(WSGIRequestHandler):
    """Answers one request in bounded time; it writes no line for each, and does not tell what it is made with."""

    def setup(self) -> None:
        """Read through a clock."""
        super().setup()
        self.connection.settimeout(_WRITING_SECONDS)
        self.rfile.close()
        self.rfile = io.BufferedReader(_TimedInput(self.connection))

    def run_wsgi(self) -> None:
        """Answer; an address that cannot be read is the client's mistake."""
        try:
            super().run_wsgi()
        except ValueError:
            self.send_error(400)

    def finish(self) -> None:
        """Take in for a moment what is still being sent: most clients read no answer before they have sent all."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            deadline = time.monotonic() + _LINGERING_SECONDS
            while (left := deadline - time.monotonic()) > 0:
                self.connection.settimeout(left)
                if not self.connection.recv(65_536):
                    break
        super().finish()

    def version_string(self) -> str:
        """What the header ``Server`` says."""
        return "formgym"

    def log(self, type: str, message: str, *args: object) -> None:
        """Nothing."""


class _TimedInput(io.RawIOBase):
    """What comes in on a connection; it raises ``TimeoutError`` when that takes too long."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._deadline = time.monotonic() + _SECONDS

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read what has come, or wait for it."""
        # What is there already may be read even if this process was slow to ask for it.
        self._connection.settimeout(max(self._deadline - time.monotonic(), 0))
        try:
            read = self._connection.recv_into(buffer)
        except BlockingIOError:
            raise TimeoutError("the request took too long to come in") from None
        finally:
            self._connection.settimeout(_WRITING_SECONDS)
        self._deadline = min(self._deadline + read / _BYTES_PER_SECOND, time.monotonic() + _SECONDS)
        return read
