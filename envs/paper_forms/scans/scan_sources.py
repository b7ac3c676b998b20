"""Make the source texts of endless scans: memos and notes that state answers among values that belong elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Annotated

import numpy as np
from pydantic import Field

from ....assets import ROOT
from ...core.files import Data, load_once
from ...core.randomness import Sampler
from ...core.scoring import Gold
from ...core.templates import facts_of, fill
from ..paper_form import FormField, PaperForm
from .scan_pages import Filling, kind_of, scan_facts

Sentences = Annotated[tuple[str, ...], Field(min_length=1)]


class Sources(Data):
    """Templates of source texts and of their sentences, over ``label``, ``value`` and ``other``.

    Attributes:
        frames: of whole texts, over ``lines`` and ``sender``.
        answers: what belongs in a blank, ``value``, and not ``other``.
        filled: what is on the page already, ``value``.
        open: that a blank stays empty, which ``other`` was thought to belong in.
    """

    frames: Sentences
    answers: Sentences
    filled: Sentences
    open: Sentences


sources = load_once(Sources, ROOT / "scans" / "sources.json")
"""The shipped templates."""


def gold_of(field: FormField, facts: Mapping[str, str]) -> Gold:
    """The answer that the facts give to a field."""
    return Gold.of_field(field.matcher, fill(field.value or "", facts), field.label)


def made_filling(form: PaperForm, rng: np.random.Generator) -> Filling:
    """Random facts for a form, one or two fields to fill in, other empty ones of the same kind, and a source text."""
    draw, templates = Sampler(rng), sources()
    names = {fact for field in form.fields for fact in field.facts}
    seed = draw.between(0, 2**31)
    facts = scan_facts(names, form.language, seed)
    targets, empty, filled = _chosen(form, draw)
    golds = [gold_of(field, facts) for field in targets]
    wrong, filled = [*targets, *empty[:1]], [field for field in filled if not _accepted(facts, [field], golds)]
    drawn = (scan_facts(names, form.language, seed + n) for n in count(1))
    others = next(values for values in drawn if not _accepted(values, wrong, golds))
    lines = [
        fill(
            draw.choice(sentences), {"label": field.label, "value": _text(field, facts), "other": _text(field, others)}
        )
        for sentences, fields in ((templates.answers, targets), (templates.open, empty[:1]), (templates.filled, filled))
        for field in fields
    ]
    frame = draw.choice(templates.frames).replace("{{ sender }}", scan_facts(["person"], "en", seed)["person"])
    return Filling(
        facts=facts,
        targets=tuple(field.name for field in targets),
        empty=tuple(field.name for field in empty),
        source=frame.replace("{{ lines }}", "\n".join(filter(None, draw.shuffled(lines)))),
        distractors=(*(_text(field, others) for field in wrong), *(_text(field, facts) for field in filled)),
        seed=draw.between(0, 2**31),
    )


def _chosen(form: PaperForm, draw: Sampler) -> tuple[Sequence[FormField], ...]:
    """One or two targets, one to three other empty fields, of one kind if possible, and two fields that are filled."""
    labels = [field.label for field in form.fields]
    fields = draw.shuffled([f for f in form.fields if f.value is not None and labels.count(f.label) == 1])
    kinds = {field.name: kind_of(min(facts_of(field.value or ""))) for field in fields}
    ordered = sorted(fields, key=lambda field: kinds[field.name] != kinds[fields[0].name])
    n_targets, n_empty = draw.between(1, 2), draw.between(1, 3)
    blanks, others = ordered[: n_targets + n_empty], ordered[n_targets + n_empty :]
    return blanks[:n_targets], blanks[n_targets:], others[-2:]


def _accepted(facts: Mapping[str, str], fields: Sequence[FormField], golds: Sequence[Gold]) -> bool:
    """Whether the text of one of some fields is a right answer."""
    return any(gold.accepts(_text(field, facts)) for field in fields for gold in golds)


def _text(field: FormField, facts: Mapping[str, str]) -> str:
    return fill(field.value or "", facts) or ""
