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
from flask import abort, request

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
            Forbidden: if it comes under the name of another site, or posts from another site's page.
            TooManyRequests: if the client has asked too often.
        """
        host, is_post = urlsplit(f"//{request.host}").hostname or "", request.method == "POST"
        # Other sites could let their names point here, and have their pages ask; an address cannot point elsewhere.
        if host not in self._names and not (is_loopback(host) if self._limit is None else _address(host)):
            abort(403, "This site answers only under the names that its machine has, or that --name gives.")
        if is_post and not _is_same_origin():
            abort(403, "A form is accepted only from this site's own pages.")
        if self._limit is not None:
            cost = _POST_COSTS if is_post else 1.0
            if seconds := math.ceil(self._limit.wait(_client(request.remote_addr or ""), cost, time.monotonic())):
                when = f"Ask again in {seconds} second{'s' * (seconds > 1)}."
                abort(429, f"Too many requests come from your address. {when}", retry_after=seconds)


def _is_same_origin() -> bool:
    """Whether a post comes from this site's page, or from no page: only browsers send these headers."""
    origin = request.headers.get("Origin")
    if origin is None:
        return request.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
    return urlsplit(origin).netloc.lower() == request.host.lower()


def _client(address: str) -> str:
    """Whom an address belongs to: of IPv6, one owner has at least 64 bits."""
    network = f"{address.partition('%')[0]}/64"
    return str(ipaddress.ip_network(network, strict=False)) if ":" in address else address


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """A host as an address; ``None`` if it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether a name or address is a machine's own."""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)
