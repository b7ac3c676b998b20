"""What must hold in every environment, a function each, whose docstring says it in a sentence.

``EPISODE`` is checked on whole episodes, ``STEP`` after every action; both raise ``Broken``. The battery, ``make fuzz``
and ``benchmarks/health.py`` share them.
"""

from __future__ import annotations

import json
import math
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from formgym.agents.base import TaskInfo
from formgym.agents.baselines import Random, SubmitSource
from formgym.envs.core.env import PaperworkEnv
from formgym.envs.core.metrics import METRICS
from formgym.envs.core.painting import Frame
from formgym.experiments.running.rollout import bare_env

Make = Callable[[], PaperworkEnv]
"""Makes a new environment, without wrappers."""
Begin = int | str
"""A seed, or the id of a task."""

MAX_CPU_SECONDS = 20
"""The time limit of a step."""
_MAX_FEEDBACK = 40_000
_CLOSE = 1e-9
_MIN_GOLD = 4
"""Shorter right answers, such as X or Yes, are in any text."""
_WHOLE = ("strict_accuracy", "field_accuracy", "success", "constraints", "action_accuracy", "component_accuracy")
"""Metrics that are 1 where everything is right, and 0 where nothing was done."""


class Broken(AssertionError):
    """Something that must hold does not hold."""


def hold(is_so: bool, otherwise: object) -> None:
    """Raise ``Broken`` unless something is so."""
    if not is_so:
        raise Broken(str(otherwise))


# -- After every action -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A step: what it returned, and the state's dump, metrics and document before and after it."""

    env: PaperworkEnv
    observation: Mapping[str, Any]
    reward: float
    terminated: bool
    truncated: bool
    info: Mapping[str, Any]
    cpu_seconds: float
    before: str
    after: str
    metrics_before: Mapping[str, float]
    snapshots: Mapping[int, str]


def in_time(step: Step) -> None:
    """A step computes for 20 seconds at most."""
    hold(step.cpu_seconds <= MAX_CPU_SECONDS, f"the step computed for {step.cpu_seconds:.0f} s")


def in_space(step: Step) -> None:
    """The observation is in its space."""
    hold(step.observation in step.env.observation_space, "the observation is not in its space")


def ends_with_its_state(step: Step) -> None:
    """A step terminates if the state is finished, and never truncates."""
    same = step.terminated == step.env.state.finished and not step.truncated
    hold(same, "terminated does not match the state, or truncated is set")


def info_is_feedback_and_metrics(step: Step) -> None:
    """Info holds the task, feedback in words, whether the call was valid, and metrics, as JSON; nothing else."""
    hold(set(step.info) == {"task", "feedback", "valid", "score", "paper_size"}, f"info holds {sorted(step.info)}")
    feedback = step.info["feedback"]
    hold(isinstance(feedback, str) and 0 < len(feedback) <= _MAX_FEEDBACK, "the feedback is empty or too long")
    hold(all(type(value) is float for value in step.info["score"].values()), "a metric is not a float")
    # Raises where half of a surrogate pair is in it, or a number is none.
    json.dumps(step.info, allow_nan=False, ensure_ascii=False).encode()


def metrics_are_in_range(step: Step) -> None:
    """Metrics are from 0 to 1, but for counts."""
    for name, value in step.info["score"].items():
        most = math.inf if name in METRICS and METRICS[name].is_count else 1 + _CLOSE
        hold(math.isfinite(value) and -_CLOSE <= value <= most, f"the metric {name} is {value}")


def reward_is_the_gain(step: Step) -> None:
    """The reward is what the step adds to the score."""
    metric = step.env.reward_metric
    gained = step.info["score"][metric] - step.metrics_before[metric]
    same = math.isfinite(step.reward) and abs(step.reward - gained) <= _CLOSE
    hold(same, f"the reward is {step.reward}, the gain {gained}")


def invalid_calls_change_nothing(step: Step) -> None:
    """A call that is not valid leaves the state as it was."""
    hold(step.info["valid"] or step.before == step.after, "an invalid call has changed the state")


def undo_restores(step: Step) -> None:
    """What is undone is as it was before."""
    history = getattr(step.env.state, "history", None)
    if history is not None and not getattr(step.env.state, "by_program", False):
        depth = len(history) - 1
        if depth < max(step.snapshots):
            hold(step.snapshots[depth] == _document_digest(step.env), "what was undone is not as it was before")


def patched_is_redrawn(step: Step) -> None:
    """The page, patched where it changed, equals the page drawn anew."""
    page = step.observation["page"]
    frame = Frame(np.zeros_like(page), step.env.page_size[0] // page.shape[0])
    frame.show(step.env.state.background, step.env.state.layers, step.env.state.scroll_y)
    hold(np.array_equal(page, frame.buffer), "the patched page differs from the redrawn page")


STEP: Sequence[Callable[[Step], None]] = (
    in_time,
    in_space,
    ends_with_its_state,
    info_is_feedback_and_metrics,
    metrics_are_in_range,
    reward_is_the_gain,
    invalid_calls_change_nothing,
    undo_restores,
    patched_is_redrawn,
)
_COSTLY = {patched_is_redrawn}


class WatchedEpisode:
    """An episode in which everything in ``STEP`` is checked.

    Args:
        env: a bare environment.
        seed: draws the task.
        every: after how many steps the costly checks come.
    """

    def __init__(self, env: PaperworkEnv, seed: int, every: int = 1) -> None:
        self.env, self._seed, self._every = env, seed, every
        self._metrics: Mapping[str, float] = env.reset(seed=seed)[1]["score"]
        self._dump = dumped(env)
        self._calls: list[str] = []
        self._snapshots = {0: _document_digest(env)}

    def step(self, action: Any) -> None:
        """Take a step with a call, which may be anything."""
        taken = self.env.action_space.from_call(action)
        self._calls.append(json.dumps(self.env.action_space.to_call(taken), allow_nan=False))
        began = time.process_time()
        result = self.env.step(taken)
        seconds = time.process_time() - began
        step = Step(self.env, *result, seconds, self._dump, dumped(self.env), self._metrics, self._snapshots)
        is_costly = len(self._calls) % self._every == 0 or step.terminated
        for check in STEP:
            if is_costly or check not in _COSTLY:
                check(step)
        self._metrics, self._dump = step.info["score"], step.after
        depth = len(getattr(self.env.state, "history", ())) - 1
        self._snapshots = {at: one for at, one in self._snapshots.items() if at < depth}
        self._snapshots[depth] = _document_digest(self.env)

    def end(self) -> None:
        """Check the final score, and that the episode played again is the same."""
        env = self.env
        final = {name: value for name, value in env.state.score().metrics.items() if name in self._metrics}
        hold(final == self._metrics, f"the final score {final} is not that of the last step, {self._metrics}")
        page, dump = env.page(), dumped(env)
        env.reset(seed=self._seed)
        for call in self._calls:
            env.step(env.action_space.from_call(json.loads(call)))
        hold(np.array_equal(page, env.page()), "played again, the page is another one")
        hold(dump == dumped(env), "played again, the state is another one")


def dumped(env: PaperworkEnv) -> str:
    """The state as JSON."""
    dump = env.state.dump()
    # A program that cannot be run counts as one that was tried.
    dump.pop("runs", None)
    return json.dumps(dump, sort_keys=True, allow_nan=False)


def _document_digest(env: PaperworkEnv) -> str:
    document = getattr(env.state, "document", None)
    return document.digest if document is not None else ""


# -- Of whole episodes ------------------------------------------------------------------------------------------------


def oracle_is_perfect(make: Make, begins: Sequence[Begin]) -> str:
    """An episode begins with a score of 0; the solution is valid, ends it and has a full score."""
    env, tasks = make(), []
    for begin in begins:
        info = reset(env, begin)[1]
        tasks.append(info["task"])
        hold(_whole(env, info["score"]) == {0.0}, f"{tasks[-1]}: {info['score']} at the beginning")
        for call in env.solution():
            *_, terminated, _, info = env.step(env.action_space.from_call(call))
            hold(info["valid"], f"{tasks[-1]}: {info['feedback']}")
        hold(terminated and _whole(env, info["score"]) == {1.0}, f"{tasks[-1]}: {info['score']}")
    return f"{len(set(tasks))} tasks"


def noop_is_worthless(make: Make, begins: Sequence[Begin]) -> str:
    """Doing nothing scores 0, and so does a document that is handed in as it was."""
    env = make()
    for begin in begins:
        info = reset(env, begin)[1]
        hold(_whole(env, info["score"]) == {0.0}, f"{info['task']}: {info['score']}")
        info = env.step(env.action_space.action("terminate"))[4]
        hold(env.state.finished and _whole(env, info["score"]) == {0.0}, f"{info['task']}: {info['score']}")
        if "modify" in env.action_space.names:
            for action in _planned(SubmitSource(), env, begin):
                info = env.step(action)[4]
            hold(info["score"][env.reward_metric] == 0, f"{info['task']} handed in as it was: {info['score']}")
    return f"{len(begins)} episodes"


def random_is_far_from_perfect(make: Make, begins: Sequence[Begin]) -> str:
    """The mean of random episodes is less than a half."""
    env, scores = make(), []
    for begin in begins:
        list(_steps(env, begin, _random_calls(env, begin, 40)))
        scores.append(env.state.metrics()[env.reward_metric])
    hold(float(np.mean(scores)) < 0.5, f"random scores {np.mean(scores):.2f}")
    return f"random {np.mean(scores):.2f} on average, at most {max(scores):.2f}"


def seeds_decide(make: Make, begins: Sequence[Begin]) -> str:
    """The same seed draws the same task and page in another environment, and other seeds draw others."""
    drawn = [
        [(env.reset(seed=seed)[1]["task"], zlib.crc32(env.page())) for seed in range(8)] for env in (make(), make())
    ]
    hold(drawn[0] == drawn[1], "the same seed has drawn another task")
    hold(len(set(drawn[0])) > 1, "all seeds draw the same task")
    return f"{len(set(drawn[0]))} of 8 seeds differ"


def same_calls_same_episode(make: Make, begins: Sequence[Begin]) -> str:
    """The same seed and calls, random and right ones, give the same pixels, texts, rewards and info anywhere."""
    first, second = make(), make()
    for begin in begins:
        for calls in (_random_calls(first, begin), _solution(first, begin)):
            walks = (list(_walk(env, begin, calls)) for env in (first, second))
            hold(next(walks) == next(walks), f"{begin}: another episode")
    return f"{len(begins)} seeds"


def episodes_are_isolated(make: Make, begins: Sequence[Begin]) -> str:
    """An episode is the same after others, and while another environment is used between its steps."""
    first, second, other = make(), make(), make()
    for begin in begins:
        calls = _random_calls(first, begin)
        between = []
        neighbour = _walk(other, 1_000, _random_calls(other, 1_000))
        for seen in _walk(second, begin, calls):
            between.append(seen)
            next(neighbour, None)
        hold(list(_walk(first, begin, calls)) == between, f"{begin}: another episode")
    return f"{len(begins)} seeds"


def scoring_is_pure(make: Make, begins: Sequence[Begin]) -> str:
    """Scoring the same state twice gives the same metrics and fields."""
    env = make()
    for begin in begins:
        list(_walk(env, begin, _random_calls(env, begin)))
        hold(env.state.score() == env.state.score(), f"{begin}: another score")
    return f"{len(begins)} episodes"


def rewards_sum_to_the_score(make: Make, begins: Sequence[Begin]) -> str:
    """Every reward is in [-1, 1], and their sum is the final score."""
    env, low, high = make(), 0.0, 0.0
    for begin in begins:
        right, chance = _solution(env, begin), _random_calls(env, begin)
        # Random calls on a page that is almost done spoil it: these rewards are negative.
        for calls in (chance, right, [*right[:-2], *chance]):
            rewards = [float(reward) for _, reward, *_ in _steps(env, begin, calls)]
            low, high = min(low, *rewards, 0.0), max(high, *rewards, 0.0)
            final = env.state.metrics()[env.reward_metric]
            hold(abs(sum(rewards) - final) <= _CLOSE, f"{begin}: rewards sum to {sum(rewards)}, not {final}")
    hold(low >= -1 - _CLOSE and high <= 1 + _CLOSE, f"rewards from {low} to {high}")
    return f"{low:.2f} to {high:.2f}"


def gold_is_hidden(make: Make, begins: Sequence[Begin]) -> str:
    """No text shows an agent a right answer that goal and source do not state."""
    env, hidden, leaked = make(), 0, set[str]()
    for begin in begins:
        observation, info = reset(env, begin)
        stated = f"{observation['goal']}\n{observation['source']}".casefold()
        golds = {gold for gold in _golds(env) if len(gold) >= _MIN_GOLD and gold.casefold() not in stated}
        hidden += len(golds)
        leaked |= _within(golds, [env.action_space.schemas, info, observation])
        for call in _random_calls(env, begin):
            observation, _, terminated, _, info = env.step(env.action_space.from_call(call))
            # What an agent has written comes back to it, and a query's rows are a source.
            if call["tool"] != "query_sql":
                leaked |= _within(golds - _within(golds, call), [info, observation])
            if terminated:
                break
    note = f"{len(leaked)} of {hidden}" + (f", such as {min(leaked)!r}" if leaked else "")
    hold(not leaked, note)
    return note


EPISODE: dict[str, Callable[[Make, Sequence[Begin]], str]] = {
    "semantic.oracle_max": oracle_is_perfect,
    "semantic.canary_floor": noop_is_worthless,
    "semantic.floor_gap": random_is_far_from_perfect,
    "runtime.seed_control": seeds_decide,
    "runtime.episode_determinism": same_calls_same_episode,
    "runtime.episode_isolation": episodes_are_isolated,
    "semantic.verifier_determinism": scoring_is_pure,
    "runtime.reward_well_formed": rewards_sum_to_the_score,
    "ABC.II.5": gold_is_hidden,
}
"""By id, as in OpenEnv's validation policy and the Agentic Benchmark Checklist."""


def reset(env: PaperworkEnv, begin: Begin) -> tuple[Any, dict[str, Any]]:
    """Begin an episode."""
    return env.reset(seed=begin) if isinstance(begin, int) else env.reset(seed=0, options={"task": begin})


def _steps(env: PaperworkEnv, begin: Begin, calls: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """What each step returns, until the episode ends."""
    reset(env, begin)
    for call in calls:
        yield (result := env.step(env.action_space.from_call(call)))
        if result[2]:
            return


def _walk(env: PaperworkEnv, begin: Begin, calls: Iterable[Any]) -> Iterator[str]:
    """What is seen at the beginning and after each step, as text."""
    yield _seen(*reset(env, begin))
    for observation, reward, _, _, info in _steps(env, begin, calls):
        yield _seen(observation, {**info, "reward": reward})


def digests(arguments: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """A digest of what an episode of random calls shows, for each id; each is made with arguments of its own."""
    found = {}
    for env_id, options in arguments.items():
        env = bare_env(env_id, **options)
        found[env_id] = zlib.crc32("".join(_walk(env, 7, _random_calls(env, 7))).encode())
    return found


def _seen(observation: Mapping[str, Any], info: Mapping[str, Any]) -> str:
    pages = [zlib.crc32(np.ascontiguousarray(page)) for page in observation.values() if isinstance(page, np.ndarray)]
    return json.dumps([pages, observation["goal"], observation["source"], info], sort_keys=True)


def _random_calls(env: PaperworkEnv, begin: Begin, n: int = 15) -> list[dict[str, Any]]:
    """Random calls with words of the observation, none of which ends the episode."""
    return [env.action_space.to_call(action) for action in _planned(Random(n_actions=n), env, begin)[:-1]]


def _planned(agent: Any, env: PaperworkEnv, begin: Begin) -> list[Any]:
    """The actions of an agent that looks at the page once."""
    observation, _ = reset(env, begin)
    agent.reset(TaskInfo("", env.action_space), begin if isinstance(begin, int) else 0)
    return list(agent.act(observation))


def _solution(env: PaperworkEnv, begin: Begin) -> list[dict[str, Any]]:
    reset(env, begin)
    return list(env.solution())


def _whole(env: PaperworkEnv, metrics: Mapping[str, float]) -> set[float]:
    return {metrics[name] for name in (env.reward_metric, *_WHOLE) if name in metrics}


def _golds(env: PaperworkEnv) -> Iterator[str]:
    """The right answers, and the texts that the solution writes."""
    yield from (field.expected for field in env.state.score().fields if field.expected)
    yield from (str(call[name]) for call in env.solution() for name in ("text", "value", "code") if name in call)


def _within(golds: set[str], value: Any) -> set[str]:
    """The right answers that the texts in a value hold."""
    texts = "\n".join(_strings(value)).casefold()
    return {gold for gold in golds if gold.casefold() in texts}


def _strings(value: Any) -> list[str]:
    """All texts in a value, and the names in it."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for pair in value.items() for part in pair for text in _strings(part)]
    return [text for part in value for text in _strings(part)] if isinstance(value, list | tuple) else []
