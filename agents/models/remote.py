"""Models behind a network: requests are sent again after faults that pass, and without what a server does not take."""

from __future__ import annotations

import json
import random
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from ...envs.core.redaction import without_values
from ..base import ModelError, ModelStopped
from .faults import AGAIN, FAILED, Fault, provider_errors
from .model import Attempt, Message, Reply, Schema, ToolCall, unmetered

_FIRST_WAIT = 0.5
_OTHER_NAME = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""A refused limit is sent under its other name where the refusal has that too, and otherwise no more."""


class RemoteModel(ABC):
    """A model whose provider may fail; subclasses send a request once.

    The retries of providers' packages are off: those resend no reply that is cut or no JSON, wait for minutes for an
    account without credit, and send again what no budget has room for.

    Args:
        name: of the model.
        retries: how often a request is sent again after a fault.
        max_wait: the longest wait before that, in seconds, whatever the provider asks for.
        max_tokens: the most that a reply may have; ``None``: not limited.
    """

    settings: Mapping[str, Any]

    def __init__(self, name: str, retries: int, max_wait: float, max_tokens: int | None) -> None:
        self.name, self.max_output_tokens = name, max_tokens
        self._retries, self._max_wait = retries, max_wait
        self._left_out: frozenset[str] = frozenset()

    @abstractmethod
    def send(
        self, messages: Sequence[Message], tools: Sequence[Schema], seed: int, key: str, left_out: Collection[str]
    ) -> Reply:
        """The reply to a request that is sent once.

        Args:
            messages: the oldest first.
            tools: which the model may call.
            seed: of sampling.
            key: goes with the request.
            left_out: parameters that the server does not take.

        Raises:
            Fault: if it fails.
        """

    @abstractmethod
    def parameters(self, tools: Sequence[Schema]) -> Collection[str]:
        """The parameters of a request that may be left out."""

    def generate(
        self,
        messages: Sequence[Message],
        tools: Sequence[Schema] = (),
        *,
        seed: int = 0,
        key: str = "",
        attempt: Attempt = unmetered,
    ) -> Reply:
        """The reply to a conversation; see ``Provider.generate``.

        Raises:
            ModelStopped: if the server refuses the request.
            ModelError: if it fails after all retries, or does not let us in.
        """
        left_out, passing, guess, n_sent, retry = self._left_out, set[str](), None, 0, 0
        while True:
            name = f"{key}-without-{'-'.join(sorted(left_out))}" if key and left_out else key
            send = partial(self.send, messages, tools, seed, name, left_out)
            try:
                n_sent += 1
                reply = attempt(send)
                break
            except Fault as error:
                fault = error
            if fault.fate == AGAIN and retry < self._retries:
                self._wait(retry, fault.after)
                retry += 1
                continue
            sent = set(self.parameters(tools)) - left_out
            refused = fault.refused(sent)
            if not refused and fault.fate == "request" and guess is None and "tools" in sent:
                refused, guess = "tools", fault
            elif not refused or guess:
                raise _failure(guess if guess and fault.fate not in (AGAIN, FAILED) else fault, n_sent)
            also = _OTHER_NAME.get(refused, refused)
            left_out |= {refused} if fault.mentions(also) else {refused, also}
            passing |= {refused, also} if fault.fate == "context" else set()
        self._remember(left_out - passing)
        return replace(_without_keys(reply), left_out=tuple(sorted(left_out)))

    def _wait(self, retry: int, after: float | None) -> None:
        # Spread out, so that many episodes do not come back at the same moment.
        wait = _FIRST_WAIT * 2**retry * random.uniform(0.5, 1.0) if after is None else after
        time.sleep(min(wait, self._max_wait))

    def _remember(self, left_out: frozenset[str]) -> None:
        """Leave the same out of all further requests; the user is told once what to set."""
        for name in sorted(left_out - self._left_out):
            self._left_out |= {name}
            to_set = provider_errors().to_set.get(name, f"model.extra.{name}=null")
            warnings.warn(
                f"{self.name} does not take {name!r} and is asked without it from now on; set {to_set}", stacklevel=4
            )


def _failure(fault: Fault, count: int) -> ModelError:
    """What an episode is told of a fault that does not pass."""
    said = f"{fault} (the request was sent {count} times)" if count > 1 else str(fault)
    table = provider_errors()
    if fault.fate in (AGAIN, FAILED):
        hint = table.hints.get(str(fault.status), "")
        return ModelError(f"{said}{hint and f'; {hint}'}")
    fixed = fault.refused(table.to_set) if fault.fate == "request" else ""
    hint = f"set {table.to_set[fixed]}" if fixed else table.hints.get(fault.fate, "")
    return ModelStopped(f"{said}{hint and f'; {hint}'}", "parameter" if fixed else fault.fate)


def _without_keys(reply: Reply) -> Reply:
    """A reply in which no server repeats our keys."""
    calls = json.loads(without_values(json.dumps([asdict(call) for call in reply.tool_calls])))
    return replace(reply, text=without_values(reply.text), tool_calls=[ToolCall(**call) for call in calls])
