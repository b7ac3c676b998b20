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

from ...envs.core.redaction import secrets_in, without_values
from ..base import ModelError, ModelStopped
from .faults import AGAIN, FAILED, Fault, provider_errors
from .model import Attempt, Message, Reply, Schema, ToolCall, unmetered

_FIRST_WAIT = 0.5
LIMITS = ("max_tokens", "max_completion_tokens")
"""The names of the most tokens that a reply may have."""


class RemoteModel(ABC):
    """A model whose provider may fail; subclasses send a request once.

    The retries of providers' packages are off: those resend no reply that is cut or no JSON, wait for minutes for an
    account without credit, and send again what no budget has room for.

    Args:
        name: of the model.
        retries: how often a request is sent again after a fault.
        max_wait: the longest wait before that, in seconds, whatever the provider asks for.
        max_images: how many of the newest pictures are sent; ``None``: all.
        send_seed: whether requests have a seed.
        parameters: of all requests; those that are ``None`` are left out.
        arguments: the values of those that are named for secrets are removed from replies and messages.
        **settings: on what else replies depend.
    """

    other_names: Mapping[str, str] = {}
    """A refused parameter is sent under its other name where the refusal has that too, and otherwise no more."""
    can_describe_tools = False
    """Whether a request may go without its tools, which the system message describes then."""

    def __init__(
        self,
        name: str,
        retries: int,
        max_wait: float,
        max_images: int | None,
        send_seed: bool,
        parameters: Mapping[str, Any],
        arguments: Mapping[str, Any],
        **settings: Any,
    ) -> None:
        self.name, self._retries, self._max_wait = name, retries, max_wait
        self._max_images, self._send_seed = max_images, send_seed
        self._parameters = {key: value for key, value in parameters.items() if value is not None}
        self._secrets = secrets_in({**arguments, **self._parameters})
        own = {"name": name, "max_images": max_images, "send_seed": send_seed}
        self.settings: Mapping[str, Any] = own | settings
        self._left_out: frozenset[str] = frozenset()
        self.max_output_tokens = self._limit()

    @abstractmethod
    def send(
        self,
        messages: Sequence[Message],
        tools: Sequence[Schema],
        parameters: Mapping[str, Any],
        key: str,
        native: bool,
    ) -> Reply:
        """The reply to a request that is sent once.

        Args:
            messages: the oldest first.
            tools: which the model may call.
            parameters: of the request.
            key: goes with the request.
            native: whether tools go as such.

        Raises:
            Fault: if it fails.
        """

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
            parameters = self._sent(seed, left_out)
            send = partial(self.send, messages, tools, parameters, name, "tools" not in left_out)
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
            sent = {*parameters, *map(self._other_name, parameters)} - left_out
            sent |= {"tools"} - left_out if tools and self.can_describe_tools else set()
            refused = fault.refused(sent)
            if not refused and fault.fate == "request" and guess is None and "tools" in sent:
                refused, guess = "tools", fault
            elif not refused or guess:
                raise self._failure(guess if guess and fault.fate not in (AGAIN, FAILED) else fault, n_sent)
            also = self._other_name(refused)
            left_out |= {refused} if fault.mentions(also) else {refused, also}
            passing |= {refused, also} if fault.fate == "context" else set()
        self._remember(left_out - passing)
        return replace(self._without_keys(reply), left_out=tuple(sorted(left_out)))

    def _other_name(self, parameter: str) -> str:
        return self.other_names.get(parameter, parameter)

    def _sent(self, seed: int, left_out: Collection[str]) -> dict[str, Any]:
        """The parameters of a request."""
        sent = self._parameters | ({"seed": seed % 2**31} if self._send_seed else {})
        renamed = {self._other_name(name): sent[name] for name in left_out if name in sent}
        return {name: value for name, value in (renamed | sent).items() if name not in left_out}

    def _limit(self) -> int | None:
        """The most tokens that a reply may have, as requests say from now on."""
        sent = self._sent(0, self._left_out)
        return max((sent[name] for name in LIMITS if name in sent), default=None)

    def _wait(self, retry: int, after: float | None) -> None:
        # Spread out, so that many episodes do not come back at the same moment.
        wait = _FIRST_WAIT * 2**retry * random.uniform(0.5, 1.0) if after is None else after
        time.sleep(min(wait, self._max_wait))

    def _remember(self, left_out: frozenset[str]) -> None:
        """Leave the same out of all further requests, and warn once of what to set."""
        for name in sorted(left_out - self._left_out):
            self._left_out |= {name}
            to_set = provider_errors().to_set.get(name, f"model.extra.{name}=null")
            warnings.warn(
                f"{self.name} does not take {name!r} and is asked without it from now on; set {to_set}", stacklevel=4
            )
        self.max_output_tokens = self._limit()

    def _failure(self, fault: Fault, count: int) -> ModelError:
        """The exception of an episode for a fault that does not pass."""
        message = without_values(str(fault), self._secrets)
        message += f" (the request was sent {count} times)" if count > 1 else ""
        table = provider_errors()
        if fault.fate in (AGAIN, FAILED):
            hint = table.hints.get(str(fault.status), "")
            return ModelError(f"{message}{hint and f'; {hint}'}")
        fixed = fault.refused(table.to_set) if fault.fate == "request" else ""
        hint = f"set {table.to_set[fixed]}" if fixed else table.hints.get(fault.fate, "")
        return ModelStopped(f"{message}{hint and f'; {hint}'}", "parameter" if fixed else fault.fate)

    def _without_keys(self, reply: Reply) -> Reply:
        """A reply in which no server repeats our keys."""
        calls = json.loads(without_values(json.dumps([asdict(call) for call in reply.tool_calls]), self._secrets))
        text = without_values(reply.text, self._secrets)
        return replace(reply, text=text, tool_calls=[ToolCall(**call) for call in calls])
