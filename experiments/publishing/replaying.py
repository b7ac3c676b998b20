"""Episodes of strangers are played again, by agents, flows and wrappers of formgym's own tables alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NoReturn

import gymnasium as gym

from ... import agents, wrappers
from ...agents.base import Action, Agent, Exchange, ModelError, ModelStopped, TaskInfo
from ...agents.models.model import Reply, ToolCall
from ...agents.models.scripted import Scripted
from ..running.episodes import Episode, Round
from ..running.recorded import recorded_env
from ..running.rollout import run_episode
from ..running.run_spec import INSIDE_FLOW, RunSpec, path_of

Basis = Literal["replies", "played again", "calls only"]
"""What is played: an agent of formgym with the recorded replies of its model, the agent itself, or recorded calls."""

_Layer = Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]

_MODEL_AGENTS = ("VLM", "ComputerUse")
_AGENTS = ("Noop", "Oracle", "Pointing", "Random", "RuleBased", "SubmitSource", "TickEverything")
_WRAPPERS = tuple(name for name in wrappers.__all__ if name not in ("ActionBatch", "SB3VecEnv"))
_PROMISED: Mapping[str, str] = {"one_shot": "max_rounds", "stepwise": "max_actions"}
"""What the names of flows say is 1."""
_LOCATORS = ("oracle", "noisy_oracle", "fieldfinder", "rules", "right_of_label")
"""Those that need no file; a locator of one's own would be code."""
_NAMED_LOCATOR = "formgym.fieldfinder_model.locators.named_locator"


class Replayer:
    """Plays the episodes of a run again.

    Args:
        spec: of the run. Nothing that it names is imported: names are looked up in formgym's tables.

    Attributes:
        basis: what is played.

    Raises:
        ValueError: if its flow or a wrapper is none of formgym's, or has options that cannot be checked.
    """

    def __init__(self, spec: RunSpec) -> None:
        self._spec, self._layers = spec, _layers(spec)
        name = _name_in(agents, spec.agent, (*_MODEL_AGENTS, *_AGENTS))
        options = None if name is None else _agent_options(spec.agent, with_model=name in _MODEL_AGENTS)
        self._class: Callable[..., Agent] | None = None
        if name is not None and options is not None:
            self._class = getattr(agents, name)
        self._options = options or {}
        self.basis: Basis = (
            "calls only" if self._class is None else "replies" if name in _MODEL_AGENTS else "played again"
        )
        self._again = self._class(**self._options) if self._class and self.basis == "played again" else None

    def make_env(self) -> gym.Env[Any, Any]:
        """The environment in the flow and the wrappers of the run.

        Raises:
            ValueError: if it cannot be made.
        """
        env: gym.Env[Any, Any] = recorded_env(self._spec.env)
        limit = self._spec.env_arguments.get("max_episode_steps", gym.spec(self._spec.env_id).max_episode_steps)
        if limit is not None:
            env = gym.wrappers.TimeLimit(env, limit)
        for layer in self._layers:
            env = layer(env)
        return env

    def play(self, env: gym.Env[Any, Any], episode: Episode, task: str | None) -> Episode:
        """The episode as it goes here.

        Args:
            env: of ``make_env``.
            episode: as it is recorded.
            task: of the run's plan; ``None``: the seed chooses.
        """
        return run_episode(env, self._agent(episode), index=episode.index, seed=episode.seed, task=task)

    def _agent(self, episode: Episode) -> Agent:
        if self._again is not None:
            return self._again
        if self._class is None:
            return _RecordedCalls(episode)
        return self._class(Scripted(_recorded_replies(episode)), **self._options)


class _RecordedCalls:
    """An agent that calls what an episode has recorded, round by round."""

    def __init__(self, episode: Episode) -> None:
        self._episode, self._rounds = episode, iter(played_rounds(episode))

    def reset(self, task: TaskInfo, seed: int) -> None:
        self._tools = task.tools

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        following = next(self._rounds, None)
        if following is None:
            _end_as(self._episode)
        asked = following.calls if following.asked is None else following.asked
        # Calls that were refused before they reached a tool are actions already.
        return [call if _is_refused(call) else self._tools.from_call(call) for call in asked]


def played_rounds(episode: Episode) -> Sequence[Round]:
    """The rounds in which an agent acted: without a last one that records only why it could not."""
    rounds = episode.rounds
    is_last_empty = bool(rounds) and not rounds[-1].calls and episode.ended in ("error", "stopped", "crash")
    return rounds[:-1] if is_last_empty else rounds


def _is_refused(call: Any) -> bool:
    return isinstance(call, Mapping) and isinstance(call.get("refusal"), str)


def _recorded_replies(episode: Episode) -> Any:
    """A script that gives the replies of a record one by one, and fails then as the record says."""
    exchanges = (exchange for r in episode.rounds for exchange in r.exchanges if exchange.stop != "error")
    replies: Iterator[Exchange] = iter(exchanges)

    def script(*_: Any) -> Reply:
        exchange = next(replies, None)
        return _end_as(episode) if exchange is None else _reply(exchange)

    return script


def _reply(exchange: Exchange) -> Reply:
    calls = [ToolCall(str(one["id"]), str(one["name"]), one["arguments"]) for one in exchange.native]
    return Reply(exchange.reply, calls, stop=exchange.stop)


def _end_as(episode: Episode) -> NoReturn:
    """Fail as an agent did at the end of its record; where it did not, the record is too short."""
    if episode.ended == "stopped":
        words = episode.rounds[-1].feedback if episode.rounds else []
        raise ModelStopped(words[0] if words else "", episode.stop_reason)
    if episode.ended == "crash":
        raise RuntimeError("the agent crashed here")
    raise ModelError("the record ends here")


# -- Names of tables ---------------------------------------------------------------------------------------------------


def _layers(spec: RunSpec) -> list[_Layer]:
    """The flow and the wrappers of a run, the innermost first.

    Raises:
        ValueError: if one is not formgym's, goes by another name, or has an option that is code or a file.
    """
    inner: list[_Layer] = []
    outer = [_flow(spec.flow, spec.flow_name)]
    for title, settings in spec.wrappers.items():
        name = _name_in(wrappers, settings, _WRAPPERS) if isinstance(settings, Mapping) else None
        if name is None or title.replace("_", "") != name.lower():
            raise ValueError(f"the wrapper {title} is none of formgym's of that name")
        options = _options(settings)
        locator, of_locator = options.get("locator", "fieldfinder"), options.get("options")
        is_own = name == "FieldFinder" and (
            locator not in _LOCATORS or (isinstance(of_locator, Mapping) and "path" in of_locator)
        )
        if is_own or not _is_plain(options):
            raise ValueError(f"the wrapper {title} has an option that is code or a file")
        (inner if name in INSIDE_FLOW else outer).append(partial(getattr(wrappers, name), **options))
    return [*inner, *outer]


def _flow(settings: Mapping[str, Any], name: str) -> _Layer:
    # What people do is recorded call by call.
    settings = settings or {"_target_": "formgym.wrappers.ActionBatch", "max_actions": 1}
    options = _options(settings)
    if _name_in(wrappers, settings, ("ActionBatch",)) is None or not _is_plain(options):
        raise ValueError("the flow is none of formgym's")
    limit = _PROMISED.get(name)
    if limit is not None and options.get(limit) != 1:
        raise ValueError(f"the flow is called {name} and has {limit}={options.get(limit)}")
    return partial(wrappers.ActionBatch, **options)


def _name_in(module: Any, settings: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The name of a class of ours that ``_target_`` gives, by its short path or where it is defined."""
    target = str(settings.get("_target_"))
    name = target.rpartition(".")[2]
    if name in names and target in (f"{module.__name__}.{name}", path_of(getattr(module, name))):
        return name
    return None


def _agent_options(settings: Mapping[str, Any], with_model: bool) -> dict[str, Any] | None:
    """The options of an agent of formgym; ``None`` if they name code or files."""
    options = _options(settings)
    if with_model:
        # Templates of its own do not travel along: ours take their place, and texts of prompts are not compared.
        options = {name: value for name, value in options.items() if name not in ("model", "prompts", "usage")}
    locator = options.get("locator")
    if isinstance(locator, Mapping):
        named = locator.get("name")
        if locator.get("_target_") != _NAMED_LOCATOR or named not in _LOCATORS or len(locator) != 3:
            return None
        from ...fieldfinder_model.locators import named_locator

        others = {name: value for name, value in options.items() if name != "locator"}
        return {**others, "locator": partial(named_locator, name=named)} if _is_plain(others) else None
    return options if _is_plain(options) and "path" not in options else None


def _options(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in ("_target_", "_partial_")}


def _is_plain(value: Any) -> bool:
    """Whether settings are data alone: no targets, and nothing that is looked up when they are read."""
    if isinstance(value, Mapping):
        return all(not str(name).startswith("_") and _is_plain(one) for name, one in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return "${" not in value if isinstance(value, str) else True
