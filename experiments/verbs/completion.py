"""What shells complete: ids, names of web forms, and settings of Hydra."""

from __future__ import annotations

from pathlib import Path

import typer

from ...envs.registration import ids

_CONF = Path(__file__).resolve().parents[2] / "conf"
_SETTINGS = ("document", "episodes", "flow", "form", "name", "resume", "retry", "run_dir", "seed", "shard")
"""Settings of ``evaluate`` that are no groups of choices."""


def environment_names(incomplete: str) -> list[str]:
    """The ids of environments that begin with ``incomplete``, in any case."""
    return [env_id for env_id in ids() if env_id.lower().startswith(incomplete.lower())]


def overrides(context: typer.Context, incomplete: str) -> list[str]:
    """Settings that begin with ``incomplete``, or after ``=`` the choices of one."""
    before = context.params.get("overrides") or ()
    # Bash takes agent=or for three words, and agent= for two; zsh and fish take it for one.
    if before and before[-1] == "=":
        return _matching(_choices(before[-2]), incomplete)
    option, equals, begun = incomplete.rpartition("=")
    if not equals and before and _choices(before[-1]):
        return _matching(_choices(before[-1]), begun)
    names = _choices(option) if equals else [f"{name}=" for name in _names()]
    return [f"{option}{equals}{name}" for name in _matching(names, begun)]


def _matching(names: list[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]


def _names() -> list[str]:
    """The settings of ``formgym evaluate`` that are completed."""
    groups = {folder.name for folder in _CONF.iterdir() if folder.is_dir()} - {"train", "__pycache__"}
    return sorted({*groups, *_SETTINGS})


def _choices(option: str) -> list[str]:
    """The choices of a group, or the names that ``document=`` or ``form=`` takes."""
    if option in ("document", "form"):
        from ..running.environment_names import environment_ids

        return list(environment_ids(option))
    group = _CONF / option
    files = sorted(str(path.relative_to(group).with_suffix("")) for path in group.rglob("*.yaml")) if option else []
    return files + (list(ids()) if option == "env" else [])
