"""Shards: the share of a run's episodes that one of several processes does."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

EPISODES = "episodes.jsonl"
"""The file of a run that is not divided."""
_FILE_NAME = re.compile(r"episodes(\.\d+-of-\d+)?\.jsonl")


@dataclass(frozen=True)
class Shard:
    """One of ``count`` shares of a run's episodes; it depends on no other."""

    index: int = 0
    count: int = 1

    @classmethod
    def of(cls, text: str | None) -> Shard:
        """The shard of a setting such as ``"0/4"``; ``None``: all episodes.

        Raises:
            ValueError: if it is none.
        """
        if text is None:
            return cls()
        found = re.fullmatch(r"(\d+)/(\d+)", str(text))
        if found is None or int(found[1]) >= int(found[2]):
            raise ValueError(f"shard must be i/n with i from 0 to n - 1, such as shard=0/4; it is {text}")
        return cls(int(found[1]), int(found[2]))

    @property
    def file_name(self) -> str:
        """Its file of episodes in the folder of a run."""
        return EPISODES if self.count == 1 else f"episodes.{self.index}-of-{self.count}.jsonl"

    def has(self, run: str, index: int) -> bool:
        """Whether an episode belongs to it.

        Args:
            run: the name of the run's folder. It makes the shares of a sweep alike in size, whose runs may have few
                episodes each.
            index: of the episode.
        """
        return (crc32(run.encode()) + index) % self.count == self.index


def episode_files(folder: Path) -> list[Path]:
    """The files of episodes of a run: that of the whole, and those of shards."""
    return sorted(path for path in folder.glob("episodes*.jsonl") if _FILE_NAME.fullmatch(path.name))


def slurm_shard(environment: Mapping[str, str] = os.environ) -> str | None:
    """The shard of a task of a SLURM array, such as ``"0/4"``; ``None``: no array."""
    task, first, step, count = (environment.get(f"SLURM_ARRAY_TASK_{name}") for name in ("ID", "MIN", "STEP", "COUNT"))
    if task is None or count is None:
        return None
    return f"{(int(task) - int(first or 0)) // int(step or 1)}/{count}"
