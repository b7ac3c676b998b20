"""Errors of Hydra and OmegaConf as one sentence that suggests the right name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from hydra.errors import HydraException, InstantiationException, MissingConfigException, OverrideParseException
from omegaconf.errors import (
    ConfigAttributeError,
    ConfigKeyError,
    InterpolationResolutionError,
    OmegaConfBaseException,
)

from ...envs.registration import ids
from ..terminal import USER_ERRORS, error_message, how_to_install

_CONF = Path(__file__).resolve().parents[2] / "conf"
_MAX_LISTED = 12
_RESOLVER_ERROR = re.compile(r"ValueError raised while resolving interpolation: (.+)")


@contextmanager
def config_errors() -> Iterator[None]:
    """Turns errors of Hydra and OmegaConf into a ``ValueError`` of one sentence."""
    # Otherwise Hydra prints its errors itself and exits.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    except MissingConfigException as error:
        raise ValueError(_unknown_choice(error)) from error
    except OverrideParseException as error:
        raise ValueError(f"{error.override!r} is no setting: write NAME=VALUE, as agent=oracle") from error
    except (HydraException, OmegaConfBaseException) as error:
        cause = error.__cause__
        if (missing := _missing_module(error)) is not None and (what := how_to_install(missing)):
            raise RuntimeError(what) from error
        if isinstance(error, InstantiationException) and isinstance(cause, USER_ERRORS):
            raise ValueError(" ".join(error_message(cause).split())) from error
        if isinstance(cause, ConfigKeyError | ConfigAttributeError):
            raise ValueError(_unknown_key(cause)) from error
        raise ValueError(_one_line(error)) from error


def _missing_module(error: BaseException | None) -> ModuleNotFoundError | None:
    """The module for want of which something could not be made, if that is why."""
    while error is not None and not isinstance(error, ModuleNotFoundError):
        error = error.__cause__ or error.__context__
    return error


def suggestion(word: str, known: Iterable[str]) -> str:
    """The names most like ``word``, or all names, as the end of a sentence."""
    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), by_lower, n=3)
    if close:
        return f"did you mean {' or '.join(by_lower[name] for name in close)}?"
    names = sorted(by_lower.values()) or ["none"]
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return f"there are {', '.join(names[:_MAX_LISTED])}{more}"


def _unknown_choice(error: MissingConfigException) -> str:
    """``agent=orcale``: no choice of a group."""
    group, _, choice = (error.missing_cfg_file or "").rpartition("/")
    own = group.split("/")[0]
    if (_CONF / own).is_dir():
        group, choice = own, str(error.missing_cfg_file).removeprefix(f"{own}/")
    files = (path.relative_to(_CONF / group).with_suffix("") for path in (_CONF / group).rglob("*.yaml"))
    known = {*map(str, files), *(error.options or ()), *(ids() if group == "env" else ())}
    extras = "; pip install 'formgym[sweep]' or 'formgym[ray]' brings more" if group == "hydra/launcher" else ""
    return f"there is no {group} {choice!r}; {suggestion(choice, known)}{extras}"


def _unknown_key(error: ConfigKeyError | ConfigAttributeError) -> str:
    """``seeds=3``: no setting of the configuration."""
    key, path = str(error.key), str(error.full_key)
    known = {str(name) for name in error.parent_node or () if not str(name).startswith("_")}
    if path == key:
        known |= {folder.name for folder in _CONF.iterdir() if folder.is_dir() and not folder.name.startswith("_")}
    return f"there is no setting {path!r}; {suggestion(key, known)} (+{path}=VALUE adds one)"


def _one_line(error: Exception) -> str:
    if isinstance(error, InterpolationResolutionError) and (found := _RESOLVER_ERROR.match(str(error))):
        return found[1]
    cause = f" {error.__cause__}" if isinstance(error.__cause__, OmegaConfBaseException) else ""
    return " ".join(f"{error}{cause}".split())
