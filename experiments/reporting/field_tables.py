"""Tables of a run's fields: by kind, and those that went wrong most often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...envs.core.scoring import FieldResult
from ..running.episodes import Episode
from ..running.intervals import clusters_of, share_with_interval
from ..terminal.console import NOTHING, Cell, Column, Row, Table, cells_of, mean_cell

_FLATTERED_BY = 0.2
_MAX_FIELDS = 15
_MAX_FAILURES = 50

_Records = Sequence[tuple[Episode, FieldResult]]


@dataclass(frozen=True)
class KindScore:
    """The scores of the fields of one kind.

    Attributes:
        kind: of field; ``"all"``: every kind.
        right: how many of those with an answer are right.
        expected: how many have an answer.
        spoilt: how many of those that must stay empty have an entry.
        kept: how many must stay empty.
        accuracy: the paper's: the mean and interval of ``right`` among ``expected``.
        strict: the same where each spoilt field counts as one more that is wrong.
    """

    kind: str
    right: int
    expected: int
    spoilt: int
    kept: int
    accuracy: dict[str, Any]
    strict: dict[str, Any]

    @property
    def is_flattered(self) -> bool:
        """Whether the paper's metric is far above the strict one."""
        return self.accuracy["mean"] is not None and self.accuracy["mean"] - self.strict["mean"] >= _FLATTERED_BY


@dataclass(frozen=True)
class FieldFindings:
    """The scores of the fields of a run.

    Attributes:
        kinds: by kind of field, the last row over all.
        failures: the fields that went wrong most often.
        left_out: how many more went wrong.
        single: whether every episode has one field only, so that ``failures`` lists episodes.
    """

    kinds: list[KindScore]
    failures: Table
    left_out: int
    single: bool

    @property
    def kind_table(self) -> Table:
        """The kinds of fields with their scores."""
        headings = ("right", "of", "field accuracy", "must stay empty", "written in", "strict accuracy")
        columns = (Column("kind of field", is_text=True), *map(Column, headings))
        return Table("Fields by kind", columns, [_kind_row(score) for score in self.kinds], "kinds")


def field_findings(episodes: Iterable[Episode]) -> FieldFindings:
    """The scores of the fields of the scored episodes."""
    records = [(episode, field) for episode in episodes if episode.error is None for field in episode.fields]
    single = len(records) == len({episode.index for episode, _ in records})
    by_kind: dict[str, list[tuple[Episode, FieldResult]]] = defaultdict(list)
    groups: dict[Any, list[tuple[Episode, FieldResult]]] = defaultdict(list)
    for episode, field in records:
        by_kind[field.kind or field.matcher].append((episode, field))
        groups[episode.index if single else (field.name, field.label)].append((episode, field))
    kinds = [_kind_score(kind, by_kind[kind]) for kind in sorted(by_kind)]
    kinds += [_kind_score("all", records)] if len(kinds) > 1 else []
    failed = [group for group in groups.values() if not all(field.correct for _, field in group)]
    failed.sort(key=lambda group: (_n_right(group) / len(group), -len(group)))
    listed = failed[: _MAX_FAILURES if single else _MAX_FIELDS]
    return FieldFindings(kinds, _failure_table(listed, single), len(failed) - len(listed), single)


def _n_right(group: _Records) -> int:
    return sum(field.correct for _, field in group)


def _kind_score(kind: str, records: _Records) -> KindScore:
    episodes = list({episode.index: episode for episode, _ in records}.values())
    places = {episode.index: i for i, episode in enumerate(episodes)}
    right, expected, spoilt, kept = counts = np.zeros((4, len(episodes)), int)
    for episode, field in records:
        i, has_answer = places[episode.index], field.expected is not None
        (expected if has_answer else kept)[i] += 1
        if field.correct == has_answer:
            (right if has_answer else spoilt)[i] += 1
    clusters = clusters_of(episodes)
    accuracy, strict = (share_with_interval(right, whole, clusters) for whole in (expected, expected + spoilt))
    n_right, n_expected, n_spoilt, n_kept = counts.sum(axis=1).tolist()
    return KindScore(kind, n_right, n_expected, n_spoilt, n_kept, accuracy, strict)


def _kind_row(score: KindScore) -> Row:
    spoilt = Cell(str(score.spoilt), style="bad" if score.spoilt else "") if score.kept else NOTHING
    accuracy, strict = (mean_cell(share, full=1.0) for share in (score.accuracy, score.strict))
    cells = (score.kind, score.right, score.expected, accuracy, score.kept or NOTHING, spoilt, strict)
    return Row(cells_of(cells), style="total" if score.kind == "all" else "")


def _failure_table(failed: Sequence[_Records], single: bool) -> Table:
    """The fields that went wrong, with examples; for single fields the episodes."""
    headings = ("field", "kind", "task" if single else "for example in", "expected", "entered")
    columns = (*([] if single else map(Column, ("right", "of"))), *(Column(name, is_text=True) for name in headings))
    rows = []
    for group in failed:
        wrong = [(episode, field) for episode, field in group if not field.correct]
        # Preferably with something entered.
        episode, field = next(((e, f) for e, f in wrong if f.entered), wrong[0])
        must_stay = Cell(f"must stay {'as it is' if field.kind else 'empty'}", style="quiet")
        cells = (
            *(() if single else (_n_right(group), len(group))),
            Cell(field.label, () if single else (field.name,)),
            Cell(field.kind or field.matcher, style="kind"),
            Cell("", (episode.task,)),
            must_stay if field.expected is None else field.expected,
            field.entered or Cell("nothing", style="quiet"),
        )
        rows.append(Row(cells_of(cells)))
    return Table("What went wrong" if single else "The hardest fields", columns, rows, "texts")
