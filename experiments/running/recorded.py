"""Environments of recorded runs, whoever recorded them: ids and options are looked up, and nothing else is made."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...envs.core.data_sets import ROOT_VARIABLE
from ...envs.core.env import PaperworkEnv
from ...envs.registration import ids
from .rollout import bare_env
from .run_spec import with_secret

OWN_OPTIONS = "FORMGYM_OPTIONS"
"""The environment variable with options of one's own for recorded runs, such as ``form=forms/mine``."""
_MAX_SIDE, _MAX_STEPS = 4096, 10_000
_MAX_SHOWN = 60


def _is_word(value: Any) -> bool:
    """Whether it is a name of ours: it cannot be a path, an address or a module."""
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_ -]{0,64}", value) is not None


def _is_words(value: Any) -> bool:
    return _is_word(value) or (isinstance(value, list | tuple) and len(value) <= 100 and all(map(_is_word, value)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < 2**63


def _is_size(value: Any) -> bool:
    sides = list(value) if isinstance(value, list | tuple) else []
    return len(sides) == 2 and all(isinstance(side, int) and 0 < side <= _MAX_SIDE for side in sides)


def _is_weights(value: Any) -> bool:
    return _is_word(value) or (isinstance(value, Mapping) and len(value) <= 20 and all(map(_is_number, value.values())))


_HARMLESS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("forms", "documents", "kinds", "themes"), _is_words),
    **dict.fromkeys(
        ("split", "theme", "action_mode", "grounder", "domain", "names", "action", "answers", "sha256", "mode"),
        _is_word,
    ),
    **dict.fromkeys(("secret", "grounder_accuracy", "max_targets", "max_pages", "values"), _is_number),
    **dict.fromkeys(
        ("strict", "source_page", "copy", "names", "marks", "session"), lambda value: isinstance(value, bool)
    ),
    "language": _is_word,
    "max_episode_steps": lambda value: isinstance(value, int) and 0 < value <= _MAX_STEPS,
    "render_size": _is_size,
    "reward": _is_weights,
    "backend": lambda value: value == "replay",
}
"""The options that a recorded run may have, and whether a value of one names no file, program or server."""


def recorded_env(settings: Mapping[str, Any]) -> PaperworkEnv:
    """The bare environment of a recorded run, for replays.

    Options that name files, programs or servers are taken from ``FORMGYM_OPTIONS`` of whoever replays, and data sets
    from ``FORMGYM_DATA``; a record cannot choose them.

    Args:
        settings: the ``id`` and the options, as they were recorded.

    Raises:
        ValueError: if there is none of this id, an option is not harmless and is not set by oneself, or the test split
            is private and ``FORMGYM_SECRET`` is not its secret.
    """
    env_id, own = str(settings.get("id")), own_options()
    # Gymnasium would import the module before a colon, and has environments of others.
    if env_id not in ids():
        raise ValueError(f"{env_id[:_MAX_SHOWN]} is no environment of formgym")
    options: dict[str, Any] = {}
    for name, value in with_secret(settings).items():
        if name in _HARMLESS and _HARMLESS[name](value):
            options[name] = value
        elif name in own:
            options[name] = own[name]
        # Without it, environments look in the folder that FORMGYM_DATA names.
        elif value is not None and name != "id" and not (name == "root" and os.environ.get(ROOT_VARIABLE)):
            raise ValueError(_refusal(env_id, name))
    return bare_env(env_id, **options)


def own_options() -> dict[str, Any]:
    """The options in ``FORMGYM_OPTIONS``, which has ``name=value`` divided by spaces."""
    return options_of(shlex.split(os.environ.get(OWN_OPTIONS, "")))


def options_of(words: Sequence[str]) -> dict[str, Any]:
    """The options in words such as ``name=value``."""
    from omegaconf import OmegaConf

    return {str(name): value for name, value in OmegaConf.to_container(OmegaConf.from_dotlist(list(words))).items()}  # type: ignore[union-attr]


def _refusal(env_id: str, name: str) -> str:
    """Why a recorded option is not used, and how to use one's own."""
    name = name[:_MAX_SHOWN]
    data = f", or {ROOT_VARIABLE} to the folder of your data sets" if name == "root" else ""
    return (
        f"{env_id}: the record's {name} may name a file, a program or a server, or be too large, which no record may "
        f"choose; if the run is yours, set {OWN_OPTIONS}='{name}=...'{data}"
    )
