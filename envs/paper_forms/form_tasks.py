"""Make the task of a form and a user, with facts from text or from another form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from zlib import crc32

import numpy as np

from ..core.asset_cache import cached
from ..core.scoring import Gold
from ..core.templates import Placeholder, fill, parts_of
from .paper_form import FormField, PaperForm, paper_form, shipped_forms
from .persona import persona
from .profile import JOINT, Profile, Sum, condition_facts, derived_facts, profile, train_book, users
from .source_texts import FIRST_NAMES, GENRES, Genre, source_book, source_text
from .state import PaperTask, Target

_DISTRACTORS = 20
_LOSSY_DATE = re.compile(r"\|\s*(?:month_year|year)\b")
PAYSLIP = "payslip"
"""The source page of some tasks, from ``assets/source_pages``."""
NAMES = frozenset({"first_name", "middle_name", "last_name", "suffix"})
_ADDED = (
    {"address_street", "address_unit"},
    {"joint_address_street", "joint_address_unit"},
    {"vehicle_model", "vehicle_trim"},
)
"""Facts that belong together, besides the terms of sums."""
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
        source_form: a form with the same user's answers on it; the source text does not state what is there.
    """
    form, facts = paper_form(form_name), user.profile.facts
    source = paper_form(source_form) if source_form is not None else None
    on_source = recoverable_facts(source, written_facts(source_form, user, form_name)) if source else set()
    return PaperTask(
        task_id=task_id,
        goal=_goal(form, facts, source),
        source=_source(form_name, user, task_id, on_source, source),
        text_size=form.text_size,
        targets=targets_of(form, facts),
        title=form.title,
        source_title=source.title if source else "",
    )


def written_facts(source_form: str | None, user: User, form_name: str) -> dict[str, str]:
    """The facts written on a source page: on a pay slip none that would make one doubt an answer on the form."""
    facts, unclear = user.profile.facts, _ambiguous(_needed(paper_form(form_name)))
    return {k: v for k, v in facts.items() if k not in unclear} if source_form == PAYSLIP else facts


def filled_in(form_name: str, facts: Mapping[str, str]) -> PaperTask:
    """A form with the answers that ``facts`` give, for a source page."""
    form = paper_form(form_name)
    return PaperTask(task_id=form_name, goal="", source="", text_size=form.text_size, targets=targets_of(form, facts))


@cached
def payslip_of(form_name: str, user: User) -> str | None:
    """The source page of a task with a form and a user: a pay slip for some of those who are employed."""
    employed = user.profile.root.get("employment_type") in ("full_time", "part_time")
    fits = all(map(int.__ge__, paper_form(form_name).size, paper_form(PAYSLIP).size))
    return PAYSLIP if employed and fits and _turn(form_name, user)[1] == len(GENRES) else None


def genre_of(form_name: str, user: User) -> Genre:
    """The genre of a source text; each form and each user has all of them in turns."""
    round_, turn = _turn(form_name, user)
    return GENRES[turn if turn < len(GENRES) else round_ % len(GENRES)]


def _turn(form_name: str, user: User) -> tuple[int, int]:
    """The place of a task in the turns of all genres and the pay slip."""
    name, known = Path(form_name).name, [folder.name for folder in shipped_forms()]
    form = known.index(name) if name in known else crc32(name.encode())
    person = users().index(user.name) if user.name in users() else crc32(user.name.encode())
    return divmod(form + person, len(GENRES) + 1)


def targets_of(form: PaperForm, facts: Mapping[str, str]) -> tuple[Target, ...]:
    """The fields of a form with the answers that ``facts`` give.

    Raises:
        ValueError: if an answer is none of the kind that its field takes.
    """
    return tuple(_target(field, facts) for field in form.fields)


def instructions(form: PaperForm) -> str:
    """How boxes are ticked and words marked, if a form has any."""
    boxes = any(field.matcher == "checkbox" for field in form.fields)
    words = any(field.option for field in form.fields)
    return " Tick boxes with X." * boxes + " Where a printed word is to be circled, put an X on it." * words


def _goal(form: PaperForm, facts: Mapping[str, str], source: PaperForm | None) -> str:
    """The request; it mentions ticks, marks on words, signatures and initials if the form has places for them."""
    applicant = f"{facts['first_name']} {facts.get('last_name', '')}".strip()
    found = f"source text and the source page (“{source.title}”)" if source else "source text"
    matchers = {field.matcher for field in form.fields}
    initials = any(fact.endswith("initials") for f in form.fields for fact in f.facts if _answer(f, facts) is not None)
    return (
        f"Fill in this form, “{form.title}”, for {applicant} from the {found}. "
        f"Leave blank anything that {'they do' if source else 'it does'} not answer, and anything for the office."
        + instructions(form)
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


def _source(form_name: str, user: User, task_id: str, on_source: Set[str], source: PaperForm | None) -> str:
    """The source text: what the form needs, names and some distractors, without what is on the source page."""
    needed, person = _needed(paper_form(form_name)), user.profile
    unclear, named = _ambiguous(needed), {fact for fact in person.root if fact.removeprefix(JOINT) in NAMES}
    stated = {fact: value for fact, value in person.root.items() if fact in named or fact not in on_source | unclear}
    rng = np.random.default_rng([crc32(task_id.encode()), user.secret or 0])
    others = [fact for fact in stated if fact not in needed | named]
    distractors = [others[i] for i in rng.permutation(len(others))[:_DISTRACTORS]]
    required, genre = (needed - on_source) | FIRST_NAMES, genre_of(form_name, user)
    if genre == "sentences":
        return "\n".join(user.sentences(required | set(distractors), task_id))
    book = source_book("test" if user.secret is None else "train")
    chosen = book.chosen(stated, required - FIRST_NAMES, distractors, _DISTRACTORS)
    left = required.difference(FIRST_NAMES, *(passage.stated(stated) for passage in chosen))
    notes, title = user.sentences(left, task_id), source.title if source else None
    return source_text(genre, book, stated, chosen, rng, notes=notes, enclosed=title)


def _needed(form: PaperForm) -> set[str]:
    """The plain facts that a form's answers are made of."""
    return derived_facts().base_facts({fact for field in form.fields for fact in field.facts})


def _ambiguous(needed: Set[str]) -> set[str]:
    """Facts that a reader might add to an answer that is needed without them."""
    sums = [definition.facts for definition in derived_facts().root.values() if isinstance(definition, Sum)]
    return {fact for terms in [*sums, *_ADDED] if terms & needed for fact in terms - needed}


_PARTS = ({"year", "month", "day"}, {"years", "months"}, {"area_code", "local_number"})
"""Filters that write a whole fact together."""
_LOSSY = {"month_year", "previous_month", "last4", "initial"}.union(*_PARTS)


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
