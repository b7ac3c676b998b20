"""Verification: replay a submission on this machine and tell what differs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from ... import __version__
from ...envs.core.env import PaperworkEnv
from ...envs.core.scoring import FieldResult
from ...envs.core.tasks import episode_seed
from ..running.episodes import Episode, total_usage
from ..running.recorded import recorded_env
from ..running.rollout import REPLAY_ERRORS, regraded
from ..running.run_folder import summarise
from ..running.runner import n_requested
from .submission import Submission, SubmittedRun, assets_digest, tasks_digest, versions

_MAX_LISTED = 5
_TOLERANCE = 1e-9
"""Of metrics, in which only the order of sums may differ."""


def differences(submission: Submission, digest: str, progress: Callable[[], object] = lambda: None) -> Iterator[str]:
    """What is not confirmed on this machine, a sentence each.

    Every episode is replayed in an environment of this machine's formgym.

    Args:
        submission: what to check.
        digest: the SHA-256 of its content; see ``read_submission``.
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
        first = seen.setdefault(run.spec.model_dump_json(), number)
        if first != number:
            yield f"run {number}: the same run as run {first}"
        for difference in _run_differences(run, progress):
            yield f"run {number} ({run.spec.title}): {difference}"


def other_versions(submission: Submission) -> list[str]:
    """The libraries whose versions are others here: worth knowing where pixels differ."""
    here = versions()
    stated = {name: text for name, text in submission.versions.items() if name != "formgym"}
    return [f"{name} {text}, here {here.get(name, 'none')}" for name, text in stated.items() if text != here.get(name)]


def _run_differences(run: SubmittedRun, progress: Callable[[], object]) -> Iterator[str]:
    yield from _claim_differences(run)
    try:
        env = recorded_env(run.spec.env)
    except REPLAY_ERRORS as error:
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


def _claim_differences(run: SubmittedRun) -> Iterator[str]:
    """What the parts of a run say of each other, aggregates included."""
    if run.version != __version__:
        yield f"version: made with formgym {run.version}; here {__version__}"
    if run.usage != total_usage(run.episodes):
        yield "usage: not the sum over the episodes"
    expected = _plain(summarise(run.spec, run.version, run.episodes))
    yield from (f"aggregates: {path}" for path in _unequal(run.summary, expected))


def _count_differences(run: SubmittedRun, env: PaperworkEnv) -> Iterator[str]:
    """Episodes that are missing, there twice or too many."""
    try:
        total = n_requested(run.spec.episodes, env)
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
    except REPLAY_ERRORS as error:
        yield f"cannot be replayed: {type(error).__name__}: {error}"
        return
    if episode.crashed:
        yield from _unscored_differences(episode)
        return
    replayed = regraded(env, episode)
    if isinstance(replayed, str):
        yield f"cannot be replayed: {replayed}"
        return
    if not replayed.is_same_page:
        yield "pixels: the final page differs"
    # Wrappers may add to the feedback, and refuse calls themselves.
    if not run.spec.wrappers and replayed.replies != _stated_replies(episode):
        yield "feedback: the text or the validity of some call differs"
    if episode.error is not None:
        yield from _unscored_differences(episode)
        return
    for path in _unequal(episode.metrics, _plain(replayed.episode.metrics)):
        yield f"score: {path}"
    yield from _field_differences(episode.fields, replayed.episode.fields)


def _stated_replies(episode: Episode) -> list[tuple[str, bool]]:
    rounds = ((r.feedback[: r.carried_out], r.valid[: r.carried_out]) for r in episode.rounds)
    return [reply for feedback, valid in rounds for reply in zip(feedback, valid, strict=True)]


def _origin_differences(env: PaperworkEnv, run: SubmittedRun, episode: Episode) -> Iterator[str]:
    """Whether the seed and the task are those that the seed of the run gives."""
    if episode.env != run.spec.env_id:
        yield f"environment: {episode.env}"
    seed = episode_seed(run.spec.seed, episode.index)
    if episode.seed != seed:
        yield f"seed: {episode.seed}; seed {run.spec.seed} of the run gives {seed}"
    if run.spec.episodes is None:
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
