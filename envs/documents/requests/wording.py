"""Put drafts of edits into words, with the phrasings of a split."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..operations.draft import EditDraft, Numbers, Slots, pick
from ..operations.table import EDITS
from ..scene.document import Document
from ..scene.elements import Element
from .phrasings import Phrasings
from .referring import Expression, plain, plural, singular
from .request import Mention

_PLAIN = 0.6
"""The probability of an expression that mentions no other element where both sorts exist."""
_SENTENCES = 0.35
"""The probability of a whole sentence instead of a clause."""
_NOUNS = {"line": "dividing line", "lines": "dividing lines", "texts": "pieces of text"}
"""What is called otherwise, as a line of text may be meant, or people would not say so."""
_CASUAL, _TYPO = 0.25, 0.07
"""The probabilities of a sentence without capital and full stop, and of a typing error."""


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
        sentences = self._bank.sentence.get(draft.edit, ()) if len(draft.targets) <= 1 else ()
        slots = self._slots(draft)
        if sentences and self._rng.random() < _SENTENCES:
            return self._casual(_capital(pick(self._rng, sentences).format(**slots)))
        clause = pick(self._rng, self._bank.imperative[draft.edit]).format(**slots)
        return self._casual(_framed(pick(self._rng, self._bank.frames), request=clause))

    def compound(self, first: EditDraft, second: EditDraft) -> str:
        """A request for two edits of one element."""
        clauses = [
            pick(self._rng, self._bank.imperative[draft.edit]).format(**self._slots(draft, target))
            for draft, target in ((first, ""), (second, "it"))
        ]
        clauses[1] = re.sub(r"the ([a-z ]+?) (?:of|on) it\b", r"its \1", clauses[1])
        return self._casual(_framed(pick(self._rng, self._bank.joins), first=clauses[0], second=clauses[1]))

    def _casual(self, text: str) -> str:
        """A sentence, sometimes as people type in haste; what is quoted or names something stays right."""
        if self._rng.random() < _CASUAL:
            text = text[0].lower() + text[1:].rstrip(".")
        if self._rng.random() < _TYPO:
            kept = [*re.findall(r'"[^"]*"', text), *(mention.words for mention in self.mentions)]
            spans = [range(text.find(words), text.find(words) + len(words)) for words in kept if words in text]
            letters = [at for at in range(2, len(text) - 2) if text[at - 1 : at + 3].isalpha()]
            fitting = [at for at in letters if not any(at in span or at + 1 in span for span in spans)]
            if fitting:
                at = pick(self._rng, fitting)
                text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        return text

    def by_every_kind(self, target: Element) -> None:
        """Mention an element once by each kind of expression that there is for it."""
        expressions = singular(self._document, self._page, target)
        for kind in sorted({one[0] for one in expressions}):
            self._phrase(pick(self._rng, [one for one in expressions if one[0] == kind]), (target.id,))

    def _slots(self, draft: EditDraft, target: str = "") -> Slots:
        """The slots of a template; ``target``: what the target is called, if that is clear."""
        bank = self._bank
        words = {
            "direction": bank.directions,
            "side": bank.sides,
            "turn": bank.turns,
            "axis": bank.axes,
            "alignment": bank.alignments,
        }
        slots = {
            name: pick(self._rng, words[name][value]) if name in words else value  # type: ignore[index]
            for name, value in draft.slots.items()
        }
        is_named = EDITS[draft.edit].slots[:1] == ("target",)
        if draft.targets and is_named:
            slots["target"] = target or self._expression(draft.targets)
        anchor = self._one(draft.anchor, plain_only=True) if draft.anchor is not None else ""
        if draft.place is not None:
            phrase = pick(self._rng, bank.places[draft.place])  # type: ignore[index]
            slots["place"] = phrase.format(anchor=anchor) if anchor else phrase + ("" if is_named else self._on_page())
        elif anchor:
            slots["anchor"] = anchor
        return slots

    def _expression(self, targets: Sequence[Element]) -> str:
        if len(targets) == 1:
            return self._one(targets[0])
        ids = tuple(element.id for element in targets)
        fitting = [expression for expression, found in plural(self._document, self._page) if found == ids]
        return self._phrase(pick(self._rng, fitting), ids)

    def _one(self, target: Element, plain_only: bool = False) -> str:
        simple = plain(self._document, self._page, target)
        if not simple or (not plain_only and self._rng.random() > _PLAIN):
            simple = singular(self._document, self._page, target)
        # Kinds of expressions are equally frequent, however many of each there are.
        kind = pick(self._rng, sorted({one[0] for one in simple}))
        return self._phrase(pick(self._rng, [one for one in simple if one[0] == kind]), (target.id,))

    def _phrase(self, expression: Expression, ids: tuple[str, ...]) -> str:
        kind, slots = expression
        words = pick(self._rng, self._bank.references[kind]).format(**self._readable(slots)) + self._on_page()
        self.mentions.append(Mention(words=words, ids=ids, kind=kind, page=self._page))
        return words

    def _readable(self, slots: Slots) -> Slots:
        """The slots of an expression with words for relations and superlatives, and with its anchor named."""
        bank, slots = self._bank, dict(slots)
        if "anchor" in slots:
            anchor = self._document.find(slots["anchor"])
            assert anchor is not None
            kind, own = pick(self._rng, plain(self._document, self._page, anchor))
            slots["anchor"] = (
                f'"{own["text"]}"' if kind == "says" else pick(self._rng, bank.references[kind]).format(**own)
            )
        for name in ("kind", "kinds"):
            slots |= {name: _NOUNS.get(slots[name], slots[name])} if name in slots else {}
        for name, words in (("relation", bank.relations), ("superlative", bank.superlatives)):
            if name in slots:
                slots[name] = pick(self._rng, words[slots[name]])  # type: ignore[index]
        return slots

    def _on_page(self) -> str:
        """Where the page is, which a request mentions once."""
        if len(self._document.pages) == 1 or self.mentions:
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
