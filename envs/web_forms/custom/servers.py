"""The servers of pages: of a folder's files, and a program of the page's own, both on loopback."""

from __future__ import annotations

import mimetypes
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import AF_UNIX, create_server, socket
from typing import Protocol
from urllib.parse import unquote, urlsplit

from ...core.files import read_foreign
from ..chromium.process import LaunchedProcess
from .gold import GOLD, GoldServer

HOST = "127.0.0.1"
_MAX_BYTES = 256_000_000
_START_SECONDS = 30.0
_PORTS, _MAX_TRIES = range(20_000, 32_000), 8
_INHERITED = ("PATH", "HOME", "LANG")
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
        page: the file to open, whose content says which port it is at, unless that is taken.
    """

    def __init__(self, folder: Path, page: str = "") -> None:
        handler = type("Handler", (_Handler,), {"folder": folder.resolve()})
        path = folder / page.lstrip("/")
        self._server = _listening(path.read_bytes() if path.is_file() else b"", handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="formgym-page", daemon=True).start()

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()


def _listening(content: bytes, handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    for port in _own_ports(content):
        with suppress(OSError):
            return ThreadingHTTPServer((HOST, port), handler)
    return ThreadingHTTPServer((HOST, 0), handler)


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
        # Held as long as the program runs: another process's, started at the same time, takes another port.
        self._claim = socket(AF_UNIX)
        ports = [server.port] if server.port else [*self._claimed(server), _free_port()]
        for self.port in ports:
            command = [part.replace("{port}", str(self.port)) for part in server.command]
            variables = {"PORT": str(self.port)}
            self._process = LaunchedProcess(command, variables, folder=folder, inherited=_INHERITED)
            try:
                if self._answers(server.ready):
                    return
                has_ended, errors = not self._process.is_running, self._process.stderr_tail()
            except BaseException:
                self.close()
                raise
            self._process.end()
            if not has_ended:
                break
        self._claim.close()
        raise ValueError(
            f"server: {' '.join(command)} in gold.json does not answer at http://{HOST}:{self.port}{server.ready}; it "
            "must listen on the port in the variable PORT, or for which {port} stands in its arguments; of our "
            f"variables it has {', '.join(_INHERITED)} only\n{errors}"
        )

    def close(self) -> None:
        """End the program and all its processes."""
        self._process.end()
        self._claim.close()

    def _claimed(self, server: GoldServer) -> Iterator[int]:
        """The first port of the program's own that nobody has, if any."""
        for port in _own_ports(" ".join(server.command).encode()):
            with suppress(OSError), create_server((HOST, port)):
                self._claim.bind(f"\0formgym-port-{port}")
                yield port
                return

    def _answers(self, path: str) -> bool:
        """Whether the program answers before it ends, and in time."""
        deadline = time.monotonic() + _START_SECONDS
        while self._process.is_running and time.monotonic() < deadline:
            with suppress(OSError):
                connection = HTTPConnection(HOST, self.port, timeout=5)
                connection.request("GET", path)
                connection.getresponse()
                connection.close()
                return True
            time.sleep(0.05)
        return False


def _own_ports(content: bytes) -> Iterator[int]:
    """The ports of a page with this content, below those that the system gives to connections."""
    first = int.from_bytes(sha256(content).digest()[:4], "big")
    yield from (_PORTS[(first + index) % len(_PORTS)] for index in range(_MAX_TRIES))


def _free_port() -> int:
    with create_server((HOST, 0)) as probe:
        return int(probe.getsockname()[1])
