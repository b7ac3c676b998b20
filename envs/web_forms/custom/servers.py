"""The servers of pages: of a folder's files, and a program of the page's own, both on loopback."""

from __future__ import annotations

import mimetypes
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import create_server
from typing import Protocol
from urllib.parse import unquote, urlsplit

from ...core.files import read_foreign
from ..chromium.process import LaunchedProcess
from .gold import GOLD, GoldServer

HOST = "127.0.0.1"
_MAX_BYTES = 256_000_000
_START_SECONDS = 30.0
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".woff2": "font/woff2"}


class PageServer(Protocol):
    """What serves a page: at ``port`` of ``HOST``, until ``close``."""

    port: int

    def close(self) -> None:
        """End it; harmless if it has ended."""


class FolderServer:
    """Serves the files of a folder, but for ``gold.json``, hidden files and links out of it.

    Args:
        folder: with the files.
    """

    def __init__(self, folder: Path) -> None:
        handler = type("Handler", (_Handler,), {"folder": folder.resolve()})
        self._server = ThreadingHTTPServer((HOST, 0), handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="formgym-page", daemon=True).start()

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    folder: Path
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self._file()
        try:
            content = read_foreign(path, _MAX_BYTES, is_json=False) if path else b""
        except (OSError, ValueError):
            path, content = None, b""
        self.send_response(HTTPStatus.OK if path else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", _content_type(path))
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        with suppress(ConnectionError):  # A page that is left reads no further.
            self.wfile.write(content)

    def _file(self) -> Path | None:
        """The file that is asked for, if it may be served."""
        parts = [part for part in unquote(urlsplit(self.path).path).split("/") if part]
        if any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        path = self.folder.joinpath(*parts).resolve()
        path = path / "index.html" if path.is_dir() else path
        is_gold = path.name.casefold().startswith(GOLD)
        return path if path.is_relative_to(self.folder) and path.is_file() and not is_gold else None

    def log_message(self, format: str, *args: object) -> None:
        pass


def _content_type(path: Path | None) -> str:
    if path is None:
        return "text/plain"
    kind = _TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") and path.suffix not in (".html", ".htm") else kind


class CommandServer:
    """A program that serves a page; it ends with all its processes when it is closed, or when this process ends.

    Args:
        server: the program.
        folder: in which it runs.

    Raises:
        ValueError: if it does not answer in time; the message ends with its last error output.
    """

    def __init__(self, server: GoldServer, folder: Path) -> None:
        self.port: int = server.port or _free_port()
        command = [part.replace("{port}", str(self.port)) for part in server.command]
        environment = {"PORT": str(self.port), "PYTHONUNBUFFERED": "1"}
        self._process = LaunchedProcess(command, environment, folder=folder)
        try:
            self._wait_until_ready(server, command)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the program and all its processes."""
        self._process.end()

    def _wait_until_ready(self, server: GoldServer, command: list[str]) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while self._process.is_running and time.monotonic() < deadline:
            with suppress(OSError):
                connection = HTTPConnection(HOST, self.port, timeout=5)
                connection.request("GET", server.ready)
                connection.getresponse()
                connection.close()
                return
            time.sleep(0.05)
        raise ValueError(
            f"server: {' '.join(command)} in gold.json does not answer at http://{HOST}:{self.port}{server.ready}; it "
            "must listen on the port in the variable PORT, or for which {port} stands in its arguments\n"
            f"{self._process.stderr_tail()}"
        )


def _free_port() -> int:
    with create_server((HOST, 0)) as probe:
        return int(probe.getsockname()[1])
