"""Replayed episodes for web pages: a first page, then the pixels that change."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from ...envs.core.env import PaperworkEnv
from ...envs.core.painting import Image
from ...envs.core.scoring import FieldResult
from ..running.episodes import Episode
from ..running.rollout import ReplayStep, page_digest, replay
from ..running.runs import Run
from ..terminal.metrics import METRICS
from .page_images import changed_rects, webp

_MAX_LENGTH = 2_000
_MAX_WORD_LENGTH = 400
FAILURES = (ValueError, OSError, ImportError, gym.error.Error)
"""The exceptions of a replay if data, tasks or the suite have changed."""


@dataclass(frozen=True)
class ReplayFrames:
    """A replayed episode.

    Attributes:
        goal: of the task, in words.
        source: the facts, in words.
        first: the digest of the page it begins with.
        reel: the script's data to play it, as a JSON object.
        faithful: whether it ends in the pixels of the record, if the record has a digest of them.
    """

    goal: str
    source: str
    first: str
    reel: dict[str, Any]
    faithful: bool


class Pages:
    """The first pages of replays, each kept once: base64 of a WebP by its digest."""

    def __init__(self) -> None:
        self.by_digest: dict[str, str] = {}

    def add(self, page: Image) -> str:
        """Keep a page; its digest."""
        digest = page_digest(page)
        if digest not in self.by_digest:
            self.by_digest[digest] = _base64(page)
        return digest


def opened(run: Run) -> PaperworkEnv | str:
    """The environment of a run, or why it cannot be made."""
    try:
        return run.make_env()
    # A spec of another version may name arguments that there are no longer.
    except (*FAILURES, TypeError) as error:
        return f"{type(error).__name__}: {error}"


def replay_frames(env: PaperworkEnv, episode: Episode, pages: Pages) -> ReplayFrames | str:
    """The replay of an episode, or why there is none.

    Args:
        env: a bare environment of the episode's id and arguments.
        episode: what to replay.
        pages: where to keep its first page.
    """
    try:
        return _replayed_frames(env, episode, pages)
    except FAILURES as error:
        return f"{type(error).__name__}: {error}"


def status(field: FieldResult) -> str:
    """``right``, ``wrong``, ``missing``, ``empty`` (as it must be) or ``spoilt``."""
    if field.expected is None:
        return "empty" if field.correct else "spoilt"
    return "right" if field.correct else "wrong" if field.entered else "missing"


def cut(text: str, max_length: int = _MAX_LENGTH) -> str:
    """``text``, without its middle if it is too long."""
    if len(text) <= max_length:
        return text
    left_out = len(text) - max_length
    return f"{text[: max_length - max_length // 4]} […{left_out:,} characters left out…] {text[-(max_length // 4) :]}"


def call_words(call: Any) -> tuple[str, list[tuple[str, str]]]:
    """The name of a tool call and its arguments as text; the call can be anything."""
    if not isinstance(call, Mapping) or "tool" not in call:
        return cut(_word(call)), []
    return cut(str(call["tool"]), _MAX_WORD_LENGTH), [(str(k), cut(_word(v))) for k, v in call.items() if k != "tool"]


def _replayed_frames(env: PaperworkEnv, episode: Episode, pages: Pages) -> ReplayFrames:
    rounds = [0, *(number for number, r in enumerate(episode.rounds, start=1) for _ in range(r.carried_out))]
    steps: list[dict[str, Any]] = []
    known: dict[int, str] = {}
    before: Image | None = None
    digest = ""
    for moment, number in zip(replay(env, episode), rounds, strict=False):
        if before is None:
            digest = pages.add(moment.page)
        standing = {i: status(field) for i, field in enumerate(env.state.score().fields)}
        changed = {i: now for i, now in standing.items() if known.get(i) != now}
        steps.append({"round": number} | _step(moment, before, changed))
        before, known = moment.page, standing
    assert before is not None
    height, width = before.shape[:2]
    reel = {
        "first": digest,
        "width": width,
        "height": height,
        "canvas": list(env.state.background.shape[1::-1]),
        "boxes": _boxes(env),
        "steps": steps,
    }
    state = env.state
    is_faithful = episode.page_sha256 in ("", page_digest(before))
    return ReplayFrames(state.goal, state.source, digest, reel, is_faithful)


def _step(moment: ReplayStep, before: Image | None, changed: Mapping[int, str]) -> dict[str, Any]:
    """A step for the script: the call, its feedback, and the pixels that it changed."""
    tool, arguments = call_words(moment.call) if moment.call is not None else ("", [])
    step = {
        "tool": tool,
        "arguments": arguments,
        "feedback": cut(moment.feedback),
        "valid": moment.valid,
        "metrics": {name: _finite(moment.metrics[name]) for name in sorted(moment.metrics, key=_rank)},
        "fields": changed,
    }
    rects = changed_rects(before, moment.page) if before is not None else []
    patches = [
        {"rect": [left, top, right - left, bottom - top], "picture": _base64(moment.page[top:bottom, left:right])}
        for left, top, right, bottom in rects
    ]
    return step | {"patches": patches}


def _rank(metric: str) -> tuple[bool, int]:
    """Sorts metrics as tables have them, others after them."""
    return (metric not in METRICS, list(METRICS).index(metric) if metric in METRICS else 0)


def _boxes(env: PaperworkEnv) -> list[Sequence[float] | None]:
    """The boxes of the fields in the order of the score; ``None`` where there is none."""
    targets = getattr(getattr(env.state, "task", None), "targets", ())
    boxes = {target.name: getattr(target, "box", None) for target in targets if hasattr(target, "name")}
    return [boxes.get(field.name) for field in env.state.score().fields]


def _base64(picture: Image) -> str:
    return b64encode(webp(picture, effort=75)).decode()


def _word(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _finite(value: float) -> float | None:
    """A number that JSON can represent."""
    return round(float(value), 4) if math.isfinite(value) else None
