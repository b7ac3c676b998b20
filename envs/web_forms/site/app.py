"""The site as a Flask application."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, make_server

from .answers import MOST_BYTES, failed, is_loopback, refuse_other_hosts, refused, secured
from .connections import RequestHandler
from .refusals import Refused
from .state import State, show_metric, show_name
from .submitting import submitting
from .views import pages


def create_app(results: Path, *, reveal: bool = True, public: bool = False) -> Flask:
    """The site.

    Args:
        results: the folder that submissions are stored in.
        reveal: whether the right answers may ever be shown; a form can still be opened without them.
        public: whether it may be asked for under other names than those that a machine has for itself.
    """
    app = Flask(__name__, static_folder=None)
    app.jinja_env.autoescape = True
    app.jinja_env.globals.update(show_metric=show_metric, show_name=show_name)
    app.config.update(
        MAX_CONTENT_LENGTH=MOST_BYTES,
        MAX_FORM_MEMORY_SIZE=MOST_BYTES,
        MAX_FORM_PARTS=1000,
    )
    app.extensions["formgym"] = State.of(results, reveal)
    app.register_blueprint(pages)
    app.register_blueprint(submitting)
    app.register_error_handler(Refused, refused)
    app.register_error_handler(HTTPException, failed)
    if not public:
        app.before_request(refuse_other_hosts)
    app.after_request(secured)
    return app


def serve(
    host: str = "127.0.0.1",
    port: int = 8765,
    results: Path = Path("runs/site"),
    *,
    reveal: bool = True,
    allow_public: bool = False,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve the site until it is interrupted.

    Args:
        host: the address to listen at.
        port: the port; 0: any that is free.
        results: the folder that submissions are stored in.
        reveal: whether the right answers may ever be shown.
        allow_public: whether ``host`` may be reached from other machines.
        ready: told the URL as soon as it answers.

    Raises:
        ValueError: if ``host`` may be reached from other machines, and that is not allowed.
        OSError: if the port is taken.
    """
    if not is_loopback(host) and not allow_public:
        raise ValueError(
            f"{host} can be reached from other machines; the site shows the right answers to all its tasks"
        )
    server, url = listening_server(host, port, results, reveal=reveal)
    with server:
        ready(url)
        server.serve_forever()


def listening_server(host: str, port: int, results: Path, *, reveal: bool = True) -> tuple[BaseWSGIServer, str]:
    """The site at a port where it listens already, and its URL; it answers while ``serve_forever`` runs.

    Args:
        host: the address to listen at.
        port: the port; 0: any that is free.
        results: the folder that submissions are stored in.
        reveal: whether the right answers may ever be shown.

    Raises:
        OSError: if the port is taken.
    """
    app = create_app(results, reveal=reveal, public=not is_loopback(host))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # A socket of our own: where the port is taken, the server would end the program rather than raise.
    with socket.create_server((host, port), family=family) as listening:
        server = make_server(host, port, app, threaded=True, request_handler=RequestHandler, fd=listening.fileno())
    return server, f"http://{f'[{host}]' if ':' in host else host}:{server.port}/"
