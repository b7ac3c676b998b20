"""Read documents from JSON and PowerPoint files; write JSON, pictures, and edits of decks."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from PIL import Image as PillowImage

from ...core.files import atomic_write, read_foreign
from ..painting.pictures import embed, embedded_in, is_picture
from ..painting.view import painted
from ..pptx.deck_reader import open_deck
from ..pptx.package import MAX_FILE
from ..pptx.patcher import save_edited
from ..scene.document import Document, load_document, numbers_of, renamed

_PICTURES = ".pictures"
"""The suffix of the folder with the pictures of a JSON file."""


@dataclass(frozen=True)
class Opened:
    """A document and the file that it came from.

    Attributes:
        path: of the file.
        original: the document as it was read, with the file's own ids.
        source: the content of a PowerPoint file, into which edits are written; ``None`` for other files.
    """

    path: Path
    original: Document
    source: bytes | None = field(default=None, repr=False)

    @cached_property
    def document(self) -> Document:
        """The document to edit, with neutral ids."""
        return renamed(self.original, numbers_of(self.original))

    def with_own_ids(self, edited: Document) -> Document:
        """An edit of ``document`` with the file's own ids."""
        return renamed(edited, {number: own for own, number in numbers_of(self.original).items()})

    def save(self, edited: Document, path: Path) -> tuple[str, ...]:
        """Write the edited document; see ``write_document``."""
        return write_document(edited, path, edited_from=self)


def read_document(path: Path) -> Opened:
    """Read a document of ours (``.json``) or any PowerPoint file (``.pptx``).

    Raises:
        ValueError: if the file is missing, broken, locked, too large, or of another format.
        RuntimeError: if a library for the format is not installed; the message says how to get it.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".json":
        return Opened(path, _read_json(path))
    if suffix != ".pptx":
        raise ValueError(f"{path} cannot be opened: documents are .json or .pptx files")
    try:
        source = read_foreign(path, MAX_FILE, is_json=False)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    return Opened(path, open_deck(source, path.name), source)


def write_document(document: Document, path: Path, edited_from: Opened | None = None) -> tuple[str, ...]:
    """Write a document in the format of the file name's suffix.

    Args:
        document: what is written.
        path: ends in ``.json``, ``.png`` (of several pages a file each: ``name-1.png`` and so on) or, for an edit of
            a PowerPoint file, ``.pptx``.
        edited_from: what ``document`` is an edit of, whose own ids are written. If it was a PowerPoint file and one is
            written, only what differs is changed in it.

    Returns:
        What could not be written, a sentence each; nothing if all was.

    Raises:
        ValueError: if there is no such format.
        RuntimeError: if a library for the format is not installed; the message says how to get it.
        OSError: if the file cannot be written.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    document = edited_from.with_own_ids(document) if edited_from else document
    if suffix == ".json":
        _write_json(document, path)
    elif suffix == ".png":
        _write_png(document, path)
    elif suffix == ".pptx" and edited_from is not None and edited_from.source is not None:
        return save_edited(edited_from.source, edited_from.original, document, path)
    elif suffix == ".pptx":
        raise ValueError(f"{path} cannot be written: a .pptx file is only written as an edit of another one")
    else:
        raise ValueError(f"{path} cannot be written: files end in .json, .png or .pptx")
    return ()


def page_paths(path: Path, pages: int) -> list[Path]:
    """The path of each page's picture: ``path``, or with numbers from 1 if several."""
    if pages == 1:
        return [path]
    return [path.with_name(f"{path.stem}-{number + 1}{path.suffix}") for number in range(pages)]


def _write_png(document: Document, path: Path) -> None:
    for number, file in enumerate(page_paths(path, len(document.pages))):
        buffer = io.BytesIO()
        PillowImage.fromarray(painted(document, number)).save(buffer, "PNG")
        atomic_write(file, buffer.getvalue())


def _write_json(document: Document, path: Path) -> None:
    """Write a document as JSON, its embedded pictures into a folder beside the file."""
    atomic_write(path, (document.model_dump_json(indent=1, exclude_defaults=True) + "\n").encode())
    pictures = embedded_in(document.pictures())
    if pictures:
        folder = path.with_suffix(_PICTURES)
        folder.mkdir(exist_ok=True)
        for digest, content in pictures.items():
            with PillowImage.open(io.BytesIO(content)) as image:
                suffix = str(image.format).lower()
            atomic_write(folder / f"{digest}.{suffix}", content)


def _read_json(path: Path) -> Document:
    folder = path.with_suffix(_PICTURES)
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        embed(read_foreign(file, MAX_FILE, is_json=False))
    document = load_document(path)
    for name in document.pictures():
        if not is_picture(name):
            raise ValueError(f"{path}: {name!r} is shown, which is neither ours nor in {folder}")
    return document
