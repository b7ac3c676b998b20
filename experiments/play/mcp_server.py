"""``formgym mcp``: an environment as an MCP server, whose episodes are recorded."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import cast

import anyio
import numpy as np

from ...agents.bridges.mcp import MAX_CLIENTS, Episodes, server_of
from ...agents.session import Session
from ...envs.core.env import PaperworkEnv
from ..running.command_line import config_errors, with_names_listed
from ..running.episodes import Episode, Round
from ..running.rollout import page_digest
from ..running.run_spec import RunSpec, build
from ..running.sweep import spec_of
from ..terminal.console import say
from .human_runs import record_episode

_HOST = "127.0.0.1"
_ATTEMPTS, _PAUSE = 40, 0.25
"""How often a run is tried that another process is writing to, and the seconds between."""


def serve_mcp(
    env_id: str,
    task: str | None,
    seed: int | None,
    options: Sequence[str],
    wrappers: Sequence[str],
    unit: str | None,
    port: int | None,
    runs: Path,
    name: str,
) -> None:
    """Serve an environment to MCP clients, each with its own episode, and record these.

    Args:
        env_id: the environment's id.
        task: the task's id; ``None`` lets the seed choose.
        seed: of the environment; ``None``: another one for each episode.
        options: of the environment, as ``NAME=VALUE``.
        wrappers: as ``wrappers=`` names them.
        unit: of coordinates; see ``Session``.
        port: of HTTP on this machine; ``None``: stdio.
        runs: the folder of the runs.
        name: of the agent in tables.

    Raises:
        ValueError: if a setting is wrong.
        ImportError: if the package mcp is missing.
        OSError: if the port is taken.
    """
    own = [f"env.{option}" for option in options]
    settings = [f"env={env_id}", *own, f"wrappers=[{','.join(wrappers)}]", f"name={name}", "agent=noop", "episodes=1"]
    with config_errors():
        spec = spec_of(*with_names_listed(settings))
    spec = spec.model_copy(update={"agent": {}, "flow": {}, "flow_name": "mcp"})

    def begin() -> Session:
        # A seed of its own, so that the episode can be replayed.
        own = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
        return Session(
            spec.env_id, task, own, [build(one) for one in spec.wrappers.values()], unit=unit, **spec.env_arguments
        )

    def record(session: Session) -> None:
        for _ in range(_ATTEMPTS):
            with suppress(RuntimeError):
                record_episode(runs, _pinned(spec, session), partial(_episode, session))
                return
            time.sleep(_PAUSE)
        record_episode(runs, _pinned(spec, session), partial(_episode, session))

    episodes = Episodes(begin, record)
    if port is None:
        anyio.run(_over_stdio, episodes)
    else:
        _over_http(episodes, port, spec.env_id)


def _pinned(spec: RunSpec, session: Session) -> RunSpec:
    """The settings of a session with the digest of the user's own files, where there are some."""
    return spec.pinned(cast(PaperworkEnv, session.env.unwrapped).data_sha256)


async def _over_stdio(episodes: Episodes) -> None:
    """Serve the one client at standard input and output, until it leaves."""
    from mcp.server.stdio import stdio_server

    server = server_of(episodes, is_over_http=False)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _over_http(episodes: Episodes, port: int, env_id: str) -> None:
    """Serve clients on this machine until a signal; pages of other origins in a browser are refused."""
    import uvicorn

    app = server_of(episodes, is_over_http=True).streamable_http_app(host=_HOST, max_sessions=MAX_CLIENTS)
    with socket.create_server((_HOST, port)) as listening:
        say(f"Serving {env_id} at http://{_HOST}:{listening.getsockname()[1]}/mcp (Control+C ends it)")
        uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)).run([listening])


def _episode(session: Session, index: int) -> Episode:
    """The record of a session, unscored if its client left before the end."""
    score, turns = session.score(), session.turns
    ended = ("truncated" if session.truncated else "terminated") if session.done else "error"
    return Episode(
        index=index,
        env=session.env_id,
        task=session.task,
        seed=session.seed or 0,
        rounds=[Round(calls=[t.call], feedback=[t.feedback], valid=[t.valid], carried_out=1) for t in turns],
        metrics=dict(score.metrics) if session.done else None,
        fields=list(score.fields) if session.done else [],
        usage={},
        reward=session.reward,
        ended=ended,
        error=None if session.done else "left unfinished",
        page_sha256=page_digest(session.page()),
        seconds=round(session.seconds, 4),
    )
