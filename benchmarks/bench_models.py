"""What the harness around a model costs, alone and with many slow calls."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hydra import compose, initialize_config_module
from hydra.utils import instantiate

from formgym.experiments.running.episode_loop import make_env, run_episodes
from formgym.experiments.running.episodes import episode_writer, write_episode
from formgym.experiments.terminal import print_table, table_of

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
    with initialize_config_module("formgym.conf", version_base="1.3"):
        config = compose("evaluate", [f"env={env_name}", f"episodes={n_episodes}", *_VLM, *settings])
    env, agent = make_env(config), instantiate(config.agent)
    list(run_episodes(config, env, agent, range(4)))
    n_calls = 0.0
    with TemporaryDirectory() as folder, episode_writer(Path(folder) / "episodes.jsonl") as file:
        began, cpu_began = time.perf_counter(), time.process_time()
        for episode in run_episodes(config, env, agent, range(n_episodes)):
            write_episode(file, episode)
            n_calls += episode.usage["model_calls"]
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    return {"episodes": n_episodes, "calls": n_calls, "seconds": seconds, "cpu_seconds": cpu}
