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
from ..core.templates import Placeholder, fill, parts_of
from .paper_form import FormField, PaperForm, paper_form
from .persona import persona
from .profile import Profile, condition_facts, derived_facts, fact_book, profile, train_book
from .state import PaperTask, Target

_DISTRACTORS = 20
_LOSSY_DATE = re.compile(r"\|\s*(?:month_year|year)\b")
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
        text_size=form.text_size,
        targets=targets_of(form, facts),
    )


def targets_of(form: PaperForm, facts: Mapping[str, str]) -> tuple[Target, ...]:
    """The fields of a form with the answers that ``facts`` give.

    Raises:
        ValueError: if an answer is none of the kind that its field takes.
    """
    return tuple(_target(field, facts) for field in form.fields)


def _goal(form: PaperForm, name: str, source_title: str | None) -> str:
    found = (
        "in the source text"
        if source_title is None
        else f"on the source page (“{source_title}”) and in the source text"
    )
    missing = "the source does not tell" if source_title is None else "neither of the two tells"
    matchers = {field.matcher for field in form.fields}
    initials = any(fact.endswith("initials") for field in form.fields for fact in field.facts)
    return (
        f"Fill in this form, “{form.title}”, for {name} from the facts {found}. "
        f"Leave empty what asks for something that {missing}, and what is for the office."
        + " Tick boxes with X." * ("checkbox" in matchers)
        + f" Sign{' and initial' * initials} where the applicants have to." * ("signature" in matchers)
    )


def _target(field: FormField, facts: Mapping[str, str]) -> Target:
    full = fill(_LOSSY_DATE.sub("|us_date", field.value), facts) if field.value and field.matcher == "date" else None
    gold = Gold.of_field(field.matcher, _answer(field, facts), field.label, full)
    if gold.value is not None and not gold.accepts(gold.value):
        raise ValueError(f"field {field.name}: the answer {gold.value!r} is no {field.matcher}")
    return Target(field.name, field.label, field.box, gold, field.comb)


def _answer(field: FormField, facts: Mapping[str, str]) -> str | None:
    """The answer, or None if the field must stay empty."""
    if field.when is not None:
        fact, value = condition_facts(field.when)
        if facts.get(fact) != value:
            return None
    return fill(field.value, facts) if field.value is not None else TICK if field.when is not None else None


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
"""Filters that write a whole fact together."""
_LOSSY = {"month_year", "last4", "initial"}.union(*_PARTS)


def recoverable_facts(form: PaperForm, facts: Mapping[str, str]) -> set[str]:
    """The plain facts that a reader of the filled-in ``form`` knows for certain.

    A fact of which only a part is written, such as the year of a date, is not among them; nor are names in one field
    without a mark between them.
    """
    on_source: set[str] = set()
    parts: dict[str, set[str]] = defaultdict(set)
    for field in form.fields:
        if _answer(field, facts) is None:
            continue
        if field.value is None and field.when is not None:
            on_source.add(condition_facts(field.when)[0])
        for written in _readable(field, facts):
            if written.filter in _LOSSY:
                parts[written.fact].add(written.filter)
            elif _is_whole(facts[written.fact], written.filter):
                on_source.add(written.fact)
    return on_source | {fact for fact, found in parts.items() if any(whole <= found for whole in _PARTS)}


def _readable(field: FormField, facts: Mapping[str, str]) -> Iterator[Placeholder]:
    """The plain facts written in a field, and how, if it is clear which is which."""
    sums = derived_facts().root
    for run in _runs(field.value or ""):
        written = [part for part in run if part.fact in facts and part.fact not in sums]
        # Facts with only spaces between them are clear if each is a single word.
        if len(run) == 1 or not any(re.search(r"\s", facts[part.fact]) for part in written):
            yield from written


def _runs(template: str) -> list[list[Placeholder]]:
    """The placeholders of a template, apart where something other than a space is between them."""
    runs: list[list[Placeholder]] = [[]]
    for part in _expanded(template):
        if isinstance(part, Placeholder):
            runs[-1].append(part)
        elif part.strip():
            runs.append([])
    return [run for run in runs if run]


def _expanded(template: str) -> Iterator[str | Placeholder]:
    """The parts of a template, with derived facts replaced by those of their templates; sums stay."""
    for part in parts_of(template):
        definition = derived_facts().root.get(part.fact) if isinstance(part, Placeholder) else None
        if isinstance(definition, str):
            yield from parts_of(definition)
        else:
            yield part


def _is_whole(value: str, filter_: str | None) -> bool:
    """Whether a fact can be recovered from how it is written."""
    if filter_ == "digits":
        return not re.search(r"[A-Za-z]", value)
    return filter_ != "whole_amount" or value == value.split(".")[0]
