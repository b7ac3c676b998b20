"""TRL: environments as the classes that ``GRPOTrainer`` takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from ...envs.core.tools import Tool
from ..models.model import Block, TextBlock, words_of
from .chat import content_of
from .episodes import SessionFactory

Content = list[dict[str, Any]] | str
_ENDED = TextBlock("The episode has ended: nothing more can be done.")


class TRLEnvironment:
    """An episode as TRL plays it; ``environment_class`` makes the class of an id.

    TRL makes objects without arguments, calls ``reset`` with a row of the data set and then the tools that the model
    calls, and asks ``get_reward`` at the end. All public methods but these two are the tools.
    """

    _images: ClassVar[bool]
    _make: ClassVar[Callable[[], SessionFactory]]

    def __init__(self) -> None:
        self._sessions = type(self)._make()

    def reset(self, task: str | None = None, seed: int | None = None, **row: Any) -> Content:
        """Begin the episode of a row; what the model reads and sees first.

        Args:
            task: the task's id; ``None`` lets the seed choose.
            seed: of the environment.
            **row: other columns, which are not used.

        Raises:
            ValueError: if there is neither: the completions of a group must be of one task.
        """
        if task is None and seed is None:
            raise ValueError("a row needs a 'task' or a 'seed', so that all completions of a group are of one task")
        return self._content(self._sessions.begin(task, seed).open())

    def get_reward(self) -> float:
        """The return of the episode: the score of what has been done.

        Raises:
            RuntimeError: before ``reset``.
        """
        return self._sessions.current.reward

    def _call(self, tool: str, arguments: dict[str, Any]) -> Content:
        session = self._sessions.current
        return self._content([_ENDED] if session.done else session.call(tool, arguments)[0])

    def _content(self, blocks: Sequence[Block]) -> Content:
        return content_of(blocks) if self._images else words_of(blocks)


def environment_class(env_id: str, *, images: bool = True, **arguments: Any) -> type[TRLEnvironment]:
    """The class of an environment, for ``GRPOTrainer(environment_factory=...)``.

    Its tools have typed arguments and docstrings, from which TRL makes their JSON schemas. A bad call of the model is
    answered with feedback and costs a step, as in ``Session``; one of a tool that is not there is answered by TRL.

    >>> Scans = environment_class("FormGym/Scans-v0", images=False)
    >>> environment = Scans()
    >>> _ = environment.reset(seed=0)
    >>> environment.terminate()
    'The page was handed in.'

    Args:
        env_id: the id of the environment.
        images: whether pictures are sent; without, contents are texts, as models without eyes take them.
        **arguments: of ``Session``: ``wrappers``, ``unit``, ``max_side``, and what the environment is made with.

    Raises:
        ValueError: if there is no such environment, or it cannot be a session.
    """
    sessions = SessionFactory(env_id, **arguments)
    sessions.close()
    name = "".join(part.capitalize() if part.islower() else part for part in re.split(r"\W", env_id))
    methods = {tool.name: _method(tool) for tool in sessions.tools.tools}
    make = staticmethod(partial(SessionFactory, env_id, **arguments))
    return type(name, (TRLEnvironment,), {**methods, "_make": make, "_images": images})


def episode_rows(n: int, seed: int = 0, text: str = "Use the tools to do what follows.") -> list[dict[str, Any]]:
    """Rows of a data set for ``environment_class``: a prompt and a seed each.

    Args:
        n: how many.
        seed: of the rows' seeds.
        text: the prompt, which what ``reset`` returns continues.
    """
    seeds = np.random.SeedSequence(seed).generate_state(n)
    return [{"prompt": [{"role": "user", "content": text}], "seed": int(one)} for one in seeds]


def _method(tool: Tool) -> Callable[..., Content]:
    """A method that calls a tool; TRL makes a schema of its signature and docstring."""

    def call(self: TRLEnvironment, **arguments: Any) -> Content:
        return self._call(tool.name, arguments)

    types = {name: _type_of(argument.space) for name, argument in tool.arguments.items()}
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in types.items()
    ]
    lines = [f"    {name}: {' '.join(argument.description.split())}" for name, argument in tool.arguments.items()]
    arguments = "\n\nArgs:\n" + "\n".join(lines) if lines else ""
    call.__name__ = call.__qualname__ = tool.name
    call.__doc__ = f"{tool.description}{arguments}\n\nReturns:\n    What came of it, and what has changed."
    call.__annotations__ = {**types, "return": list}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _type_of(space: spaces.Space[Any]) -> type:
    if isinstance(space, spaces.Discrete):
        return int
    return float if isinstance(space, spaces.Box) else str
