"""Verification: replay a submission on this machine and tell what differs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from typing import Any, cast

import gymnasium as gym

from ... import __version__
from ...envs.core.env import PaperworkEnv
from ...envs.core.painting import Image
from ...envs.core.scoring import FieldResult
from ...envs.core.tasks import episode_seed
from ...envs.registration import ids
from ..reporting.replay_frames import FAILURES
from ..running.episode_loop import n_requested
from ..running.episodes import Episode, total_usage
from ..running.rollout import ReplayStep, page_digest, replay
from ..running.runs import summarise
from ..running.secrets import with_secret
from ..running.settings import unusual_settings
from .submission import (
    Environment,
    Submission,
    SubmittedRun,
    assets_digest,
    scaffold_of,
    tasks_digest,
    versions,
)

_MAX_LISTED = 5
_TOLERANCE = 1e-9
"""Of metrics, in which only the order of sums may differ."""


def differences(submission: Submission, digest: str, progress: Callable[[], object] = lambda: None) -> Iterator[str]:
    """What is not confirmed on this machine, a sentence each.

    Every episode is replayed in an environment of this machine's formgym.

    Args:
        submission: what to check.
        digest: that its content has; see ``read_submission``.
        progress: called after each episode.
    """
    if submission.sha256 != digest:
        yield f"digest: the file says {submission.sha256[:12]}…, its content has {digest[:12]}…"
    if submission.versions.get("formgym") != __version__:
        yield f"version: of formgym, {submission.versions.get('formgym')}; here {__version__}"
    if submission.assets_sha256 != assets_digest():
        yield "assets: the index of shipped files is another one here"
    if not submission.runs:
        yield "runs: there are none"
    seen: dict[str, int] = {}
    for number, run in enumerate(submission.runs, start=1):
        first = seen.setdefault(json.dumps([run.settings, run.env.model_dump()], sort_keys=True), number)
        if first != number:
            yield f"run {number}: the same run as run {first}"
        for difference in _run_differences(run, progress):
            yield f"run {number} ({run.settings.get('names', {}).get('agent')} on {run.env.id}): {difference}"


def other_versions(submission: Submission) -> list[str]:
    """The libraries whose versions are others here: worth knowing where pixels differ."""
    here = versions()
    stated = {name: text for name, text in submission.versions.items() if name != "formgym"}
    return [f"{name} {text}, here {here.get(name, 'none')}" for name, text in stated.items() if text != here.get(name)]


def _run_differences(run: SubmittedRun, progress: Callable[[], object]) -> Iterator[str]:
    # Before anything looks the id up: Gymnasium imports the module before a colon.
    if run.env.id not in ids():
        yield f"{run.env.id} is no environment of formgym"
        return
    try:
        yield from _claim_differences(run)
        env = _environment(run.env)
    except (*FAILURES, KeyError, TypeError, AttributeError) as error:
        yield f"cannot be opened: {type(error).__name__}: {error}"
        return
    with closing(env):
        if tasks_digest(env) != run.tasks_sha256:
            yield "tasks: the environment has others here"
        yield from _count_differences(run, env)
        for episode in run.episodes:
            for difference in _episode_differences(env, run, episode):
                yield f"episode {episode.index}: {difference}"
            progress()


def _environment(env: Environment) -> PaperworkEnv:
    """The bare environment, with what this machine registers under the id.

    Raises:
        ValueError: if its arguments are not right, or its private split needs a secret.
    """
    spec = deepcopy(gym.spec(env.id))
    spec.kwargs = with_secret(env.kwargs)
    return cast(PaperworkEnv, gym.make(spec).unwrapped)


def _claim_differences(run: SubmittedRun) -> Iterator[str]:
    """What the parts of a run say of each other, aggregates included."""
    settings, names = run.settings, run.settings["names"]
    if settings["version"] != __version__:
        yield f"version: made with formgym {settings['version']}; here {__version__}"
    if names["env"] != run.env.id or settings["env"]["id"].removeprefix("formgym:") != run.env.id:
        yield f"environment: the settings say {names['env']}"
    yield from _argument_differences(run)
    if names["settings"] != _plain(unusual_settings(run.env.id, settings["env"])):
        yield "environment: its title does not have its settings"
    if run.scaffold != scaffold_of(settings):
        yield "scaffold: not that of the settings"
    if run.usage != total_usage(run.episodes):
        yield "usage: not the sum over the episodes"
    expected = _plain(summarise(settings, run.episodes))
    yield from (f"aggregates: {path}" for path in _unequal(run.summary, expected))


def _argument_differences(run: SubmittedRun) -> Iterator[str]:
    """Arguments of the environment that are neither in the settings nor usual."""
    usual, settings = _plain(gym.spec(run.env.id).kwargs), run.settings["env"]
    for name in sorted(run.env.kwargs.keys() | usual.keys()):
        expected = settings.get(name, usual.get(name))
        if run.env.kwargs.get(name) != expected:
            yield f"environment: {name} is {run.env.kwargs.get(name)!r}, in the settings {expected!r}"


def _count_differences(run: SubmittedRun, env: PaperworkEnv) -> Iterator[str]:
    """Episodes that are missing, there twice or too many."""
    try:
        total = n_requested(run.settings["episodes"], env)
    except ValueError as error:
        yield str(error)
        return
    counts = Counter(episode.index for episode in run.episodes)
    missing = [index for index in range(total) if index not in counts]
    twice = [index for index, count in counts.items() if count > 1]
    beyond = [index for index in counts if not 0 <= index < total]
    for words, some in (("missing", missing), ("there more than once", twice), ("not of the run", beyond)):
        if some:
            yield f"{len(some)} of {total} episodes {words}: {_listed(some)}"


def _episode_differences(env: PaperworkEnv, run: SubmittedRun, episode: Episode) -> Iterator[str]:
    """What of an episode differs from its replay and from what the run's seed gives."""
    try:
        yield from _origin_differences(env, run, episode)
        if episode.crashed:
            yield from (_unscored_differences(episode))
            return
        replies, page = _replies_and_page(replay(env, episode))
        if page_digest(page) != episode.page_sha256:
            yield "pixels: the page is another one in the end"
        # Wrappers may add to the feedback, and refuse calls themselves.
        if not run.settings["wrappers"] and replies != _stated_replies(episode):
            yield "feedback: that of some call, or whether it was valid, is another one"
        if episode.error is not None:
            yield from _unscored_differences(episode)
            return
        score = env.state.score()
    # Calls can be anything, and the environment's arguments may not go with them.
    except (*FAILURES, TypeError, KeyError, AttributeError) as error:
        yield f"cannot be replayed: {type(error).__name__}: {error}"
        return
    for path in _unequal(episode.metrics, _plain(dict(score.metrics))):
        yield f"score: {path}"
    yield from _field_differences(episode.fields, score.fields)


def _replies_and_page(steps: Iterable[ReplayStep]) -> tuple[list[tuple[str, bool]], Image]:
    """The feedback on each call and whether it was valid; and the last page."""
    replies = []
    for step in steps:
        replies.append((step.feedback, step.valid))
        page = step.page
    return replies[1:], page


def _stated_replies(episode: Episode) -> list[tuple[str, bool]]:
    rounds = ((r.feedback[: r.carried_out], r.valid[: r.carried_out]) for r in episode.rounds)
    return [reply for feedback, valid in rounds for reply in zip(feedback, valid, strict=True)]


def _origin_differences(env: PaperworkEnv, run: SubmittedRun, episode: Episode) -> Iterator[str]:
    """Whether the seed and the task are those that the seed of the run gives."""
    if episode.env != run.env.id:
        yield f"environment: {episode.env}"
    seed = episode_seed(run.settings["seed"], episode.index)
    if episode.seed != seed:
        yield f"seed: {episode.seed}; seed {run.settings['seed']} of the run gives {seed}"
    if run.settings["episodes"] is None:
        task = env.task_ids[episode.index] if 0 <= episode.index < len(env.task_ids) else None
    else:
        env.reset(seed=seed)
        task = env.state.task_id
    # A crash may come before the task is known.
    if episode.task != task and not (episode.crashed and not episode.task):
        yield f"task: {episode.task}; the seed of the run gives {task}"


def _unscored_differences(episode: Episode) -> Iterator[str]:
    if episode.metrics is not None or episode.fields:
        yield f"score: the episode ended by {episode.ended} and has one all the same"


def _field_differences(stated: Sequence[FieldResult], found: Sequence[FieldResult]) -> Iterator[str]:
    if len(stated) != len(found):
        yield f"fields: {len(stated)}; the replay has {len(found)}"
        return
    wrong = [one.name for one, other in zip(stated, found, strict=True) if one != other]
    if wrong:
        yield f"fields: {len(wrong)} differ: {_listed(wrong)}"


def _unequal(stated: Any, found: Any, path: str = "") -> Iterator[str]:
    """Where two values of plain JSON types differ, and what they are."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for name in sorted(stated.keys() | found.keys()):
            yield from _unequal(stated.get(name), found.get(name), f"{path}.{name}" if path else str(name))
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for i, pair in enumerate(zip(stated, found, strict=True)):
            yield from _unequal(*pair, f"{path}[{i}]")
    elif not _same(stated, found):
        yield f"{path} is {stated!r}, found {found!r}"


def _same(stated: Any, found: Any) -> bool:
    both = stated, found
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in both):
        return bool(abs(stated - found) <= _TOLERANCE)
    return type(stated) is type(found) and bool(stated == found)


def _plain(value: Any) -> Any:
    """A value as JSON has it: tuples are lists."""
    return json.loads(json.dumps(value))


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values[:_MAX_LISTED])) + (", …" if len(values) > _MAX_LISTED else "")
