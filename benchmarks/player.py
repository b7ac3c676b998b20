"""Plays an environment in a process of its own: for each line on stdin, a measurement, one of JSON on stdout.

``python player.py KIND OPTIONS``, of which the second is JSON; ``bench_compare.py`` starts it, in the Python of
whatever it plays. That need not have formgym, but numpy, Gymnasium and psutil.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from peers import PEERS
from playing import Played, formgym
from process_tree import ProcessTree

_MIN_SECONDS = 0.4
"""CPU seconds of a measurement, at least."""
_PACKAGES = ("numpy", "gymnasium", "playwright", "selenium", "miniwob", "browsergym-miniwob")

Measurement = dict[str, Any]


class Player:
    """Measures an environment, which it opens.

    Args:
        kind: ``"formgym"`` or one of ``PEERS``.
        options: what opens it.
    """

    def __init__(self, kind: str, options: dict[str, Any]) -> None:
        self._tree = ProcessTree()
        self._open: Callable[[], Played] = lambda: (PEERS | {"formgym": formgym})[kind](**options)
        self._played = self._open()
        self._played.reset()
        self._clock = self._tree.cpu_seconds if self._tree.has_children else time.process_time

    def costs(self) -> Measurement:
        """CPU seconds of all processes, and seconds of wall time, of a reset and of a step of each kind."""
        sums: dict[str, np.ndarray] = {}
        while not sums or sum(cpu for cpu, _, _ in sums.values()) < _MIN_SECONDS:
            for kind, spent in self._episode():
                sums[kind] = sums.get(kind, np.zeros(3)) + spent
        return {kind: {"cpu": cpu / count, "wall": wall / count} for kind, (cpu, wall, count) in sums.items()}

    def memory(self) -> Measurement:
        """Resident bytes of all processes after some steps, and how many a further environment takes."""
        one = self._after_steps(self._played)
        further = self._open()
        both = self._after_steps(further)
        further.close()
        return {"one": one, "further": both - one}

    def about(self) -> Measurement:
        """The shape of frames, for each kind of step the share that changes the frame, and versions of packages."""
        self._played.reset()
        changed, frames = {}, []
        for kind, actions in self._played.scripts().items():
            frames = [self._played.step(action).copy() for action in actions]
            changed[kind] = float(np.mean([not np.array_equal(*pair) for pair in itertools.pairwise(frames)]))
        return {"shape": frames[-1].shape, "changed": changed, "versions": dict(filter(None, map(_version, _PACKAGES)))}

    def close(self) -> None:
        """Close the environment, and what it has started."""
        self._played.close()

    def _episode(self) -> Iterator[tuple[str, list[float]]]:
        """CPU seconds, wall seconds and number of actions by kind."""
        yield "reset", self._clocked(self._played.reset, [()])
        for kind, actions in self._played.scripts().items():
            yield kind, self._clocked(self._played.step, [(action,) for action in actions])

    def _clocked(self, run: Callable[..., object], calls: list[tuple[Any, ...]]) -> list[float]:
        began_cpu, began = self._clock(), time.perf_counter()
        for arguments in calls:
            run(*arguments)
        wall = time.perf_counter() - began
        return [self._clock() - began_cpu, wall, len(calls)]

    def _after_steps(self, played: Played) -> int:
        played.reset()
        for action in played.scripts()["word"]:
            played.step(action)
        return self._tree.resident_bytes()


_REQUESTS = {"about": Player.about, "memory": Player.memory, "costs": Player.costs}


def _version(package: str) -> tuple[str, str] | None:
    try:
        return package, version(package)
    except PackageNotFoundError:
        return None


def main(kind: str, options: str) -> None:
    """Answer until stdin ends."""
    # What libraries print must not get between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    player = Player(kind, json.loads(options))
    try:
        for line in sys.stdin:
            print(json.dumps(_REQUESTS[line.strip()](player)), file=answers, flush=True)
    finally:
        player.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
