"""Draw random labels for the fields of a block, and name their targets."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...core.boxes import Box
from . import vocabulary
from .page_canvas import Canvas, Part
from .page_settings import BlockLayout, settings
from .vocabulary import Choice, FieldLabel, Kind

_TRIES = 8
_SIGNED: dict[Kind, tuple[str, ...]] = {
    "signature": ("{} Signature", "{}'s Signature", "Signature of {}"),
    "initials": ("{} initials", "{} initial", "{}'s initials"),
}
_ORDINALS = {"1": ("First", "1st"), "2": ("Second", "2nd"), "3": ("Third", "3rd"), "4": ("Fourth", "4th")}


class Owner(NamedTuple):
    """The person or thing that the fields of a block belong to.

    Attributes:
        text: the heading of the block.
        box: of the heading.
        first: whether it is the first (or only) owner with these fields.
        person: whether it can be put before a label: ``Co-Applicant`` can, ``Insurance`` cannot.
    """

    text: str
    box: Box
    first: bool = True
    person: bool = True


def labels_for(canvas: Canvas, layout: BlockLayout) -> list[FieldLabel]:
    """Random labels for a block, without repetition.

    Their number is that of the layout, or fewer where draws repeat a label or the vocabulary has no more.
    """
    random, english = canvas.random, canvas.style.language == "en"
    count = random.between(*layout.fields)
    if english and layout.labels == ("signers",) and random.chance(0.7):
        found = _signers(canvas, layout)
    elif english and layout.labels == ("questions",):
        found = random.sample(vocabulary.english().questions, count)
    elif english and layout.labels and layout.labels != ("signers",) and random.chance(0.78):
        found = []
        while len(found) < 2 * count:
            found += random.choice(vocabulary.english().sets[random.choice(layout.labels)])
    else:
        found = [label for _ in range(count) if (label := _any_label(canvas, layout))]
    # A repeated label would make an ambiguous target.
    fresh = {label.text.lower(): label for label in found if label.text.lower() not in canvas.used}
    chosen = list(fresh.values())[:count]
    canvas.used.update(label.text.lower() for label in chosen)
    return chosen


def _any_label(canvas: Canvas, layout: BlockLayout) -> FieldLabel | None:
    """A label of one of the layout's kinds that the page does not have yet, or ``None`` after some tries."""
    weights = {kind: settings().kinds.get(kind, 1.0) for kind in layout.kinds or vocabulary.KINDS}
    texts_of = vocabulary.words(canvas.style.language).labels
    for _ in range(_TRIES):
        kind = canvas.random.weighted(weights)
        texts = texts_of.get(kind, ())
        text = canvas.random.choice(texts) if texts else ""
        if text and text.lower() not in canvas.used:
            return FieldLabel(text, kind)
    return None


def _signers(canvas: Canvas, layout: BlockLayout) -> list[FieldLabel]:
    """Labels for several persons' signatures or initials, and for the date."""
    kind = layout.kinds[0]
    form = canvas.random.choice(_SIGNED[kind])
    found = [FieldLabel(form.format(who), kind) for who in canvas.random.choice(vocabulary.english().signers)]
    if "date" in layout.kinds:
        found.insert(1, FieldLabel(canvas.random.choice(vocabulary.words().labels["date"][:2]), "date"))
    return found


def small_choice(canvas: Canvas) -> Choice:
    """A question with few enough options for a cell."""
    choices = vocabulary.words(canvas.style.language).choices
    return canvas.random.choice([group for group in choices if group.ask and len(group.options) <= 6])


def large_choice(canvas: Canvas) -> Choice:
    """Any options, with or without a question; a short list may get further ones."""
    choice = canvas.random.choice(vocabulary.words(canvas.style.language).choices)
    if canvas.style.language != "en" or len(choice.options) >= 4 or canvas.random.chance(0.7):
        return choice
    alone = canvas.random.sample(vocabulary.english().options_alone, 4)
    return Choice(ask=choice.ask, options=tuple(dict.fromkeys((*choice.options, *alone))))


def printed_label(canvas: Canvas, text: str, colon: float) -> str:
    """A label in the page's style; with probability ``colon`` it may end in a colon."""
    ends_with_colon = canvas.random.chance(colon) and text and (text[-1].isalnum() or text[-1] in ")#%.")
    return canvas.style.printed(text) + (canvas.style.colon if ends_with_colon else "")


def parts_of(canvas: Canvas, label: Part, owner: Owner | None, *between: Part) -> list[Part]:
    """The parts of a target: its label, the parts ``between``, and often their owner."""
    random = canvas.random
    if owner is None or (not owner.person and random.chance(0.6)) or (owner.first and random.chance(0.5)):
        return [label, *between]
    name = _target_name(canvas, owner.text)
    if owner.person and random.chance(0.25):
        return [(f"{name} {label[0]}", label[1]), *between]
    return [label, *between, (name, owner.box)]


def _target_name(canvas: Canvas, head: str) -> str:
    """A heading as a target names it: ``Reference 2`` may be ``Second Reference``."""
    numbered = re.fullmatch(r"(\D+?)\s*([1-4])", head)
    if numbered and canvas.random.chance(0.4):
        return f"{canvas.random.choice(_ORDINALS[numbered[2]])} {numbered[1]}"
    return head.title() if head.isupper() and canvas.random.chance(0.3) else head
