"""Replayed episodes for web pages: a first page, then the pixels that change."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ...agents.base import Exchange
from ...envs.core.env import PaperworkEnv, State
from ...envs.core.metrics import METRICS
from ...envs.core.painting import Image
from ...envs.core.scoring import FieldResult
from ...envs.core.tools import AXES, Call, is_fraction, points_at_page, spans_page
from ...envs.paper_forms.paged_form import PagedForm
from ..running.episodes import Episode
from ..running.rollout import REPLAY_ERRORS, ReplayStep, page_digest, replay
from ..running.run_folder import Run
from .page_images import changed_rects, webp

_MAX_LENGTH = 2_000
_MAX_WORD_LENGTH = 400
_MAX_TALK_LENGTH = 8_000
_CORNERS = (("x", "y"), ("x0", "y0"), ("x1", "y1"))
_SIDES = ("left", "top", "right", "bottom")
_RANKS = {name: rank for rank, name in enumerate(METRICS)}


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
    except REPLAY_ERRORS as error:
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
    except REPLAY_ERRORS as error:
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
        height, width = env.paper_sizes["page"]
        moment = replace(moment, page=moment.page[:height, :width])
        if before is None:
            digest = pages.add(moment.page)
        standing = {i: status(field) for i, field in enumerate(env.state.score().fields)}
        changed = {i: now for i, now in standing.items() if known.get(i) != now}
        shown = env.state.shown if isinstance(env.state, PagedForm) else 0
        seen = {"round": number, "shown": shown, "marks": _marks(env, moment.call)}
        steps.append(seen | _step(moment, before, changed))
        before, known = moment.page, standing
    assert before is not None
    height, width = before.shape[:2]
    reel = {
        "first": digest,
        "width": width,
        "height": height,
        "canvas": list(env.state.paper[::-1]),
        "boxes": _boxes(env),
        "pages": _pages(env),
        "steps": _with_idle_rounds(steps, episode),
        "talks": [[_talk(exchange) for exchange in r.exchanges] for r in episode.rounds],
    }
    state = env.state
    is_faithful = episode.page_sha256 in ("", page_digest(env.page()))
    return ReplayFrames(state.goal, state.source, digest, reel, is_faithful)


def _step(moment: ReplayStep, before: Image | None, changed: Mapping[int, str]) -> dict[str, Any]:
    """A step for the script: the call, its feedback, and the pixels that it changed."""
    tool, arguments = call_words(moment.call) if moment.call is not None else ("", [])
    step = {
        "tool": tool,
        "arguments": arguments,
        "feedback": cut(moment.feedback),
        "valid": moment.valid,
        "metrics": {
            name: _finite(moment.metrics[name])
            for name in sorted(moment.metrics, key=lambda name: _RANKS.get(name, len(_RANKS)))
        },
        "fields": changed,
    }
    rects = changed_rects(before, moment.page) if before is not None else []
    patches = [
        {"rect": [left, top, right - left, bottom - top], "picture": _base64(moment.page[top:bottom, left:right])}
        for left, top, right, bottom in rects
    ]
    return step | {"patches": patches}


def _with_idle_rounds(steps: list[dict[str, Any]], episode: Episode) -> list[dict[str, Any]]:
    """The steps, and one more for each round of a model without a call carried out."""
    idle = {number: r for number, r in enumerate(episode.rounds, start=1) if r.exchanges and not r.carried_out}
    nothing = {"tool": "no call", "arguments": [], "valid": False, "fields": {}, "patches": [], "marks": []}
    reasons = {number: "; ".join(r.feedback) or episode.error or "" for number, r in idle.items()}
    more = [nothing | {"round": number, "feedback": cut(reason)} for number, reason in reasons.items()]
    found = sorted([*steps, *more], key=lambda step: int(step["round"]))
    for last, step in pairwise(found):
        step.setdefault("metrics", last["metrics"])
        step.setdefault("shown", last["shown"])
    return found


def _talk(exchange: Exchange) -> dict[str, Any]:
    """What a model was asked and replied, for the script."""
    return {
        "prompt": [
            {"role": str(message.get("role", "")), "parts": [_prompt_part(part) for part in _parts(message)]}
            for message in exchange.prompt
        ],
        "reply": cut(exchange.reply, _MAX_TALK_LENGTH),
        "calls": [cut(_word(call)) for call in exchange.calls],
        "usage": {name: _finite(value) for name, value in exchange.usage.items()},
    }


def _parts(message: Mapping[str, Any]) -> list[Any]:
    content = message.get("content", [])
    return content if isinstance(content, list) else [content]


def _prompt_part(part: Any) -> dict[str, str]:
    """A text, or the words for a picture."""
    if isinstance(part, Mapping) and "image" in part:
        size = f", {part['width']} × {part['height']} pixels" if "width" in part and "height" in part else ""
        return {"picture": f"picture of the {str(part['image']).replace('_', ' ')}{size}"}
    return {
        "text": cut(_word(part["text"] if isinstance(part, Mapping) and "text" in part else part), _MAX_TALK_LENGTH)
    }


def _marks(env: PaperworkEnv, call: Call | None) -> list[list[float]]:
    """The points and boxes that a call names, in pixels of the background.

    Points are x and y; boxes left, top, right and bottom.
    """
    tool = next((tool for tool in env.tools if call is not None and tool.name == call.get("tool")), None)
    if tool is None or call is None:
        return []
    down, across = env.state.paper
    scale = {name: (down, across)[axis] for name, axis in AXES.items()}
    sizes = {name: env.page_size[axis] for name, axis in AXES.items()}
    at = {}
    for name in AXES.keys() & tool.arguments.keys() & call.keys():
        space, value = tool.arguments[name].space, call[name]
        if isinstance(value, int | float) and math.isfinite(value) and spans_page(space):
            at[name] = round(value * scale[name] / (1 if is_fraction(space) else sizes[name]), 1)
    shapes = [*_CORNERS, _SIDES] if points_at_page(tool) or "x" not in tool.arguments else [_SIDES]
    return [[at[name] for name in names] for names in shapes if at.keys() >= set(names)]


def _boxes(env: PaperworkEnv) -> list[Sequence[float] | None]:
    """The boxes of the fields in the order of the score; ``None`` where there is none."""
    targets = [target for state in _sheets(env) for target in getattr(getattr(state, "task", None), "targets", ())]
    boxes = {target.name: getattr(target, "blank", None) for target in targets if hasattr(target, "name")}
    return [boxes.get(field.name) for field in env.state.score().fields]


def _pages(env: PaperworkEnv) -> list[int]:
    """The indices of the pages on which the fields are, in the order of the score."""
    return [index for index, state in enumerate(_sheets(env)) for _ in state.score().fields]


def _sheets(env: PaperworkEnv) -> Sequence[State]:
    """The state of each page of a form, or the only one."""
    return env.state.pages if isinstance(env.state, PagedForm) else [env.state]


def _base64(picture: Image) -> str:
    return b64encode(webp(picture, effort=75)).decode()


def _word(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _finite(value: float) -> float | None:
    """A number that JSON can represent."""
    return round(float(value), 4) if math.isfinite(value) else None
