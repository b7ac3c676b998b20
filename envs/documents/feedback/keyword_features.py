"""Cues: words by which people say what kind of edit they want."""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic import RootModel

from ....assets import ROOT
from ...core.files import load

CUES_FILE = ROOT / "document_models" / "feedback_cues.json"
"""Words of everyday English for what edits are about: for each cue regular expressions over whole words."""


class _Cues(RootModel[dict[str, tuple[str, ...]]]):
    """Regular expressions, of which one must be found, by the names of cues."""


@lru_cache(maxsize=1)
def cue_patterns() -> dict[str, re.Pattern[str]]:
    """What finds each cue in words in lower case.

    Raises:
        ValueError: if the file is missing or against the schema.
    """
    told = load(_Cues, CUES_FILE).root
    return {name: re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?!\w)") for name, words in told.items()}


def cues_in(words: str) -> dict[str, int]:
    """How often each cue is found in words in lower case, up to twice."""
    return {name: min(len(pattern.findall(words)), 2) for name, pattern in cue_patterns().items()}
