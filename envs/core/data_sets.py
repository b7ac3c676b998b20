"""Data sets that users download: find folders and pictures; explain the layout."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .pages import picture_size

ROOT_VARIABLE = "FORMGYM_DATA"
"""The environment variable that names the folder that holds all data sets."""

FORMGYM_FOLDERS = ("formgym_official", "FormGym", "formgym")
"""What a checkout of the published FormGym may be called, which holds Form-NLU too."""


class PictureError(ValueError):
    """A page's picture is missing or cannot be read."""


@dataclass(frozen=True)
class DataSet:
    """A data set as users download it.

    Attributes:
        name: as its paper calls it.
        folders: where it may be below the folder in FORMGYM_DATA.
        parts: glob patterns; its folder has a match for at least one.
        how: a sentence for error messages: how to get it and how to lay it out.
        inside: subfolders of any of these folders where it may be too.
    """

    name: str
    folders: tuple[str, ...]
    parts: tuple[str, ...]
    how: str
    inside: tuple[str, ...] = ()

    def error(self, problem: str, kind: type[ValueError] = ValueError) -> ValueError:
        """An exception with the problem and the expected layout as its message."""
        return kind(f"{problem}. {self.how}")

    def root(self, root: str | None) -> Path:
        """The folder of the data set.

        Args:
            root: the user's folder; ``None``: below FORMGYM_DATA, or that folder itself.

        Raises:
            ValueError: if there is no such folder.
        """
        candidates = self._candidates(root)
        for candidate in candidates:
            if any(any(candidate.glob(part)) for part in self.parts):
                return candidate
        missing = f"neither {' nor '.join(self.parts)}" if len(self.parts) > 1 else f"no {self.parts[0]}"
        raise self.error(f"{missing} in {', '.join(map(str, candidates))}")

    def _candidates(self, root: str | None) -> list[Path]:
        if root is not None:
            return self._with_inside([Path(root)])
        if not os.environ.get(ROOT_VARIABLE):
            raise self.error(
                f"no folder with {self.name} was named: root= was not passed and {ROOT_VARIABLE} is not set"
            )
        data = Path(os.environ[ROOT_VARIABLE])
        return self._with_inside([*(data / folder for folder in self.folders), data])

    def _with_inside(self, folders: list[Path]) -> list[Path]:
        return folders + [folder / part for part in self.inside for folder in folders]

    def picture(self, name: str, folders: Iterable[Path], origin: str) -> Path:
        """The first file with this name in the folders.

        Args:
            name: of the file; folders in it are ignored.
            folders: where it may be.
            origin: what names the picture, for the message.

        Raises:
            PictureError: if it is in none of them.
        """
        paths = [folder / Path(name).name for folder in folders]
        for path in paths:
            if path.is_file():
                return path
        raise self.error(f"{origin}: its picture is not there: {' nor '.join(map(str, paths))}", PictureError)

    def size(self, image: Path) -> tuple[int, int]:
        """Height and width of a picture.

        Raises:
            PictureError: if it cannot be read.
        """
        try:
            return picture_size(image)
        except (OSError, ValueError) as error:
            raise self.error(f"{image} is no picture that can be read: {error}", PictureError) from error
