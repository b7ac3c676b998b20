"""EditFeedback: says after each edit whether it is right, or what is wrong."""

from __future__ import annotations

from typing import Any, cast

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.spaces import Observation, Step
from ..envs.documents.env import EditEnv
from ..envs.documents.feedback.judgement import Judge, Judgement, Provider, judged, make_provider
from ..envs.documents.state import DocumentState
from .flows import ActionBatch


class EditFeedback(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Adds feedback on each edit: whether it is right, and if not what is wrong.

    The provider's answer is added to the feedback of every action that changed the document or ran a program.
    ``info["judgement"]`` holds ``{"is_right", "kind"}`` of the current document; before the first edit its kind is
    ``"nothing"``. Rounds of an ``ActionBatch`` are judged action by action, whichever of the two wrappers is outside:
    the judge is put inside of a batch that is there already.

    >>> env = EditFeedback(gym.make("DocEdit/MeetingAgenda-v0"))
    >>> _ = env.reset(seed=0)
    >>> steps = [env.step(env.action_space.from_call(call)) for call in env.unwrapped.solution()]
    >>> steps[-1][4]["judgement"]["is_right"]
    True

    Args:
        env: an environment of DocEdit, ``ActionBatch`` or not.
        provider: ``"exact"`` knows the gold edit; ``"noisy"`` knows it too, but errs at random; or a judge that sees
            the request and the pages before and after, such as ``agents.EditJudge(model)``.
        accuracy: how often ``"noisy"`` is right about right and wrong, from 0 to 1.

    Raises:
        ValueError: if the environment edits no documents or has such feedback already, there is no such provider, or
            the provider does not take this accuracy.
    """

    def __init__(self, env: gym.Env[Observation, Any], provider: str | Judge = "exact", accuracy: float = 1.0) -> None:
        RecordConstructorArgs.__init__(self, provider=provider, accuracy=accuracy)
        judging = make_provider(provider, accuracy)
        if not isinstance(env.unwrapped, EditEnv):
            raise ValueError(f"EditFeedback needs a DocEdit environment, not {env}")
        links = _links(env)
        if any(isinstance(link, _Judged) for link in links):
            raise ValueError("the environment has feedback on edits already: one EditFeedback is enough")
        batches = [link for link in links if isinstance(link, ActionBatch)]
        # Each action of a round is visible only inside the round.
        if batches:
            batches[0].env = _Judged(batches[0].env, judging)
        super().__init__(env if batches else _Judged(env, judging))


class _Judged(gym.Wrapper[Observation, Any, Observation, Any]):
    """Judges each edit; ``EditFeedback`` inserts it, so it is not part of the spec."""

    def __init__(self, env: gym.Env[Observation, Any], provider: Provider) -> None:
        super().__init__(env)
        self._provider = provider
        self._last_snapshot: object = None
        self._judgement = _as_info(judged("nothing"))

    @property
    def spec(self) -> EnvSpec | None:  # type: ignore[override]
        """The spec of the environment."""
        return self.env.spec

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._last_snapshot, self._judgement = self._state.history[-1], _as_info(judged("nothing"))
        return observation, info | {"judgement": self._judgement}

    def step(self, action: Any) -> Step:
        """Take a step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        snapshot = self._state.history[-1]
        if snapshot is not self._last_snapshot:
            self._last_snapshot = snapshot
            judgement = self._provider(self._state.task, snapshot.document)
            self._judgement = _as_info(judgement)
            info = info | {"feedback": f"{info['feedback']} {judgement.words}"}
        return observation, float(reward), terminated, truncated, info | {"judgement": self._judgement}

    @property
    def _state(self) -> DocumentState:
        return cast(DocumentState, cast(EditEnv, self.unwrapped).state)


def _as_info(judgement: Judgement) -> dict[str, Any]:
    return {"is_right": judgement.is_right, "kind": judgement.kind}


def _links(env: gym.Env[Any, Any]) -> list[gym.Env[Any, Any]]:
    """The environment and all those inside it, the outermost first."""
    links = [env]
    while isinstance(links[-1], gym.Wrapper):
        links.append(links[-1].env)
    return links
