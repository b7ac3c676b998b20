"""The site as a Flask application, and its server."""

from __future__ import annotations

import logging
import socket
import sqlite3
from collections.abc import Mapping, Sequence
from threading import Event
from typing import Any

from flask import Blueprint, Flask
from waitress import create_server, wasyncore
from werkzeug.exceptions import HTTPException

from ...core.metrics import title
from .access import Access, is_loopback
from .http_responses import MAX_BYTES, failed, not_stored, secured
from .records import Records
from .site_state import show_metric
from .site_views import pages

_SETTINGS: Mapping[str, Any] = {
    "ident": "formgym",
    "threads": 8,
    "connection_limit": 300,
    # A connection on which nothing comes is closed; a browser opens another one.
    "channel_timeout": 2,
    "cleanup_interval": 1,
    # The application refuses less, with a page that says why.
    "max_request_body_size": 3 * MAX_BYTES,
}
"""Of waitress."""
_POLL_SECONDS, _ENDING_SECONDS = 0.5, 90.0
"""Until its end is seen, and that answers may take then: more than a store waits for another process."""


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
    app.config["REVEAL"], app.extensions["formgym"] = reveal, records
    for blueprint in (pages, *more):
        app.register_blueprint(blueprint)
    app.register_error_handler(HTTPException, failed)
    app.register_error_handler(sqlite3.Error, not_stored)
    app.before_request(access.check)
    app.after_request(secured)
    return app


class Server:
    """An application at a port where it already listens.

    Args:
        app: the application.
        host: the address to listen at.
        port: the port; 0: any that is free.

    Attributes:
        port: the port.
        url: of the application.

    Raises:
        OSError: if the port is taken.
    """

    def __init__(self, app: Flask, host: str, port: int) -> None:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.port: int = listening.getsockname()[1]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"
        logging.getLogger("waitress").setLevel(logging.ERROR)
        self._connections: dict[int, wasyncore.dispatcher] = {}
        self._is_ending = Event()
        self._server = create_server(app, map=self._connections, sockets=[listening], **_SETTINGS)

    def serve_forever(self) -> None:
        """Answer until ``shutdown``; what is being answered then is answered first."""
        while not self._is_ending.is_set():
            wasyncore.loop(_POLL_SECONDS, use_poll=True, map=self._connections, count=1)
        self._server.task_dispatcher.shutdown(timeout=_ENDING_SECONDS)
        wasyncore.close_all(self._connections)

    def shutdown(self) -> None:
        """End ``serve_forever``, from any thread."""
        self._is_ending.set()


def listening_server(
    host: str, port: int, records: Records, *, public: bool = False, names: Sequence[str] = (), **options: Any
) -> tuple[Server, str]:
    """The site at a port where it already listens, and its URL; it answers while ``serve_forever`` runs.

    Args:
        host: the address to listen at.
        port: the port; 0: any that is free.
        records: the submissions.
        public: whether others than this machine may ask.
        names: others under which it answers then, such as that of a proxy.
        **options: see ``create_app``.

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
    server = Server(create_app(records, Access(public, [host, *names]), **options), host, port)
    return server, server.url
