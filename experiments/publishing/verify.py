"""Verification: play a submission again on this machine, tell what differs, and what it is worth."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, cast

from ... import __version__
from ...envs.core.env import PaperworkEnv
from ...envs.core.tasks import episode_seed
from ..running.conditions import holds_ground_truth, joined, options, wrapper_titles
from ..running.episodes import Episode, total_usage
from ..running.rollout import REPLAY_ERRORS
from ..running.run_folder import summarise
from ..running.runner import n_requested
from .official import CONDITIONS, EPISODES, deviations
from .replaying import Basis, Replayer, played_rounds
from .submission import Submission, SubmittedRun, assets_digest, published, tasks_digest, versions

_MAX_LISTED = 5
_TOLERANCE = 1e-9
"""Of metrics, in which only the order of sums may differ."""
_COMPARED = ("env", "task", "seed", "ended", "stop_reason", "fault")
_AS_IT_IS = ("terminated", "truncated")


@dataclass
class Standing:
    """What a run is worth here: every planned episode counts, 0 where it is missing or has no score.

    Attributes:
        env: the id of the environment.
        agent: its name.
        conditions: flow, wrappers and what else may make tasks easier.
        basis: what was played again.
        planned: how many episodes the run has.
        scores: the most important metric of each episode as it went here, by index.
        zeros: how many episodes count 0, by the reason.
        unofficial: why it is no official run; empty if it is one.
        bars: why it can have no rank, though it is official.
    """

    env: str
    agent: str
    conditions: str
    basis: Basis
    planned: int
    scores: dict[int, float] = field(default_factory=dict)
    zeros: Counter[str] = field(default_factory=Counter)
    unofficial: list[str] = field(default_factory=list)
    bars: list[str] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """The mean over the planned episodes."""
        return sum(self.scores.values()) / self.planned

    @property
    def suite(self) -> str:
        """The suite of its environment."""
        return self.env.partition("/")[0]


@dataclass(frozen=True)
class Verification:
    """What came of playing a submission again: differences, a sentence each, and the standing of each run."""

    differences: list[str]
    standings: list[Standing]

    @property
    def is_confirmed(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def is_ranked(self, standing: Standing) -> bool:
        """Whether a standing bears a rank."""
        return self.is_confirmed and not standing.unofficial and not standing.bars


def verified(
    submission: Submission,
    digest: str,
    progress: Callable[[], object] = lambda: None,
    official: Mapping[str, int | None] = EPISODES,
) -> Verification:
    """A submission played again in environments of this machine's formgym.

    Args:
        submission: what to check.
        digest: the SHA-256 of its content; see ``read_submission``.
        progress: called after each episode.
        official: how many episodes an official run has; see ``official.deviations``.
    """
    differences, standings = list(_file_differences(submission, digest)), []
    for number, run in enumerate(submission.runs, start=1):
        check = _RunCheck(run, official)
        differences += [f"run {number} ({run.spec.title}): {text}" for text in check.differences(progress)]
        standings += [check.standing] if check.standing else []
    return Verification(differences, standings)


def other_versions(submission: Submission) -> list[str]:
    """The libraries whose versions are others here: worth knowing where pixels differ."""
    here = versions()
    stated = {name: text for name, text in submission.versions.items() if name != "formgym"}
    return [f"{name} {text}, here {here.get(name, 'none')}" for name, text in stated.items() if text != here.get(name)]


def _file_differences(submission: Submission, digest: str) -> Iterator[str]:
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
        first = seen.setdefault(f"{run.spec.env_id} {run.spec.name} {_conditions(run)} {run.spec.settings}", number)
        if first != number:
            yield f"run {number}: the same agent, environment and conditions as run {first}"


def _conditions(run: SubmittedRun) -> str:
    """Flow, wrappers and all options that may make the tasks easier, and a mark where something knows answers."""
    spec = run.spec
    others = [*options(spec), *(f"{name}={value}" for name, value in spec.settings.items() if name in CONDITIONS)]
    return joined(spec.flow_name, wrapper_titles(spec), list(dict.fromkeys(others)), bool(holds_ground_truth(spec)))


class _RunCheck:
    """Plays a run again; then ``standing`` says what it is worth, unless it cannot be played."""

    def __init__(self, run: SubmittedRun, official: Mapping[str, int | None]) -> None:
        self.run, self._official = run, official
        self.standing: Standing | None = None

    def differences(self, progress: Callable[[], object]) -> Iterator[str]:
        """What is not confirmed, a sentence each."""
        run = self.run
        try:
            replayer = Replayer(run.spec)
            env = replayer.make_env()
            total = max(len(run.episodes), 1) if run.spec.is_open_ended else n_requested(run.spec.episodes, env)
        except (*REPLAY_ERRORS, AssertionError) as error:
            yield f"cannot be opened: {type(error).__name__}: {error}"
            return
        with closing(env):
            reasons = list(deviations(run.spec, self._official))
            standing = Standing(
                run.spec.env_id, run.spec.name, _conditions(run), replayer.basis, total, unofficial=reasons
            )
            self.standing = standing
            knowing = [*holds_ground_truth(run.spec), *(["agent"] if any(e.privileged for e in run.episodes) else [])]
            standing.bars += [f"{name} knows answers" for name in dict.fromkeys(knowing)]
            yield from _claim_differences(run)
            if tasks_digest(cast(PaperworkEnv, env.unwrapped)) != run.tasks_sha256:
                yield "tasks: the environment has others here"
            yield from _count_differences(run, total)
            for episode in run.episodes:
                for difference in self._episode_differences(replayer, env, episode):
                    yield f"episode {episode.index}: {difference}"
                progress()
        there = {episode.index for episode in run.episodes}
        standing.zeros["missing"] += sum(index not in there for index in range(min(total, 1 << 20)))

    def _episode_differences(self, replayer: Replayer, env: Any, episode: Episode) -> Iterator[str]:
        """What of an episode is not as it goes here; its score here is entered."""
        assert self.standing is not None
        spec, task = self.run.spec, None
        seed = episode.seed if spec.is_open_ended else episode_seed(spec.seed, max(episode.index, 0))
        if episode.seed != seed:
            yield f"seed: {episode.seed}; seed {spec.seed} of the run gives {seed}"
        if spec.is_open_ended and not episode.is_replayable:
            self.standing.zeros["without calls"] += 1
            return
        if not 0 <= episode.index < self.standing.planned or not episode.is_replayable:
            yield "cannot be played again"
            return
        if spec.is_open_ended:
            task = episode.task
        elif spec.episodes is None:
            task = cast(PaperworkEnv, env.unwrapped).task_ids[episode.index]
        again = replayer.play(env, episode.model_copy(update={"seed": seed}), task)
        found = list(_differing(episode, again, replayer.basis, spec.agent.get("prompts") is not None))
        yield from found
        self._enter(episode, again, bool(found))

    def _enter(self, episode: Episode, again: Episode, differs: bool) -> None:
        standing = self.standing
        assert standing is not None
        # Its own silence is what the replay shows; other stops are the word of whoever submits.
        is_shown = again.ended in _AS_IT_IS or (again.stop_reason == "silent" and standing.basis == "replies")
        if again.crashed and again.fault == "environment":
            standing.bars.append(f"the environment crashes in episode {episode.index}, until it is mended")
        if differs or again.headline is None or not is_shown:
            standing.zeros["differs" if differs else _reason(again)] += 1
        else:
            standing.scores.setdefault(episode.index, again.headline[1])


def _reason(episode: Episode) -> str:
    return {"stopped": "stopped by the provider", "crash": "crashed"}.get(episode.ended, "unscored")


def _claim_differences(run: SubmittedRun) -> Iterator[str]:
    """What the parts of a run say of each other, aggregates included."""
    if run.version != __version__:
        yield f"version: made with formgym {run.version}; here {__version__}"
    if run.usage != total_usage(run.episodes):
        yield "usage: not the sum over the episodes"
    expected = _plain(summarise(run.spec, run.version, run.episodes))
    yield from (f"aggregates: {path}" for path in _unequal(run.summary, expected))


def _count_differences(run: SubmittedRun, total: int) -> Iterator[str]:
    """Episodes that are missing, there twice or too many."""
    counts = Counter(episode.index for episode in run.episodes)
    within = [index for index in counts if 0 <= index < total]
    if missing := total - len(within):
        some = _listed([index for index in range(min(total, 1 << 20)) if index not in counts])
        yield f"{missing} of {total} episodes missing: {some}"
    if twice := [index for index, count in counts.items() if count > 1]:
        yield f"{len(twice)} of {total} episodes there more than once: {_listed(twice)}"
    if beyond := [index for index in counts if not 0 <= index < total]:
        yield f"{len(beyond)} of {total} episodes not of the run: {_listed(beyond)}"


def _differing(episode: Episode, again: Episode, basis: Basis, own_prompts: bool) -> Iterator[str]:
    """How the record of an episode differs from how it goes here."""
    for name in _COMPARED:
        stated, found = getattr(episode, name), getattr(again, name)
        # Nobody is at fault where a person left.
        if name == "fault" and basis == "calls only" and stated is None and episode.ended == "error":
            continue
        # A crash may come before the task is known.
        if stated != found and not (name == "task" and episode.crashed and not stated):
            yield f"{name}: {stated or 'none'}; here {found or 'none'}"
    if (episode.error is None) != (again.error is None):
        yield f"error: {_said(episode.error)}; here {_said(again.error)}"
    if episode.page_sha256 != again.page_sha256:
        yield "pixels: the final page differs"
    # Records of people have no digest of it.
    if episode.observed_sha256 != again.observed_sha256 and (episode.observed_sha256 or basis != "calls only"):
        yield "observation: the first one differs"
    if abs(episode.reward - again.reward) > _TOLERANCE:
        yield f"reward: {episode.reward}; here {again.reward}"
    yield from (f"score: {path}" for path in _unequal(_plain(episode.metrics), _plain(again.metrics)))
    if episode.fields != again.fields:
        yield "fields: " + _listed_fields(episode, again)
    yield from _round_differences(episode, again, basis, own_prompts)


def _round_differences(episode: Episode, again: Episode, basis: Basis, own_prompts: bool) -> Iterator[str]:
    """The first round that differs, and how."""
    pair = (episode.rounds, published(again).rounds) if basis != "calls only" else map(played_rounds, (episode, again))
    stated, found = pair
    for number, (one, other) in enumerate(zip(stated, found, strict=False), start=1):
        for name in ("calls", "asked", "feedback", "valid", "carried_out"):
            if _plain(getattr(one, name)) != _plain(getattr(other, name)):
                yield f"round {number}: {name} differ"
                return
        for part, values in _exchanges(one, other, own_prompts) if basis == "replies" else ():
            if values[0] != values[1]:
                yield f"round {number}: {part} differ"
                return
    if len(stated) != len(found):
        yield f"rounds: {len(stated)}; here {len(found)}"


def _exchanges(one: Any, other: Any, own_prompts: bool) -> Iterator[tuple[str, list[Any]]]:
    """What a model was asked in two records of a round, what it replied, and what was read in that."""
    both = one.exchanges, other.exchanges
    if not own_prompts:
        yield "prompts", [[e.prompt for e in some] for some in both]
    yield "pictures", [[part.get("pictures") for e in some for part in e.prompt] for some in both]
    yield "replies", [_plain([(e.reply, e.native, e.stop) for e in some]) for some in both]
    yield "calls read in replies", [_plain([e.calls for e in some]) for some in both]


def _listed_fields(episode: Episode, again: Episode) -> str:
    if len(episode.fields) != len(again.fields):
        return f"{len(episode.fields)}; here {len(again.fields)}"
    wrong = [one.name for one, other in zip(episode.fields, again.fields, strict=True) if one != other]
    return f"{len(wrong)} differ: {_listed(wrong)}"


def _unequal(stated: Any, found: Any, path: str = "") -> Iterator[str]:
    """Where two values of plain JSON types differ, and what they are."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for name in sorted(stated.keys() | found.keys()):
            yield from _unequal(stated.get(name), found.get(name), f"{path}.{name}" if path else str(name))
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for i, pair in enumerate(zip(stated, found, strict=True)):
            yield from _unequal(*pair, f"{path}[{i}]")
    elif not _same(stated, found):
        yield f"{path} is {stated!r}, found {found!r}".strip()


def _same(stated: Any, found: Any) -> bool:
    both = stated, found
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in both):
        return bool(abs(stated - found) <= _TOLERANCE)
    return type(stated) is type(found) and bool(stated == found)


def _plain(value: Any) -> Any:
    """A value as JSON has it: tuples are lists."""
    return json.loads(json.dumps(value))


def _said(error: str | None) -> str:
    return "none" if error is None else "one"


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values[:_MAX_LISTED])) + (", …" if len(values) > _MAX_LISTED else "")
