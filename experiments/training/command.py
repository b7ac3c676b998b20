"""``formgym train``: what an experiment trains, configured by Hydra."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import hydra
from hydra.utils import instantiate
from omegaconf import DictConfig

from ..running.command_line import config_errors
from ..terminal import say, user_errors


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
