"""Blind readers: how often people who see page and facts alone agree with the right answers.

``python benchmarks/blind_answers.py sheets FOLDER`` writes, for one task of every form, its page with numbered blanks
and its goal and facts, without labels or answers. A reader writes ``answers.json``:
``{task folder: {number: text or null}}``. ``python benchmarks/blind_answers.py query FOLDER/TASK "SELECT …"`` asks the
database of a task that has one, as its tool does. ``python benchmarks/blind_answers.py judge FOLDER answers.json …``
prints the agreement by form and what differs.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from PIL import Image, ImageDraw

import formgym  # noqa: F401
from formgym.envs.core.text_sprites import font
from formgym.envs.paper_forms.state import PaperFormState, Target

ENVIRONMENTS = ("FormGym/AutoLoans-Text-v0", "FormGym/Database-v0", "FormGym/Scans-v0")
_STRIPS = 2
_OVERLAP = 60
_NUMBER_SIZE = 13


def tasks_of(env: Any) -> Iterator[str]:
    """One task of every form: the first person or case for the first form, the second for the second, and so on."""
    by_form: dict[str, list[str]] = {}
    for task in env.task_ids:
        by_form.setdefault(task.split("/")[0], []).append(task)
    yield from (tasks[i % len(tasks)] for i, tasks in enumerate(by_form.values()))


def opened(env_id: str, task: str) -> tuple[Any, PaperFormState]:
    """The environment and the state of a task."""
    env = gym.make(env_id, disable_env_checker=True).unwrapped
    env.reset(options={"task": task})
    return env, env.state  # type: ignore[attr-defined]


def write_sheets(folder: Path) -> None:
    """Write a folder for each task: its page in strips, and ``task.md``."""
    for env_id in ENVIRONMENTS:
        env = gym.make(env_id, disable_env_checker=True).unwrapped
        for task in tasks_of(env):
            _, state = opened(env_id, task)
            place = folder / f"{env_id.split('/')[1]}.{task.replace('/', '.')}"
            place.mkdir(parents=True)
            (place / "id.json").write_text(json.dumps([env_id, task]))
            _write_task(place, state)
            for number, strip in enumerate(_strips(_numbered(state)), start=1):
                strip.save(place / f"page_{number}.png")
            if state.source_page is not None:
                Image.fromarray(state.source_page.pixels()).save(place / "source_page.png")


def kind_of(target: Target) -> str:
    """What a reader has to do there."""
    return {"checkbox": "tick", "signature": "sign"}.get(target.gold.matcher, "write")


def _write_task(place: Path, state: PaperFormState) -> None:
    numbers: dict[str, list[str]] = {"write": [], "tick": [], "sign": []}
    for number, target in enumerate(state.task.targets, start=1):
        numbers[kind_of(target)].append(str(number))
    blanks = "\n".join(f"To {kind}: {', '.join(numbered)}" for kind, numbered in numbers.items() if numbered)
    text = f"# Goal\n\n{state.goal}\n\n# Facts\n\n{state.source}\n\n# Blanks\n\n{blanks}\n"
    (place / "task.md").write_text(text, encoding="utf-8")


def _numbered(state: PaperFormState) -> Image.Image:
    page = Image.fromarray(np.asarray(state.background)[: state.height, : state.width])
    draw, face = ImageDraw.Draw(page), font("Arimo", _NUMBER_SIZE)
    for number, target in enumerate(state.task.targets, start=1):
        left, top, _, _ = getattr(target, "blank", target.box)
        x, y = (left - 3, top - _NUMBER_SIZE) if kind_of(target) == "tick" else (left + 1, top)
        draw.text((x, max(y, 0)), str(number), (210, 0, 90), face, stroke_width=2, stroke_fill="white")
    return page


def _strips(page: Image.Image) -> Iterator[Image.Image]:
    height = -(-page.height // _STRIPS)
    for top in range(0, page.height, height):
        yield page.crop((0, max(top - _OVERLAP, 0), page.width, min(top + height + _OVERLAP, page.height)))


def judge(folder: Path, readers: list[Path]) -> None:
    """Print the agreement of each reader with the right answers by form, and each difference."""
    answers = [json.loads(path.read_text(encoding="utf-8")) for path in readers]
    totals, differences = Counter[int](), []
    for place in sorted(path.parent for path in folder.glob("*/id.json")):
        targets = opened(*json.loads((place / "id.json").read_text()))[1].task.targets
        wrong = [list(_wrong(targets, answer.get(place.name, {}))) for answer in answers]
        _print_row(place.name, len(targets), [len(targets) - len(lines) for lines in wrong])
        totals.update({-1: len(targets)} | {i: len(targets) - len(lines) for i, lines in enumerate(wrong)})
        differences += [f"{place.name}, reader {i}, {line}" for i, lines in enumerate(wrong, 1) for line in lines]
    _print_row("all", totals[-1], [totals[i] for i in range(len(answers))])
    print(*differences, sep="\n")


def _wrong(targets: Sequence[Target], given: Mapping[str, str | None]) -> Iterator[str]:
    """What differs from the right answers, a line each."""
    for number, target in enumerate(targets, start=1):
        text, gold = given.get(str(number)) or "", target.gold
        if not gold.accepts(text):
            yield f"{number}: {text!r}, not {gold.value!r} ({gold.matcher}: {target.label})"


def _print_row(name: str, total: int, agreed: list[int]) -> None:
    print(f"| {name} | {total} | " + " | ".join(f"{n / total:.1%}" for n in agreed) + " |")


def main(arguments: list[str]) -> None:
    """See the module."""
    match arguments:
        case ["sheets", folder]:
            write_sheets(Path(folder))
        case ["query", place, query]:
            print(opened(*json.loads((Path(place) / "id.json").read_text()))[1].query(query))  # type: ignore[misc]
        case ["judge", folder, *readers]:
            judge(Path(folder), [Path(reader) for reader in readers])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
