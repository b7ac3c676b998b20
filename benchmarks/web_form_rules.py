"""Rules that web forms and their instances must keep: layouts, wordings, and values that a reader finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from jinja2 import nodes

from formgym.envs.core.facts import SPLITS, Split
from formgym.envs.core.matchers import fold
from formgym.envs.core.templates import DATE_FILTERS, is_template, parsed
from formgym.envs.web_forms.forms.form import PageDefinition, WebForm
from formgym.envs.web_forms.forms.form_fields import Field, FieldDefinition, Value
from formgym.envs.web_forms.instances.instance_generator import Instance
from formgym.envs.web_forms.instances.recipe import FormBundle, FormRecipe, cues_of
from formgym.envs.web_forms.instances.typeable import accepts, entry_problem


@dataclass(frozen=True)
class Fault:
    """A breach of a rule.

    Attributes:
        rule: its name.
        where: file, template, field or seed.
        problem: what is wrong, with the value.
    """

    rule: str
    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


MAX_FIELDS, MAX_CONDITIONS = 16, 2
"""Of a page, each row of a repeated block counted once."""
MAX_OPTIONS = 9
"""Of a field; one select of a form may have more."""
MAX_PAGE_HEIGHT, ROW_HEIGHT, LINE_HEIGHT, HEAD_HEIGHT = 1700, 70, 24, 120
"""Heights in pixels: of a page, of a row of fields, of a further line in one, and of the head above the fields."""
_COLUMNS = 6
_WIDTHS = {"full": 6, "half": 3, "third": 2}
_LINES = {"multi_select": 4, "radio": 1, "checkbox_group": 2}


def layout_faults(form: WebForm) -> Iterator[Fault]:
    """Pages that are too full, and fields with too many options."""
    for page in form.pages:
        yield from (Fault("pages", f"form.json: page {page.title!r}", problem) for problem in _page_problems(page))
    many = {field.base_name: field.control for field in form.fields if _max_options(field) > MAX_OPTIONS}
    if len(many) > 1 or set(many.values()) - {"select"}:
        problem = f"more than {MAX_OPTIONS} options; only one select of a form may have them"
        yield Fault("options", f"form.json: {', '.join(many)}", problem)


def page_height(page: PageDefinition) -> int:
    """The approximate height of a page with all rows and hidden fields, in pixels."""
    height = HEAD_HEIGHT
    for block in page.blocks:
        rows = sum(max(map(_field_height, row)) for row in _laid_out(block.fields))
        height += ROW_HEIGHT // 2 * bool(block.title) + rows * len(block.rows)
    return height


def _page_problems(page: PageDefinition) -> Iterator[str]:
    fields = [field for block in page.blocks for field in block.fields]
    conditions = {(field.when.field, field.when.values) for field in fields if field.when}
    repeated = sum(block.repeat is not None for block in page.blocks)
    max_conditions = 1 if repeated else MAX_CONDITIONS
    if len(fields) > MAX_FIELDS:
        yield f"it has {len(fields)} fields, not {MAX_FIELDS} at most"
    if len(conditions) > max_conditions:
        yield f"{len(conditions)} different `when`, not {max_conditions} at most" + " beside a repeated block" * bool(
            repeated
        )
    if repeated > 1:
        yield f"{repeated} repeated blocks, not one at most"
    if (height := page_height(page)) > MAX_PAGE_HEIGHT:
        yield f"it is about {height} pixels high with all shown, not {MAX_PAGE_HEIGHT} at most"


def _laid_out(fields: Iterable[FieldDefinition]) -> list[list[FieldDefinition]]:
    """The fields in rows, filled from left to right."""
    rows: list[list[FieldDefinition]] = []
    room = 0
    for field in fields:
        if _WIDTHS[field.width] > room:
            rows.append([])
            room = _COLUMNS
        rows[-1].append(field)
        room -= _WIDTHS[field.width]
    return rows


def _field_height(field: FieldDefinition) -> int:
    lines = field.rows - 1 if field.control == "textarea" else _LINES.get(field.control, 0)
    return ROW_HEIGHT + LINE_HEIGHT * lines


def _max_options(field: FieldDefinition) -> int:
    groups = field.option_groups
    return max(map(len, groups))


MIN_PROSE, MIN_CUES = 8, 2
"""Texts of a pool that end in a textarea; cues of an option; each for a split."""
# Shorter ones, such as greetings, are anybody's.
_MIN_SENTENCE_WORDS = 5
_TAG = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def sentences(text: str) -> set[str]:
    """The longer sentences of a template, folded, with _ for each placeholder."""
    bare = _PLACEHOLDER.sub("_", _TAG.sub("\n", text))
    parts = (fold(part).strip(" .!?:;,-*>#\"'") for part in re.split(r"\n+|(?<=[.!?])\s+", bare))
    return {part for part in parts if len(re.findall(r"[^\W\d_]+", part)) >= _MIN_SENTENCE_WORDS}


def shared_wordings(bundle: FormBundle) -> Iterator[Fault]:
    """Sentences, cues and texts of pools that both splits have."""
    train = {sentence: where for where, text in _texts(bundle, "train") for sentence in sentences(text)}
    for where, text in _texts(bundle, "test"):
        for sentence in sorted(sentences(text) & train.keys()):
            yield Fault("shared words", f"{where} and {train[sentence]}", repr(sentence))
    for where, test, train_texts in _phrasings(bundle.recipe):
        for text in sorted(set(map(_bare, test)) & set(map(_bare, train_texts))):
            yield Fault("shared words", f"recipe.json: {where}", f"{text!r} in test and train")


def thin_wordings(bundle: FormBundle) -> Iterator[Fault]:
    """Pools of prose and cues of options with too few texts."""
    prose = _prose_pools(bundle)
    for name, phrasings in bundle.recipe.pools.items():
        for split in SPLITS:
            if name in prose and len(phrasings.of(split)) < MIN_PROSE:
                problem = f"{len(phrasings.of(split))} texts for {split} that end in a textarea, not {MIN_PROSE}"
                yield Fault("pools", f"recipe.json: pools.{name}", problem)
    for name, options in bundle.recipe.cues.items():
        for option, phrasings in options.items():
            for split in SPLITS:
                if len(phrasings.of(split)) < MIN_CUES:
                    problem = f"{len(phrasings.of(split))} for {split}, not {MIN_CUES}"
                    yield Fault("cues", f"recipe.json: cues.{name}.{option}", problem)


def _bare(text: str) -> str:
    return fold(text).strip(" .!?")


def _texts(bundle: FormBundle, split: Split) -> Iterator[tuple[str, str]]:
    """All texts of a split, each with its place."""
    for source in bundle.sources[split]:
        yield f"sources/{source.file}", source.text
    for where, test, train in _phrasings(bundle.recipe):
        for text in test if split == "test" else train:
            yield f"recipe.json: {where}", text


def _phrasings(recipe: FormRecipe) -> Iterator[tuple[str, Iterable[str], Iterable[str]]]:
    for name, phrasings in recipe.pools.items():
        yield f"pools.{name}", phrasings.test, phrasings.train
    for name, options in recipe.cues.items():
        for option, phrasings in options.items():
            yield f"cues.{name}.{option}", phrasings.test, phrasings.train


def _prose_pools(bundle: FormBundle) -> set[str]:
    """The pools whose texts end in a textarea."""
    areas = [field.name for field in bundle.form.fields if field.control == "textarea"]
    texts = [text for name in areas if isinstance(text := bundle.recipe.values[name], str)]
    return {pool for text in texts for pool in _pools_of(text, bundle.recipe)}


def _pools_of(text: str, recipe: FormRecipe) -> set[str]:
    """The pools that a draw or a value takes its phrases from."""
    tree = parsed(text, is_expression=not is_template(text))
    calls = [call for call in tree.find_all(nodes.Call) if getattr(call.node, "name", "") in ("phrase", "phrases")]
    pools = {argument.value for call in calls for argument in call.args[:1] if isinstance(argument, nodes.Const)}
    drawn = {name.name for name in tree.find_all(nodes.Name)} & recipe.draws.keys()
    return pools.union(*(_pools_of(recipe.draws[name], recipe) for name in drawn))


MIN_SOURCE_LENGTH, MAX_SOURCE_LENGTH = 700, 3500
"""Characters of a source text."""
MIN_FILLED = 0.92
"""The lowest mean share of visible fields that have a value."""


def instance_faults(bundle: FormBundle, instance: Instance) -> Iterator[Fault]:
    """The faults of an instance."""
    sources = bundle.sources[instance.split]
    where = f"{sources[instance.number % len(sources)].file}, seed {instance.number}"
    for rule, problem in _text_problems(instance.source):
        yield Fault(rule, where, problem)
    visible = bundle.form.visible_fields(instance.values)
    for field in visible:
        for rule, problem in _field_problems(bundle, field, instance):
            yield Fault(rule, f"{where}, field {field.name}", problem)
    for name in sorted(set(instance.values) - {field.name for field in visible}):
        if instance.values[name] is not None:
            yield Fault("enterable", f"{where}, field {name}", f"it is hidden, and {instance.values[name]!r}")


def share_filled(form: WebForm, instances: Sequence[Instance]) -> float:
    """The mean share of visible fields that have a value; checkboxes always do."""
    shares = []
    for instance in instances:
        visible = form.visible_fields(instance.values)
        shares.append(sum(instance.values[field.name] is not None for field in visible) / len(visible))
    return sum(shares) / len(shares)


def common_addresses(test: Iterable[Instance], train: Iterable[Instance]) -> Iterator[Fault]:
    """E-mail addresses in instances of both splits: a person of the tests in training."""
    train_seeds = {address: instance.number for instance in train for address in _addresses(instance)}
    for instance in test:
        for address in sorted(_addresses(instance) & train_seeds.keys()):
            yield Fault(
                "persons", f"test seed {instance.number}", f"{address} is met in train seed {train_seeds[address]} too"
            )


def _addresses(instance: Instance) -> set[str]:
    return {value for value in instance.values.values() if isinstance(value, str) and "@" in value}


def _text_problems(source: str) -> Iterator[tuple[str, str]]:
    """The rules that a text breaks, each with the problem."""
    if not MIN_SOURCE_LENGTH <= len(source) <= MAX_SOURCE_LENGTH:
        yield "length", f"the text has {len(source)} characters, not {MIN_SOURCE_LENGTH} to {MAX_SOURCE_LENGTH}"
    for name in real_contacts(source):
        yield "fictitious", f"{name!r} could be somebody's"


_HOST = re.compile(r"(?:@|https?://)([\w-]+(?:\.[\w-]+)+)")
_US_PHONE = re.compile(r"(?<!\d)\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}(?!\d)")
_RESERVED_HOST = re.compile(r"(?:.+\.)?example\.(?:com|org|net)")
_RESERVED_PHONE = re.compile(r".*555.01\d\d")


def real_contacts(text: str) -> Iterator[str]:
    """Hosts and phone numbers in ``text`` that are not reserved for examples."""
    yield from (host for host in _HOST.findall(text) if not _RESERVED_HOST.fullmatch(host))
    yield from (number for number in _US_PHONE.findall(text) if not _RESERVED_PHONE.fullmatch(number))


def _field_problems(bundle: FormBundle, field: Field, instance: Instance) -> Iterator[tuple[str, str]]:
    """The rules that the gold value of a field breaks, each with the problem."""
    value = instance.values[field.name]
    if problem := entry_problem(field, value, instance.values, instance.files):
        yield "enterable", problem
    if problem := finding_problem(field, value, instance.source, cues_of(bundle.recipe, field, instance.split)):
        yield "recoverable", problem
    if field.control == "file" and value and not _others(field, instance):
        yield "files", "no other file is accepted, so that there is nothing to choose"


def _others(field: Field, instance: Instance) -> list[str]:
    """The files that a field accepts but that do not belong in it."""
    value = instance.values[field.name]
    right = value if isinstance(value, list) else [value]
    return [file for file in instance.files if accepts(field, file) and file not in right]


# Whether a careful reader finds a value in the text.

Cues = Mapping[str, Sequence[str]]
"""The cues of a field's options."""

_NUMBER = re.compile(r"(?<![\w.,/-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d]|[/-]\d|,\d)")
_PHONE = re.compile(r"\+?\(?\d[\d ().-]{7,}\d")
# Shorter cues of other options can stand in any text and mean something else.
_SPEAKING = 3
# Options that stand in any text, and so are no evidence by themselves.
_MUTE = ("yes", "no")


def finding_problem(field: Field, value: Value, source: str, cues: Cues) -> str | None:
    """Why a value that is not empty cannot be found in ``source``; ``None`` if it can.

    Args:
        field: whose value it is.
        value: gold.
        source: the text.
        cues: words that mean the options of the field.
    """
    if isinstance(value, bool):
        return _box_problem(value, source, cues)
    if value in (None, [], "") or value == field.initial:
        return None
    values = value if isinstance(value, list) else [str(value)]
    problems = (_item_problem(field, item, source, cues) for item in values)
    return next((problem for problem in problems if problem), None) or _other_option(values, source, cues)


def _item_problem(field: Field, value: str, source: str, cues: Cues) -> str | None:
    if field.options or field.options_by:
        found = _option_stands(value, source, cues.get(value, ()))
        return None if found else f"neither the option {value!r} nor a cue of it is in the text"
    find = _FINDERS.get(field.control, _verbatim)
    return None if find(value, source) else f"{value!r} is not in the text"


def _other_option(values: Sequence[str], source: str, cues: Cues) -> str | None:
    """Whether the text also names an option that is not gold."""
    right = " / ".join([*values, *(cue for value in values for cue in cues.get(value, ()) if _mentions(cue, source))])
    others = [(option, cue) for option in cues if option not in values for cue in cues[option]]
    for option, cue in others:
        if len(cue.split()) >= _SPEAKING and _mentions(cue, source) and fold(cue) not in fold(right):
            return f"it is {' and '.join(values)}, and {cue!r}, which tells {option!r}, is in the text"
    return None


def _option_stands(option: str, source: str, cues: Sequence[str]) -> bool:
    named = option.casefold() not in _MUTE and _mentions(option, source)
    return named or any(_mentions(cue, source) for cue in cues)


def _box_problem(ticked: bool, source: str, cues: Cues) -> str | None:
    yes = [cue for cue in cues.get("yes", ()) if _mentions(cue, source)]
    no = [cue for cue in cues.get("no", ()) if _mentions(cue, source)]
    if ticked and not yes:
        return "it is to be ticked, and no cue of it is in the text"
    if not ticked and any(not any(fold(cue) in fold(other) for other in no) for cue in yes):
        return f"it is not to be ticked, and {yes[0]!r} is in the text"
    if ticked and any(not any(fold(cue) in fold(other) for other in yes) for cue in no):
        return f"it is to be ticked, and {no[0]!r} is in the text"
    return None


def _mentions(cue: str, source: str) -> bool:
    return _stands(fold(cue), _folded(source))


@lru_cache(maxsize=64)
def _folded(source: str) -> str:
    return fold(_flat(source))


@lru_cache(maxsize=64)
def _flat(source: str) -> str:
    """The source in one line, without quotation and list marks at the start of lines."""
    return " ".join(re.sub(r"(?m)^[ \t]*(?:>[ \t]?)+", "", source).split())


def _stands(text: str, source: str) -> bool:
    """Whether ``text`` is in ``source`` as whole words."""
    return bool(text) and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", source) is not None


def _verbatim(value: str, source: str) -> bool:
    return _stands(" ".join(value.split()), _flat(source))


def _as_number(value: str, source: str) -> bool:
    return Decimal(value) in {Decimal(found.replace(",", "")) for found in _NUMBER.findall(_flat(source))}


def _as_date(value: str, source: str) -> bool:
    return any(_stands(written(value), _flat(source)) for written in DATE_FILTERS.values())


def _as_phone(value: str, source: str) -> bool:
    digits = re.sub(r"\D", "", value)
    return _verbatim(value, source) or any(
        re.sub(r"\D", "", found) == digits for found in _PHONE.findall(_flat(source))
    )


_FINDERS: dict[str, Callable[[str, str], bool]] = {"number": _as_number, "date": _as_date, "tel": _as_phone}
