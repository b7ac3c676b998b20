"""Earlier versions of a file, kept beside it so that edits can be undone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ...envs.core.files import atomic_write

T = TypeVar("T")
_VERSION = re.compile(r"(\d+)(?:-([0-9a-f]{16}))?")
"""The stem of a version's file: its number, and the digest of what replaced it once that was written."""


def versions_folder(path: Path) -> Path:
    """The folder of a file's earlier versions: ``deck.pptx.versions`` beside ``deck.pptx``."""
    return path.with_name(f"{path.name}.versions")


def replace_file(path: Path, write: Callable[[], T]) -> T:
    """Replace a file, keeping what it was; whatever ends this, the old content is in the file or among the versions.

    Args:
        path: of the file; if there is none yet, nothing is kept.
        write: writes it, at once or not at all.

    Returns:
        What ``write`` returns.

    Raises:
        OSError: if the old content cannot be kept; the file is as it was.
    """
    if not path.exists():
        return write()
    before, folder = path.read_bytes(), versions_folder(path)
    folder.mkdir(exist_ok=True)
    number = 1 + max((number for number, _, _ in _versions(path)), default=0)
    kept = folder / f"{number:03}{path.suffix}"
    atomic_write(kept, before, sync=True)
    try:
        return write()
    finally:
        if path.read_bytes() == before:
            _drop(kept)
        else:
            kept.replace(folder / f"{number:03}-{_digest(path)}{path.suffix}")


def restore_version(path: Path) -> None:
    """Put the last version of a file in its place, and take it from the versions.

    Raises:
        ValueError: if there is none, or the file has been changed by others since.
    """
    for _, digest, kept in reversed(_versions(path)):
        if path.exists() and kept.read_bytes() == path.read_bytes():
            # An edit that was cut off before the file was replaced.
            _drop(kept)
            continue
        if path.exists() and digest and digest != _digest(path):
            raise ValueError(
                f"{path} has been changed since formgym edited it, so nothing is undone; the version before that edit "
                f"is {kept}"
            )
        kept.replace(path)
        with suppress(OSError):
            kept.parent.rmdir()
        return
    raise ValueError(f"there is no earlier version of {path}: formgym has not edited it, or all is undone")


def _versions(path: Path) -> list[tuple[int, str | None, Path]]:
    """Number, digest of what came after and path of each version, the oldest first."""
    files = versions_folder(path).glob(f"*{path.suffix}")
    found = ((_VERSION.fullmatch(file.stem), file) for file in files)
    return sorted(((int(match[1]), match[2], file) for match, file in found if match), key=lambda one: one[0])


def _drop(kept: Path) -> None:
    kept.unlink()
    with suppress(OSError):
        kept.parent.rmdir()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
