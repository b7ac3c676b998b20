"""Models of servers that speak OpenAI's chat completions, such as vLLM's."""

from __future__ import annotations

import ipaddress
import json
import os
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from .faults import FAILED, Fault, fault_of
from .model import Message, Reply, Schema
from .openai_messages import Wire, reply_from_wire, to_wire, wire_tools
from .remote import LIMITS, RemoteModel

OPENAI = "https://api.openai.com/v1"
_MAX_BYTES = 8 * 2**20
"""Of a reply; longer ones are refused while they are read."""


class OpenAICompatible(RemoteModel):
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
        max_images, send_seed, retries, max_wait: see ``RemoteModel``.
        max_tokens: the most that a reply may have; ``None``: the server's own limit.
        temperature: of sampling; ``None``: the server's own.
        extra: more parameters of the request's body.
        timeout: seconds until a request is given up and sent again.

    Raises:
        ValueError: if a key is needed and not there, or an argument is none of these.
        RuntimeError: if the ``openai`` package is not installed.
    """

    other_names: Mapping[str, str] = dict(zip(LIMITS, LIMITS[::-1], strict=True))

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
        self._url = (base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI).rstrip("/")
        if not self._url.startswith(("http://", "https://")):
            raise ValueError(f"model.base_url must be a URL such as http://localhost:8000/v1, not {base_url!r}")
        limit = LIMITS[self._url == OPENAI]
        parameters = {limit: max_tokens, "temperature": temperature, **(extra or {})}
        settings = {"provider": "openai_compatible", "base_url": self._url, "tools": tools}
        key = _key(self._url, name, api_key_env)
        super().__init__(name, retries, max_wait, max_images, send_seed, parameters, {"key": key}, **settings)
        self.settings = {**self.settings, "parameters": self._parameters}
        self._timeout, self._tools, self.can_describe_tools = timeout, tools, tools == "auto"
        self._client = _client(self._url, key, timeout)

    def send(
        self,
        messages: Sequence[Message],
        tools: Sequence[Schema],
        parameters: Mapping[str, Any],
        key: str,
        native: bool,
    ) -> Reply:
        """The reply to a request that is sent once; see ``RemoteModel.send``."""
        native = native and bool(tools) and self._tools != "json"
        body: Wire = {
            "messages": to_wire(messages, tools, native=native, max_images=self._max_images),
            "model": self.name,
            "extra_body": parameters,
        }
        body |= {"tools": wire_tools(tools)} if native else {}
        body |= {"extra_headers": {"Idempotency-Key": key}} if key else {}
        began = time.perf_counter()
        return reply_from_wire(self._completion(body), messages, tools, time.perf_counter() - began)

    def _completion(self, body: Wire) -> Any:
        """The JSON of the response.

        Raises:
            Fault: if there is none.
        """
        import openai

        try:
            with self._client.chat.completions.with_streaming_response.create(**body) as response:
                return json.loads(self._content(response))
        except (openai.APIError, ValueError, RecursionError) as error:
            raise fault_of(error, self._url) from None

    def _content(self, response: Any) -> bytes:
        """The body of a response.

        Raises:
            Fault: if it ends too early or too late, or is too long.
        """
        # The SDK's own errors do not cover this, and its versions are built on two libraries.
        httpx = import_module(type(response.http_response).__module__.partition(".")[0])
        deadline = time.monotonic() + self._timeout
        content = bytearray()
        try:
            for part in response.iter_bytes():
                content += part
                if len(content) > _MAX_BYTES:
                    message = f"{self._url} sent more than {_MAX_BYTES // 2**20} MB, which is no reply"
                    raise Fault(message, "too long", fate=FAILED)
                if time.monotonic() > deadline:
                    raise Fault(f"{self._url} has not ended its reply within {self._timeout:g} s", "timeout")
        except httpx.HTTPError as error:
            raise Fault(f"{self._url} has not ended its reply: {error}", "cut") from None
        return bytes(content)


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
