"""Checks: what must hold in every environment, each on a few episodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...agents.base import TaskInfo
from ...agents.baselines import Random
from ...envs.core.env import PaperworkEnv
from ..fuzz import episode as fuzz_episode
from ..running.episodes import Episode
from ..running.rollout import page_digest, replay_to_end

_CLOSE = 1e-9
_MIN_GOLD = 4
"""Shorter right answers, such as X or Yes, are in any text."""
_WRITTEN = ("text", "value", "code")
"""Arguments of tools that hold right answers."""
_QUERIES = ("query_sql",)
"""Tools whose feedback is a source of right answers."""


@dataclass(frozen=True)
class Finding:
    """Whether a check holds in an environment, and what was seen."""

    holds: bool
    note: str = ""


@dataclass(frozen=True)
class Subject:
    """An environment to be checked.

    Attributes:
        make: makes a new one, without wrappers.
        n: how many episodes a check plays.
        played: episodes of baselines by name.
    """

    make: Callable[[], PaperworkEnv]
    n: int
    played: Mapping[str, Sequence[Episode]]

    def scores(self, baseline: str) -> list[float]:
        """The scores of a baseline by the reward's metric; NaN for a crash."""
        metric = self.make().reward_metric
        return [e.metrics[metric] if e.metrics else float("nan") for e in self.played.get(baseline, ())]


def oracle_max(subject: Subject) -> Finding:
    """The oracle has a full score in every episode."""
    scores = subject.scores("oracle")
    return Finding(bool(scores) and all(score == 1 for score in scores), f"{len(scores)} episodes")


def canary_floor(subject: Subject) -> Finding:
    """Doing nothing, and a document handed in as it was, score 0 in every episode."""
    scores = [*subject.scores("noop"), *subject.scores("submit_source")]
    return Finding(bool(scores) and all(score == 0 for score in scores), f"{len(scores)} episodes")


def floor_gap(subject: Subject) -> Finding:
    """The mean of random episodes is less than half of the oracle's."""
    random, oracle = subject.scores("random"), subject.scores("oracle")
    note = f"random {np.mean(random):.2f} on average, at most {max(random):.2f}"
    return Finding(bool(np.mean(random) < np.mean(oracle) / 2), note)


def seed_control(subject: Subject) -> Finding:
    """The same seed draws the same task and page, and other seeds draw others."""
    first, second = subject.make(), subject.make()
    begun = [
        [(env.reset(seed=seed)[1]["task"], page_digest(env.page())) for seed in range(8)] for env in (first, second)
    ]
    return Finding(begun[0] == begun[1] and len(set(begun[0])) > 1, f"{len(set(begun[0]))} of 8 seeds differ")


def episode_determinism(subject: Subject) -> Finding:
    """The same seed and calls give the same pixels, words, rewards and info."""
    return _all_same(subject, lambda seed: (_walk(subject.make(), seed), _walk(subject.make(), seed)))


def episode_isolation(subject: Subject) -> Finding:
    """An episode is the same while another environment is used between its steps."""

    def both(seed: int) -> tuple[list[str], list[str]]:
        walk, other = _walking(subject.make(), seed), _walking(subject.make(), seed + 1_000)
        between = []
        for step in walk:
            between.append(step)
            next(other, None)
        return _walk(subject.make(), seed), between

    return _all_same(subject, both)


def trajectory_record(subject: Subject) -> Finding:
    """Records hold task, seed, every call with its feedback, and survive JSON."""
    episodes = [episode for name in ("oracle", "random") for episode in subject.played[name]]
    whole = [
        bool(e.task)
        and not e.crashed
        and all(len(r.feedback) == len(r.valid) == len(r.calls) >= r.carried_out for r in e.rounds)
        and Episode.model_validate_json(e.model_dump_json()) == e
        for e in episodes
    ]
    return Finding(bool(whole) and all(whole), f"{sum(whole)} of {len(whole)} records")


def replayability(subject: Subject) -> Finding:
    """A record replayed in a new environment gives the same pixels and metrics."""
    episodes = [e for name in ("oracle", "random") for e in subject.played[name][: subject.n]]
    same = []
    for episode in episodes:
        env = subject.make()
        last = replay_to_end(env, episode)
        same.append(
            page_digest(last.page) == episode.page_sha256 and dict(env.state.score().metrics) == episode.metrics
        )
    return Finding(bool(same) and all(same), f"{sum(same)} of {len(same)} records")


def verifier_determinism(subject: Subject) -> Finding:
    """Scoring the same state twice gives the same metrics and fields."""
    same = []
    for seed in range(subject.n):
        env = subject.make()
        _walk(env, seed)
        same.append(env.state.score() == env.state.score())
    return Finding(all(same), f"{len(same)} episodes")


def reward_well_formed(subject: Subject) -> Finding:
    """Every reward is in [-1, 1], and their sum is the final score."""
    low, high = 0.0, 0.0
    for seed in range(subject.n):
        env = subject.make()
        env.reset(seed=seed)
        right = [env.action_space.from_call(call) for call in env.solution()]
        # Random calls on a page that is almost done spoil it: these rewards are negative.
        for calls in (_random_calls(env, seed), right, [*right[:-2], *_random_calls(env, seed)]):
            env.reset(seed=seed)
            total = 0.0
            for action in calls:
                reward, terminated = env.step(action)[1:3]
                low, high, total = min(low, reward), max(high, reward), total + reward
                if terminated:
                    break
            if abs(total - env.state.metrics()[env.reward_metric]) > _CLOSE:
                return Finding(False, f"seed {seed}: rewards sum to {total}")
    return Finding(low >= -1 - _CLOSE and high <= 1 + _CLOSE, f"{low:.2f} to {high:.2f}")


def invariants(subject: Subject) -> Finding:
    """What ``formgym fuzz`` checks after random and hostile actions holds."""
    for seed in range(subject.n):
        env = subject.make()
        env.reset(seed=seed)
        actions = list(fuzz_episode.chance_actions(env, np.random.default_rng(seed), 20))
        if broken := fuzz_episode.play(env, seed, actions, every=4):
            return Finding(False, broken)
    return Finding(True, f"{subject.n} episodes")


def gold_unreachable(subject: Subject) -> Finding:
    """No text shows an agent a right answer that goal and source do not state."""
    hidden, found = 0, set()
    for seed in range(subject.n):
        env = subject.make()
        observation, info = env.reset(seed=seed)
        stated = f"{observation['goal']}\n{observation['source']}".casefold()
        golds = {gold for gold in _golds(env) if len(gold) >= _MIN_GOLD and gold.casefold() not in stated}
        hidden += len(golds)
        found |= _within(golds, [env.action_space.schemas, info, observation])
        for action in _random_calls(env, seed):
            call = env.action_space.to_call(action)
            observation, _, terminated, _, info = env.step(action)
            # What an agent has written comes back to it, and a query's rows are a source.
            if call["tool"] not in _QUERIES:
                found |= _within(golds - _within(golds, call), [info, observation])
            if terminated:
                break
    note = f"{len(found)} of {hidden}" + (f", such as {sorted(found)[0]!r}" if found else "")
    return Finding(not found, note)


CHECKS: dict[str, Callable[[Subject], Finding]] = {
    "semantic.oracle_max": oracle_max,
    "semantic.canary_floor": canary_floor,
    "semantic.floor_gap": floor_gap,
    "runtime.seed_control": seed_control,
    "runtime.episode_determinism": episode_determinism,
    "runtime.episode_isolation": episode_isolation,
    "runtime.trajectory_record": trajectory_record,
    "semantic.replayability": replayability,
    "semantic.verifier_determinism": verifier_determinism,
    "runtime.reward_well_formed": reward_well_formed,
    "runtime.invariants": invariants,
    "ABC.II.5": gold_unreachable,
}
"""By id, as in OpenEnv's validation policy and the Agentic Benchmark Checklist; ``runtime.invariants`` is ours."""


def check_all(subject: Subject) -> dict[str, Finding]:
    """The findings of all checks, by id."""
    return {name: _checked(check, subject) for name, check in CHECKS.items()}


def _checked(check: Callable[[Subject], Finding], subject: Subject) -> Finding:
    """What a check finds; the environments that it makes are closed."""
    with ExitStack() as opened:
        return check(replace(subject, make=lambda: opened.enter_context(closing(subject.make()))))


def _all_same(subject: Subject, pair: Callable[[int], tuple[list[str], list[str]]]) -> Finding:
    same = [left == right for left, right in map(pair, range(subject.n))]
    return Finding(all(same), f"{sum(same)} of {len(same)} episodes")


def _walk(env: PaperworkEnv, seed: int) -> list[str]:
    return list(_walking(env, seed))


def _walking(env: PaperworkEnv, seed: int) -> Iterator[str]:
    """What is seen after each of an episode's random steps."""
    observation, info = env.reset(seed=seed)
    yield _seen(observation, info)
    for action in _random_calls(env, seed):
        observation, reward, terminated, _, info = env.step(action)
        yield _seen(observation, {**info, "reward": reward})
        if terminated:
            return


def _seen(observation: Mapping[str, Any], info: Mapping[str, Any]) -> str:
    pages = [page_digest(value) for value in observation.values() if isinstance(value, np.ndarray)]
    return json.dumps([pages, _strings(observation), info], sort_keys=True)


def _random_calls(env: PaperworkEnv, seed: int) -> list[dict[str, Any]]:
    """Random actions with words of the observation, none of which ends the episode."""
    agent = Random(n_actions=15)
    agent.reset(TaskInfo("", env.action_space), seed)
    return agent.act({"goal": env.state.goal, "source": env.state.source})[:-1]


def _golds(env: PaperworkEnv) -> Iterator[str]:
    """The right answers, and the texts that the solution writes."""
    yield from (field.expected for field in env.state.score().fields if field.expected)
    yield from (str(call[name]) for call in env.solution() for name in _WRITTEN if name in call)


def _strings(value: Any) -> list[str]:
    """All texts in a value, and the names in it."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for pair in value.items() for part in pair for text in _strings(part)]
    return [text for part in value for text in _strings(part)] if isinstance(value, list | tuple) else []


def _within(golds: set[str], value: Any) -> set[str]:
    """The right answers that the texts in a value hold."""
    texts = "\n".join(_strings(value)).casefold()
    return {gold for gold in golds if gold.casefold() in texts}
