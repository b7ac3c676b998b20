"""Measure speed and memory: ``python benchmarks/bench.py [--group GROUP]``; the group of paper forms is here."""

from __future__ import annotations

import gc
import itertools
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import gymnasium as gym
import numpy as np
import psutil
import typer
from bench_compare import OTHERS, run_comparison
from bench_documents import run_document_benchmark
from bench_memory import run_memory_benchmark
from bench_models import run_model_benchmark
from bench_web import run_web_benchmark
from machine import machine
from PIL import Image, ImageDraw
from timing import MEMCPY, Work, batches, measured, memcpy, print_rows, repeated, resets, steps

from formgym.envs.core.env import PaperworkEnv
from formgym.envs.core.pages import page_image
from formgym.envs.core.tasks import page_of
from formgym.envs.core.text_sprites import INK, TYPED_FACE, font
from formgym.envs.core.vector import BatchVectorEnv
from formgym.envs.paper_forms.env import AutoLoansEnv
from formgym.envs.paper_forms.paper_form import form_folder
from formgym.envs.paper_forms.state import PaperFormState
from formgym.envs.registration import index

_ENV = "FormGym/AutoLoans-Text-v0"
_N_BATCH, _N_MEMORY, _N_PAGES = 32, 256, 10
_TRAINING_NEEDS = ("torch", "stable_baselines3", "matplotlib")


def main(
    out: Annotated[Path, typer.Option(help="where the results go as JSON")] = Path("bench.json"),
    rounds: Annotated[int, typer.Option(min=3, help="rounds of measurement; the median counts")] = 15,
    group: Annotated[str, typer.Option(help="paper, web, documents, compare, models, memory, training or all")] = "all",
    others: Annotated[Path, typer.Option(help="the Python with what `make bench-others` installs")] = OTHERS,
) -> None:
    """Measure speed and memory, also of Chromium, MiniWoB++ and BrowserGym."""
    groups = {
        "paper_forms": lambda: run_paper_benchmark(rounds),
        "documents": lambda: run_document_benchmark(rounds),
        "models": run_model_benchmark,
        "web_forms": lambda: run_web_benchmark(rounds),
        "compare": lambda: run_comparison(rounds, others),
        "memory": run_memory_benchmark,
        "training": lambda: _training(rounds),
    }
    chosen = [name for name in groups if group in ("all", name, name.removesuffix("_forms"))]
    if not chosen:
        raise typer.BadParameter(f"no group {group!r}")
    result: dict[str, Any] = {"rounds": rounds, "machine": machine()}
    print(", ".join(f"{name} {value}" for name, value in result["machine"].items()))
    for name in chosen:
        if name != "training" or group == name or all(map(find_spec, _TRAINING_NEEDS)):
            result[name] = groups[name]()
            out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"written to {out}")


def _training(rounds: int) -> dict[str, Any]:
    from bench_training import run_training_benchmark

    return run_training_benchmark(rounds)


def run_paper_benchmark(rounds: int) -> dict[str, Any]:
    """Measure and print a table; the timings by row, and the memory of an environment."""
    memory = _memory_per_env()
    rows = measured(_works(), rounds, "paper forms")
    height, width = _make_env().observation_space["page"].shape[:2]  # type: ignore[index]
    print_rows(f"pages of {width} x {height}, median of {rounds} rounds, thread CPU time", rows)
    each, page = memory["bytes_per_environment"], memory["page_bytes"]
    print(
        f"memory: {each / 1e6:.2f} MB an environment (N = {_N_MEMORY}), "
        f"of which its pages are {page / 1e6:.2f} MB and {(each - page) / 1e3:.0f} kB is the rest"
    )
    return {"page": [height, width, 3], "candidates": rows, "memory_per_env": memory}


def _works() -> dict[str, Work]:
    shape = (*_make_env().page_size, 3)
    return {
        MEMCPY: memcpy(shape),
        f"memcpy of {_N_PAGES} pages in turn": memcpy(shape, _N_PAGES),
        "step, one environment, own copy": _played(copy=True),
        "step, one environment, in place": _played(copy=False),
        f"step, BatchVectorEnv, N = {_N_BATCH}, per environment": _batch_steps(BatchVectorEnv),
        f"step, SyncVectorEnv, N = {_N_BATCH}, per environment": _batch_steps(gym.vector.SyncVectorEnv),
        "step, everything redrawn (Pillow)": _redrawn_steps(),
        "reset, same page, in place": _resets(["lakeshore_auto_credit"]),
        "reset, another page, in place": _resets(),
        "reset, another page, own copy": _resets(copy=True),
        "reset, page not decoded yet, in place": _resets(is_decoded=False),
        "a mark on a page of 110 fields, unscored": _marks(scored=False),
        "a mark on a page of 110 fields, scored": _marks(scored=True),
    }


def _make_env(copy: bool = False) -> AutoLoansEnv:
    return AutoLoansEnv(**index()["environments"][_ENV]["kwargs"], copy=copy)


def _actions(env: PaperworkEnv, task: str) -> list[dict[str, Any]]:
    """Write every answer of a form, then delete them all."""
    env.reset(seed=0, options={"task": task})
    calls = [call for call in env.state.solution() if call["tool"] != "terminate"]
    deletions = [{"tool": "delete_text", "x": call["x"], "y": call["y"]} for call in calls]
    return [env.action_space.from_call(call) for call in calls + deletions]


def _played(copy: bool) -> Work:
    env = _make_env(copy)
    return steps([(env, action) for action in _actions(env, env.task_ids[0])])


def _batch_steps(kind: type[gym.vector.SyncVectorEnv]) -> Work:
    """Steps of a batch in which every environment plays its own task."""
    if kind is BatchVectorEnv:
        vector: Any = BatchVectorEnv(_make_env, _N_BATCH)
    else:
        vector = gym.vector.SyncVectorEnv([_make_env] * _N_BATCH, copy=False)
    vector.reset(seed=0)
    env = _make_env()
    scripts = [_actions(env, env.task_ids[i % len(env.task_ids)]) for i in range(_N_BATCH)]
    return steps([(vector, batch) for batch in batches(vector.single_action_space, scripts, shift=7)], _N_BATCH)


def _redrawn_steps() -> Work:
    """The usual way: draw every mark again on a copy of the page."""
    env = _make_env()
    calls = [a for a in _actions(env, env.task_ids[0]) if a["text"]]
    page = Image.fromarray(env.page())
    face = font(TYPED_FACE, 16)
    count = itertools.cycle(range(len(calls)))

    def run() -> None:
        picture = page.copy()
        draw = ImageDraw.Draw(picture)
        for action in calls[: next(count)]:
            place = (action["x"] * page.width, action["y"] * page.height)
            draw.text(place, action["text"], fill=INK, font=face, anchor="mm")
        np.array(picture)

    return repeated(run)


def _resets(forms: list[str] | None = None, copy: bool = False, is_decoded: bool = True) -> Work:
    env = _make_env(copy)
    ids = [f"{form}/{user}" for user in ("curtis_pruitt", "margaret_holloway") for form in forms or env.forms]
    for task in ids:
        env.reset(options={"task": task})
    if is_decoded:
        return resets(env, ids)
    tasks = itertools.cycle(ids)

    def run() -> None:
        task = next(tasks)
        # Decoded beside the cache: to empty it would slow the others down.
        page_image.__wrapped__(form_folder(page_of(task)) / "page.png", env.page_size)
        env.reset(options={"task": task})

    return repeated(run)


def _marks(scored: bool) -> Work:
    env = _make_env()
    task = "lakeshore_auto_credit/margaret_holloway"
    calls = [action for action in _actions(env, task) if action["text"]]
    page = _fresh_page(env, task, scored)
    script = itertools.cycle(calls)

    def run() -> None:
        nonlocal page
        if len(page.marks) == len(calls):
            page = _fresh_page(env, task, scored)
        action = next(script)
        page.write(action["x"], action["y"], action["text"])
        page.metrics()

    return repeated(run)


def _fresh_page(env: AutoLoansEnv, task: str, scored: bool) -> PaperFormState:
    page = env.open_task(task)
    if not scored:
        page._rescore = lambda index: None  # type: ignore[method-assign]
    return page


def _memory_per_env() -> dict[str, float]:
    """Resident memory of each environment of a batch beyond what all share, and the size of its pages."""
    env = _make_env()
    for task in env.task_ids:
        env.reset(options={"task": task})
    gc.collect()
    before = psutil.Process().memory_info().rss
    vector = BatchVectorEnv(_make_env, _N_MEMORY)
    page = vector.reset(seed=0)[0]["page"][0]
    each = (psutil.Process().memory_info().rss - before) / _N_MEMORY
    n_pages = 1 + np.mean([state.source_page is not None for state in vector.get_attr("state")])
    return {"environments": _N_MEMORY, "bytes_per_environment": each, "page_bytes": page.nbytes * float(n_pages)}


if __name__ == "__main__":
    typer.run(main)
