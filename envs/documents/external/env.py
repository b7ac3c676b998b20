"""The environment of requests and documents from published data sets (PPTC).

The data are the user's own copies.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core.asset_cache import cached
from ...core.data_sets import ROOT_VARIABLE, DataSet
from ..env import EditEnv
from ..grounding.grounder import make_grounder
from ..pptx.deck import LONGER_SIDE
from .examined import examined, reason_of
from .pptc import LAYOUT, Session, read_pptc, slide_size, turned
from .states import SessionState, TurnState, TurnTask, session_turns, turn_task
from .tasks import ExternalTask, Unplayable, external_task

DATA = DataSet(
    "external edit requests",
    ("docedit", "DocEdit", "documents"),
    ("pptc",),
    f"docs/documents.md says how to get PPTC and how to lay it out ({LAYOUT}); pass root=, or set {ROOT_VARIABLE}, to "
    "the folder that holds pptc/",
)
Turn = tuple[Session, int]


@cached
def _turns(root: Path) -> Mapping[str, Turn]:
    """The turns of a folder by the ids of their tasks; no deck is opened."""
    sessions = read_pptc(root / "pptc")
    return {f"pptc/{one.id}/{i}": (one, i) for one in sessions for i in range(len(one.turns))}


def external_tasks(root: Path) -> Iterator[ExternalTask]:
    """The tasks in a folder of data sets, whether they can be played or not: the turns of PPTC in ``pptc/``.

    Raises:
        ValueError: if there are none, a row is broken, or a deck is missing or cannot be read; the message names it.
    """
    for task_id, (session, number) in _turns(root).items():
        yield external_task(task_id, session.turns[number], turned(session, number))


class PlayableTasks(Sequence[str]):
    """The ids of the turns in a folder that can be played, in order.

    They are known when all turns have been examined, which is done when they are needed, and kept on disk.
    """

    def __init__(self, root: Path) -> None:
        self._turns = _turns(root)
        self._ids: tuple[str, ...] | None = None

    def __contains__(self, task_id: object) -> bool:
        return task_id in self._turns and reason_of(*self._turns[str(task_id)]) is None

    def __len__(self) -> int:
        return len(self._playable())

    def __getitem__(self, index: Any) -> Any:
        return self._playable()[index]

    def _playable(self) -> tuple[str, ...]:
        if self._ids is None:
            reasons = {task_id: reason_of(*turn) for task_id, turn in self._turns.items()}
            self._ids = tuple(task_id for task_id, reason in reasons.items() if reason is None)
            counts = Counter(reason for reason in reasons.values() if reason is not None)
            if counts:
                words = "; ".join(f"{reason}: {count}" for reason, count in counts.most_common())
                warnings.warn(f"{counts.total()} of {len(reasons)} tasks are left out ({words})", stacklevel=4)
        return self._ids


class ExternalEnv(EditEnv):
    """Edit documents by requests from published data sets.

    Other authors wrote the requests, so keep the metrics apart from those of our own. Tasks are
    ``pptc/set/session/turn``, or whole sessions. Turns that cannot be played are left out, such as one that changes
    nothing; a warning counts them by reason when all have been examined.

    Args:
        root: the folder that holds ``pptc/``; ``None``: ``docedit`` in the folder that the environment
            variable FORMGYM_DATA names, or that folder itself.
        session: whether an episode is a session of several requests, each of which begins with what the agent made of
            those before; otherwise each begins with what is right.
        **kwargs: see ``EditEnv``.

    Attributes:
        turns: all turns by the ids of their tasks, whether they can be played or not: a session, and the number of the
            turn in it.

    Raises:
        ValueError: if there are no such data, or they are broken.
    """

    def __init__(self, root: str | None = None, session: bool = False, **kwargs: Any) -> None:
        folder = DATA.root(root)
        self.turns = _turns(folder)
        sessions = {one.id: one for one, _ in self.turns.values()}
        self._sessions = {f"pptc/{name}": one for name, one in sessions.items()} if session else {}
        sizes = [_pixels(*slide_size(one)) for one in sessions.values()]
        canvas = max(height for _, height in sizes), max(width for width, _ in sizes)
        super().__init__(canvas, 2, tuple(self._sessions) or PlayableTasks(folder), **kwargs)

    def pick_task(self, options: Mapping[str, Any]) -> str:
        """The task to begin; of those drawn at random the next one that can be played."""
        if options or self._sessions:
            return super().pick_task(options)
        ids = list(self.turns)
        first = int(self.np_random.integers(len(ids)))
        found = (one for one in ids[first:] + ids[:first] if reason_of(*self.turns[one]) is None)
        task_id = next(found, None)
        if task_id is None:
            raise DATA.error("no task can be played")
        return task_id

    def task(self, task_id: str) -> TurnTask:
        """The task with the id of a turn.

        Raises:
            ValueError: if there is none, or it cannot be played.
        """
        if task_id not in self.turns:
            raise ValueError(f"no task {task_id!r}; there are {', '.join(list(self.turns)[:5])} and so on")
        session, number = self.turns[task_id]
        found = examined(session, number)
        if isinstance(found, str):
            raise Unplayable(f"{task_id} cannot be played: {found}")
        return turn_task(task_id, session, number, found, self._names)

    def open_task(self, task_id: str) -> TurnState:
        """The state of a turn, or of a session, before the edit.

        Raises:
            ValueError: if there is no such task, or it cannot be played.
        """
        # Nobody has written down what the words of these requests mean.
        grounder = make_grounder(self._grounder, {}, self._accuracy)
        settings: dict[str, Any] = {
            "canvas": self._canvas, "by_program": self._by_program, "is_strict": self._strict, "marks": self._marks
        }  # fmt: skip
        if not self._sessions:
            task = self.task(task_id)
            return TurnState(task, grounder, **settings)
        if task_id not in self._sessions:
            raise ValueError(f"no session {task_id!r}; there are {', '.join(list(self._sessions)[:5])} and so on")
        turns = session_turns(self._sessions[task_id])
        if not turns:
            raise Unplayable(f"{task_id} cannot be played: nothing changes that can be seen")
        return SessionState(turns, self._names, grounder, **settings)


def _pixels(width: int, height: int) -> tuple[int, int]:
    """Width and height of a page for slides of a size."""
    return round(width * LONGER_SIDE / max(width, height)), round(height * LONGER_SIDE / max(width, height))
