"""The files of a page of one's own: from an HTML file, a folder, a zip file or a server into a folder."""

from __future__ import annotations

import base64
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from ....envs.core.files import atomic_write
from ....envs.web_forms.custom.contained_tab import ContainedTab
from ....envs.web_forms.custom.servers import HOST, FolderServer

MAX_BYTES, MAX_FILES = 256_000_000, 20_000
_PAGES = (".html", ".htm")


def start_page(folder: Path, page: str | None) -> str:
    """The page of a folder to open: ``page``, ``index.html``, or the only HTML file.

    Raises:
        ValueError: if there is none, or more than one to choose from.
    """
    if page is not None or (folder / "index.html").is_file():
        return page or "index.html"
    found = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in _PAGES)
    if len(found) != 1:
        named = f": choose by --page one of {', '.join(found)}" if found else ", and no other .html file"
        raise ValueError(f"there is no index.html in it{named}")
    return found[0]


def copy_folder(source: Path, out: Path) -> None:
    """Copy the files of a page, but for hidden ones and links.

    Raises:
        ValueError: if there are too many, or they are too large.
    """
    files = [
        path
        for path in sorted(source.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and not any(part.startswith(".") for part in path.relative_to(source).parts)
    ]
    _check_size(source, (path.stat().st_size for path in files))
    for path in files:
        target = out / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def extract_zip(source: Path, out: Path) -> None:
    """Extract the files of a page; a folder that holds all of them is left out.

    Raises:
        ValueError: if it is no zip file, holds too much, or a name in it leads out of the folder.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
            _check_size(source, (one.file_size for one in entries))
            paths = [PurePosixPath(one.filename) for one in entries]
            if wrong := [path for path in paths if path.is_absolute() or ".." in path.parts or "\\" in str(path)]:
                raise ValueError(f"{source}: {str(wrong[0])!r} leads out of the folder")
            tops = {path.parts[0] for path in paths}
            skipped = 1 if len(tops) == 1 and all(len(path.parts) > 1 for path in paths) else 0
            for entry, path in zip(entries, paths, strict=True):
                if not any(part.startswith((".", "__MACOSX")) for part in path.parts):
                    _write(out / Path(*path.parts[skipped:]), archive.read(entry))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise ValueError(f"{source} cannot be read as a zip file: {error}") from None


def copy_page(source: Path, out: Path, tab: ContainedTab, server: FolderServer) -> None:
    """Copy an HTML file and the files beside and below it that it loads.

    Args:
        source: the file.
        out: the folder.
        tab: to open the page in.
        server: of the file's folder.
    """
    requested = _Requested(tab)
    tab.open(source.name)
    for url in requested.finished(server.port):
        path = source.parent / unquote(urlsplit(url).path).lstrip("/")
        if path.is_file():
            _write(out / path.relative_to(source.parent), path.read_bytes())


def save_page(url: str, out: Path, tab: ContainedTab) -> str:
    """Save a page of a server and all that it loads, each under its path; the path of the page.

    Raises:
        ValueError: if a file is too large.
    """
    parts = urlsplit(url)
    requested = _Requested(tab)
    tab.open(url.partition(parts.netloc)[2] or "/")
    for loaded, request in requested.finished(parts.port or 80).items():
        _write(out / _file_of(loaded), requested.body(request))
    return _file_of(url)


def _file_of(url: str) -> str:
    """The path in a folder for a URL's: that of an ``index.html`` where it names a folder."""
    path = PurePosixPath(unquote(urlsplit(url).path).lstrip("/"))
    if any(part.startswith(".") for part in path.parts):
        raise ValueError(f"{url} has a path that is no file's")
    return str(path if path.suffix else path / "index.html")


class _Requested:
    """What a page has loaded.

    Args:
        tab: of the page, before it is opened.
    """

    def __init__(self, tab: ContainedTab) -> None:
        self._tab = tab.tab
        self._urls: dict[str, str] = {}
        self._tab.listeners.append(self._on_event)

    def finished(self, port: int) -> dict[str, str]:
        """The requests by URL that the page's server answered."""
        origin = f"http://{HOST}:{port}/"
        return {url: request for request, url in self._urls.items() if url.startswith(origin)}

    def body(self, request: str) -> bytes:
        """The content of an answer."""
        answer = self._tab.call("Network.getResponseBody", {"requestId": request})
        body: str = answer["body"]
        return base64.b64decode(body) if answer["base64Encoded"] else body.encode()

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.responseReceived" and params["response"]["status"] < 400:
            self._urls[params["requestId"]] = params["response"]["url"]


def _check_size(source: Path, sizes: Iterable[int]) -> None:
    listed = list(sizes)
    if len(listed) > MAX_FILES or sum(listed) > MAX_BYTES:
        raise ValueError(
            f"{source} holds {len(listed)} files of {sum(listed) / 1e6:,.0f} MB; {MAX_FILES} files and "
            f"{MAX_BYTES / 1e6:,.0f} MB are the most that a page may have"
        )


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, content)
