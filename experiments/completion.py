"""What shells complete: ids of environments, and settings of ``formgym sweep``."""

from __future__ import annotations

import typer

from ..envs.registration import ids


def environment_names(incomplete: str) -> list[str]:
    """The ids of environments that begin with ``incomplete``, in any case."""
    return [env_id for env_id in ids() if env_id.lower().startswith(incomplete.lower())]


def overrides(context: typer.Context, incomplete: str) -> list[str]:
    """Settings that begin with ``incomplete``, or after ``=`` the choices of one."""
    from .running.command_line import SETTINGS

    before = context.params.get("overrides") or ()
    # Bash takes agent=or for three words, and agent= for two; zsh and fish take it for one.
    if before and before[-1] == "=":
        return _matching(_choices(before[-2]), incomplete)
    setting, equals, begun = incomplete.rpartition("=")
    if not equals and before and _choices(before[-1]):
        return _matching(_choices(before[-1]), begun)
    names = _choices(setting) if equals else [f"{name}=" for name in SETTINGS]
    return [f"{setting}{equals}{name}" for name in _matching(names, begun)]


def _matching(names: list[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]


def _choices(setting: str) -> list[str]:
    """The choices of a setting."""
    from .running.command_line import choices

    return choices(setting) + (list(ids()) if setting == "env" else [])
