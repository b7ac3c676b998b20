"""``evaluate_agent``: an agent's scores on an environment, from Python."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import gymnasium as gym

from ..agents.base import Agent
from ..wrappers import ActionBatch
from .running.run_folder import Run
from .running.run_spec import RunSpec, make, path_of
from .running.runner import Runner


def evaluate_agent(
    agent: Agent,
    env: str | gym.Env[Any, Any],
    episodes: int | None = None,
    seed: int = 0,
    max_rounds: int = 10,
    run_dir: Path | None = None,
) -> Run:
    """Evaluate an agent, on the tasks and seeds that ``formgym sweep`` takes; printed, the result is a line.

    Args:
        agent: with the methods ``reset(task, seed)`` and ``act(observation)``; an exception in one of them ends the
            episode, which then has no score.
        env: an id, or an environment in the wrappers that the agent needs, which stays open.
        episodes: how many, their tasks drawn by ``seed``; ``None``: one of every task.
        seed: of tasks and agent.
        max_rounds: how often the agent acts in an episode; 1 is the one-shot flow. An environment that is in an
            ``ActionBatch`` already has its own.
        run_dir: where the run is recorded, for ``formgym report``; ``None``: nowhere.

    Raises:
        ValueError: if ``episodes`` is below 1, or ``None`` where tasks are endless.

    Example:
        >>> from formgym.agents.baselines import Noop, Oracle
        >>> print(evaluate_agent(Oracle(), "FormGym/Scans-v0", episodes=3))
        strict accuracy 1.000 (95 % interval 0.439 – 1.000), 3 episodes
        >>> evaluate_agent(Noop(), "FormGym/Scans-v0", episodes=3).scores["strict_accuracy"]["mean"]
        0.0
    """
    with ExitStack() as stack:
        bare = make(env) if isinstance(env, str) else env
        if isinstance(env, str):
            stack.callback(bare.close)
        batch = bare if bare.has_wrapper_attr("max_rounds") else ActionBatch(bare, max_rounds)
        made = {"id": bare.spec.id, **bare.spec.kwargs} if bare.spec else {"id": type(bare.unwrapped).__name__}
        spec = RunSpec(
            env=made, agent={"_target_": path_of(type(agent))}, episodes=episodes, seed=seed, run_dir=run_dir
        )
        return Runner(spec, batch, agent).run()
