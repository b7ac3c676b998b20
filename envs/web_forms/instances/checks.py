"""What must hold of a form's instances, one by one and together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..fields import Field
from ..form import WebForm
from .answerable import finding_problem
from .bundle import Kit, cues_of
from .faults import Fault
from .fictitious import real_names
from .instance import Instance
from .typeable import accepts, entry_problem

SHORTEST_SOURCE, LONGEST_SOURCE = 700, 3500
"""Characters of a source text."""
LEAST_FILLED = 0.92
"""Of the fields that are shown, on average."""


def instance_faults(kit: Kit, instance: Instance) -> Iterator[Fault]:
    """What is wrong in an instance."""
    sources = kit.sources[instance.split]
    where = f"{sources[instance.number % len(sources)].file}, seed {instance.number}"
    for rule, problem in _text_problems(instance.source):
        yield Fault(rule, where, problem)
    shown = kit.form.shown(instance.values)
    for field in shown:
        for rule, problem in _field_problems(kit, field, instance):
            yield Fault(rule, f"{where}, field {field.name}", problem)
    for name in sorted(set(instance.values) - {field.name for field in shown}):
        if instance.values[name] is not None:
            yield Fault("enterable", f"{where}, field {name}", f"it is hidden, and {instance.values[name]!r}")


def share_filled(form: WebForm, instances: Sequence[Instance]) -> float:
    """How many of the fields that are shown have a value, on average; check boxes count as such."""
    shares = []
    for instance in instances:
        shown = form.shown(instance.values)
        shares.append(sum(instance.values[field.name] is not None for field in shown) / len(shown))
    return sum(shares) / len(shares)


def common_addresses(test: Iterable[Instance], train: Iterable[Instance]) -> Iterator[Fault]:
    """E-mail addresses that instances of both splits hold: somebody of the tests who is met in training."""
    met = {address: instance.number for instance in train for address in _addresses(instance)}
    for instance in test:
        for address in sorted(_addresses(instance) & met.keys()):
            yield Fault("persons", f"test seed {instance.number}", f"{address} is met in train seed {met[address]} too")


def _addresses(instance: Instance) -> set[str]:
    return {value for value in instance.values.values() if isinstance(value, str) and "@" in value}


def _text_problems(source: str) -> Iterator[tuple[str, str]]:
    """Rules that a text breaks, each with what is wrong."""
    if not SHORTEST_SOURCE <= len(source) <= LONGEST_SOURCE:
        yield "length", f"the text has {len(source)} characters, not {SHORTEST_SOURCE} to {LONGEST_SOURCE}"
    for name in real_names(source):
        yield "fictitious", f"{name!r} could be somebody's"


def _field_problems(kit: Kit, field: Field, instance: Instance) -> Iterator[tuple[str, str]]:
    """Rules that the gold value of a field breaks, each with what is wrong."""
    value = instance.values[field.name]
    if problem := entry_problem(field, value, instance.values, instance.files):
        yield "enterable", problem
    if problem := finding_problem(field, value, instance.source, cues_of(kit.recipe, field, instance.split)):
        yield "recoverable", problem
    if field.control == "file" and value and not _others(field, instance):
        yield "files", "no other file is accepted, so that there is nothing to choose"


def _others(field: Field, instance: Instance) -> list[str]:
    """The files that a field accepts and that do not belong in it."""
    value = instance.values[field.name]
    right = value if isinstance(value, list) else [value]
    return [file for file in instance.files if accepts(field, file) and file not in right]
