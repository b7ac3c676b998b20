"""Make the source texts of endless scans: memos and notes that state answers among values that belong elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Annotated

import numpy as np
from pydantic import Field

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.files import Data, load
from ...core.scoring import Gold
from ...core.templates import facts_of, fill
from ..paper_form import FormField, PaperForm
from .scan_pages import Filling, kind_of, scan_facts

_MAX_EMPTY = 3
_MAX_FILLED = 2

Sentences = Annotated[tuple[str, ...], Field(min_length=1)]


class Sources(Data):
    """Templates of source texts and of their sentences.

    Attributes:
        frames: of whole texts, over ``lines`` and ``sender``.
        bullets: what each line of a text begins with.
        answers: sentences that state what belongs in a blank, over ``label``, ``value`` and ``other``, a value of the
            same kind that is wrong.
        filled: sentences about what is on the page already, over ``label`` and ``value``.
        open: sentences about a blank that stays empty, over ``label`` and ``other``, which is not to be written.
    """

    frames: Sentences
    bullets: Sentences
    answers: Sentences
    filled: Sentences
    open: Sentences


@cached
def sources() -> Sources:
    """The shipped templates."""
    return load(Sources, ROOT / "scans" / "sources.json")


def gold_of(field: FormField, facts: dict[str, str]) -> Gold:
    """The answer that the facts give to a field."""
    return Gold.of_field(field.matcher, fill(field.value or "", facts), field.label)


def made_filling(form: PaperForm, rng: np.random.Generator) -> Filling:
    """Random facts for a form, one or two fields to fill in, other empty ones of the same kind, and a source text."""
    names = {fact for field in form.fields for fact in field.facts}
    facts_seed, wear_seed = (int(n) for n in rng.integers(2**31, size=2))
    facts = scan_facts(names, form.language, facts_seed)
    targets, empty, filled = _chosen(form, rng)
    golds = [gold_of(field, facts) for field in targets]
    filled = [field for field in filled if not _accepted(facts, [field], golds)]
    wrong = [*targets, *empty[:1]]
    others = next(
        values
        for n in count(1)
        if not _accepted(values := scan_facts(names, form.language, facts_seed + n), wrong, golds)
    )
    templates = sources()
    lines = [_line(rng, templates.answers, field, facts, others) for field in targets]
    lines += [_line(rng, templates.open, field, others, others) for field in empty[:1]]
    lines += [_line(rng, templates.filled, field, facts, facts) for field in filled]
    bullet = _one(rng, templates.bullets)
    text = "\n".join(bullet + lines[i] for i in rng.permutation(len(lines)))
    frame = _one(rng, templates.frames).replace("{{ sender }}", scan_facts(["person"], "en", facts_seed)["person"])
    return Filling(
        facts=facts,
        targets=tuple(field.name for field in targets),
        empty=tuple(field.name for field in empty),
        source=frame.replace("{{ lines }}", text),
        distractors=tuple(_value(field, others) for field in wrong) + tuple(_value(field, facts) for field in filled),
        seed=wear_seed,
    )


def _chosen(form: PaperForm, rng: np.random.Generator) -> tuple[Sequence[FormField], ...]:
    """The targets, the other empty fields, and some filled ones; the first are of one kind where possible."""
    labels = [field.label for field in form.fields]
    fields = [field for field in form.fields if field.value is not None and labels.count(field.label) == 1]
    shuffled = [fields[i] for i in rng.permutation(len(fields))]
    ordered = sorted(shuffled, key=lambda field: _kind(field) != _kind(shuffled[0]))
    n_targets = int(rng.integers(1, 3))
    n_blanks = n_targets + int(rng.integers(1, _MAX_EMPTY + 1))
    return ordered[:n_targets], ordered[n_targets:n_blanks], ordered[n_blanks : n_blanks + _MAX_FILLED]


def _kind(field: FormField) -> str:
    return kind_of(min(facts_of(field.value or "")))


def _accepted(values: dict[str, str], fields: Sequence[FormField], golds: Sequence[Gold]) -> bool:
    """Whether one of the values of fields is a right answer."""
    return any(gold.accepts(_value(field, values)) for field in fields for gold in golds)


def _value(field: FormField, facts: dict[str, str]) -> str:
    return fill(field.value or "", facts) or ""


def _line(
    rng: np.random.Generator,
    templates: Sequence[str],
    field: FormField,
    facts: dict[str, str],
    others: dict[str, str],
) -> str:
    texts = {"label": field.label, "value": _value(field, facts), "other": _value(field, others)}
    return fill(_one(rng, templates), texts) or ""


def _one(rng: np.random.Generator, texts: Sequence[str]) -> str:
    return texts[int(rng.integers(len(texts)))]
