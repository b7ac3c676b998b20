"""``formgym train``: what an experiment trains, configured by Hydra."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import hydra
from hydra.utils import instantiate
from omegaconf import DictConfig

from ...envs.core.files import atomic_write
from ..running.command_line import config_errors
from ..terminal.console import say, user_errors


def train_command(arguments: Sequence[str]) -> None:
    """Train as settings such as ``experiment=grounding_clone`` say."""
    # As `python -m` would: a recipe of one's own may lie beside.
    sys.path.insert(0, str(Path.cwd()))
    with user_errors(), config_errors():
        sys.argv = ["formgym train", *arguments]
        _main()


@hydra.main(version_base="1.3", config_path="../../conf/train", config_name="train")
def _main(config: DictConfig) -> None:
    with user_errors(), config_errors():
        say(str(instantiate(config.training)))


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
