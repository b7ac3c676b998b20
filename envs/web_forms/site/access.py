"""Access to the site: under which names, from which pages, and how often."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Iterable
from threading import Lock
from urllib.parse import urlsplit

from cachetools import LRUCache
from flask import abort, request

_WINDOW, _MAX_COST, _POST_COSTS = 20, 400, 10
"""The seconds in which the requests of a client may cost so much; others than a post cost 1."""
_MAX_CLIENTS = 20_000


class Access:
    """The requests that are answered.

    Args:
        public: whether others than this machine may ask; then each may only so often.
        names: under which the site answers besides this machine's own.
    """

    def __init__(self, public: bool, names: Iterable[str] = ()) -> None:
        self._names = {"localhost", *(name.lower() for name in names)}
        self._is_public, self._lock = public, Lock()
        self._costs: LRUCache[tuple[str, int], int] = LRUCache(_MAX_CLIENTS)
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
        if host not in self._names and not (_address(host) if self._is_public else is_loopback(host)):
            abort(403, "This site answers only under the names that its machine has, or that --name gives.")
        if is_post and not _is_same_origin():
            abort(403, "A form is accepted only from this site's own pages.")
        if self._is_public and self._is_too_much(_client(request.remote_addr or ""), _POST_COSTS if is_post else 1):
            after = _WINDOW - int(time.monotonic()) % _WINDOW
            reason = f"Too many requests come from your address. Ask again in {after} second{'s' * (after > 1)}."
            abort(429, reason, retry_after=after)

    def _is_too_much(self, client: str, cost: int) -> bool:
        """Whether a request costs more than a client may still spend; if not, it is spent."""
        window = client, int(time.monotonic()) // _WINDOW
        with self._lock:
            spent = self._costs.get(window, 0) + cost
            if spent <= _MAX_COST:
                self._costs[window] = spent
        return spent > _MAX_COST


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
