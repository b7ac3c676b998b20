"""Put texts in one line, and truncate them."""

from __future__ import annotations

import unicodedata

PLACES = "The fields of the page and the exact x and y of their centres:"
"""The line before a list of field positions in a goal."""
TICK_BOX = " (tick box)"
"""What follows the name of a tick box in such a list."""


def one_line(text: str) -> str:
    """``text`` in one line: no invisible characters, runs of white space one space."""
    return " ".join("".join(c for c in text if unicodedata.category(c) != "Cf").split())


def truncate(text: str, max_length: int) -> str:
    """``text``, cut to ``max_length`` characters with an ellipsis if it is longer."""
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


def truncate_middle(text: str, max_length: int) -> str:
    """``text``, or its two ends with a note of how many characters are omitted."""
    if len(text) <= max_length:
        return text
    half = max_length // 2 - 30
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"
