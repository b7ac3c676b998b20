"""Secrets are removed from texts: values of environment variables for them, and what looks like a key."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

REMOVED = "removed"
_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.I)
_ARGUMENT = re.compile(rf"{_VARIABLE.pattern}|authorization$", re.I)
_MIN_LENGTH = 8
"""Shorter values of variables are found in any text by chance."""
_SHAPES = re.compile(
    r"(?P<before>\b(?:bearer|basic)\s+|\b(?:x-)?(?:api[-_]?key|authorization)[\"']?\s*[:=]\s*[\"']?(?:bearer\s+|basic\s+)?)"
    r"[\w.~+/=-]{8,}"
    r"|\b(?:sk|pk|rk|hf|gsk|xai|ghp|glpat)[-_](?=[\w-]*\d)[\w-]{8,}|\bAIza[\w-]{30,}|\bAKIA[A-Z0-9]{12,}",
    re.I,
)


def secret_values() -> dict[str, str]:
    """The values of the environment variables whose names are those of secrets."""
    return {name: value for name, value in os.environ.items() if _VARIABLE.search(name) and len(value) >= _MIN_LENGTH}


def is_secret_argument(name: str) -> bool:
    """Whether the name of an argument is that of a secret, such as ``api_key``."""
    return _ARGUMENT.search(name) is not None


def secrets_in(arguments: Mapping[str, Any]) -> list[str]:
    """The words of arguments, and of objects in them, whose names are those of secrets.

    >>> secrets_in({"api_key": "a1b2c3d4e5", "max_tokens": 500, "headers": {"Authorization": "Bearer f6g7h8i9"}})
    ['a1b2c3d4e5', 'f6g7h8i9']
    """
    found: list[str] = []
    for name, value in arguments.items():
        if isinstance(value, Mapping):
            found += secrets_in(value)
        elif isinstance(value, str) and is_secret_argument(str(name)):
            found += [word for word in value.split() if len(word) >= _MIN_LENGTH]
    return found


def without_values(text: str, more: Iterable[str] = ()) -> str:
    """A text without the values of variables for secrets, and without ``more``."""
    for secret in sorted([*secret_values().values(), *more], key=len, reverse=True):
        text = text.replace(secret, REMOVED)
    return text


def without_secrets(text: str) -> str:
    """A text without the values of variables for secrets, and without what looks like a key.

    >>> without_secrets("Incorrect API key provided: sk-proj-4f9a8b7c6d5e; sent Authorization: Bearer abcdef123456")
    'Incorrect API key provided: removed; sent Authorization: Bearer removed'
    """
    return _SHAPES.sub(lambda match: (match["before"] or "") + REMOVED, without_values(text))
