"""Folders and files that stay only if what they were made for begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def tentative_folder(folder: Path, leftover: str | None = None) -> Iterator[None]:
    """Make ``folder``; if it is empty in the end, remove it and the parents that were made for it.

    Args:
        folder: what to make, if it is missing.
        leftover: the name of a file that goes with the folder if there is nothing else in it.

    Raises:
        OSError: if it cannot be made.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        # The first folder that is not empty ends it.
        with suppress(OSError):
            if leftover is not None and [path.name for path in folder.iterdir()] == [leftover]:
                (folder / leftover).unlink()
            for path in made:
                path.rmdir()


@contextmanager
def tentative_files(*paths: Path) -> Iterator[None]:
    """Remove those of ``paths`` that were missing or empty before, if an exception passes."""
    new = [path for path in paths if not path.exists() or not path.stat().st_size]
    try:
        yield
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
