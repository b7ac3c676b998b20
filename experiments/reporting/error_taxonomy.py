"""The cause of every wrong field: of an episode, and by agent as bars and a table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...envs.core.matchers import MATCHERS, fold
from ...envs.core.scoring import FieldResult, Gold
from ..running.episodes import Episode
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Row, Table, cells_of

CAUSES: Mapping[str, str] = {
    "wrong value": "another text than the answer is entered, and the answer is nowhere on the page",
    "wrong place": "the answer is on the page, but not in this field; or what stands in a field that must stay empty "
    "belongs elsewhere",
    "format": "the answer is entered, but spelt in a way that the field does not accept",
    "not found": "nothing is entered, though the agent went on to a later field",
    "gave up": "nothing is entered here or in any later field, or the agent did nothing at all",
    "invalid call": "the answer is only in a call that was refused, or all calls were",
}
"""Each cause with its definition."""
_LENIENT = ("text", "number", "money", "phone", "date", "name", "duration")
"""The matchers that overlook how an answer is spelt."""


def error_causes(episode: Episode) -> dict[str, str]:
    """The cause of every wrong field of a scored episode, by the field's name."""
    wrong = [field for field in episode.fields if not field.correct]
    accepted, refused = (list(_texts(episode, valid)) for valid in (True, False))
    if not any(_is_work(call) and valid for call, valid in _calls(episode)):
        return dict.fromkeys((field.name for field in wrong), "invalid call" if episode.n_invalid else "gave up")
    elsewhere = _unplaced(episode.fields, accepted)
    last = max((i for i, field in enumerate(episode.fields) if _is_touched(field)), default=-1)
    causes = {}
    for i, field in enumerate(episode.fields):
        if not field.correct:
            causes[field.name] = (
                _cause_of_entry(field, wrong)
                or _cause_by_calls(field, elsewhere, refused)
                or ("wrong value" if field.entered else "not found" if i < last else "gave up")
            )
    return causes


def _cause_of_entry(field: FieldResult, wrong: Iterable[FieldResult]) -> str | None:
    """The cause that the entry itself shows."""
    if field.expected is None:
        is_anothers = any(_accepts(other, field.entered) for other in wrong if other is not field)
        return "wrong place" if is_anothers else "wrong value"
    return "format" if _differs_in_spelling(field.entered, field.expected) else None


def _cause_by_calls(field: FieldResult, elsewhere: Counter[str], refused: Iterable[str]) -> str | None:
    """The cause that the texts of calls show; a text on the page explains one field."""
    for text in elsewhere:
        if elsewhere[text] and _accepts(field, text):
            elsewhere[text] -= 1
            return "wrong place"
    return "invalid call" if any(_accepts(field, text) for text in refused) else None


def _unplaced(fields: Iterable[FieldResult], texts: Iterable[str]) -> Counter[str]:
    """How often each text is on the page without being the right entry of a field."""
    left = Counter(texts)
    for field in (field for field in fields if field.correct and field.expected):
        text = field.entered if left[field.entered] else next((t for t in left if left[t] and _accepts(field, t)), "")
        left[text] -= 1
    # What was chosen by clicks is in no call.
    return +left | Counter(field.entered for field in fields if not field.correct and field.entered)


def _accepts(field: FieldResult, text: str) -> bool:
    """Whether a text is the answer of a field."""
    if not text or field.expected is None:
        return False
    if field.matcher not in MATCHERS:
        return text == field.expected
    return Gold.of_field(field.matcher, field.expected, field.label).accepts(text)


def _differs_in_spelling(entered: str, expected: str) -> bool:
    """Whether two texts differ only in case, marks or the way of writing a value."""
    if not entered:
        return False
    bare = ["".join(filter(str.isalnum, fold(text))) for text in (entered, expected)]
    return bare[0] == bare[1] != "" or any(MATCHERS[name](entered, expected) for name in _LENIENT)


def _is_touched(field: FieldResult) -> bool:
    """Whether something was entered; what a field must keep does not count."""
    return bool(field.entered) and not (field.correct and field.expected is None)


def _is_work(call: object) -> bool:
    return not (isinstance(call, Mapping) and call.get("tool") == "terminate")


def _calls(episode: Episode) -> Iterator[tuple[object, bool]]:
    """The calls that were carried out, and whether they were valid."""
    for r in episode.rounds:
        yield from zip(r.calls[: r.carried_out], r.valid, strict=False)


def _texts(episode: Episode, valid: bool) -> Iterator[str]:
    """The texts in valid or invalid calls."""
    for call, is_valid in _calls(episode):
        if is_valid == valid and isinstance(call, Mapping):
            yield from (value for name, value in call.items() if name != "tool" and isinstance(value, str) and value)


# -- By agent ----------------------------------------------------------------------------------------------------------

FIELDS = "fields"
"""The key of the number of all fields, right ones included, among the counts of causes."""


def error_counts(episodes: Iterable[Episode]) -> Counter[str]:
    """The causes of all wrong fields of the scored episodes, and how many ``FIELDS`` there are."""
    counts = Counter[str]()
    for episode in episodes:
        if episode.error is None:
            counts.update(error_causes(episode).values())
            counts[FIELDS] += len(episode.fields)
    return counts


@dataclass(frozen=True)
class ErrorTable:
    """The counts of agents, by suite and agent, for bars, and as a table."""

    bars: dict[str, dict[str, Counter[str]]]
    table: Table


def error_table(runs: Sequence[Run], counts: Sequence[Counter[str]]) -> ErrorTable | None:
    """The causes of wrong fields by suite and agent; ``None`` if no field is wrong."""
    bars: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for run, found in zip(runs, counts, strict=True):
        bars[run.suite][run.title].update(found)
    rows = []
    for suite, agents in bars.items():
        for agent, total in agents.items():
            n_wrong = total.total() - total[FIELDS]
            causes = (_share_cell(total[cause], n_wrong) for cause in CAUSES)
            rows.append(Row(cells_of([agent, total[FIELDS], n_wrong, *causes]), group=suite))
    columns = (Column("agent", is_text=True), Column("fields"), Column("wrong"), *map(Column, CAUSES))
    is_any_wrong = any(total.keys() & CAUSES.keys() for agents in bars.values() for total in agents.values())
    return ErrorTable(bars, Table("Wrong fields by cause", columns, rows, "kinds")) if is_any_wrong else None


def _share_cell(count: int, n_wrong: int) -> Cell:
    return Cell(str(count), (f"{100 * count / n_wrong:.0f} %",)) if count else EMPTY
