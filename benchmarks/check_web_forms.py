"""Check web forms by their files and a hundred instances, or show an instance.

``python benchmarks/check_web_forms.py [NAME]...`` checks, ``... NAME test|train SEED`` shows.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator

from web_form_rules import (
    MIN_FILLED,
    Fault,
    common_addresses,
    instance_faults,
    layout_faults,
    share_filled,
    shared_wordings,
    thin_wordings,
)

from formgym.envs.core.facts import SPLITS, Split
from formgym.envs.web_forms.forms.form import web_forms
from formgym.envs.web_forms.forms.form_fields import Value
from formgym.envs.web_forms.instances.instance_generator import Instance, make_instance
from formgym.envs.web_forms.instances.recipe import FormBundle, form_bundle

SEEDS = 50
"""The number of instances of each split that are checked."""
SOURCES = 3
"""The number of texts of each split."""
_MAX_LISTED = 6


def formatted(value: Value) -> str:
    """A value in one line."""
    if value is None:
        return "(empty)"
    if isinstance(value, bool):
        return "[x]" if value else "[ ]"
    return " | ".join(value) if isinstance(value, list) else value


def show(name: str, split: Split = "test", seed: int = 0) -> str:
    """Gold values, files and text of an instance."""
    instance, form = make_instance(name, split, seed), form_bundle(name).form
    lines = [f"{form.title}: {split} {seed}, {instance.genre}", ""]
    for field in form.fields:
        lines.append(f"{field.page + 1} {field.control:14} {field.name:30} {formatted(instance.values[field.name])}")
    return "\n".join([*lines, "", f"files: {', '.join(instance.files) or 'none'}", "", "-" * 100, instance.source])


def faults(name: str, test: int = SEEDS, train: int = SEEDS) -> list[Fault]:
    """All faults of a form and of its first instances in each split."""
    try:
        bundle = form_bundle(name)
    except ValueError as error:
        return [Fault("files", name, str(error))]
    found = [*layout_faults(bundle.form), *_source_faults(bundle), *shared_wordings(bundle), *thin_wordings(bundle)]
    made: dict[str, list[Instance]] = {"test": [], "train": []}
    for split, number in zip(SPLITS, (test, train), strict=True):
        for seed in range(number):
            try:
                instance = make_instance(name, split, seed)
                found += instance_faults(bundle, instance)
                made[split].append(instance)
            except ValueError as error:
                found.append(Fault("made", f"{split} seed {seed}", str(error)))
    return found + list(_together(bundle, made))


def _source_faults(bundle: FormBundle) -> Iterator[Fault]:
    for split, sources in bundle.sources.items():
        if len(sources) != SOURCES:
            yield Fault("sources", "sources", f"{len(sources)} texts of the split {split}, not {SOURCES}")


def _together(bundle: FormBundle, made: dict[str, list[Instance]]) -> Iterator[Fault]:
    """The faults that need all instances together."""
    yield from common_addresses(made["test"], made["train"])
    instances = [*made["test"], *made["train"]]
    if instances and (share := share_filled(bundle.form, instances)) < MIN_FILLED:
        yield Fault("filled", bundle.form.name, f"{share:.1%} of the fields that are shown have a value, not 92 %")


def summary(name: str) -> str:
    """A line of figures."""
    bundle = form_bundle(name)
    instances = [make_instance(name, split, seed) for split in SPLITS for seed in range(SEEDS)]
    values = [value for instance in instances for value in instance.values.values()]
    lengths = [len(instance.source) for instance in instances]
    return (
        f"{name}: {len(bundle.form.fields)} fields on {len(bundle.form.pages)} pages, "
        f"{share_filled(bundle.form, instances):.1%} of those shown filled, "
        f"{sum(value is not None for value in values) / len(values):.1%} of all; texts of {min(lengths)} to "
        f"{max(lengths)} characters"
    )


def rarities(name: str) -> list[str]:
    """Fields with the same value in every instance, and options that none has.

    These are no faults, but worth a look.
    """
    bundle = form_bundle(name)
    instances = [make_instance(name, split, seed) for split in SPLITS for seed in range(SEEDS)]
    found = []
    for field in bundle.form.fields:
        values = [instance.values[field.name] for instance in instances]
        held = {item for value in values for item in (value if isinstance(value, list) else [value])} - {None}
        if len(held) == 1 and not field.row and not (field.control == "checkbox" and field.required):
            found.append(f"field {field.name} always holds {held.pop()!r}")
        elif unheld := [option for option in field.options or () if option not in held and field.row < 2]:
            found.append(f"field {field.name} never holds {', '.join(unheld)}")
    return found


def report(found: Iterable[Fault]) -> str:
    """The first few faults of each rule, and how many there are."""
    by_rule: dict[str, list[Fault]] = defaultdict(list)
    for fault in found:
        by_rule[fault.rule].append(fault)
    lines = []
    for rule, broken in by_rule.items():
        lines.append(f"{rule}: {len(broken)}")
        lines += [f"  {fault}" for fault in _varied(broken)[:_MAX_LISTED]]
        lines += ["  …"] * (len(broken) > _MAX_LISTED)
    return "\n".join(lines)


def _varied(broken: list[Fault]) -> list[Fault]:
    """The faults, first one of each field and template."""
    first: dict[str, Fault] = {}
    for fault in broken:
        first.setdefault(f"{fault.where.split(',')[0]} {fault.where.split(',')[-1]}", fault)
    return [*first.values(), *(fault for fault in broken if fault not in first.values())]


def main(arguments: list[str]) -> int:
    """Check some forms, or all; return 1 if there is any fault.

    With ``NAME test|train SEED`` print that instance instead.
    """
    if len(arguments) == 3 and arguments[1] in SPLITS:
        print(show(arguments[0], "train" if arguments[1] == "train" else "test", int(arguments[2])))
        return 0
    wrong = False
    for name in arguments or web_forms():
        found = faults(name)
        wrong = wrong or bool(found)
        if not any(fault.rule in ("files", "made") for fault in found):
            print(summary(name), *(f"  note: {note}" for note in rarities(name)), sep="\n")
        print(report(found) if found else f"{name}: nothing is wrong")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
