"""Models of servers that speak OpenAI's chat completions, such as vLLM's."""

from __future__ import annotations

import ipaddress
import json
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..base import ModelError
from .model import Message, Reply, Schema
from .openai_messages import MalformedReply, Wire, reply_from_wire, to_wire, wire_tools

T = TypeVar("T")

OPENAI = "https://api.openai.com/v1"
_MAX_BYTES = 8 * 2**20
"""Of a reply; longer ones are refused while they are read."""
_RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})
"""Statuses of faults that may pass; 501 and 505 are rare enough to be tried again too."""
_FIRST_WAIT = 0.5
_HINTS = {
    401: "the key in {key} is not valid there",
    403: "the key in {key} may not use {name}",
    404: "there is no such model or address; check model.name and model.base_url",
}


class OpenAICompatible:
    """A model of a server that speaks OpenAI's chat completions.

    >>> model = OpenAICompatible("tiny", "http://localhost:8000/v1", max_tokens=500)
    >>> model.max_output_tokens
    500

    Args:
        name: of the model, as the server knows it.
        base_url: of the server, up to ``/v1``; ``None``: ``OPENAI_BASE_URL``, or OpenAI.
        api_key_env: the environment variable that holds the key; servers on this machine or network need none.
        tools: ``"native"``, ``"json"`` (described in the system message; calls are read in the reply's text) or
            ``"auto"``: native until the server refuses a request with tools.
        max_images: how many of the newest pictures are sent; ``None``: all.
        max_tokens: the most that a reply may have; ``None``: the server's own limit.
        temperature: of sampling; ``None``: the server's own.
        send_seed: whether the request has a seed.
        extra: more parameters of the request's body.
        timeout: seconds until a request is given up and sent again.
        retries: how often a request is sent again after a fault.
        max_wait: the longest wait before that, in seconds.

    Raises:
        ValueError: if a key is needed and not there, or an argument is none of these.
        RuntimeError: if the ``openai`` package is not installed.
    """

    def __init__(
        self,
        name: str,
        base_url: str | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        tools: str = "auto",
        max_images: int | None = 8,
        max_tokens: int | None = 4096,
        temperature: float | None = None,
        send_seed: bool = True,
        extra: Mapping[str, Any] | None = None,
        timeout: float = 300.0,
        retries: int = 6,
        max_wait: float = 60.0,
    ) -> None:
        if tools not in ("auto", "native", "json"):
            raise ValueError(f"model.tools must be auto, native or json, not {tools!r}")
        self.name, self.max_output_tokens = name, max_tokens
        self._url = (base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI).rstrip("/")
        if not self._url.startswith(("http://", "https://")):
            raise ValueError(f"model.base_url must be a URL such as http://localhost:8000/v1, not {base_url!r}")
        self._key_env, self._max_images, self._send_seed = api_key_env, max_images, send_seed
        self._timeout, self._retries, self._max_wait = timeout, retries, max_wait
        self._falls_back, self._native = tools == "auto", tools != "json"
        limit = "max_completion_tokens" if self._url == OPENAI else "max_tokens"
        given = {limit: max_tokens, "temperature": temperature, **(extra or {})}
        self._parameters = {key: value for key, value in given.items() if value is not None}
        self.settings: Mapping[str, Any] = {
            "provider": "openai_compatible",
            "name": name,
            "base_url": self._url,
            "tools": tools,
            "max_images": max_images,
            "send_seed": send_seed,
            "parameters": self._parameters,
        }
        self._client = _client(self._url, _key(self._url, name, api_key_env), timeout)

    def generate(
        self, messages: Sequence[Message], tools: Sequence[Schema] = (), *, seed: int = 0, key: str = ""
    ) -> Reply:
        """The reply to a conversation; see ``Model.generate``.

        Raises:
            ModelError: if the server fails after all retries, or refuses the request.
        """
        native = self._native and bool(tools)
        try:
            return self._reply(messages, tools, native, seed, key)
        except _Refused as refused:
            if not (native and self._falls_back and refused.status == 400):
                raise ModelError(str(refused)) from refused
            first = refused
        try:
            reply = self._reply(messages, tools, False, seed, key and f"{key}-json")
        except _Refused:
            # The tools were not what it refused.
            raise ModelError(str(first)) from first
        self._native = False
        return reply

    def _reply(self, messages: Sequence[Message], tools: Sequence[Schema], native: bool, seed: int, key: str) -> Reply:
        wire = to_wire(messages, tools, native=native, max_images=self._max_images)
        known: Wire = {"messages": wire, "model": self.name}
        known |= {"tools": wire_tools(tools)} if native else {}
        known |= {"seed": seed % 2**31} if self._send_seed else {}
        body: Wire = {**known, "extra_body": self._parameters}
        body |= {"extra_headers": {"Idempotency-Key": key}} if key else {}

        def request() -> Reply:
            began = time.perf_counter()
            completion = self._completion(body)
            try:
                return reply_from_wire(completion, messages, tools, time.perf_counter() - began)
            except MalformedReply as error:
                raise ProviderFault(f"{self._url}: {error}") from error

        return with_retries(request, self._retries, self._max_wait)

    def _completion(self, body: Wire) -> Any:
        """The JSON of the response.

        Raises:
            ProviderFault: if it may be there another time.
            ModelError: if it is too long.
        """
        import openai

        try:
            with self._client.chat.completions.with_streaming_response.create(**body) as response:
                return json.loads(self._content(response))
        except openai.APIStatusError as error:
            raise self._fault(error) from error
        except openai.APITimeoutError as error:
            raise ProviderFault(f"{self._url} has not answered within {self._timeout:g} s") from error
        except openai.APIConnectionError as error:
            raise ProviderFault(f"the connection to {self._url} failed: {error.__cause__ or error}") from error
        except (ValueError, RecursionError) as error:
            raise ProviderFault(f"the response of {self._url} is no JSON: {error}") from error

    def _content(self, response: Any) -> bytes:
        """The body of a response.

        Raises:
            ProviderFault: if it ends too early or too late.
            ModelError: if it is too long.
        """
        # The SDK's own errors do not cover this, and its versions are built on two libraries.
        httpx = import_module(type(response.http_response).__module__.partition(".")[0])
        deadline = time.monotonic() + self._timeout
        content = bytearray()
        try:
            for part in response.iter_bytes():
                content += part
                if len(content) > _MAX_BYTES:
                    raise ModelError(f"{self._url} sent more than {_MAX_BYTES // 2**20} MB, which is no reply")
                if time.monotonic() > deadline:
                    raise ProviderFault(f"{self._url} has not ended its reply within {self._timeout:g} s")
        except httpx.HTTPError as error:
            raise ProviderFault(f"{self._url} has not ended its reply: {error}") from error
        return bytes(content)

    def _fault(self, error: Any) -> Exception:
        """What a status other than 200 means."""
        status, text = error.status_code, str(error.message)[:500]
        if status in _RETRIED:
            return ProviderFault(f"{self._url} answered {status}: {text}", retry_after(error.response.headers))
        hint = _HINTS.get(status, "the request is not valid there").format(key=self._key_env, name=self.name)
        return _Refused(f"{self._url} refused the request with {status}, {hint}: {text}", status)


class _Refused(Exception):
    """The server does not take the request, and will not take it again."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class ProviderFault(Exception):
    """A request failed for a reason that may pass.

    Args:
        message: what happened.
        after: how many seconds the provider asks to wait; ``None``: it does not say.
    """

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def with_retries(request: Callable[[], T], retries: int, max_wait: float) -> T:
    """The result of a request, sent again after each ``ProviderFault`` at growing intervals.

    Args:
        request: sends it.
        retries: how often it is sent again.
        max_wait: the longest wait before that, in seconds, whatever the provider asks for.

    Raises:
        ModelError: if all fail.
    """
    for retry in range(retries + 1):
        try:
            return request()
        except ProviderFault as fault:
            if retry == retries:
                raise ModelError(f"{fault} (the request was sent {retries + 1} times)") from fault
            # Spread out, so that many episodes do not come back at the same moment.
            wait = _FIRST_WAIT * 2**retry * random.uniform(0.5, 1.0) if fault.after is None else fault.after
            time.sleep(min(wait, max_wait))
    raise AssertionError("the last retry returns or raises")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a Retry-After header asks for, by a number or a date; ``None`` if it asks for none.

    OpenAI and Azure send ``retry-after-ms`` besides, which is finer.
    """
    with suppress(KeyError, ValueError):
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    value = headers.get("retry-after", "")
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(ValueError):
        moment = parsedate_to_datetime(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    return None


def _client(url: str, key: str, timeout: float) -> Any:
    try:
        import openai
    except ImportError as error:
        raise RuntimeError(f"openai_compatible needs OpenAI's SDK: pip install 'formgym[llm]' ({error})") from None
    return openai.OpenAI(base_url=url, api_key=key, timeout=timeout, max_retries=0)


def _key(url: str, name: str, variable: str) -> str:
    """The key for a server.

    Raises:
        ValueError: if it needs one, and there is none.
    """
    key = os.environ.get(variable, "")
    if not key and not _is_local(url):
        raise ValueError(
            f"{name} at {url} needs a key: set the environment variable {variable} (model.api_key_env names another), "
            "or model.base_url to a server of your own, such as http://localhost:8000/v1"
        )
    return key or "none"


def _is_local(url: str) -> bool:
    """Whether a server is on this machine or network."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))
