"""Understanding: a request in words as the edits that it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ...envs.documents.requests.phrasings import EDITS
from .edits import SLOTS, Edit, fitting, place_in, turned_order, without_kept_sides
from .lexicon import COLOUR, KIND, TEXT
from .noun_phrases import READINGS, Held, NounPhrase, held_back, noun_phrases
from .rule_table import Rule
from .values import Told, values_in, with_pictures

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
_OWN = (
    r"\b(?:its|their) (?=(?:own )?(?:text |font )?(?:colou?r|size|width|height|font|typeface|opacity|"
    r"wording|content|text)\b)"
)
_PREPOSED = re.compile(r"\b(?:for|in|on|of|from|before|after|during|with) $", re.I)
_CONDITION = re.compile(r"(?:where|wherever|if|when|instead)\b", re.I)
_ADDED = re.compile(rf"\b(add|insert|write|create|type|draw) the (?:new )?({TEXT} «q\d+»)", re.I)
_FEW = 3
"""How many words an expression may have that is passed over because it names nothing in the document."""
_PARTS_OF = {
    "move_to": ("width", "height", "move_by", "font_smaller", "font_larger", "align_edge"),
    "copy_to": ("copy_beside", "replace_shape", "width", "height", "move_by"),
}
"""What the first half of some edits may be taken for."""
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
    return None if single is None or _is_half_read(single, text, held, knows_names, before) else [single]


def _is_half_read(single: Edit, text: str, held: Held, knows_names: bool, before: Edit | None) -> bool:
    """Whether an edit is all that was read of a text that goes on with ``and then``."""
    joints = (found for found in _JOINED.finditer(text) if re.search(r"[a-z]", found[0], re.I))
    return any(_single(text[: found.start()], held, knows_names, before) == single for found in joints)


def _parted(joint: re.Pattern[str], text: str, held: Held, knows_names: bool, before: Edit | None) -> list[Edit] | None:
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
        if rest is not None and not _is_one(first, rest, text, held, knows_names, before):
            return [first, *rest]
    return None


def _is_one(first: Edit, rest: Sequence[Edit], text: str, held: Held, knows_names: bool, before: Edit | None) -> bool:
    """Whether what reads as two edits of the same thing is one: ``remove it and put this in its place``."""
    if rest[0].target != first.target:
        return False
    if first.kind == "delete":
        return True
    single = _single(text, held, knows_names, before)
    return single is not None and first.kind in _PARTS_OF.get(single.kind, ())


def _single(text: str, held: Held, knows_names: bool, before: Edit | None, is_plain: bool = False) -> Edit | None:
    """The one edit that a clause asks for; ``None`` if it cannot be read as one, or only in a way that is not plain."""
    readings = _readings(_referred(text, before), knows_names)
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


def _referred(text: str, before: Edit | None) -> str:
    """A clause with what was edited before in the place of ``it``."""
    if before is None or not before.target or noun_phrases(text):
        return text
    if re.search(_OWN, text, re.I):
        return re.sub(
            (
                r"\b(?:its|their) (?:own )?([\w ]*?(?:colou?r|size|width|height|font|typeface|opacity|wording|"
                r"content|text))\b"
            ),
            rf"the \1 of {before.target}",
            text,
            count=1,
            flags=re.I,
        )
    return re.sub(r"\b(?:it|them)\b", lambda _: before.target, text, count=1, flags=re.I)


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


def _complaint(text: str, held: Held) -> str:
    for clause in _JOINED.split(text):
        if _single(clause, held, True, None) is None:
            words = held.restored(clause).strip()
            shown = words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"
            lacks = "" if noun_phrases(clause) else ' It names nothing to edit, such as "the title".'
            return f"This cannot be read as an edit: {shown!r}.{lacks}"
    return f"This cannot be read as one edit after the other: {held.restored(text)!r}."
