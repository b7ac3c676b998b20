"""Normalize a request before parsing: signs, possessives, gerunds and misspelling."""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

from ..scene.document import Document
from .bank import all_words, common_words, edit_patterns
from .patterns import tokens_of

_PROPERTY = (
    r"((?:text |font |type |fill |background )?(?:colou?r|size|width|height|font|typeface|opacity|wording|text|"
    r"alignment|background|transparency))\b"
)
_OWN = re.compile(rf"\b(?:its|their) (?:own )?{_PROPERTY}", re.I)
_POSSESSIVE = re.compile(rf"\b(the (?:[\w\"-]+ ){{0,5}}?[\w\"-]+)['’]s {_PROPERTY}", re.I)
_GERUND = re.compile(r"^(?:(?:would|do) you mind|how about|(?:please )?try|what about) (\w+)ing\b", re.I)


def normalize(request: str) -> str:
    """A request with plain quotation marks, an imperative, and no possessives."""
    text = request.translate(str.maketrans("“”„«»‘’′\u00a0", '"""""\'\'\' ')).replace("``", '"')
    text = re.sub(r"(?<![\w'])'([^'\"]+(?:'s[^'\"]+)?)'(?!\w)", r'"\1"', text)
    text = " ".join(text.split())
    gerund = _GERUND.match(text)
    if gerund is not None:
        text = f"{_verb(gerund[1])}{text[gerund.end() :]}"
    text = _OWN.sub(lambda found: f"the {found[1]} of it", text)
    return _POSSESSIVE.sub(lambda found: f"the {found[2]} of {found[1]}", text)


def correct_spelling(text: str, document: Document) -> str:
    """A request with common words corrected: one wrong letter, or two swapped."""
    known_here = set(re.findall(r"\w+", " ".join(f"{e.name} {e.text}" for e in document.elements()).lower()))
    known = common_words()
    corrected = text
    for token in reversed(tokens_of(text)):
        if not re.fullmatch(r"[a-z]{3,}", token.word) or token.word in known_here or token.word in all_words():
            continue
        if text[token.start].isupper() and token.start:
            continue
        near = [word for word in known if _is_misspelt(token.word, word)]
        if len(near) == 1:
            corrected = corrected[: token.start] + near[0] + corrected[token.end :]
    return corrected


def _is_misspelt(typed: str, word: str) -> bool:
    """Whether two letters are swapped or one letter of a long word is wrong."""
    if len(word) < 3 or OSA.distance(word, typed, score_cutoff=1) != 1:
        return False
    return sorted(word) == sorted(typed) or len(word) > 5


def _verb(stem: str) -> str:
    known = {word for one in edit_patterns() for word in one.first or ()}
    stem = stem.lower()
    return next((verb for verb in (stem, f"{stem}e", stem[:-1]) if verb in known), stem)
