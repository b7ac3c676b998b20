"""Clauses: the one edit that a clause asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ...envs.documents.requests.phrasings import EDITS
from .edits import SLOTS, Edit, fitting, place_in, turned_order, without_kept_sides
from .lexicon import KIND, TEXT
from .noun_phrases import READINGS, Held, NounPhrase, noun_phrases
from .rule_table import Rule
from .values import Told, values_in, with_pictures

_PREPOSED = re.compile(r"\b(?:for|in|on|of|from|before|after|during|with) $", re.I)
_ADDED = re.compile(rf"\b(add|insert|write|create|type|draw) the (?:new )?({TEXT} «q\d+»)", re.I)
_FEW = 3
"""How many words an expression may have that is passed over because it names nothing in the document."""


def edit_in(clause: str, held: Held, knows_names: bool, is_plain: bool = False) -> Edit | None:
    """The one edit that a clause asks for; ``None`` if it cannot be read as one.

    Args:
        clause: with marks.
        held: what the marks stand for.
        knows_names: whether the names in the document are known, so that other words can be told from them.
        is_plain: whether only the likeliest reading of its noun phrases counts.
    """
    readings = _readings(clause, knows_names)
    for words, phrases in islice(readings, 1) if is_plain else readings:
        told = _told(words, phrases, held)
        rule = fitting(told)
        if rule is None and not told.count("picture"):
            told = with_pictures(told)
            rule = fitting(told) if told.count("picture") else None
        if rule is not None:
            edit = _edit(rule, told, phrases, held)
            if all(edit.slots.values()) or set(edit.slots) == {"axis"}:
                return edit
    return None


def _readings(text: str, knows_names: bool) -> Iterator[tuple[str, Sequence[NounPhrase]]]:
    """Ways to read a clause: which of its words mean elements; the likeliest first."""
    seen: list[tuple[str, Sequence[NounPhrase]]] = []
    for words in dict.fromkeys((_ADDED.sub(r"\1 a \2", text), text, _turned(text))):
        for reading in range(READINGS):
            phrases = noun_phrases(words, reading)
            for chosen in (phrases, *_fewer(words, phrases, knows_names)):
                if (words, chosen) not in seen:
                    seen.append((words, chosen))
                    yield words, chosen


def _turned(text: str) -> str:
    """``the title colour`` as ``the colour of the title``."""
    own = r"((?:text |font |type )?(?:colou?r|size|width|height|font|typeface|opacity))"
    kept = (
        r"(?!(?:text|font|type|letter|following|new|present|current) (?:colou?r|size|width|height|font|"
        r"typeface|opacity))"
    )
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
            if "«" in phrase.words
            or re.search(KIND, phrase.words, re.I)
            or not _PREPOSED.search(text[: phrase.span[0]])
        ]
        yield known
        yield [phrase for phrase in known if phrase not in new]
        named = [phrase for phrase in phrases if "«" in phrase.words or re.search(KIND, phrase.words, re.I)]
        short = [phrase for phrase in phrases if phrase not in named and len(phrase.words.split()) > _FEW]
        if named and not short:
            yield named


def _told(text: str, phrases: Sequence[NounPhrase], held: Held) -> Told:
    pieces, at = [], 0
    meant = list(dict.fromkeys(held.restored(phrase.words) for phrase in phrases))
    for phrase in phrases:
        pieces += [text[at : phrase.span[0]], f"<target {meant.index(held.restored(phrase.words))}>"]
        at = phrase.span[1]
    # Names that turned out to be other words, as in "in the place of the title", are words again.
    words = re.sub(r"«n\d+»", lambda found: held.restored(found[0]), "".join([*pieces, text[at:]]))
    told = values_in(without_kept_sides(words), held)
    told.values["target"] = meant
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
        kind=_told_apart(rule.kind, about, told.skeleton),
        slots=slots,
        target="" if is_new else about[0],
        anchor=about[0] if is_new and about else about[1] if len(about) > 1 else "",
        place=place_in(told) if is_new else "",
        is_plural=not is_new and phrases[0].is_plural,
        page=int(page) if page else 0,
    )


def _told_apart(kind: str, about: Sequence[str], skeleton: str) -> str:
    """The kind of an edit, where its rule leaves two open."""
    if kind == "replace_by_image" and re.search(r"\b(?:icon|picture|image|photo\w*|illustration)\b", about[0], re.I):
        return "replace_image"
    if kind in ("width", "height"):
        at = skeleton.index("<pixels")
        sides = [
            (abs(found.start() - at), found[0]) for found in re.finditer(r"\b(?:wid|height|high|tall)", skeleton, re.I)
        ]
        return kind if not sides else "width" if min(sides)[1].lower() == "wid" else "height"
    return kind
