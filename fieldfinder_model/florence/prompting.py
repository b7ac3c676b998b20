"""Prompts: how Florence-2 is asked for a field, when it is trained and when it is used."""

from __future__ import annotations

import re

LONGEST_TARGET = 100
"""Characters of a target that are asked for; what follows, names far above the field, is left out.

At four tokens a character, the most that there can be, such a prompt and the 577 tokens of the picture still fit the
1024 positions of the base model.
"""


def prompt(target: str) -> str:
    """The question for a field: ``Locate the field: `` and its target, white space made single.

    No part of a target is read as a token of the model's own (``<loc_5>``, ``</s>``, ``<OCR>``): it is parted after
    the ``<``.

    Raises:
        ValueError: if the target is blank.
    """
    words = " ".join(target.split())[:LONGEST_TARGET].rstrip()
    if not words:
        raise ValueError("a target is blank: give what the field is called on the page")
    return "Locate the field: " + re.sub(r"<(?=\S)", "< ", words)
