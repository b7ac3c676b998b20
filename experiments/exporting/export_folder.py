"""The folder of an export: it appears when it is complete, with what describes it."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ...envs.core.files import Data, atomic_write, load
from ..running.runs import tentative_folder

EXPORT = "export.json"
_PART = ".export.part"
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Export(Data):
    """What an export holds.

    Attributes:
        formgym: the version that wrote it.
        format: of its files.
        content: ``"targets"``, ``"steps"`` or ``"chats"``: what a row is.
        rows: how many rows it has.
        sha256: the digest of each file of rows, by its path in the folder.
    """

    formgym: str
    format: str
    content: str
    rows: int
    sha256: Mapping[str, str]


def read_export(folder: Path) -> Export:
    """What an export holds.

    Raises:
        ValueError: if the folder is no export.
    """
    if not (folder / EXPORT).exists():
        raise ValueError(f"{folder} is no export: it has no {EXPORT}")
    return load(Export, folder / EXPORT)


def write_export(folder: Path, export: Export) -> None:
    """Describe an export."""
    atomic_write(folder / EXPORT, export.model_dump_json(indent=2).encode() + b"\n")


def counted(n: int, content: str) -> str:
    """A number of targets, steps or chats, in words."""
    return f"{n:,} {content.removesuffix('s') if n == 1 else content}"


def file_sha256(path: Path) -> str:
    """The digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder and below it."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A folder to write in, which becomes ``out`` unless an exception passes.

    What a killed process has left is removed.

    Raises:
        ValueError: if ``out`` is a file, or a folder that is not empty.
        RuntimeError: if another process exports to ``out``.
        OSError: if it cannot be written; it names ``out``.
    """
    out = out.absolute()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{out} is there already; name another folder, or remove it")
    part = out.with_name(f"{out.name}{_PART}")
    try:
        with tentative_folder(out.parent), _only_writer(part, out):
            _remove_content(part)
            try:
                yield part
                part.rename(out)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        if error.errno in _FULL or error.filename == str(part):
            raise OSError(error.errno, os.strerror(error.errno or 0), str(out)) from error
        raise


@contextmanager
def _only_writer(part: Path, out: Path) -> Iterator[None]:
    """Makes ``part`` and locks it."""
    part.mkdir(exist_ok=True)
    handle = os.open(part, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another process may have finished, and renamed or removed it.
        if not part.exists() or not os.path.samestat(os.fstat(handle), part.stat()):
            raise BlockingIOError
        yield
    except BlockingIOError:
        raise RuntimeError(f"another process is exporting to {out}") from None
    finally:
        os.close(handle)


def _remove_content(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
