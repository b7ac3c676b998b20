"""Secrets of private test splits; run directories hold only their hash."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

VARIABLE = "FORMGYM_SECRET"
"""The environment variable with the secret of runs that are replayed or resumed."""
_PREFIX, _SALT = "scrypt:", b"formgym secret"


@lru_cache(maxsize=64)
def secret_hash(secret: str) -> str:
    """The hash of a secret."""
    return _PREFIX + hashlib.scrypt(secret.encode(), salt=_SALT, n=2**14, r=8, p=1, dklen=16).hex()


def with_hash(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an environment, its secret replaced by the hash."""
    secret = settings.get("secret")
    is_open = bool(secret) and not str(secret).startswith(_PREFIX)
    return {**settings, "secret": secret_hash(str(secret))} if is_open else dict(settings)


def with_secret(settings: Mapping[str, Any], given: Any = None) -> dict[str, Any]:
    """The settings of an environment with its secret in the place of the hash.

    Args:
        settings: as a run directory holds them.
        given: the secret, if it is known; otherwise ``FORMGYM_SECRET`` has it.

    Raises:
        ValueError: if none of them has this hash.
    """
    expected = settings.get("secret")
    if not str(expected).startswith(_PREFIX):
        return dict(settings)
    for secret in (str(given), os.environ.get(VARIABLE, "")):
        if secret_hash(secret) == expected and secret.isdecimal():
            return {**settings, "secret": int(secret)}
    raise ValueError(f"the run has a private test split; set {VARIABLE} to the env.secret that it was begun with")
