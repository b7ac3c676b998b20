"""The causes of wrong fields by agent: stacked bars and a table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..running.episodes import Episode
from ..running.run_folder import Run
from ..terminal import NOTHING, Cell, Column, Row, Table, cells_of
from .error_taxonomy import CAUSES, error_causes
from .run_tables import agent_names


@dataclass
class ErrorCounts:
    """Wrong fields by cause.

    Attributes:
        causes: how many there are of each.
        n_fields: how many fields there are, right ones included.
    """

    causes: Counter[str] = field(default_factory=Counter)
    n_fields: int = 0

    @property
    def segments(self) -> list[tuple[int, str, int, float, float]]:
        """The parts of a bar: number of the cause, name, count, start, width in per cent."""
        found, start = [], 0.0
        for number, cause in enumerate(CAUSES):
            width = 100 * self.causes[cause] / max(self.n_fields, 1)
            if width:
                found.append((number, cause, self.causes[cause], round(start, 2), round(width, 2)))
            start += width
        return found


def error_counts(episodes: Iterable[Episode]) -> ErrorCounts:
    """The causes of all wrong fields of the scored episodes."""
    counts = ErrorCounts()
    for episode in episodes:
        if episode.error is None:
            counts.causes.update(error_causes(episode).values())
            counts.n_fields += len(episode.fields)
    return counts


@dataclass(frozen=True)
class ErrorTable:
    """The bars of agents, by suite and agent, and the table of their numbers."""

    bars: dict[str, dict[str, ErrorCounts]]
    table: Table


def error_table(runs: Sequence[Run], counts: Sequence[ErrorCounts]) -> ErrorTable | None:
    """The causes of wrong fields by suite and agent; ``None`` if no field is wrong."""
    bars: dict[str, dict[str, ErrorCounts]] = defaultdict(lambda: defaultdict(ErrorCounts))
    for run, agent, found in zip(runs, agent_names(runs), counts, strict=True):
        total = bars[str(run.summary["env"]).partition("/")[0]][agent]
        total.causes.update(found.causes)
        total.n_fields += found.n_fields
    if not any(total.causes for agents in bars.values() for total in agents.values()):
        return None
    columns = (Column("agent", is_text=True), Column("fields"), Column("wrong"), *map(Column, CAUSES))
    rows = [_row(suite, agent, total) for suite, agents in bars.items() for agent, total in agents.items()]
    return ErrorTable(bars, Table("Wrong fields by cause", columns, rows, "kinds"))


def _row(suite: str, agent: str, total: ErrorCounts) -> Row:
    n_wrong = total.causes.total()
    causes = (_share_cell(total.causes[cause], n_wrong) for cause in CAUSES)
    return Row(cells_of([agent, total.n_fields, n_wrong, *causes]), group=suite)


def _share_cell(count: int, n_wrong: int) -> Cell:
    return Cell(str(count), (f"{100 * count / n_wrong:.0f} %",)) if count else Cell(NOTHING, style="quiet")
