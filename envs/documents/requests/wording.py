"""Put drafts of edits into words, with the phrasings of a split."""

from __future__ import annotations

from collections.abc import Sequence

from ..operations.draft import EditDraft, Numbers, Slots, pick
from ..scene.document import Document
from ..scene.elements import Element
from .phrasings import Phrasings
from .referring import Expression, plural, singular
from .request import Mention

_DIRECT = 0.3
"""The probability of a name where other expressions exist."""
_SENTENCES = 0.3
"""The probability of a whole sentence instead of a clause."""


class Wording:
    """Words for the drafts of one request.

    Args:
        document: to be edited.
        page: the page, counted from 0.
        bank: the phrasings to choose from.
        rng: chooses.

    Attributes:
        mentions: the expressions for elements so far.
    """

    def __init__(self, document: Document, page: int, bank: Phrasings, rng: Numbers) -> None:
        self._document, self._page, self._bank, self._rng = document, page, bank, rng
        self.mentions: list[Mention] = []

    def single(self, draft: EditDraft) -> str:
        """A request for one edit."""
        sentences = self._bank.sentence.get(draft.edit, ())
        slots = self._slots(draft, plain=False)
        if sentences and self._rng.random() < _SENTENCES:
            return _capital(pick(self._rng, sentences).format(**slots))
        clause = pick(self._rng, self._bank.imperative[draft.edit]).format(**slots)
        return _framed(pick(self._rng, self._bank.frames), request=clause)

    def compound(self, first: EditDraft, second: EditDraft) -> str:
        """A request for two edits.

        The second one mentions its target by what the first one does not change.
        """
        clauses = [
            pick(self._rng, self._bank.imperative[draft.edit]).format(**self._slots(draft, plain))
            for draft, plain in ((first, False), (second, True))
        ]
        return _framed(pick(self._rng, self._bank.joins), first=clauses[0], second=clauses[1])

    def by_every_kind(self, target: Element) -> None:
        """Mention an element once by each kind of expression that there is for it."""
        expressions = singular(self._document, self._page, target)
        for kind in sorted({one[0] for one in expressions}):
            self._phrase(pick(self._rng, [one for one in expressions if one[0] == kind]), (target.id,))

    def _slots(self, draft: EditDraft, plain: bool) -> Slots:
        bank = self._bank
        words = {"direction": bank.directions, "side": bank.sides, "turn": bank.turns, "axis": bank.axes}
        slots = {
            name: pick(self._rng, words[name][value]) if name in words else value  # type: ignore[index]
            for name, value in draft.slots.items()
        }
        if draft.targets:
            slots["target"] = self._expression(draft.targets, plain)
        anchor = self._one(draft.anchor, plain) if draft.anchor is not None else ""
        if draft.place is not None:
            phrase = pick(self._rng, bank.places[draft.place])  # type: ignore[index]
            slots["place"] = phrase.format(anchor=anchor) if anchor else phrase + self._on_page()
        elif anchor:
            slots["anchor"] = anchor
        return slots

    def _expression(self, targets: Sequence[Element], plain: bool) -> str:
        if len(targets) == 1:
            return self._one(targets[0], plain)
        ids = tuple(element.id for element in targets)
        fitting = [expression for expression, found in plural(self._document, self._page) if found == ids]
        return self._phrase(pick(self._rng, fitting), ids)

    def _one(self, target: Element, plain: bool) -> str:
        expressions = singular(self._document, self._page, target)
        direct = [one for one in expressions if one[0] == "direct"]
        others = [one for one in expressions if one[0] != "direct" and (not plain or one[0] in ("says", "begins"))]
        if direct and (not others or self._rng.random() < _DIRECT):
            return self._phrase(direct[0], (target.id,))
        # Kinds of expressions are equally frequent, however many of each there are.
        kind = pick(self._rng, sorted({one[0] for one in others}))
        return self._phrase(pick(self._rng, [one for one in others if one[0] == kind]), (target.id,))

    def _phrase(self, expression: Expression, ids: tuple[str, ...]) -> str:
        kind, slots = expression
        slots = dict(slots)
        if "anchor" in slots:
            anchor = self._document.find(slots["anchor"])
            assert anchor is not None
            slots["anchor"] = pick(self._rng, self._bank.references["direct"]).format(name=anchor.name)
        words = pick(self._rng, self._bank.references[kind]).format(**slots)
        words += "" if kind == "direct" else self._on_page()
        self.mentions.append(Mention(words=words, ids=ids, kind=kind, page=self._page))
        return words

    def _on_page(self) -> str:
        if len(self._document.pages) == 1:
            return ""
        return f" {pick(self._rng, self._bank.on_page)}".format(page=self._page + 1)


def _framed(frame: str, **clauses: str) -> str:
    """Clauses in a frame, with capitals where sentences begin."""
    for name, clause in clauses.items():
        at = frame.index(f"{{{name}}}")
        if at == 0 or frame[:at].rstrip().endswith((".", "?", "!")):
            clauses[name] = _capital(clause)
    return _capital(frame.format(**clauses))


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
