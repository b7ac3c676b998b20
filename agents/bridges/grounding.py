"""Single-turn grounding: a picture and a question a row, and rewards of replies."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

import numpy as np

from ...envs.core.boxes import Box, centre
from ...envs.core.grounding import GroundingEnv, GroundingPage, combined
from ..coordinate_space import UNITS, PictureView, limits, rounded
from ..lenient_json import json_values
from ..models.model import ImageBlock
from ..replies import without_reasoning
from ..session import make_env

Row = dict[str, Any]
RewardFunction = Callable[..., list[float]]
"""``reward(completions, **columns)`` with a reward for each completion, as TRL calls it."""

_MAX_VALUES = 50
_MAX_NESTING = 5
_SIDES = (("x", "y"), ("left", "top", "right", "bottom"), ("x0", "y0", "x1", "y1"))
_NAMES = {"point": ("x", "y"), "box": ("left", "top", "right", "bottom")}
_DONE_BY = {"point": "Point at the middle of the place", "box": "Draw a box around the place"}


def grounding_rows(
    env_id: str,
    n: int,
    split: str = "train",
    seed: int = 0,
    *,
    action: str = "point",
    unit: str = "thousand",
    max_side: int | None = None,
    targets_per_page: int = 4,
    **options: Any,
) -> list[Row]:
    """Rows of a data set: each asks for one named place on a page.

    Columns: ``image``; ``prompt``, a message of the user; ``answer``, the right reply; ``box``, the target's left, top,
    right and bottom in fractions of the page; ``size``, height and width of the picture; ``unit``; ``name``, ``kind``
    and ``task`` of the target.

    Args:
        env_id: one of the environments for grounding.
        n: how many rows.
        split: ``"train"``, ``"dev"`` or ``"test"``.
        seed: which pages and targets.
        action: ``"point"`` or ``"box"``.
        unit: of the coordinates: one of ``coordinate_space.UNITS``.
        max_side: pictures with a longer side are shrunk to it.
        targets_per_page: the most rows taken from one page; more of them mean fewer pages to load.
        **options: what the environment is made with, such as ``domain="made"``.

    Raises:
        ValueError: if there is no such environment, split, action or unit, or the split has fewer than ``n`` targets.
    """
    if action not in _NAMES or unit not in UNITS:
        raise ValueError(f"action is one of {', '.join(_NAMES)}, unit one of {', '.join(UNITS)}; not {action}, {unit}")
    env = cast(GroundingEnv, make_env(env_id, split=split, action=action, **options).unwrapped)
    rng = random.Random(seed)
    n_pages = len(env.task_ids)
    rows: list[Row] = []
    for index in _shuffled(rng, n_pages):
        if len(rows) == n:
            break
        task = env.task_ids[index]
        page = env.open_page(task)
        chosen = rng.sample(range(len(page.targets)), min(targets_per_page, len(page.targets), n - len(rows)))
        rows += _rows_of(page, task, chosen, action, unit, max_side)
    if len(rows) < n:
        raise ValueError(
            f"{env_id} has {len(rows)} rows in split {split!r} with {targets_per_page} targets a page, not {n}"
        )
    return rows


def _shuffled(rng: random.Random, n: int) -> Iterator[int]:
    """The numbers below ``n`` in random order, without a list of them: there may be millions of pages."""
    seen: set[int] = set()
    while len(seen) < n:
        index = rng.randrange(n)
        if index not in seen:
            seen.add(index)
            yield index


def _rows_of(
    page: GroundingPage, task: str, chosen: Sequence[int], action: str, unit: str, max_side: int | None
) -> list[Row]:
    view = PictureView.whole(page.image.shape[:2], max_side)
    image, boxes = ImageBlock(view.image(page.image)).pillow(), page.boxes()
    return [
        {
            "prompt": [{"role": "user", "content": question(page.targets[i].name, action, unit, view.sent_size)}],
            "image": image,
            "answer": answer(tuple(boxes[i].tolist()), action, unit, view.sent_size),
            "box": boxes[i].tolist(),
            "size": list(view.sent_size),
            "unit": unit,
            "name": page.targets[i].name,
            "kind": page.targets[i].kind,
            "task": task,
        }
        for i in chosen
    ]


def question(name: str, action: str, unit: str, size: tuple[int, int]) -> str:
    """The words that ask for a place."""
    down, across = (UNITS[unit].format(limit=limit) for limit in limits(unit, size))
    form = json.dumps(dict.fromkeys(_NAMES[action], 0)).replace("0", "...")
    return (
        f'{_DONE_BY[action]} on this page that "{name}" means. Answer with JSON alone, {form}: '
        f"{' and '.join(_NAMES[action][::2])} from the left edge {across}; "
        f"{' and '.join(_NAMES[action][1::2])} from the top edge {down}."
    )


def answer(box: Box, action: str, unit: str, size: tuple[int, int]) -> str:
    """The right reply: the box, or its middle, as JSON."""
    down, across = limits(unit, size)
    sides = (box[0] * across, box[1] * down, box[2] * across, box[3] * down)
    values = sides if action == "box" else centre(sides)
    return json.dumps(dict(zip(_NAMES[action], (rounded(value, unit) for value in values), strict=True)))


def predicted_box(reply: str, unit: str, size: Sequence[int]) -> Box | None:
    """The box of a reply in fractions of the page; a point is a box without a size."""
    numbers = predicted_numbers(reply)
    if numbers is None:
        return None
    down, across = limits(unit, (size[0], size[1]))
    box = numbers * 2 if len(numbers) == 2 else numbers
    return box[0] / across, box[1] / down, box[2] / across, box[3] / down


def predicted_numbers(reply: str) -> tuple[float, ...] | None:
    """The last point (x, y) or box (left, top, right, bottom) in a reply, if any.

    It may be an object with these names, a list of two or four numbers, or either inside of something else, such as a
    call of a tool.
    """
    for value in reversed(json_values(without_reasoning(reply))):
        numbers = _numbers_in(value)
        if numbers is not None:
            return numbers
    return None


def _numbers_in(value: Any, depth: int = 0) -> tuple[float, ...] | None:
    if depth > _MAX_NESTING:
        return None
    if isinstance(value, Mapping):
        for sides in _SIDES:
            if all(side in value for side in sides):
                return _numbers(value[side] for side in sides)
        return _first_numbers(value.values(), depth)
    if isinstance(value, Sequence) and not isinstance(value, str):
        numbers = _numbers(value) if len(value) in (2, 4) else None
        return _first_numbers(value, depth) if numbers is None else numbers
    return None


def _first_numbers(values: Iterable[Any], depth: int) -> tuple[float, ...] | None:
    found = (_numbers_in(value, depth + 1) for value in islice(values, _MAX_VALUES))
    return next((numbers for numbers in found if numbers is not None), None)


def _numbers(values: Iterable[Any]) -> tuple[float, ...] | None:
    """Values as numbers, if all are finite ones."""
    listed = list(values)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in listed):
        return None
    return tuple(map(float, listed)) if all(abs(value) < 1e9 and math.isfinite(value) for value in listed) else None


def grounding_reward(reward: str | Mapping[str, float] = "hit") -> RewardFunction:
    """The rewards of replies to ``grounding_rows``, as TRL takes them.

    A reply without a point or box has 0.

    Args:
        reward: the name of a reward in ``core.grounding.REWARDS``, or weights by name.

    Raises:
        ValueError: if there is no such reward.
    """
    score = combined(reward)

    def function(
        completions: Sequence[Any],
        box: Sequence[Sequence[float]],
        unit: Sequence[str],
        size: Sequence[Sequence[int]],
        **_: Any,
    ) -> list[float]:
        rewards = []
        for completion, expected, one_unit, one_size in zip(completions, box, unit, size, strict=True):
            predicted = predicted_box(_text_of(completion), one_unit, one_size)
            rewards.append(0.0 if predicted is None else float(score(predicted, np.asarray(expected))))
        return rewards

    function.__name__ = reward if isinstance(reward, str) else "_".join(reward)
    return function


def _text_of(completion: Any) -> str:
    """The words of a completion: a text, or messages with contents of any kind."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return _text_of(completion.get("content") or completion.get("text") or "")
    return "\n".join(_text_of(part) for part in completion)
