"""Episode records: what happened in each episode of a run, as JSON lines that survive a killed process."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from pydantic import BaseModel, ConfigDict, FiniteFloat, ValidationError

from ..envs.core.scoring import FieldResult


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Round(_Record):
    """One round: the calls an agent made, what came of each, and how many of them were carried out."""

    calls: list[Any]
    feedback: list[str]
    valid: list[bool]
    carried_out: int


class Episode(_Record):
    """The record of one episode. Replaying its calls leads to the same pixels.

    Attributes:
        index: its number in the run.
        env: the environment's id.
        task: the task's id.
        seed: what the environment and the agent were seeded with.
        rounds: what was done.
        figures: the figures of the score; ``None`` if the episode could not be scored.
        fields: the results of the fields.
        usage: what the agent used: figures by name.
        reward: the sum of rewards.
        ended: ``"terminated"``, ``"truncated"`` or ``"error"``.
        error: why it could not be scored.
        page_sha256: of the last page's pixels.
        seconds: how long it took.
    """

    index: int
    env: str
    task: str
    seed: int
    rounds: list[Round]
    figures: dict[str, FiniteFloat] | None
    fields: list[FieldResult]
    usage: dict[str, FiniteFloat]
    reward: FiniteFloat
    ended: str
    error: str | None
    page_sha256: str
    seconds: float

    @property
    def n_calls(self) -> int:
        """How many calls were carried out."""
        return sum(r.carried_out for r in self.rounds)


def read_episodes(path: Path) -> list[Episode]:
    """The episodes recorded in a file, in the order written; a last line that was cut short is left out.

    Raises:
        ValueError: if another line is no episode; the message names file and line.
    """
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")[:-1]
    return [_parsed(line, path, number) for number, line in enumerate(lines, start=1)]


@contextmanager
def episode_writer(path: Path) -> Iterator[TextIO]:
    """A file to ``write_episode`` to, locked; a last line that was cut short is removed first.

    Raises:
        RuntimeError: if another process writes to it.
    """
    with path.open("a+b") as raw:
        try:
            fcntl.flock(raw, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(f"another process is writing {path}; wait for it, or choose another run_dir") from None
        raw.seek(0)
        raw.truncate(raw.read().rfind(b"\n") + 1)
        with path.open("a", encoding="utf-8") as file:
            yield file


def write_episode(file: TextIO, episode: Episode) -> None:
    """Append one episode and force it to disk."""
    file.write(episode.model_dump_json() + "\n")
    file.flush()
    os.fsync(file.fileno())


def _parsed(line: bytes, path: Path, number: int) -> Episode:
    try:
        return Episode.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{path}, line {number} is no episode: {first['loc']}: {first['msg']}") from error
