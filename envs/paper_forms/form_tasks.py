"""Make the task of a form and a user, with facts from text or from another form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np

from ..core.asset_cache import cached
from ..core.scoring import Gold
from .paper_form import FormField, PaperForm, paper_form
from .profiles.fact_templates import DERIVATIONS, PLACEHOLDER, fill
from .profiles.persona import persona
from .profiles.profile import Profile, condition_facts, derived_facts, fact_book, profile, train_book
from .task import PaperTask, Target, text_size_for

_DISTRACTORS = 20
TICK = "X"
"""The answer of a box that must be ticked."""


@dataclass(frozen=True)
class User:
    """The person a form is for: a shipped user by name, or one made from a seed.

    Attributes:
        name: of a shipped user, or the seed in digits.
        secret: of the endless users; ``None`` for a shipped one.
    """

    name: str
    secret: int | None = None

    @cached_property
    def profile(self) -> Profile:
        """The facts of the user."""
        return profile(self.name) if self.secret is None else persona(int(self.name), self.secret)

    def sentences(self, facts: Set[str], task_id: str) -> list[str]:
        """Sentences that state ``facts``; an endless user's vary with the task."""
        if self.secret is None:
            return self.profile.sentences(facts)
        rng = np.random.default_rng([crc32(task_id.encode()), self.secret])
        return self.profile.sentences(facts, train_book(), rng)


@cached
def form_task(form_name: str, user: User, task_id: str, source_form: str | None = None) -> PaperTask:
    """The task of filling in a form for a user.

    Args:
        form_name: see ``paper_form``.
        user: the person with the facts.
        task_id: the task's id.
        source_form: a form with the same user's answers on it; no sentence states what is there.
    """
    form, facts = paper_form(form_name), user.profile.facts
    on_source = recoverable_facts(paper_form(source_form), facts) if source_form is not None else set()
    return PaperTask(
        task_id=task_id,
        goal=_goal(form, facts["full_name"], paper_form(source_form).title if source_form is not None else None),
        source="\n".join(user.sentences(_source_facts(form, user.profile, task_id, on_source), task_id)),
        text_size=text_size_of(form),
        targets=targets_of(form, facts),
    )


def targets_of(form: PaperForm, facts: Mapping[str, str]) -> tuple[Target, ...]:
    """The fields of a form with the answers that ``facts`` give.

    Raises:
        ValueError: if an answer is none of the kind that its field takes.
    """
    return tuple(_target(field, facts) for field in form.fields)


def text_size_of(form: PaperForm) -> int:
    """The size in pixels of text written on a form."""
    return text_size_for([f.box[3] - f.box[1] for f in form.fields if f.matcher != "checkbox"])


def _goal(form: PaperForm, name: str, source_title: str | None) -> str:
    found = (
        "in the source text"
        if source_title is None
        else f"on the source page (“{source_title}”) and in the source text"
    )
    missing = "the source does not tell" if source_title is None else "neither of the two tells"
    return (
        f"Fill in this form, “{form.title}”, for {name} from the facts {found}. "
        f"Leave empty what asks for something that {missing}, and what is for the office. "
        "Tick boxes with X. Sign and initial where the applicants have to."
    )


def _target(field: FormField, facts: Mapping[str, str]) -> Target:
    gold = Gold.of_field(field.matcher, _answer(field, facts), field.label)
    if gold.value is not None and not gold.accepts(gold.value):
        raise ValueError(f"field {field.name}: the answer {gold.value!r} is no {field.matcher}")
    return Target(field.name, field.label, field.box, gold, field.comb)


def _answer(field: FormField, facts: Mapping[str, str]) -> str | None:
    """The answer, or None if the field must stay empty."""
    if field.when is not None:
        fact, value = condition_facts(field.when)
        return TICK if facts.get(fact) == value else None
    return fill(field.value, facts) if field.value is not None else None


def _source_facts(form: PaperForm, person: Profile, task_id: str, on_source: Set[str]) -> set[str]:
    """The facts of the source text: what the form needs, names, some distractors.

    Facts on the source page are left out.
    """
    needed = derived_facts().base_facts({fact for field in form.fields for fact in field.facts})
    named = {fact for fact in fact_book().names if fact.endswith("first_name")}
    others = [fact for fact in fact_book().names if fact in person.root and fact not in needed | named | on_source]
    chosen = np.random.default_rng(crc32(task_id.encode())).permutation(len(others))[:_DISTRACTORS]
    return (needed - on_source) | named | {others[i] for i in chosen}


_PARTS = ({"year", "month", "day"}, {"years", "months"}, {"area_code", "local_number"})
"""Derivations that make up a whole fact together."""
_LOSSY = {"month_year", "last4", "initial"}.union(*_PARTS)


def recoverable_facts(form: PaperForm, facts: Mapping[str, str]) -> set[str]:
    """The plain facts that a reader of the filled-in ``form`` knows for certain.

    A fact of which only a part is written, such as the year of a date, is not among them; nor are names in one field
    without a mark between them.
    """
    on_source: set[str] = set()
    parts: dict[str, set[str]] = defaultdict(set)
    for field in form.fields:
        on_source |= {fact for fact, value in _ticked(field) if facts.get(fact) == value}
        for fact, derivation in _readable(field, facts):
            if derivation in _LOSSY:
                parts[fact].add(derivation)
            elif _is_whole(facts[fact], derivation):
                on_source.add(fact)
    return on_source | {fact for fact, found in parts.items() if any(whole <= found for whole in _PARTS)}


def _ticked(field: FormField) -> list[tuple[str, str]]:
    return [condition_facts(field.when)] if field.when is not None else []


def _readable(field: FormField, facts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The plain facts written in a field, and how, if it is clear which is which."""
    sums = derived_facts().root
    for run in _runs(_expanded(field.value or "")):
        placeholders = PLACEHOLDER.findall(run)
        written = [(fact, how) for fact, _, how in placeholders if fact in facts and fact not in sums]
        # Facts with only spaces between them are clear if each is a single word.
        if len(placeholders) == 1 or not any(re.search(r"\s", facts[fact]) for fact, _ in written):
            yield from written


def _runs(template: str) -> list[str]:
    """A template cut where something other than a space separates its facts."""
    marked = PLACEHOLDER.sub(lambda found: found[0].replace(" ", ""), template)
    return re.split(r"(?<=\})[^{}]*[^{}\s][^{}]*(?=\{)", marked)


def _expanded(template: str) -> str:
    """A template with derived facts replaced by their templates; sums stay."""
    definitions = derived_facts().root

    def expand(found: re.Match[str]) -> str:
        definition = definitions.get(found[1])
        return definition if isinstance(definition, str) else found[0]

    return PLACEHOLDER.sub(expand, template)


def _is_whole(value: str, derivation: str) -> bool:
    """Whether a fact can be recovered from how it is written."""
    if derivation == "digits":
        return not re.search(r"[A-Za-z]", value)
    if derivation == "whole_money":
        return value == value.split(".")[0]
    return not derivation or derivation in DERIVATIONS
