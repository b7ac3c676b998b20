"""Read and write documents in the format of the file name's suffix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ...core.files import atomic_write
from ..painting.pictures import embed, embedded_in, is_picture
from ..pptx.deck_reader import open_deck
from ..pptx.patcher import save_edited
from ..pptx.writer import write_pptx
from ..scene.document import Document, load_document
from .pdf import write_pdf
from .png import write_png
from .svg import write_svg

_PICTURES = ".pictures"
"""The suffix of the folder with the pictures of a JSON file."""


@dataclass(frozen=True)
class Opened:
    """A document and the file that it came from.

    Attributes:
        path: of the file.
        document: as it was read.
        source: what was in the file, if edits are written into it.
    """

    path: Path
    document: Document
    source: bytes | None = field(default=None, repr=False)

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
    if suffix == ".pptx":
        try:
            source = path.read_bytes()
        except OSError as error:
            raise ValueError(f"{path} cannot be read: {error.strerror}") from None
        return Opened(path, open_deck(source, path.name), source)
    raise ValueError(f"{path} cannot be opened: documents are .json or .pptx files")


def write_document(document: Document, path: Path, edited_from: Opened | None = None) -> tuple[str, ...]:
    """Write a document in the format of the file name's suffix.

    Args:
        document: what is written.
        path: ends in ``.json``, ``.pptx``, ``.svg``, ``.pdf`` or ``.png``. Of several pages, SVG and PNG write a file
            each: ``name-1.png`` and so on.
        edited_from: what the document was before it was edited. If it was a PowerPoint file and one is written, only
            what differs is changed in it.

    Returns:
        What could not be written, a sentence each; nothing if all was.

    Raises:
        ValueError: if there is no such format.
        RuntimeError: if a library for the format is not installed; the message says how to get it.
        OSError: if the file cannot be written.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".pptx" and edited_from is not None and edited_from.source is not None:
        return save_edited(edited_from.source, edited_from.document, document, path)
    if suffix not in WRITERS:
        raise ValueError(f"{path} cannot be written: files end in {', '.join(WRITERS)}")
    WRITERS[suffix](document, path)
    return ()


def write_json(document: Document, path: Path) -> None:
    """Write a document as JSON, its embedded pictures into a folder beside the file.

    Raises:
        OSError: if it cannot be written.
    """
    atomic_write(path, (document.model_dump_json(indent=1, exclude_defaults=True) + "\n").encode())
    pictures = embedded_in(element.asset for element in document.elements())
    if pictures:
        folder = path.with_suffix(_PICTURES)
        folder.mkdir(exist_ok=True)
        for digest, content in pictures.items():
            atomic_write(folder / digest, content)


def _read_json(path: Path) -> Document:
    folder = path.with_suffix(_PICTURES)
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        embed(file.read_bytes())
    document = load_document(path)
    for element in document.elements():
        if element.asset is not None and not is_picture(element.asset):
            raise ValueError(
                f"{path}: {element.id} shows {element.asset!r}, which is no picture of ours nor in {folder}"
            )
    return document


WRITERS: dict[str, Callable[[Document, Path], None]] = {
    ".json": write_json,
    ".pptx": write_pptx,
    ".svg": write_svg,
    ".pdf": write_pdf,
    ".png": write_png,
}
"""The writers of documents, by file suffix."""
