"""Requests that are sent again after faults of the provider."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from ..base import ModelError

T = TypeVar("T")

RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})
"""Statuses of faults that may pass; 501 and 505 are rare enough to be tried again too."""
_FIRST_WAIT = 0.5


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
    """The seconds that a Retry-After header asks for, by a number or a date."""
    value = headers.get("retry-after-ms")
    try:
        if value is not None:
            return max(0.0, float(value) / 1000)
        value = headers.get("retry-after")
        return None if value is None else max(0.0, float(value))
    except ValueError:
        return _until(str(value))


def _until(date: str) -> float | None:
    """The seconds until an HTTP date; ``None`` if it is none."""
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
