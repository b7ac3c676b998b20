r"""Facts with names, such as ``Date of birth: 3 May 1980``, and the fields of a form that they belong to.

>>> facts = read_named_facts("Full name: Ann Example\nMarried: yes")
>>> [(one.name, one.text) for one in facts]
[('Full name', 'Ann Example'), ('Married', 'yes')]
>>> match_facts(facts, [FieldName(1, "Name (full)"), FieldName(2, "Telephone")]).texts[1].text
'Ann Example'
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rapidfuzz import fuzz

from ...envs.core.matchers import fold

SIMILAR = 80.0
"""From this similarity of names on, out of 100, a fact is taken to belong to a field."""
_SAME = 90.0
"""From this similarity on, a text names an option: "male" and "female" are at 80."""
_CLOSE = 3.0
"""Names whose similarities differ by less are alike."""
_PAIR = re.compile(r"^[\s\-*•]*([^:=\t]{1,120}?)\s*(?::|=|\t)\s*(\S.*)$")
_NO = frozenset(("no", "false", "off", "none", "not applicable", "n/a"))
_YES = frozenset(("yes", "true", "on", "x"))
_HEADINGS = frozenset(("name", "field", "label", "fact", "key", "value", "answer", "text"))
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_.\[\]]+")
_ASIDE = re.compile(r"\([^)]*\)|^\s*\d+(?:\.\d+)*[a-z]?[.)]?\s+")


@dataclass(frozen=True)
class NamedFact:
    """A fact: its name, its text, and the words of the source that state it."""

    name: str
    text: str
    quote: str


@dataclass(frozen=True)
class FieldName:
    """What a field is called.

    Attributes:
        number: of the field.
        label: its words on the form; a heading may stand before it, as in "Second applicant: Name".
        name: its full name in the file, parts with full stops between. Fields of one name show one value.
        option: of a box, the words that it is ticked for, if it is one of several; the label is that of all of them.
        is_box: whether it is ticked.
    """

    number: int
    label: str
    name: str = ""
    option: str = ""
    is_box: bool = False

    @property
    def key(self) -> str:
        """What fields have in common that take the same fact."""
        return self.label if self.option else self.name or str(self.number)


@dataclass
class Matches:
    """The facts that belong into fields.

    Attributes:
        texts: by number of the field; of a box that is ticked, the text says so.
        doubts: why fields stay empty for which there is a fact, by number.
        unused: facts that no field asks for.
    """

    texts: dict[int, NamedFact] = field(default_factory=dict)
    doubts: dict[int, str] = field(default_factory=dict)
    unused: list[NamedFact] = field(default_factory=list)


def read_named_facts(source: str) -> list[NamedFact]:
    """The facts in lines ``name: text``, in JSON, or in CSV of two columns or of two rows."""
    stripped = source.strip()
    if stripped.startswith(("{", "[")):
        try:
            return list(_of_json(json.loads(stripped), ()))
        except ValueError:
            pass
    pairs = [(found[1], found[2].strip(), line.strip()) for line in source.splitlines() if (found := _PAIR.match(line))]
    return [NamedFact(*pair) for pair in pairs or _of_csv(stripped)]


def match_facts(facts: Sequence[NamedFact], fields: Sequence[FieldName]) -> Matches:
    """The fact whose name is most like that of a field.

    A fact that would do for two fields, two facts for one, and a text that does not go with its field are doubts. The
    full name of a field in the file is that of no other.
    """
    similarities = {one.number: [_similarity(fact, one) for fact in facts] for one in fields}
    for i, fact in enumerate(facts):
        if named := [one.number for one in fields if one.name and _words(one.name) == _words(fact.name)]:
            for number, own in similarities.items():
                own[i] = 100.0 * (number in named)
    matches, used = Matches(), set[int]()
    for one in fields:
        own = similarities[one.number]
        best = max(own, default=0.0)
        if best < SIMILAR:
            continue
        # Names that are the same leave no doubt.
        near = best - _CLOSE * (best < 100)
        found = [i for i, similarity in enumerate(own) if similarity >= near]
        used.update(found)
        others = {r.number: similarities[r.number][found[0]] for r in fields if r.key != one.key}
        if max(others.values(), default=0.0) > max(best, near + _CLOSE):
            continue
        rivals = [r.label for r in fields if others.get(r.number, 0.0) >= near]
        if len({fold(facts[i].text) for i in found}) > 1:
            matches.doubts[one.number] = f"may be {' or '.join(repr(facts[i].quote) for i in found)}"
        elif rivals:
            matches.doubts[one.number] = f"{facts[found[0]].quote!r} may also belong to {rivals[0]!r}"
        else:
            _enter(matches, one, facts[found[0]])
    matches.unused = [fact for i, fact in enumerate(facts) if i not in used]
    return matches


def _enter(matches: Matches, one: FieldName, fact: NamedFact) -> None:
    """Enter a fact into its field, or note why not."""
    text = fold(fact.text)
    if not one.is_box or (text in _YES and not one.option):
        matches.texts[one.number] = fact
    elif one.option:
        if _word_similarity(fact.text, one.option) >= _SAME:
            matches.texts[one.number] = fact
    elif text not in _NO:
        matches.doubts[one.number] = f"{fact.quote!r} does not say whether it is ticked"


def _similarity(fact: NamedFact, one: FieldName) -> float:
    """How alike the names of a fact and a field are, from 0 to 100."""
    if set(re.findall(r"\d+", fact.name)) - set(re.findall(r"\d+", f"{one.label} {one.name}")):
        return 0.0
    words = one.label, _ASIDE.sub(" ", one.label), one.label.rpartition(": ")[2]
    return max(_word_similarity(fact.name, name) for name in (*words, one.name, one.name.rpartition(".")[2]))


def _word_similarity(left: str, right: str) -> float:
    return fuzz.token_sort_ratio(_words(left), _words(right))


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(_CAMEL.sub(" ", text))))


def _of_json(value: Any, path: tuple[str, ...]) -> Iterator[NamedFact]:
    """The facts of a value in JSON by the names on the way to them."""
    if isinstance(value, Mapping | list):
        items = value.items() if isinstance(value, Mapping) else ((str(i), one) for i, one in enumerate(value, 1))
        for name, one in items:
            yield from _of_json(one, (*path, str(name)))
    elif value is not None and path:
        text = {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
        yield NamedFact(" ".join(path), text, f"{'.'.join(path)}: {text}")


def _of_csv(source: str) -> Iterator[tuple[str, str, str]]:
    """Names, texts and quotes of facts in CSV."""
    delimiter = max(",;\t", key=source.partition("\n")[0].count)
    rows = [row for row in csv.reader(source.splitlines(), delimiter=delimiter, skipinitialspace=True) if row]
    if len(rows) == 2 and len(rows[0]) == len(rows[1]) > 2:
        rows = [list(pair) for pair in zip(*rows, strict=True)]
    for row in rows[_is_heading(rows[:1]) :]:
        if len(row) == 2 and all(cell.strip() for cell in row):
            yield row[0].strip(), row[1].strip(), f"{row[0].strip()}{delimiter} {row[1].strip()}"


def _is_heading(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row only says that names and texts follow."""
    return bool(rows) and len(rows[0]) == 2 and {fold(cell) for cell in rows[0]} <= _HEADINGS
