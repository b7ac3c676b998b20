"""What the harness around a model costs, alone and with many slow calls."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from formgym.experiments.running.runner import Runner
from formgym.experiments.running.sweep import spec_of
from formgym.experiments.terminal.console import print_table, table_of

_ROUNDS = 3
_SECONDS, _CONCURRENCY, _EPISODES = 0.5, 64, 256
_PLACE = "{name:place_text,arguments:{x:0.5,y:0.5,text:Ann}}"
_VLM = ("agent=vlm", "model=scripted", f"model.replies=[{{tool_calls:[{_PLACE}]}}]", f"flow.max_rounds={_ROUNDS}")
_ROWS: dict[str, tuple[int, tuple[str, ...]]] = {
    "one at a time, the model answers at once": (24, ()),
    f"{_CONCURRENCY} at a time, each answer takes {_SECONDS:g} s": (
        _EPISODES,
        (f"model.seconds={_SECONDS}", f"concurrency={_CONCURRENCY}"),
    ),
}


def run_model_benchmark(env: str = "formgym/scans") -> dict[str, Any]:
    """Measure and print a table; seconds and calls by row."""
    rows = {name: _measured(env, episodes, settings) for name, (episodes, settings) in _ROWS.items()}
    cells = (
        (
            name,
            f"{row['calls']:.0f}",
            f"{1e3 * row['cpu_seconds'] / row['episodes']:.0f}",
            f"{1e3 * row['cpu_seconds'] / row['calls']:.1f}",
            f"{row['calls'] / row['seconds']:.1f}",
        )
        for name, row in rows.items()
    )
    columns = ("", "calls", "CPU ms an episode", "CPU ms a call", "calls a second")
    print_table(table_of(f"vlm with a scripted model on {env}, {_ROUNDS} rounds", columns, cells))
    print(f"without any overhead, {_CONCURRENCY / _SECONDS:.0f} calls a second would be answered")
    return {"env": env, "rows": rows}


def _measured(env_name: str, n_episodes: int, settings: tuple[str, ...]) -> dict[str, float]:
    """Play episodes and write their records, after some that load what is needed."""
    spec = spec_of(f"env={env_name}", f"episodes={n_episodes}", *_VLM, *settings)
    Runner(spec.model_copy(update={"episodes": 4})).run()
    with TemporaryDirectory() as folder:
        began, cpu_began = time.perf_counter(), time.process_time()
        run = Runner(spec.model_copy(update={"run_dir": Path(folder)})).run()
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
        # Episodes are read from the folder.
        n_calls = sum(episode.usage["model_calls"] for episode in run.episodes)
    return {"episodes": n_episodes, "calls": n_calls, "seconds": seconds, "cpu_seconds": cpu}
