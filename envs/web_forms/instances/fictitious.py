"""Whether what a text names can be nobody's: addresses, sites and telephone numbers that are set apart for examples."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HOST = re.compile(r"(?:@|https?://)([\w-]+(?:\.[\w-]+)+)")
_PHONE = re.compile(r"(?<!\d)\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}(?!\d)")
_RESERVED_HOST = re.compile(r"(?:.+\.)?example\.(?:com|org|net)")
_RESERVED_PHONE = re.compile(r".*555.01\d\d")


def real_names(text: str) -> Iterator[str]:
    """Hosts and telephone numbers in ``text`` that could be somebody's."""
    yield from (host for host in _HOST.findall(text) if not _RESERVED_HOST.fullmatch(host))
    yield from (number for number in _PHONE.findall(text) if not _RESERVED_PHONE.fullmatch(number))
