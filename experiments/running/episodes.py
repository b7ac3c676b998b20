"""Episode records, kept as JSON lines that survive a killed process."""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, overload

from pydantic import Field, FiniteFloat, ValidationError, model_validator

from ...agents.base import Exchange
from ...envs.core.files import Data, foreign_lines, open_foreign, open_regular
from ...envs.core.metrics import headline_of
from ...envs.core.scoring import FieldResult

MAX_LINE_BYTES = 64_000_000
"""Of the record of an episode; prompts of models are left out of one that would be longer."""
_MAX_AMOUNTS = 500
_Amounts = Annotated[dict[str, FiniteFloat], Field(max_length=_MAX_AMOUNTS)]
AWAITED = "awaited"
"""How an episode ends whose model replies later: it is in no file, and is played again."""
Fault = Literal["environment", "agent", "provider"]


class Round(Data):
    """One round: the calls that the environment was given, their feedback, how many were carried out.

    ``exchanges`` has what a model was asked for them. ``asked`` has the agent's own calls where these are others, since
    wrappers translate them; ``None``: they are the same. The last round of a crash in a step has the calls that were
    under way, as the agent made them, and none as carried out. ``judgement`` is that of a provider of feedback on the
    edited document after the round: ``{"is_right", "kind"}``.
    """

    calls: list[Any]
    feedback: list[str]
    valid: list[bool]
    carried_out: int
    exchanges: list[Exchange] = Field(default_factory=list)
    asked: list[Any] | None = None
    judgement: dict[str, bool | str] | None = None

    @model_validator(mode="after")
    def _carries_out_its_calls(self) -> Round:
        if not 0 <= self.carried_out <= len(self.calls):
            raise ValueError(f"{self.carried_out:g} of {len(self.calls)} calls cannot have been carried out")
        return self

    @property
    def n_refused(self) -> int:
        """How many of the calls were not carried out."""
        return len(self.calls) - self.carried_out


class Episode(Data):
    """The record of one episode. Replaying its calls leads to the same pixels.

    Attributes:
        index: its number in the run.
        env: the environment's id.
        task: the task's id.
        seed: what the environment and the agent were seeded with.
        rounds: what was done.
        metrics: the metrics of the score; ``None`` if the episode could not be scored.
        fields: the results of the fields.
        usage: what the agent used: amounts by name, such as tokens.
        reward: the sum of rewards.
        ended: ``"terminated"``, ``"truncated"``, ``"stopped"`` (the model could not go on: it is scored as it stands),
            ``"error"`` (a model's provider failed, or a person gave up: it is unscored), ``"crash"`` (the agent or the
            environment raised an exception: it counts as the worst) or ``"submitted"`` (in a browser, and no calls lead
            to what was submitted: the last round's feedback says why).
        error: why it could not be scored.
        page_sha256: of the last page's pixels; empty after a crash, and where there are no calls.
        seconds: how long it took.
        traceback: of the exception that ended it.
        stop_reason: why the model could not go on, as in ``ModelStopped``; the last round's feedback says it in words.
        fault: whose code raised the exception or failed; of records of formgym 0.9 and before it is not known.
        privileged: whether the agent asked for the solution, and was given it.
        observed_sha256: of the first observation, as wrappers showed it; empty in records of formgym 0.9 and before.
    """

    index: Annotated[int, Field(ge=0, lt=2**31)]
    env: str
    task: str
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    rounds: list[Round]
    metrics: _Amounts | None
    fields: list[FieldResult]
    usage: _Amounts
    reward: FiniteFloat
    ended: str
    error: str | None
    page_sha256: str
    seconds: FiniteFloat
    traceback: str | None = None
    stop_reason: str = ""
    fault: Fault | None = None
    privileged: bool = False
    observed_sha256: str = ""

    @property
    def unscored(self) -> bool:
        """Whether a model's provider failed, or a person gave up."""
        return self.error is not None and not self.crashed

    @property
    def crashed(self) -> bool:
        """Whether the environment or the agent raised an exception."""
        return self.ended == "crash"

    @property
    def is_replayable(self) -> bool:
        """Whether its calls were recorded; those of a person's browser are not."""
        return self.ended != "submitted"

    @property
    def calls(self) -> list[Any]:
        """The calls that were carried out, in order."""
        return [call for r in self.rounds for call in r.calls[: r.carried_out]]

    @property
    def n_calls(self) -> int:
        """How many calls were carried out."""
        return sum(r.carried_out for r in self.rounds)

    @property
    def n_invalid(self) -> int:
        """How many of the calls carried out were invalid."""
        return sum(not valid for r in self.rounds for valid in r.valid[: r.carried_out])

    @property
    def headline(self) -> tuple[str, float] | None:
        """The name and value of the most important metric; ``None`` if unscored."""
        if not self.metrics:
            return None
        name = headline_of(self.metrics)
        return name, self.metrics[name]

    def without_rounds(self) -> Episode:
        """The episode without its rounds, which are most of its size."""
        return self.model_copy(update={"rounds": []})


def total_usage(episodes: Iterable[Episode]) -> dict[str, float]:
    """What episodes used together, by name."""
    total = Counter[str]()
    for episode in episodes:
        total.update(episode.usage)
    return dict(total)


class EpisodeFiles(Sequence[Episode]):
    """The episodes in files by index, read when used and not kept in memory.

    If several have the same index, the last without an error counts, or the last one if all have errors. An incomplete
    last line is ignored.

    Raises:
        ValueError: if another line is not an episode; the message names file and line.
    """

    def __init__(self, *paths: Path) -> None:
        spans: dict[int, _Span] = {}
        for span in (span for path in paths for span in _spans(path)):
            if not span.has_error or span.episode not in spans or spans[span.episode].has_error:
                spans[span.episode] = span
        self._spans = [spans[index] for index in sorted(spans)]

    def __len__(self) -> int:
        return len(self._spans)

    @overload
    def __getitem__(self, at: int) -> Episode: ...

    @overload
    def __getitem__(self, at: slice) -> list[Episode]: ...

    def __getitem__(self, at: int | slice) -> Episode | list[Episode]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        span = self._spans[at]
        with open_foreign(span.path) as file:
            file.seek(span.start)
            return _parsed(file.read(span.size), span.path, span.line)


class _Span(NamedTuple):
    """Where an episode is."""

    path: Path
    start: int
    size: int
    line: int
    episode: int
    has_error: bool


def _spans(path: Path) -> Iterator[_Span]:
    """Where the episodes of a file are, if it exists; a last line that was cut short is none."""
    if not path.exists():
        return
    start = 0
    for number, line in enumerate(foreign_lines(path, MAX_LINE_BYTES), start=1):
        if line.endswith(b"\n"):
            episode = _parsed(line, path, number)
            yield _Span(path, start, len(line), number, episode.index, episode.error is not None)
            start += len(line)


@contextmanager
def episode_writer(path: Path) -> Iterator[FileIO]:
    """A locked file for ``write_episode``; a truncated last line is removed first.

    Raises:
        RuntimeError: if another process writes to it.
        ValueError: if it is no ordinary file, or no file of episodes.
        OSError: if it cannot be written.
    """
    with FileIO(open_regular(path, os.O_RDWR | os.O_CREAT | os.O_APPEND), "a+") as file:
        file.name = str(path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_current = path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat())
        except BlockingIOError:
            is_current = False
        # A run that could not begin removes its file: a lock on the removed file keeps nobody out.
        if not is_current:
            raise RuntimeError(f"another process is writing {path}; wait for it, or choose another run_dir")
        _remove_torn_line(file)
        yield file


def write_episode(file: FileIO, episode: Episode, sync: bool = True) -> None:
    """Append one episode and force it to disk; a failure leaves the file as it was.

    Args:
        file: of ``episode_writer``.
        episode: to append.
        sync: whether it must outlive a power failure, as what can be made again need not.

    Raises:
        OSError: if it cannot be written; it names the file.
    """
    content = episode.model_dump_json().encode()
    if len(content) >= MAX_LINE_BYTES:
        rounds = [r.model_copy(update={"exchanges": []}) for r in episode.rounds]
        content = episode.model_copy(update={"rounds": rounds}).model_dump_json().encode()
    line = memoryview(content + b"\n")
    size = os.fstat(file.fileno()).st_size
    try:
        while line:
            line = line[file.write(line) :]
        if sync:
            os.fsync(file.fileno())
    except OSError as error:
        file.truncate(size)
        raise OSError(error.errno, error.strerror, file.name) from error


def _remove_torn_line(file: FileIO) -> None:
    """Remove a truncated last line; a complete record without a line break gets one."""
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - MAX_LINE_BYTES))
    content = file.readall()
    torn = content[content.rfind(b"\n") + 1 :]
    if len(torn) == MAX_LINE_BYTES < size:
        raise ValueError(f"{file.name} ends with a line that is longer than {MAX_LINE_BYTES / 1e6:,.0f} MB")
    try:
        Episode.model_validate_json(torn)
        file.write(b"\n")
    except ValidationError:
        file.truncate(size - len(torn))


def _parsed(line: bytes, path: Path, number: int) -> Episode:
    try:
        return Episode.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        reason = f"{place}: {first['msg']}" if place else first["msg"]
        raise ValueError(
            f"{path}, line {number} is no episode: {reason}; without that line, resume=true runs its episode again"
        ) from error
