"""What the failures of providers mean: which may pass, which are the model's own, and what they may have cost."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

from ...assets import ROOT
from ...envs.core.files import Data, load
from ...envs.core.redaction import without_secrets
from .model import Usage

AGAIN, FAILED = "again", "failed"
"""Fates of a request besides the reasons of ``ModelStopped``: it is sent again; it is not, and the provider failed."""
_MAX_MESSAGE = 600
_MAX_TOKENS = 10**9
"""The largest count of tokens that is believed; a server's larger one is cut to it."""
_RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})
_OF_THE_ACCOUNT = frozenset({401, 402, 403, 404, 405})
_NOT_SENT = set("ConnectError ConnectTimeout PoolTimeout ConnectionRefusedError gaierror UnsupportedProtocol".split())
"""Exceptions of requests that have not reached the server."""
_FAILED = {
    **{"timeout": "has not answered in time", "connection": "has not answered: the connection failed"},
    "malformed": "sent no JSON",
}
_BROKE = (OSError, ValueError, EOFError, TimeoutError, RecursionError)
_BROKEN = re.compile(r"Timeout|Connection|Protocol|ReadError|WriteError|Network|JSONDecode|Overloaded|NoStreamData")


class ProviderErrors(Data):
    """What the words of providers mean: regular expressions, and hints for users.

    Attributes:
        reasons: what a request is refused for, as in ``ModelStopped``, with the words for it; the first found holds.
        no_credit: words of an account that has spent all that it may.
        reason_of_status: of statuses whose words say nothing.
        names: how servers name a parameter, where it is not by its name alone.
        hints: what to do about a status or a reason.
        to_set: what a user sets so that a parameter is not sent.
    """

    reasons: dict[str, list[str]]
    no_credit: list[str]
    reason_of_status: dict[str, str]
    names: dict[str, str]
    hints: dict[str, str]
    to_set: dict[str, str]


@lru_cache(maxsize=1)
def provider_errors() -> ProviderErrors:
    """What the words of providers mean."""
    return load(ProviderErrors, ROOT / "provider_errors.json")


class Fault(Exception):
    """A request that failed.

    >>> Fault("overloaded", 529).fate, Fault("prompt is too long: 210000 tokens > 200000 maximum", 400).fate
    ('again', 'context')

    Args:
        message: what happened; secrets are removed from it.
        status: of HTTP, or a word such as ``"timeout"`` or ``"cut"``.
        body: of the response as JSON, if there is one.
        headers: of the response.
        was_sent: whether the server may have answered it, and billed it.
        fate: ``AGAIN``, ``FAILED`` or a reason of ``ModelStopped``; empty: it follows from the status and the words.

    Attributes:
        after: how many seconds the provider asks to wait; ``None``: it does not say.
        usage: what it cost, if the body tells; ``None``: unknown.
        parameter: of the request that the body names; may be empty.
    """

    def __init__(
        self,
        message: str,
        status: int | str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        was_sent: bool = True,
        fate: str = "",
    ) -> None:
        message = " ".join(message.split())
        super().__init__(without_secrets(message)[:_MAX_MESSAGE])
        self.status, self.after = status, retry_after(headers or {})
        inner = body.get("error", body) if isinstance(body, Mapping) else body
        inner = inner if isinstance(inner, Mapping) else {}
        self.parameter = str(inner.get("param") or "")
        self._words = f"{inner.get('code')} {inner.get('type')} {_details(inner)} {message}"
        self.usage = _usage_in(body)
        self.may_be_billed = was_sent and not (isinstance(status, int) and 400 <= status < 500 and status != 408)
        self.fate = fate or self._fate()

    def _fate(self) -> str:
        table, status = provider_errors(), self.status
        if not isinstance(status, int):
            return AGAIN
        reason = next((name for name, patterns in table.reasons.items() if self._has(patterns)), "")
        if status in (401, 402) or self._has(table.no_credit):
            return FAILED
        if status in _RETRIED:
            return reason if reason == "context" and status >= 500 else AGAIN
        if status in _OF_THE_ACCOUNT:
            return reason if reason in ("images", "policy") else FAILED
        return reason or table.reason_of_status.get(str(status), "request")

    def _has(self, patterns: Sequence[str]) -> bool:
        return bool(re.search("|".join(patterns), self._words, re.IGNORECASE))

    def refused(self, sent: Collection[str]) -> str:
        """The parameter among those that were sent which the server does not take; empty if it names none."""
        if self.status not in (400, 404, 422, 501):
            return ""
        named = re.split(r"[.\[]", self.parameter)[0]
        if named in sent:
            return named
        if self.fate not in ("request", "context", FAILED):
            return ""
        found = {name: match.start() for name in sent if (match := self.mentions(name))}
        return min(found, key=found.__getitem__) if found else ""

    def mentions(self, name: str) -> re.Match[str] | None:
        """Where the message has a parameter's name."""
        words = provider_errors().names.get(name, re.escape(name))
        return re.search(rf"(?<![\w.]){words}(?!\w)", self._words, re.IGNORECASE)


def fault_of(error: BaseException, name: str) -> Fault:
    """What an exception of a provider's client means; of any client: by its attributes and the names of its classes.

    Args:
        error: it, or a wrapper around it.
        name: of the model or the server.
    """
    while type(error).__name__ in ("RetryError", "ModelGenerateError") and error.__cause__:
        error = error.__cause__
    response = getattr(error, "response", None)
    body = getattr(error, "body", None)
    with suppress(ValueError, AttributeError, RecursionError):
        body = json.loads(response.text)  # type: ignore[union-attr]
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    kind, detail = type(error).__name__, str(getattr(error, "message", None) or error)
    if isinstance(status, int) and status >= 400:
        more = _details(body) if isinstance(body, Mapping) else ""
        detail = f"{name} answered {status}: {detail} {more}"
        return Fault(detail, status, body, getattr(response, "headers", None))
    chain = [error, error.__cause__, error.__context__, getattr(error.__cause__, "__cause__", None)]
    names = {type(one).__name__ for one in chain if one}
    word = "timeout" if any("Timeout" in one for one in names) else "connection"
    word = "malformed" if isinstance(error, ValueError | RecursionError) or "JSONDecodeError" in names else word
    passes = isinstance(error, _BROKE) or any(_BROKEN.search(one) for one in names)
    message = f"{name} {_FAILED[word] if passes else f'failed ({kind})'}: {error.__cause__ or detail}"
    return Fault(message, word if passes else kind, body, None, not names & _NOT_SENT, AGAIN if passes else FAILED)


def usage_of(counts: Any, seconds: float = 0.0) -> Usage:
    """The usage in a response of OpenAI's or Anthropic's format.

    Reasoning that some servers leave out of the tokens of the completion counts as output: what the total has beyond
    prompt and completion, or the whole where it is more than the completion.
    """
    of_prompt, of_output = counts.get("prompt_tokens_details") or {}, counts.get("completion_tokens_details") or {}
    cached = _count(of_prompt.get("cached_tokens") or counts.get("prompt_cache_hit_tokens"))
    written = _count(of_prompt.get("cache_write_tokens"))
    if "input_tokens" in counts:  # Anthropic counts apart what was cached.
        cached, written = (_count(counts.get(f"cache_{name}_input_tokens")) for name in ("read", "creation"))
        read, output = _count(counts["input_tokens"]) + cached + written, _count(counts.get("output_tokens"))
    else:
        read, output = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    reasoning = _count(of_output.get("reasoning_tokens"))
    output = max(output + (reasoning if reasoning > output else 0), _count(counts.get("total_tokens")) - read)
    upstream = (counts.get("cost_details") or {}).get("upstream_inference_cost") if counts.get("is_byok") else 0
    cost = min(max(0.0, float(counts.get("cost") or 0) + float(upstream or 0)), 1e6)
    return Usage(read, output, cached, written, seconds, cost)


def _details(body: Mapping[str, Any]) -> str:
    """The places and messages of a refusal in FastAPI's format; what was sent is in it too, and left out."""
    details = body.get("detail", "")
    if not isinstance(details, list):
        return str(details)
    return "; ".join(f"{one.get('loc')} {one.get('msg')}" for one in details if isinstance(one, Mapping))


def _usage_in(body: Any) -> Usage | None:
    """The usage in a response that is no reply, where it has one that can be read."""
    try:
        return usage_of(body["usage"]) if body["usage"] else None
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError):
        return None


def _count(value: Any) -> int:
    return min(max(0, int(value or 0)), _MAX_TOKENS)


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
