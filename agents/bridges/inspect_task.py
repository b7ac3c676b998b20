"""Inspect: every environment as a task, such as ``formgym/auto_loans_text``.

``inspect eval`` finds the tasks by the entry point of this package. Pictures go into its log unless
``--no-log-images`` is given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser, ContentText
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
    from inspect_ai.tool import Tool, ToolDef, ToolParams
except ImportError as error:
    raise ImportError(f"tasks for Inspect need it: pip install 'formgym[bridges]' ({error})") from error

from ... import wrappers as all_wrappers
from ...envs.registration import ids
from ..models.inspect import inspect_content
from ..session import Session
from .episodes import episode_keys

_CALLS = "formgym_calls"
"""Where the store of a sample has the calls, so that a log can be scored again."""

_sessions: dict[str, Session] = {}
"""The sessions of running samples by ``TaskState.uuid``: a store takes JSON alone."""


def formgym_task(
    env_id: str = "FormGym/AutoLoans-Text-v0",
    episodes: int | None = None,
    seed: int = 0,
    wrappers: str | Sequence[str] = (),
    message_limit: int | None = 400,
    **options: Any,
) -> Task:
    """An environment as a task of Inspect.

    >>> formgym_task("FormGym/Scans-v0", episodes=1).name
    'scans'

    Args:
        env_id: the id of the environment.
        episodes: how many, their tasks drawn from the seed; ``None``: one of every task.
        seed: of the run; tasks and seeds are those of ``formgym sweep``.
        wrappers: names of wrappers that need no arguments, such as ``"Ruler"`` or ``"Ruler,GridOverlay"``.
        message_limit: of a sample.
        **options: ``unit`` and ``max_side`` of ``Session``, and what the environment is made with.

    Raises:
        ValueError: if there is no such environment or wrapper, or ``episodes`` is missing where tasks are endless.
    """
    names = wrappers.split(",") if isinstance(wrappers, str) else list(wrappers)
    if unknown := [name for name in names if name not in all_wrappers.__all__]:
        raise ValueError(f"no wrapper {unknown[0]!r}; there are {', '.join(all_wrappers.__all__)}")
    settings = {"env_id": env_id, "wrappers": names, **options}
    keys = episode_keys(env_id, episodes, seed, **{k: v for k, v in options.items() if k not in ("unit", "max_side")})
    return Task(
        name=short_name(env_id),
        dataset=[
            Sample(id=key.task or f"seed_{key.seed}", input=env_id, metadata={"task": key.task, "seed": key.seed})
            for key in keys
        ],
        setup=_begin(settings),
        solver=generate(tool_calls="loop"),
        cleanup=_close,
        scorer=episode_score(settings),
        message_limit=message_limit,
    )


@solver
def _begin(settings: dict[str, Any]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = _session(settings, state)
        _sessions[state.uuid] = session
        state.messages = [ChatMessageUser(content=inspect_content(session.open()))]
        state.tools = [_tool(session, schema, state) for schema in session.tools.schemas]
        state.store.set(_CALLS, [])
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr()]})
def episode_score(settings: dict[str, Any]) -> Scorer:
    """All metrics of the episode, by playing the calls in the sample's store."""

    async def score(state: TaskState, target: Target) -> Score:
        with _session(settings, state) as session:
            session.open()
            for name, arguments in state.store.get(_CALLS):
                session.call(name, arguments)
            return Score(
                value={name: float(value) for name, value in session.score().metrics.items()},
                metadata={"task": session.task, "calls": [turn.call for turn in session.turns]},
            )

    return score


async def _close(state: TaskState) -> None:
    if state.uuid in _sessions:
        _sessions.pop(state.uuid).close()


def _session(settings: dict[str, Any], state: TaskState) -> Session:
    options = {name: value for name, value in settings.items() if name not in ("env_id", "wrappers")}
    wrappers = [getattr(all_wrappers, name) for name in settings["wrappers"]]
    return Session(settings["env_id"], state.metadata["task"], state.metadata["seed"], wrappers, **options)


def _tool(session: Session, schema: dict[str, Any], state: TaskState) -> Tool:
    async def execute(**arguments: Any) -> list[Any]:
        if session.done:
            return [ContentText(text="The episode has ended.")]
        state.store.set(_CALLS, [*state.store.get(_CALLS), (schema["name"], arguments)])
        blocks, state.completed = session.call(schema["name"], arguments)
        return inspect_content(blocks)

    parameters = ToolParams.model_validate(schema["parameters"])
    return ToolDef(execute, schema["name"], schema["description"], parameters, parallel=False, max_output=0).as_tool()


def short_name(env_id: str) -> str:
    """The name of an environment's task, such as ``docedit_invoice``."""
    suite, name = env_id.removesuffix("-v0").replace("-", "").split("/")
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return words if suite == "FormGym" else f"{suite.lower()}_{words}"


def _task_of(env_id: str) -> Any:
    def of_id(
        episodes: int | None = None,
        seed: int = 0,
        wrappers: str | Sequence[str] = (),
        message_limit: int | None = 400,
        **options: Any,
    ) -> Task:
        return formgym_task(env_id, episodes, seed, wrappers, message_limit, **options)

    return task(name=short_name(env_id))(of_id)


TASKS = {short_name(env_id): _task_of(env_id) for env_id in ids()}
"""Every environment's task by its name after ``formgym/``."""
