"""``formgym similarity``: directional similarity of edits by a CLIP-like model."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...envs.core.env import PaperworkEnv
from ...envs.core.files import atomic_write
from ...envs.documents.env import EditEnv
from ...envs.documents.painting.view import painted
from ...envs.documents.scoring.captions import captions
from ...envs.documents.scoring.directional import (
    STUB,
    ClipEncoder,
    ImageTextEncoder,
    StubEncoder,
    directional_metrics,
)
from ...envs.documents.scoring.pictures import changed_box
from ...envs.documents.state import DocumentState
from ..running.episodes import Episode
from ..running.rollout import replay
from ..running.runs import Run, find_runs
from ..terminal.console import say
from ..terminal.tables import format_number, print_table, table_of
from .replay_frames import opened

_OUT = "similarity.json"
_METRICS = ("directional_similarity", "directional_similarity_boxed")


def measure_similarity(folders: Sequence[Path], encoder: str) -> None:
    """Measure the edits of runs; print the means, and write each episode's metrics.

    Args:
        folders: runs of DocEdit, or folders above runs.
        encoder: the folder of a CLIP-like model, or ``"stub"``: no model, to try the plumbing; its metrics say so.

    Raises:
        ValueError: if there are no runs of DocEdit, or the model cannot be loaded.
    """
    runs = [run for folder in folders for run in find_runs(folder) if run.summary["env"].startswith("DocEdit/")]
    runs = [run for run in runs if isinstance(opened(run), EditEnv)]
    if not runs:
        raise ValueError(f"no runs in which documents are edited in {', '.join(map(str, folders))}")
    model: ImageTextEncoder = StubEncoder() if encoder == STUB else ClipEncoder(Path(encoder))
    rows = []
    for run in runs:
        means = _measured(run, model)
        page, box = (format_number(means.get(name, means.get(f"{name}_{STUB}"))) for name in _METRICS)
        rows.append((run.folder, run.summary["agent"], round(means["episodes"]), page, box))
    headings = ("run", "agent", "episodes", "page", "box")
    print_table(table_of(f"directional similarity by {model.name}", headings, rows, n_texts=2))
    if model.name == STUB:
        say("A stub is no model: these metrics mean nothing but that the plumbing works.")


def _measured(run: Run, encoder: ImageTextEncoder) -> dict[str, float]:
    """The means over the episodes of a run; every episode's metrics are written."""
    env = opened(run)
    if isinstance(env, str):
        raise ValueError(f"{run.folder}: {env}")
    rows = [{"index": e.index, "task": e.task, **_metrics(env, e, encoder)} for e in run.episodes if e.error is None]
    atomic_write(run.folder / _OUT, (json.dumps({"encoder": encoder.name, "episodes": rows}, indent=1) + "\n").encode())
    sums: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        for name, value in row.items():
            if name.startswith("directional"):
                sums[name].append(float(value))
    return {"episodes": float(len(rows)), **{name: sum(values) / len(values) for name, values in sums.items()}}


def _metrics(env: PaperworkEnv, episode: Episode, encoder: ImageTextEncoder) -> dict[str, Any]:
    for _ in replay(env, episode):
        pass
    state = env.state
    assert isinstance(state, DocumentState)
    task = state.task
    before, after = (painted(document, task.request.page) for document in (task.before, state.document))
    return directional_metrics(
        encoder, before, after, changed_box(before, after), *captions(task.before, task.expected)
    )
