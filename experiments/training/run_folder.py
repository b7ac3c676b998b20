"""The folder of a training run that can be continued."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...envs.core.files import atomic_write


def check_same_run(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write the settings of a run to its folder, or compare them.

    Raises:
        ValueError: if the folder holds another run.
    """
    path = folder / "settings.json"
    text = json.dumps(dict(settings), indent=1)
    if path.exists() and path.read_text() != text:
        raise ValueError(f"{folder} holds a run with other settings; choose another run_dir")
    folder.mkdir(parents=True, exist_ok=True)
    atomic_write(path, text.encode())
