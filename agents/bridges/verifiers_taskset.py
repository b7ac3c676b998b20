"""verifiers: episodes as a v1 taskset, with pictures in the turns of the user.

verifiers finds a taskset by the name of a top-level module; ``docs/bridges.md`` has one of a line.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field

try:
    import verifiers.v1 as vf
    from verifiers.v1.types import ImageUrlContentPart, ImageUrlSource, TextContentPart, UserMessage
except ImportError as error:
    raise ImportError(f"tasksets need verifiers: pip install verifiers ({error})") from error

from ..blocks import Block, ImageBlock, TextBlock
from ..replies import parse_calls
from ..session import Session
from .episodes import episode_keys

__all__ = ["PaperworkEnv", "PaperworkTaskset"]

_ANSWER = 'Answer with calls of tools as JSON, such as {"tool": NAME, ...}. The tools:'


class PaperworkConfig(vf.TasksetConfig):
    """Which episodes are played, and how the model sees them."""

    env_id: str = "FormGym/AutoLoans-Text-v0"
    episodes: int | None = None
    """How many, their tasks drawn from the seed; ``None``: one of every task."""
    seed: int = 0
    unit: str | None = None
    max_side: int | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    """What the environment is made with."""


class PaperworkData(vf.TaskData):
    """What an episode begins from."""

    env_id: str
    task: str | None
    seed: int
    session: dict[str, Any]


class PaperworkTask(vf.Task[PaperworkData]):
    """One episode; the environment has its rewards."""


class PaperworkTaskset(vf.Taskset[PaperworkTask, PaperworkConfig]):
    """The episodes of ``formgym evaluate`` with the same seed."""

    def load(self) -> Iterator[PaperworkTask]:
        """Each episode."""
        config = self.config
        session = {"unit": config.unit, "max_side": config.max_side, **config.options}
        for key in episode_keys(config.env_id, config.episodes, config.seed, **config.options):
            name = key.task or f"seed_{key.seed}"
            data = PaperworkData(name=name, env_id=config.env_id, task=key.task, seed=key.seed, session=session)
            yield PaperworkTask(data, config.task)


class PaperworkEnvConfig(vf.EnvConfig):
    """Who plays: a model without tools of its own."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class PaperworkEnv(vf.Env[PaperworkEnvConfig]):
    """The environment answers each reply of the model with feedback and pictures."""

    async def run(self, task: Any, agents: Any) -> None:
        """Play one episode; the reward is the return, the metrics are the score's."""
        data = task.data
        with Session(data.env_id, data.task, data.seed, **data.session) as session:
            blocks = [*session.open(), TextBlock("\n".join([_ANSWER, *map(json.dumps, session.tools.schemas)]))]
            async with agents.player.interaction(task) as interaction:
                segment = await interaction.turn(_turn(blocks))
                while not segment.terminated:
                    blocks = _called(session, segment.last_reply)
                    if session.done:
                        break
                    segment = await interaction.turn(_turn(blocks))
            interaction.trace.record_reward("return", session.reward)
            interaction.trace.record_metrics({name: float(value) for name, value in session.score().metrics.items()})


def _called(session: Session, reply: str) -> list[Block]:
    """What came of the calls in a reply, with the last picture alone."""
    parsed = parse_calls(reply, session.tools.schemas)
    blocks: list[Block] = []
    for call in parsed.calls:
        if not session.done:
            blocks += session.call(call.name, call.arguments)[0]
    if not parsed.calls:
        session.call(None)
    last = max((i for i, block in enumerate(blocks) if isinstance(block, ImageBlock)), default=-1)
    kept = [block for i, block in enumerate(blocks) if not isinstance(block, ImageBlock) or i == last]
    return [*map(TextBlock, parsed.problems), *kept]


def _turn(blocks: Sequence[Block]) -> list[UserMessage]:
    return [UserMessage(content=[_part(block) for block in blocks])]


def _part(block: Block) -> TextContentPart | ImageUrlContentPart:
    if isinstance(block, TextBlock):
        return TextContentPart(text=block.text)
    url = f"data:image/png;base64,{base64.b64encode(block.png()).decode()}"
    return ImageUrlContentPart(image_url=ImageUrlSource(url=url))
