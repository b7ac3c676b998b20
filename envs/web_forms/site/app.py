"""The site as a Flask application, and its connections."""

from __future__ import annotations

import contextlib
import io
import socket
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flask import Blueprint, Flask
from sqlalchemy.exc import DatabaseError
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from ...core.metrics import title
from .access import Access, is_loopback
from .http_responses import MAX_BYTES, Refused, failed, not_stored, refused, secured
from .records import Records, StoreClosed
from .site_state import SiteState, show_metric
from .site_views import pages, submitting

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_SECONDS = 1.2
"""The time that a request has to come in, and at most from one piece to the next."""
_BYTES_PER_SECOND = 20_000
"""The speed of sending that earns it more."""
_WRITING_SECONDS = 30.0
_LINGERING_SECONDS = 0.5


class RequestHandler(WSGIRequestHandler):
    """Answers one request in bounded time, without logs and version details."""

    def setup(self) -> None:
        """Read with a time limit."""
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
        """Read for a moment what the client still sends.

        Most clients read no answer before they have sent all.
        """
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            deadline = time.monotonic() + _LINGERING_SECONDS
            while (left := deadline - time.monotonic()) > 0:
                self.connection.settimeout(left)
                if not self.connection.recv(65_536):
                    break
        super().finish()

    def version_string(self) -> str:
        """The value of the header ``Server``."""
        return "formgym"

    def log(self, type: str, message: str, *args: object) -> None:
        """Nothing."""


class _TimedInput(io.RawIOBase):
    """The input of a connection, with a ``TimeoutError`` after a time limit."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._deadline = time.monotonic() + _SECONDS

    def readable(self) -> bool:
        """``True``."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read available bytes, or wait for them."""
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


def create_app(records: Records, access: Access, *, reveal: bool = True, more: Sequence[Blueprint] = ()) -> Flask:
    """The site.

    Args:
        records: the submissions.
        access: the requests that are answered.
        reveal: whether the right answers may ever be shown; a form can still be opened without them.
        more: further pages; each has an ``index``.
    """
    app = Flask(__name__, static_folder=None)
    app.jinja_env.autoescape = True
    app.jinja_env.globals.update(show_metric=show_metric, metric_title=title, more=[one.name for one in more])
    app.config.update(MAX_CONTENT_LENGTH=MAX_BYTES, MAX_FORM_MEMORY_SIZE=MAX_BYTES, MAX_FORM_PARTS=1000)
    app.extensions["formgym"] = SiteState(records, reveal)
    for blueprint in (pages, submitting, *more):
        app.register_blueprint(blueprint)
    app.register_error_handler(Refused, refused)
    app.register_error_handler(HTTPException, failed)
    for error in (DatabaseError, StoreClosed):
        app.register_error_handler(error, not_stored)
    app.before_request(access.check)
    app.after_request(secured)
    return app


def listening_server(
    host: str,
    port: int,
    records: Records,
    *,
    reveal: bool = True,
    public: bool = False,
    names: Sequence[str] = (),
    more: Sequence[Blueprint] = (),
) -> tuple[BaseWSGIServer, str]:
    """The site at a port where it already listens, and its URL.

    It answers while ``serve_forever`` runs.

    Args:
        host: the address to listen at.
        port: the port; 0: any that is free.
        records: the submissions.
        reveal: whether the right answers may ever be shown.
        public: whether others than this machine may ask.
        names: others under which it answers then, such as that of a proxy.
        more: further pages.

    Raises:
        ValueError: if other machines may reach it by ``host`` or ``names``, and that is not allowed.
        OSError: if the port is taken.
    """
    others = [name for name in (host, *names) if not is_loopback(name)]
    if others and not public:
        raise ValueError(
            f"{others[0]} can be reached from other machines, and strangers could post and see right answers: "
            "--public allows it"
        )
    return serving(create_app(records, Access(public, [host, *names]), reveal=reveal, more=more), host, port)


def serving(app: Flask, host: str, port: int) -> tuple[BaseWSGIServer, str]:
    """An application at a port where it already listens, and its URL.

    Raises:
        OSError: if the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # A socket of our own: where the port is taken, the server would end the program rather than raise.
    with socket.create_server((host, port), family=family) as listening:
        server = make_server(host, port, app, threaded=True, request_handler=RequestHandler, fd=listening.fileno())
    return server, f"http://{f'[{host}]' if ':' in host else host}:{server.port}/"
