"""Understanding: a request in words as the edits that it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .clauses import edit_in
from .edits import Edit
from .lexicon import COLOUR, DETERMINER
from .noun_phrases import Held, held_back, noun_phrases

_JOINED = re.compile(
    r"(?:[,;.]? and,? (?:then|also|next|finally|afterwards|lastly|after (?:that|this|which)),? |[,;.] "
    r"(?:then|also|next|"
    r"afterwards|after that|in addition|finally|secondly|second|besides|moreover),? |,? (?:then|as "
    r"well as|after which|plus) |; (?:and )?|[.!] )",
    re.I,
)
"""What joins two edits beyond doubt."""
_MAYBE_JOINED = re.compile(
    r",? and |, (?:but )?|,? (?:before|while|whereupon|followed by|together with|along with|besides|in addition to) ",
    re.I,
)
"""What may join two edits."""
_QUALITY = re.compile(
    rf"(?:bold|italic|underlined|upper|all caps|(?:right|left|cent(?:er|re))-|(?:{COLOUR})\b|\d)", re.I
)
_CONDITION = re.compile(r"(?:where|wherever|if|when|instead)\b", re.I)
_THING = r"((?:text |font )?(?:colou?r|size|width|height|font|typeface|opacity|wording|content|text))"
_OWN = re.compile(rf"\b(?:its|their) (?:own )?{_THING}\b", re.I)
_PARTS_OF = {
    "move_to": ("width", "height", "move_by", "font_smaller", "font_larger", "align_edge"),
    "copy_to": ("copy_beside", "replace_shape", "width", "height", "move_by"),
}
"""What the first half of some edits may be taken for."""
_MOST_JOINTS = 24
"""How many places a request may have where it might be parted; nobody asks for so much at once."""
_SHOWN = 120


class NotUnderstood(ValueError):
    """A request, or a part of it, is in words that the rules cannot read; the message says which."""


def understand(request: str, names: Iterable[str] = ()) -> list[Edit]:
    """The edits that a request asks for.

    Args:
        request: in English.
        names: of the elements of the document, as far as they are known; they make clear where their words end.

    Returns:
        The edits in the order in which they are told; at least one.

    Raises:
        NotUnderstood: if it, or a part of it, cannot be read.
    """
    known = tuple(names)
    text, held = held_back(request, known)
    reader = _Reader(held, bool(known))
    text = text.strip(" .!?")
    if sum(1 for joint in (_JOINED, _MAYBE_JOINED) for _ in joint.finditer(text)) > _MOST_JOINTS:
        raise NotUnderstood("This cannot be read: it asks for too much at once. Ask for one edit after the other.")
    edits = reader.edits(text, "")
    if edits is None:
        raise NotUnderstood(reader.complaint(text))
    return edits


class _Reader:
    """Reads the parts of one request.

    Args:
        held: what the marks in its text stand for.
        knows_names: whether the names in the document are known.
    """

    def __init__(self, held: Held, knows_names: bool) -> None:
        self._held, self._knows_names = held, knows_names
        self._read: dict[tuple[str, str], list[Edit] | None] = {}
        self._read_as_one: dict[tuple[str, str, bool], Edit | None] = {}

    def edits(self, text: str, it: str) -> list[Edit] | None:
        """The edits of a text, or ``None``; ``it``: the words for what was edited before."""
        key = (text, it)
        if key not in self._read:
            self._read[key] = self._edits(text, it)
        return self._read[key]

    def complaint(self, text: str) -> str:
        """What cannot be read in a text."""
        for clause in _JOINED.split(text):
            if self._one(clause, "") is None:
                words = self._held.restored(clause).strip()
                shown = words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"
                lacks = "" if noun_phrases(clause) else ' It names nothing to edit, such as "the title".'
                return f"This cannot be read as an edit: {shown!r}.{lacks}"
        return f"This cannot be read as one edit after the other: {self._held.restored(text)!r}."

    def _edits(self, text: str, it: str) -> list[Edit] | None:
        for joint in (_JOINED, _MAYBE_JOINED):
            joined = self._parted(joint, text, it)
            if joined is not None:
                return joined
        single = self._one(text, it)
        return None if single is None or self._is_half_read(single, text, it) else [single]

    def _one(self, text: str, it: str, is_plain: bool = False) -> Edit | None:
        """The one edit that a clause asks for."""
        key = (text, it, is_plain)
        if key not in self._read_as_one:
            self._read_as_one[key] = edit_in(self._referred(text, it), self._held, self._knows_names, is_plain)
        return self._read_as_one[key]

    def _is_half_read(self, single: Edit, text: str, it: str) -> bool:
        """Whether an edit is all that was read of a text that goes on with ``and then``."""
        joints = (found for found in _JOINED.finditer(text) if re.search(r"[a-z]", found[0], re.I))
        return any(self._one(text[: found.start()], it) == single for found in joints)

    def _parted(self, joint: re.Pattern[str], text: str, it: str) -> list[Edit] | None:
        """The edits of a text that is parted where both sides can be read."""
        if joint is _MAYBE_JOINED and _CONDITION.match(text):
            return None
        for found in joint.finditer(text):
            first = self._one(text[: found.start()], it, is_plain=joint is _MAYBE_JOINED)
            if first is None:
                continue
            rest = self.edits(text[found.end() :], first.target)
            # "Make the title bold and red": the second part is short of what is edited.
            if rest is None and _QUALITY.match(text, found.end()):
                rest = self.edits(f"make it {text[found.end() :]}", first.target)
            if rest is not None and not self._is_one(first, rest, text, it):
                return [first, *rest]
        return None

    def _is_one(self, first: Edit, rest: Sequence[Edit], text: str, it: str) -> bool:
        """Whether what reads as two edits of a thing is one: ``remove it and put this in its place``."""
        if rest[0].target != first.target:
            return False
        if first.kind == "delete":
            return True
        single = self._one(text, it)
        return single is not None and first.kind in _PARTS_OF.get(single.kind, ())

    def _referred(self, text: str, it: str) -> str:
        """A clause with what was edited before in the place of ``it``."""
        if not it or noun_phrases(text) or not (_OWN.search(text) or re.search(r"\b(?:it|them)\b", text, re.I)):
            return text
        found = re.match(rf"{DETERMINER} ", it, re.I)
        article = found[0] if found else "the "
        thing = article + self._held.mark("n", it.removeprefix(article))
        if _OWN.search(text):
            return _OWN.sub(lambda own: f"the {own[1]} of {thing}", text, count=1)
        return re.sub(r"\b(?:it|them)\b", thing, text, count=1, flags=re.I)
