"""The shipped documents, by name."""

from __future__ import annotations

from functools import lru_cache

from ....assets import ROOT
from ...core.asset_cache import cached
from .document import Document, load_document

DOCUMENTS = ROOT / "documents"
"""Where the shipped documents lie, a file each."""


@cached
def shipped_document(name: str) -> Document:
    """A shipped document.

    Raises:
        ValueError: if there is none of that name.
    """
    if name not in shipped_documents():
        raise ValueError(f"no document {name!r}; there are {', '.join(shipped_documents())}")
    return load_document(DOCUMENTS / f"{name}.json")


@lru_cache(maxsize=1)
def shipped_documents() -> tuple[str, ...]:
    """The names of the shipped documents, in order."""
    return tuple(sorted(path.stem for path in DOCUMENTS.glob("*.json")))
