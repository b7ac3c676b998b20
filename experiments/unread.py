"""What requests say that the rules for editing files do not read, and would get wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..agents.rules.edits import Edit
from ..agents.rules.understanding import NotUnderstood
from ..envs.documents.grounding.doubts import unborne
from ..envs.documents.grounding.plurals import meant
from ..envs.documents.scene.document import Document

_UNREAD: dict[str, str] = {
    r"n't\b|\bnot\b(?! (?:be |in )?(?:bold|italic|italics|underlined))|\bnever\b|\bwithout\b|\bunless\b|\bexcept\b|"
    r"\bno need\b|\bkeep\b|\bleave\b|\bno\b,?": "what is not to be done, or on what condition",
    r"^(?:should|why|what|how|who|where|when|is|are|did|does|do)\b|\?\s*\S|\byesterday\b": (
        "questions, or what was done"
    ),
    r"\d\s*(?:cm|mm|inch(?:es)?|in|points?|pt)\b|\d\s*(?:\"|″)(?!\w)": (
        "units but pixels (a slide is 960 wide), per cent and degrees"
    ),
    r"\b(?:wider|taller|narrower|broader)\b|"
    r"\d\s*(?:%|percent|per cent)\s*(?:wider|bigger|larger|smaller|to the|up|down)": (
        "sizes and ways told by comparison: say pixels, or per cent of the present size"
    ),
    r"\b(?:first|second|third|fourth|fifth|last|\d+(?:st|nd|rd|th)) (?:bullet|item|row|column|slide)\b|"
    r"\b(?:the|a) (?:bullet|list item|row|column)\b": (
        "parts of lists, tables and decks by their place; pages go by number"
    ),
    r"\b(?:border|outline|append|prepend)\b|\bat the word\b": "borders, or what is put before or behind text",
}
"""What is not read, by patterns of the request in lower case, quoted texts left out."""
_PLACED = re.compile(r"\bcorner\b|\bto the (?:top|bottom)\b|\bedge of the\b")
_PAGE = re.compile(r"\b(?:slide|page) (?:no\.? |number )?(\d+)")


def refuse_unread(request: str, edits: Sequence[Edit], document: Document) -> None:
    """Refuse a request that the rules would read as another one.

    Raises:
        NotUnderstood: that says what is not read.
    """
    bare = re.sub(r"[\"“][^\"”]*[\"”]", '""', request).strip().lower()
    for pattern, what in _UNREAD.items():
        if re.search(pattern, bare):
            raise NotUnderstood(f"the rules do not read {what}")
    if any(int(number) > len(document.pages) for number in _PAGE.findall(bare)):
        raise NotUnderstood(f"the document has {len(document.pages)} pages")
    if any(edit.kind in ("to_front", "to_back") for edit in edits) and _PLACED.search(bare):
        raise NotUnderstood("the rules do not move things to corners or edges of the page; say pixels")
    for edit in edits:
        if edit.is_plural and (unknown := unborne(meant(document, edit.target), edit.target)):
            raise NotUnderstood(f"nothing in the document is surely {edit.target!r} ({', '.join(unknown)}?)")
