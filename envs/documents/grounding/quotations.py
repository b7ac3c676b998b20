"""Quoting: what stands between quotation marks, and how it is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

Way = Literal["says", "name", "begins", "ends", "holds"]
QUOTE = re.compile(r'"([^"]+)"|“([^”]+)”|‘([^’]+)’|«([^»]+)»|(?<!\w)\'(.+?)\'(?!\w)', re.S)
"""What stands between quotation marks."""
MARK = re.compile(r"<(\d+)>")
"""What stands for a quotation in a marked text."""
_A_WORD = r"(?: the| an?)?(?: words?| texts?| sign| character| symbol| mark| phrase| letters?| string)? ?"
_WAYS: dict[Way, str] = {
    "name": r"(?:called|named|known as|titled|labell?ed|by the name(?: of)?|name is|goes by)(?: the)? ?<\d+>",
    "begins": rf"(?:begin|start|open|lead)\w*(?: off| out| up)? (?:with|by|in){_A_WORD}<\d+>"
    r"|<\d+> (?:at|in) (?:the|its) (?:beginning|start|front|head)|<\d+> (?:first|up front)"
    r"|first words? (?:is|are|being) <\d+>",
    "ends": rf"(?:end|finish|clos)\w* (?:with|in|on|by){_A_WORD}<\d+>|<\d+> at (?:the|its) end",
    "holds": rf"(?:contain|includ|mention|featur|hold|hav|has|bear|show|carr)\w*{_A_WORD}<\d+>"
    r"|<\d+> (?:in (?:it|them|the(?:ir|m)?)|among|within|inside|somewhere|appears|occurs|is found|can be found|is part)"
    r"|(?:in|where) which <\d+>|where <\d+>|with an? <\d+>",
}
"""How a quotation is meant, as words say it; otherwise it is all that something says."""
_PATTERNS = {name: re.compile(words) for name, words in _WAYS.items()}


def marked(text: str) -> tuple[str, list[str]]:
    """A text with a mark such as ``<0>`` in the place of each quotation, and the quotations."""
    quotes: list[str] = []

    def mark(found: re.Match[str]) -> str:
        quotes.append(next(part for part in found.groups() if part is not None))
        return f" <{len(quotes) - 1}> "

    return QUOTE.sub(mark, MARK.sub(" ", text)), quotes


def first_quoted(text: str, quotes: Sequence[str]) -> tuple[str | None, Way]:
    """The first quotation of a marked text, and how it is meant."""
    found = MARK.search(text)
    if found is None:
        return None, "says"
    return quotes[int(found[1])], next((way for way, words in _PATTERNS.items() if words.search(text)), "says")
