"""Patches: what differs between two documents, as a JSON Patch (RFC 6902)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jsonpatch
from pydantic import ValidationError

from .document import Document

Patch = list[dict[str, Any]]
"""Operations ``{"op", "path", ...}`` on ``Document.dump()``."""

_MISFITS = (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException)


def patch_between(before: Document, after: Document) -> Patch:
    """The patch that makes one document of another."""
    return list(jsonpatch.make_patch(before.dump(), after.dump()).patch)


def patched(document: Document, patch: Sequence[dict[str, Any]]) -> Document:
    """A document after a patch.

    Raises:
        ValueError: if the patch is none, does not fit, or what comes of it is no document.
    """
    try:
        return Document.model_validate(jsonpatch.JsonPatch(patch).apply(document.dump()))
    except (*_MISFITS, ValidationError, TypeError, KeyError) as error:
        raise ValueError(f"the patch does not fit {document.name!r}: {error}") from error
