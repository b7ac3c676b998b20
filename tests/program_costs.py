"""What programs cost: the processor time of a step, in this process and in the sandbox, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import psutil

from formgym.envs.documents.env import DocumentEnv
from formgym.envs.documents.state import DocumentState

_UNDOUBTED = 0.2
"""Less than this, in seconds by the clock, is not measured more exactly."""


@dataclass(frozen=True)
class Cost:
    """What a program has cost.

    Attributes:
        code: the program.
        seconds: of the processor.
        memory: the memory of the sandbox afterwards, in bytes; 0 where it was not measured.
        feedback: what the agent is told, or the exception that came out of ``step``.
        broke: whether an exception did.
    """

    code: str
    seconds: float
    memory: int
    feedback: str
    broke: bool


def _used(own: psutil.Process) -> tuple[float, int]:
    """Seconds of the processor and bytes of memory of the sandboxes of a process, and its own seconds."""
    seconds, memory = time.process_time() + own.cpu_times().children_user + own.cpu_times().children_system, 0
    for child in own.children():
        try:
            times, memory = child.cpu_times(), max(memory, child.memory_info().rss)
            seconds += times.user + times.system
        except psutil.NoSuchProcess:
            continue
    return seconds, memory


def costs(programs: Sequence[str], document: str = "travel_itinerary") -> Iterator[Cost]:
    """Run programs one after the other, each on the document as it was at first, and measure them."""
    env, own = DocumentEnv(document, action_mode="program", grounder="texts", copy=False), psutil.Process()
    env.reset(seed=0)
    env.step(env.action_space.action("run_program", code="def main():\n    ADD('text', 'warm')\n"))
    for code in programs:
        cost = _cost(env, own, code, is_exact=False)
        # Only one of the processes computes at a time, so that the clock is an upper bound.
        yield cost if cost.seconds < _UNDOUBTED and not cost.broke else _cost(env, own, code, is_exact=True)


def _cost(env: DocumentEnv, own: psutil.Process, code: str, is_exact: bool) -> Cost:
    assert isinstance(env.state, DocumentState)
    if len(env.state.history) > 1:
        env.reset(seed=0)
    before, broke = _used(own) if is_exact else (time.perf_counter(), 0), False
    try:
        feedback = env.step({"tool": "run_program", "code": code})[4]["feedback"]
    except Exception as error:  # noqa: BLE001 (whatever a program raises is a finding)
        feedback, broke = f"{type(error).__name__}: {error}", True
    after = _used(own) if is_exact else (time.perf_counter(), 0)
    return Cost(code, after[0] - before[0], after[1], feedback, broke)
