"""The names of fields: labels that a block prints, and what targets say of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ...envs.core.locators import Box
from . import vocabulary
from .canvas import Canvas, Part
from .settings import Layout, settings
from .vocabulary import Kind, Label

_TRIES = 8
_SIGNED: dict[Kind, tuple[str, ...]] = {
    "signature": ("{} Signature", "{}'s Signature", "Signature of {}"),
    "initials": ("{} initials", "{} initial", "{}'s initials"),
}
_ORDINALS = {"1": ("First", "1st"), "2": ("Second", "2nd"), "3": ("Third", "3rd"), "4": ("Fourth", "4th")}


class Owner(NamedTuple):
    """What the fields of a block belong to.

    Attributes:
        text: what the block's head says.
        box: where it says so.
        first: whether it is the first of those that are asked the same, or the only one.
        person: whether it can stand before a label: ``Co-Applicant`` can, ``Insurance`` cannot.
    """

    text: str
    box: Box
    first: bool = True
    person: bool = True


def unused(canvas: Canvas, kinds: Collection[Kind] | None = None, words: Sequence[Label] | None = None) -> Label | None:
    """A label that is not on the page yet, or ``None`` if none was found.

    Args:
        canvas: the page.
        kinds: of value, one of which it has to ask for; ``None``: any.
        words: what to choose from; ``None``: all labels of the page's language.
    """
    for _ in range(_TRIES):
        label = _drawn(canvas, kinds) if words is None else canvas.random.choice(words)
        # A label that is there already would make a target that nobody could tell apart.
        if label is not None and (label.text.lower() not in canvas.used or canvas.random.chance(0.15)):
            canvas.used.add(label.text.lower())
            return label
    return None


def _drawn(canvas: Canvas, kinds: Collection[Kind] | None) -> Label | None:
    """Any label of the page's language, or one of some kinds; ``None`` if the language lacks the kind."""
    weights = {kind: settings().kinds.get(kind, 1.0) for kind in (vocabulary.KINDS if kinds is None else sorted(kinds))}
    kind = canvas.random.weighted(weights)
    texts = vocabulary.labels_of(kind, canvas.style.language)
    return Label(canvas.random.choice(texts), kind) if texts else None


def labels_for(canvas: Canvas, layout: Layout) -> list[Label]:
    """The labels of a block: as many as its layout asks for, less where the vocabulary has fewer, each once."""
    random, language = canvas.random, canvas.style.language
    count = random.between(*layout.fields)
    if layout.labels == ("signers",) and language == "en" and random.chance(0.7):
        fresh = _signers(canvas, layout)
    elif layout.labels and layout.labels != ("signers",) and language == "en" and random.chance(0.78):
        found: list[Label] = []
        while len(found) < count and len(found) < 40:
            genre = random.choice(layout.labels)
            found += random.choice(vocabulary.sets(next(g for g in vocabulary.GENRES if g == genre)))
        fresh = [label for label in found if label.text.lower() not in canvas.used]
    else:
        drawn = (unused(canvas, layout.kinds or None) for _ in range(count))
        fresh = [label for label in drawn if label is not None]
    own = list({label.text.lower(): label for label in fresh}.values())[:count]
    canvas.used.update(label.text.lower() for label in own)
    return own


def _signers(canvas: Canvas, layout: Layout) -> list[Label]:
    """Labels for the signatures or initials of those who sign side by side, and for the date."""
    random = canvas.random
    kind = layout.kinds[0]
    form = random.choice(_SIGNED[kind])
    found = [Label(form.format(who), kind) for who in random.choice(vocabulary.phrases().signers)]
    dated = "date" in layout.kinds
    return [*found[:1], Label(random.choice(vocabulary.labels_of("date")[:2]), "date"), *found[1:]] if dated else found


def shown(canvas: Canvas, label: Label, colon: bool) -> str:
    """The text of a label as the page prints it: in capitals or not, with a colon or not."""
    text = label.text.upper() if canvas.style.caps else label.text
    return f"{text}{canvas.style.colon}" if colon and (text[-1].isalnum() or text[-1] in ")#%.") else text


def parts_of(canvas: Canvas, text: str, box: Box, owner: Owner | None, *between: Part) -> list[Part]:
    """The parts of a target: its label, what stands ``between``, and what both belong to; empty: it is no target."""
    random = canvas.random
    if owner is None or (not owner.person and random.chance(0.6)):
        return [(text, box), *between]
    if owner.first and random.chance(0.5):
        return [(text, box), *between]
    if owner.person and random.chance(0.25):
        return [(f"{_called(canvas, owner.text)} {text}", box), *between]
    return [(text, box), *between, (_called(canvas, owner.text), owner.box)]


def _called(canvas: Canvas, head: str) -> str:
    """A head as a target says it: ``Reference 2`` may be the ``Second Reference``."""
    numbered = re.fullmatch(r"(\D+?)\s*([1-4])", head)
    if numbered and canvas.random.chance(0.4):
        return f"{canvas.random.choice(_ORDINALS[numbered[2]])} {numbered[1]}"
    return head.title() if head.isupper() and canvas.random.chance(0.3) else head
