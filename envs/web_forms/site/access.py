"""Access to the site: under which names, from which pages, and how often."""

from __future__ import annotations

import ipaddress
import math
import socket
import time
from collections.abc import Iterable
from threading import Lock
from urllib.parse import urlsplit

from cachetools import LRUCache
from flask import request

from .http_responses import Refused

_BURST, _PER_SECOND = 400.0, 20.0
"""The tokens that a client's bucket holds, and gains."""
_POST_COSTS = 10.0
_MAX_CLIENTS = 20_000


class RateLimit:
    """Buckets of tokens, one for each client; those of the clients seen last are kept."""

    def __init__(self) -> None:
        self._buckets: LRUCache[str, tuple[float, float]] = LRUCache(_MAX_CLIENTS)
        self._lock = Lock()

    def wait(self, client: str, cost: float, now: float) -> float:
        """Take tokens; if there are too few, take none and return the seconds until there will be enough.

        Args:
            client: its address.
            cost: in tokens.
            now: in seconds.
        """
        with self._lock:
            tokens, then = self._buckets.get(client, (_BURST, now))
            tokens = min(_BURST, tokens + (now - then) * _PER_SECOND)
            enough = tokens >= cost
            self._buckets[client] = (tokens - cost if enough else tokens, now)
        return 0.0 if enough else (cost - tokens) / _PER_SECOND


class Access:
    """The requests that are answered.

    Args:
        public: whether others than this machine may ask; then each may only so often.
        names: under which the site answers besides this machine's own.
    """

    def __init__(self, public: bool, names: Iterable[str] = ()) -> None:
        self._names = {"localhost", *(name.lower() for name in names)}
        self._limit = RateLimit() if public else None
        if public:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def check(self) -> None:
        """Let a request pass.

        Raises:
            Refused: with status 403 if it comes under the name of another site, or posts from another site's page; with
                429 if the client has asked too often.
        """
        # Other sites could let their names point here, and have their pages ask.
        if not self._is_own(urlsplit(f"//{request.host}").hostname or ""):
            raise Refused(403, "This site answers only under the names that its machine has, or that --name gives.")
        if request.method == "POST" and not _is_same_origin():
            raise Refused(403, "A form is accepted only from this site's own pages.")
        if self._limit is not None:
            cost = _POST_COSTS if request.method == "POST" else 1.0
            if seconds := self._limit.wait(_client(request.remote_addr or ""), cost, time.monotonic()):
                after = math.ceil(seconds)
                reason = f"Too many requests come from your address. Ask again in {after} second{'s' * (after > 1)}."
                raise Refused(429, reason, retry_after=after)

    def _is_own(self, host: str) -> bool:
        """Whether the host of a request is this site; an address cannot be made to point elsewhere."""
        return host in self._names or is_loopback(host) or (self._limit is not None and _is_address(host))


def _is_same_origin() -> bool:
    """Whether a post comes from this site's page, or from no page: only browsers send these headers."""
    origin = request.headers.get("Origin")
    if origin is None:
        return request.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
    return urlsplit(origin).netloc.lower() == request.host.lower()


def _client(address: str) -> str:
    """Whom an address belongs to: of IPv6, one owner has at least 64 bits."""
    return ":".join(ipaddress.ip_address(address).exploded.split(":")[:4]) if ":" in address else address


def _is_address(host: str) -> bool:
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Whether a name or address is a machine's own."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)
