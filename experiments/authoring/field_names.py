"""Names for fields: slugs of words, and apart from each other."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, count


def slug_of(name: str) -> str:
    """A name in small letters, digits and ``_``, at most 80."""
    plain = unicodedata.normalize("NFKD", name.replace("[0]", "")).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:80]
    return slug if slug[:1].isalpha() else f"field_{slug}".rstrip("_")


def set_apart(name: str, taken: set[str], numbered: str = "{}_{}") -> str:
    """A name that is not taken yet, ``numbered`` if need be, from 2 on; it is taken now."""
    free = next(one for one in chain([name], (numbered.format(name, n) for n in count(2))) if one not in taken)
    taken.add(free)
    return free
