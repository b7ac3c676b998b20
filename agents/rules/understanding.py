"""Understanding: a request in words as the edits that it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from itertools import islice

from ...envs.documents.requests.phrasings import EDITS
from .edits import SLOTS, Edit, Rule, fitting, place_in, turned_order, without_kept_sides
from .lexicon import COLOUR, KIND, TEXT
from .noun_phrases import READINGS, Held, NounPhrase, held_back, noun_phrases
from .values import Told, values_in

_JOINED = re.compile(
    r"(?:[,;.]? and,? (?:then|also|next|finally|afterwards|lastly|after (?:that|this|which)),? |[,;.] (?:then|also|next|"
    r"afterwards|after that|in addition|finally|secondly|second|besides|moreover),? |,? (?:then|as well as|after which|plus) |; (?:and )?|[.!] )",
    re.I,
)
"""What joins two edits beyond doubt."""
_MAYBE_JOINED = re.compile(r",? and |, (?:but )?", re.I)
"""What may join two edits."""
_QUALITY = re.compile(rf"(?:bold|italic|underlined|upper|all caps|(?:right|left|cent(?:er|re))-|(?:{COLOUR})\b|\d)", re.I)
_OWN = r"\b(?:its|their) (?=(?:own )?(?:text |font )?(?:colou?r|size|width|height|font|typeface|opacity|wording|content|text)\b)"
_PREPOSED = re.compile(r"\b(?:for|in|on|of|from|before|after|during|with) $", re.I)
_CONDITION = re.compile(r"(?:where|wherever|if|when|instead)\b", re.I)
_ADDED = re.compile(rf"\b(?:add|insert|write|create|type|draw) the (?:new )?{TEXT} «q\d+»", re.I)
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
    edits = _edits(text.strip(" .!?"), held, bool(known), None)
    if edits is None:
        raise NotUnderstood(_complaint(text, held))
    return edits


def _edits(text: str, held: Held, knows_names: bool, before: Edit | None) -> list[Edit] | None:
    """The edits of a text, or ``None``; ``before`` is the edit that ``it`` may refer to."""
    for joint in (_JOINED, _MAYBE_JOINED):
        joined = _parted(joint, text, held, knows_names, before)
        if joined is not None:
            return joined
    single = _single(text, held, knows_names, before)
    return None if single is None else [single]


def _parted(
    joint: re.Pattern[str], text: str, held: Held, knows_names: bool, before: Edit | None
) -> list[Edit] | None:
    """The edits of a text that is parted where both sides can be read."""
    if joint is _MAYBE_JOINED and _CONDITION.match(text):
        return None
    for found in joint.finditer(text):
        first = _single(text[: found.start()], held, knows_names, before, is_plain=joint is _MAYBE_JOINED)
        if first is None:
            continue
        rest = _edits(text[found.end() :], held, knows_names, first)
        # "Make the title bold and red": the second part is short of what is edited.
        if rest is None and _QUALITY.match(text, found.end()):
            rest = _edits(f"make it {text[found.end() :]}", held, knows_names, first)
        if rest is not None:
            return [first, *rest]
    return None


def _single(
    text: str, held: Held, knows_names: bool, before: Edit | None, is_plain: bool = False
) -> Edit | None:
    """The one edit that a clause asks for; ``None`` if it cannot be read as one, or only in a way that is not plain."""
    readings = _readings(_referred(text, before), knows_names)
    for words, phrases in islice(readings, 1) if is_plain else readings:
        told = _told(words, phrases, held)
        rule = fitting(told)
        if rule is not None:
            edit = _edit(rule, told, phrases, held)
            if all(edit.slots.values()) or set(edit.slots) == {"axis"}:
                return edit
    return None


def _referred(text: str, before: Edit | None) -> str:
    """A clause with what was edited before in the place of ``it``."""
    if before is None or not before.target or noun_phrases(text):
        return text
    if re.search(_OWN, text, re.I):
        return re.sub(r"\b(?:its|their) (?:own )?([\w ]*?(?:colou?r|size|width|height|font|typeface|opacity|wording|content|text))\b",
                      rf"the \1 of {before.target}", text, count=1, flags=re.I)  # fmt: skip
    return re.sub(r"\b(?:it|them)\b", lambda _: before.target, text, count=1, flags=re.I)


def _readings(text: str, knows_names: bool) -> Iterator[tuple[str, Sequence[NounPhrase]]]:
    """Ways to read a clause: which of its words mean elements; the likeliest first."""
    seen: list[Sequence[NounPhrase]] = []
    for words in (text, _turned(text)):
        for reading in range(READINGS):
            phrases = noun_phrases(words, reading)
            fewer = [*_fewer(words, phrases, knows_names)]
            for chosen in (*fewer, phrases) if _ADDED.search(words) else (phrases, *fewer):
                if (words, chosen) not in seen:
                    seen.append((words, chosen))  # type: ignore[arg-type]
                    yield words, chosen


def _turned(text: str) -> str:
    """``the title colour`` as ``the colour of the title``."""
    own = r"((?:text |font |type )?(?:colou?r|size|width|height|font|typeface|opacity))"
    kept = r"(?!(?:text|font|type|letter|following|new|present|current) (?:colou?r|size|width|height|font|typeface|opacity))"
    return re.sub(rf"\b(?:the )?{kept}((?:«n\d+»|[a-z-]+)) {own}\b(?! of)", r"the \2 of the \1", text, flags=re.I)


def _fewer(text: str, phrases: Sequence[NounPhrase], knows_names: bool) -> Iterator[Sequence[NounPhrase]]:
    """Phrases without those that may mean no element: a new text, or what ``in the next version`` is about."""
    new = [phrase for phrase in phrases if re.match(rf"the (?:new )?{TEXT}(?: {TEXT})? «q\d+»$", phrase.words)]
    for phrase in reversed(new):
        yield [other for other in phrases if other is not phrase]
    if knows_names:
        known = [
            phrase
            for phrase in phrases
            if "«" in phrase.words or re.search(KIND, phrase.words, re.I) or not _PREPOSED.search(text[: phrase.span[0]])
        ]
        yield known
        yield [phrase for phrase in known if phrase not in new]


def _told(text: str, phrases: Sequence[NounPhrase], held: Held) -> Told:
    pieces, at = [], 0
    meant = list(dict.fromkeys(phrase.words for phrase in phrases))
    for phrase in phrases:
        pieces += [text[at : phrase.span[0]], f"<target {meant.index(phrase.words)}>"]
        at = phrase.span[1]
    # Names that turned out to be other words, as in "in the place of the title", are words again.
    words = re.sub(r"«n\d+»", lambda found: held.restored(found[0]), "".join([*pieces, text[at:]]))
    told = values_in(without_kept_sides(words), held)
    told.values["target"] = [held.restored(one) for one in meant]
    return told


def _edit(rule: Rule, told: Told, phrases: Sequence[NounPhrase], held: Held) -> Edit:
    """The edit of a clause that fits a rule."""
    about = list(told.values["target"])
    if rule.kind == "merge" and turned_order(told):
        about.reverse()
    is_new = rule.kind.startswith("add_")
    slots = {name: SLOTS[name](told) for name in EDITS[rule.kind] if name in SLOTS}
    page = told.value("page")
    return Edit(
        kind=_told_apart(rule.kind, about),
        slots=slots,
        target="" if is_new else about[0],
        anchor=about[0] if is_new and about else about[1] if len(about) > 1 else "",
        place=place_in(told) if is_new else "",
        is_plural=not is_new and phrases[0].is_plural,
        page=int(page) if page else 0,
    )


def _told_apart(kind: str, about: Sequence[str]) -> str:
    """Replacing a picture by another one is a kind of its own."""
    is_picture = kind == "replace_by_image" and re.search(r"\b(?:icon|picture|image|photo\w*|illustration)\b", about[0], re.I)
    return "replace_image" if is_picture else kind


def _complaint(text: str, held: Held) -> str:
    for clause in _JOINED.split(text):
        if _single(clause, held, True, None) is None:
            words = held.restored(clause).strip()
            shown = words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"
            lacks = "" if noun_phrases(clause) else " It names nothing to edit, such as \"the title\"."
            return f"This cannot be read as an edit: {shown!r}.{lacks}"
    return f"This cannot be read as one edit after the other: {held.restored(text)!r}."
