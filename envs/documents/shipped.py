"""The documents that are shipped: pages of ours, and decks as PowerPoint files hold them."""

from __future__ import annotations

from functools import lru_cache

from ...assets import ROOT
from ..core.asset_cache import cached
from .formats.files import read_document
from .scene.document import Document

DOCUMENTS = ROOT / "documents"
"""The folder of the shipped documents, a file each and a folder of pictures for some; ids there are for authors."""


@cached
def shipped_document(name: str) -> Document:
    """A shipped document, with neutral ids.

    Raises:
        ValueError: if there is none of that name.
    """
    if name not in shipped_documents():
        raise ValueError(f"no document {name!r}; there are {', '.join(shipped_documents())}")
    return read_document(DOCUMENTS / f"{name}.json").document


@lru_cache(maxsize=1)
def shipped_documents() -> tuple[str, ...]:
    """The names of the shipped documents, in order."""
    return tuple(sorted(path.stem for path in DOCUMENTS.glob("*.json")))
