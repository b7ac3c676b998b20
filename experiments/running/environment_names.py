"""Short names of environments: ``document=invoice`` and ``form=bug_report``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob
from omegaconf import OmegaConf

from ...envs.registration import ids, index
from .config_errors import suggestion

_CONF = Path(__file__).resolve().parents[2] / "conf"
_OPTIONS = {"document": ("DocEdit/", "documents"), "form": ("FormFactory/", "forms")}
"""The options, each with the suite whose environments it names and the argument of theirs that has the name."""


@lru_cache(maxsize=len(_OPTIONS))
def environment_ids(option: str) -> dict[str, str]:
    """Ids of environments by the names that ``document=`` or ``form=`` takes."""
    suite, argument = _OPTIONS[option]
    named = {env_id: entry["kwargs"].get(argument) for env_id, entry in index()["environments"].items()}
    return {name: env_id for env_id, name in named.items() if env_id.startswith(suite) and isinstance(name, str)}


def environment_id(option: str, name: str | None) -> str:
    """The id of the environment that an option names, as ``gymnasium.make`` takes it.

    Raises:
        ValueError: if there is none of that name.
    """
    known = environment_ids(option)
    if name is None:
        raise ValueError(f"{option}= is missing, such as {option}={next(iter(known))}; {suggestion('', known)}")
    if name not in known:
        raise ValueError(f"there is no {option} {name!r}; {suggestion(name, known)}")
    return f"formgym:{known[name]}"


def with_names_listed(arguments: Sequence[str]) -> list[str]:
    """Arguments of a sweep, patterns (``env=glob(formgym/*)``) replaced by names.

    They are names of documents, forms and choices of config groups, or ids of environments.

    Raises:
        ValueError: if nothing matches.
    """
    return [_listed(argument) if "=glob(" in argument else argument for argument in arguments]


def _listed(argument: str) -> str:
    option, _, value = argument.partition("=")
    group = _CONF / option
    if option in _OPTIONS:
        known = list(environment_ids(option))
    elif group.is_dir():
        known = sorted(str(path.relative_to(group).with_suffix("")) for path in group.rglob("*.yaml"))
    else:
        return argument
    pattern = OverridesParser.create().parse_override(argument).value()
    kinds = [known, list(ids())] if option == "env" else [known]
    found = (pattern.filter(kind) for kind in kinds) if isinstance(pattern, Glob) else ()
    names: list[str] = next(filter(None, found), [])
    if not names:
        raise ValueError(f"no {option} matches {value}; {suggestion('', known)}")
    return f"{option}={','.join(names)}"


def register_resolver() -> None:
    """Let configurations name environments: ``${environment:form,${form}}`` is an id."""
    OmegaConf.register_new_resolver("environment", environment_id, replace=True)
