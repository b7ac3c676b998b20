"""Texts in one line, and cut to a length."""

from __future__ import annotations

import unicodedata

PLACES = "The fields of the page and the exact x and y of their centres:"
"""What stands over a list of places in a goal."""
TICK_BOX = " (tick box)"
"""What stands after the name of a box to be ticked in such a list."""


def one_line(text: str) -> str:
    """``text`` without characters that draw nothing, its runs of white space made one space."""
    return " ".join("".join(c for c in text if unicodedata.category(c) != "Cf").split())


def truncate(text: str, max_length: int) -> str:
    """``text``, cut to ``max_length`` characters with an ellipsis if it is longer."""
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


def truncate_middle(text: str, max_length: int) -> str:
    """``text``, or its beginning and its end with a note of what is left out between them."""
    if len(text) <= max_length:
        return text
    half = max_length // 2 - 30
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"
