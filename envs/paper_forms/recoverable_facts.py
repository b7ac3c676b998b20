"""What a filled-in form tells its reader: the facts that can be read off it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from .forms import FormField, PaperForm
from .profiles.profile import condition_facts, derived_facts
from .profiles.templates import DERIVATIONS, PLACEHOLDER

_PARTS = ({"year", "month", "day"}, {"years", "months"}, {"area_code", "local_number"})
"""Derivations that show a fact together."""
_LOSSY = {"month_year", "last4", "initial"}.union(*_PARTS)


def shown_facts(form: PaperForm, facts: Mapping[str, str]) -> set[str]:
    """The plain facts that a reader of ``form``, filled in from ``facts``, knows for certain.

    A fact of which only a part is written, such as the year of a date, is not among them; nor are names in one field
    that cannot be told apart.
    """
    shown: set[str] = set()
    parts: dict[str, set[str]] = defaultdict(set)
    for field in form.fields:
        shown |= {fact for fact, value in _ticked(field) if facts.get(fact) == value}
        for fact, derivation in _readable(field, facts):
            if derivation in _LOSSY:
                parts[fact].add(derivation)
            elif _is_whole(facts[fact], derivation):
                shown.add(fact)
    return shown | {fact for fact, found in parts.items() if any(whole <= found for whole in _PARTS)}


def _ticked(field: FormField) -> list[tuple[str, str]]:
    return [condition_facts(field.when)] if field.when is not None else []


def _readable(field: FormField, facts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The plain facts written in a field, and how, where they can be told apart."""
    sums = derived_facts().root
    for run in _runs(_expanded(field.value or "")):
        placeholders = PLACEHOLDER.findall(run)
        written = [(fact, how) for fact, _, how in placeholders if fact in facts and fact not in sums]
        # One that is missing may as well be a part of what is written.
        if len(placeholders) == 1 or not any(re.search(r"\s", facts[fact]) for fact, _ in written):
            yield from written


def _runs(template: str) -> list[str]:
    """A template cut where something else than a space stands between its facts."""
    marked = PLACEHOLDER.sub(lambda found: found[0].replace(" ", ""), template)
    return re.split(r"(?<=\})[^{}]*[^{}\s][^{}]*(?=\{)", marked)


def _expanded(template: str) -> str:
    """A template with the templates of derived facts in their places; sums stay as they are."""
    definitions = derived_facts().root

    def expand(found: re.Match[str]) -> str:
        definition = definitions.get(found[1])
        return definition if isinstance(definition, str) else found[0]

    return PLACEHOLDER.sub(expand, template)


def _is_whole(value: str, derivation: str) -> bool:
    """Whether a fact can be told from how it is written."""
    if derivation == "digits":
        return not re.search(r"[A-Za-z]", value)
    if derivation == "whole_money":
        return value == value.split(".")[0]
    return not derivation or derivation in DERIVATIONS
