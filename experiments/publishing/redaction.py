"""Secrets and local paths are removed from what is published."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...envs.core.redaction import REMOVED, secret_values, without_values

_SECRET_NAME = re.compile(r"(^|[_-])(api[_-]?key|token|password|passwd|secret|authorization|credentials?)$", re.I)
_HARMLESS = ("scrypt:", "private")
"""What stands for the secret of a private test split."""


def redacted(value: Any, name: str = "") -> Any:
    """``value`` without secrets, which are found by names, variables and URLs.

    Args:
        value: of plain JSON types.
        name: of the setting.
    """
    if isinstance(value, Mapping):
        return {key: redacted(item, str(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [redacted(item, name) for item in value]
    if not isinstance(value, str):
        return value
    if value and _SECRET_NAME.search(name) and not value.startswith(_HARMLESS):
        return REMOVED
    return re.sub(r"://[^/@\s]*@", "://", without_values(value)).replace(str(Path.home()), "~")


def check_without_secrets(content: Any) -> None:
    """Raise ``ValueError`` if the value of a variable for secrets is in JSON data."""
    text = json.dumps(content, ensure_ascii=False)
    found = [name for name, secret in secret_values().items() if json.dumps(secret, ensure_ascii=False)[1:-1] in text]
    if found:
        raise ValueError(f"the episodes hold the value of {found[0]}; they cannot be published")
