"""MCP: an environment as a server of tools, over stdio or over HTTP on this machine."""

from __future__ import annotations

import base64
import json
from asyncio import get_running_loop
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

try:
    from mcp import types
    from mcp.server import Server
    from mcp.shared.exceptions import MCPError
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
except ImportError as error:
    raise ImportError(f"the server needs the package mcp: pip install 'formgym[mcp]' ({error})") from error

from ... import __version__
from ...envs.core.cpu_limit import CpuLimitExceeded
from ..models.model import Block, ImageBlock, TextBlock
from ..session import Session

OPEN, SCORE = "open", "formgym://score"
"""The tool that begins the episode, and the resource with its metrics after the end."""
MAX_CLIENTS = 64
"""So many episodes at once; for another one the oldest is ended."""
_HELP = f"Call {OPEN} first: it says what to do and shows the page. At the end {SCORE} has the score."


class Episodes:
    """An episode for each client of a server.

    Args:
        begin: makes a session; all sessions have the same tools.
        record: called with each session that was opened, once it has ended or its client is gone.
    """

    def __init__(self, begin: Callable[[], Session], record: Callable[[Session], object]) -> None:
        self._begin, self._record = begin, record
        self._open: dict[str, Session] = {}
        self.scores: dict[str, str] = {}
        with begin() as session:
            session.open()  # Better now than for a client, if there is no such task.
            begins = {"name": OPEN, "description": "Begin: what to do, and the page.", "parameters": {"type": "object"}}
            self.tools: list[dict[str, Any]] = [begins, *map(dict, session.tools.schemas)]

    def call(self, client: str, name: str, arguments: Any) -> tuple[Sequence[Block], bool]:
        """What comes of a call, and whether it was valid."""
        session = self._open.get(client)
        if client in self.scores:
            return [TextBlock(f"The episode has ended; {SCORE} has its score. Connect again for another one.")], False
        if (session is None) != (name == OPEN):
            return [TextBlock(_HELP if session is None else "The episode has begun: call the other tools.")], False
        if session is None:
            while len(self._open) >= MAX_CLIENTS:
                self._end(next(iter(self._open)))
            session = self._begin()
            blocks = session.open()
            self._open[client] = session
            return [*blocks, *_limit(session)], True
        n_before = len(session.turns)
        try:
            blocks, done = session.call(name, arguments)
        except CpuLimitExceeded as error:
            self._end(client)
            return [TextBlock(f"The episode has ended without a score: {error}.")], False
        if done:
            self._end(client)
        return blocks, all(turn.valid for turn in session.turns[n_before:])

    def close(self) -> None:
        """End all episodes."""
        for client in list(self._open):
            self._end(client)

    def _end(self, client: str) -> None:
        session = self._open.pop(client)
        self.scores[client] = json.dumps(dict(session.score().metrics) if session.done else None)
        self._record(session)
        session.close()


def _limit(session: Session) -> list[TextBlock]:
    """How many calls an episode has, where there is a limit."""
    limit = session.env.spec.max_episode_steps if session.env.spec else None
    return [TextBlock(f"At most {limit} calls are carried out in all, invalid ones included.")] if limit else []


def server_of(episodes: Episodes, is_over_http: bool) -> Server[None]:
    """The server of episodes; over HTTP it offers the versions of the protocol in which clients have sessions."""
    # Databases and browsers want to be used by the thread that has made them.
    thread = ThreadPoolExecutor(1)

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        try:
            yield
        finally:
            thread.submit(episodes.close).result()

    async def list_tools(*_: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool(input_schema=one["parameters"], **one) for one in episodes.tools]
        )

    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        work = partial(episodes.call, _client(context), params.name, params.arguments)
        blocks, is_valid = await get_running_loop().run_in_executor(thread, work)
        return types.CallToolResult(content=[_content(block) for block in blocks], is_error=not is_valid)

    async def list_resources(*_: Any) -> types.ListResourcesResult:
        score = types.Resource(uri=SCORE, name="score", mime_type="application/json")
        return types.ListResourcesResult(resources=[score])

    async def read(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        text = episodes.scores.get(_client(context), "The episode has not ended: there is no score yet.")
        text = text if params.uri == SCORE else f"There is {SCORE}, and nothing else."
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=params.uri, text=text)])

    async def discover(context: Any, _: Any) -> types.DiscoverResult:
        capabilities = server.get_capabilities(protocol_version=context.protocol_version)
        return types.DiscoverResult(supported_versions=[*HANDSHAKE_PROTOCOL_VERSIONS], capabilities=capabilities)

    handlers: dict[str, Any] = {"on_list_tools": list_tools, "on_call_tool": call, "on_read_resource": read}
    handlers |= {"on_list_resources": list_resources, "lifespan": lifespan}
    server = Server[None]("formgym", version=__version__, instructions=_HELP, **handlers)
    if is_over_http:
        server.add_request_handler("server/discover", types.RequestParams, discover)
    return server


def _content(block: Block) -> types.TextContent | types.ImageContent:
    if not isinstance(block, ImageBlock):
        return types.TextContent(text=block.text)
    return types.ImageContent(data=base64.b64encode(block.png()).decode(), mime_type="image/png")


def _client(context: Any) -> str:
    """Who calls: the session of a client over HTTP; over stdio there is one."""
    session = context.request.headers.get("mcp-session-id", "") if context.request else "stdio"
    if not session:
        raise MCPError(types.INVALID_REQUEST, "Begin a session by initialize: every session has an episode of its own.")
    return str(session)
