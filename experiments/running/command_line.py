"""Settings on the command line: short names, ids, agents of one's own, and what a typo was meant to be."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ...envs.registration import ids, index
from ..terminal.console import USER_ERRORS, error_message, how_to_install

if TYPE_CHECKING:
    from hydra.errors import MissingConfigException
    from omegaconf.errors import ConfigAttributeError, ConfigKeyError

CONF = Path(__file__).resolve().parents[2] / "conf"
SETTINGS = {
    "agent": "who acts: a choice, or a class of your own as my_module.MyAgent",
    "env": "the environment: a choice, or an id as formgym list has it",
    "form": "with env=formfactory: the web form",
    "document": "with env=docedit: the document",
    "model": "of agents that ask one: the provider; model.name=... names the model",
    "flow": "how an episode is divided into rounds",
    "wrappers": "around the environment, the first one innermost: wrappers=[ruler,feedback]",
    "experiment": "a sweep with a name",
    "name": "what the agent is called in tables; default: as its choice",
    "episodes": "how many of each job, drawn from the seed; default: one of every task",
    "seed": "of tasks and agents; default: 0",
    "concurrency": "how many episodes of a job are played at once; default: 1",
    "budget": "budget.dollars=5, budget.tokens=1000000: the most that all jobs may cost",
    "prices": "of models, a file or {name: {input: 2, output: 8}} in dollars per million tokens",
    "model_cache": "the folder for replies of models; null: none is kept",
    "run_dir": "the folder to write; default: runs/DATE/TIME. Several jobs have a folder each in it",
    "resume": "true: go on with what is in run_dir where it was cut off; add it to the command that began it",
    "retry": "errors: with resume=true, play episodes again that are unscored or crashed",
    "shard": "i/n: only these episodes of every job, beside other processes with the same run_dir",
    "logger": "where metrics go beside the folder",
    "hydra/launcher": "joblib, submitit_slurm, submitit_local, ray: jobs in other processes (extras sweep, ray)",
}
"""The settings of ``formgym sweep``, each in a line."""
_EXAMPLES = (
    "Play every combination of the values, each episode recorded to the call:",
    "  formgym sweep agent=oracle env=formgym/scans episodes=5",
    "  formgym sweep agent=noop,random 'env=glob(formgym/*)' episodes=5 run_dir=runs/mine",
    "  formgym sweep agent=noop,random 'env=glob(formgym/*)' episodes=5 run_dir=runs/mine resume=true retry=errors",
)
_MORE = (
    "Parts of a choice: agent.n_actions=8, env.split=train, flow.max_rounds=3; they are in conf/.",
    "--json prints the metrics as JSON. Read more: docs/evaluate.md, docs/sweeps.md.",
)
_NAMES = {"document": ("DocEdit/", "documents"), "form": ("FormFactory/", "forms")}
"""Settings that name an environment: its suite, and the argument of the environment that has the name."""
_MAX_LISTED = 12
_RESOLVER_ERROR = re.compile(r"ValueError raised while resolving interpolation: (.+)")


def suggestion(word: str, known: Iterable[str]) -> str:
    """The names most like ``word``, or all names, as the end of a sentence."""
    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), by_lower, n=3)
    if close:
        return f"did you mean {' or '.join(by_lower[name] for name in close)}?"
    names = sorted(by_lower.values()) or ["none"]
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return f"there are {', '.join(names[:_MAX_LISTED])}{more}"


def groups() -> list[str]:
    """The groups of ``conf/``."""
    return sorted(path.name for path in CONF.iterdir() if path.is_dir() and path.name not in ("train", "__pycache__"))


def choices(setting: str) -> list[str]:
    """The files of a group, or the names that ``document=`` or ``form=`` takes."""
    if setting in _NAMES:
        return list(environment_ids(setting))
    files = (path.relative_to(CONF / setting).with_suffix("") for path in (CONF / setting).rglob("*.yaml"))
    return sorted(map(str, files)) if setting in groups() else []


def settings_help() -> str:
    """Every setting of ``formgym sweep`` in a line, with its choices."""
    lines = ["formgym sweep NAME=VALUE[,VALUE...] ...", "", *_EXAMPLES, ""]
    for name, what in SETTINGS.items():
        lines += fill(f"{name:15} {what}", 79, subsequent_indent=" " * 16).splitlines()
        if names := choices(name):
            listed = fill(", ".join(names), 79, initial_indent=" " * 16, subsequent_indent=" " * 16)
            lines += [*listed.splitlines()]
    return "\n".join([*lines, "", *_MORE])


# -- Names of environments ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=len(_NAMES))
def environment_ids(setting: str) -> dict[str, str]:
    """Ids of environments by the names that ``document=`` or ``form=`` takes."""
    suite, argument = _NAMES[setting]
    named = {env_id: entry["kwargs"].get(argument) for env_id, entry in index()["environments"].items()}
    return {name: env_id for env_id, name in named.items() if env_id.startswith(suite) and isinstance(name, str)}


def environment_id(setting: str, name: str | None) -> str:
    """The id of the environment that ``document=`` or ``form=`` names.

    Raises:
        ValueError: if there is none of that name.
    """
    known = environment_ids(setting)
    if name is None:
        raise ValueError(f"{setting}= is missing, such as {setting}={next(iter(known))}; {suggestion('', known)}")
    if name not in known:
        raise ValueError(f"there is no {setting} {name!r}; {suggestion(name, known)}")
    return known[name]


def with_names_listed(arguments: Sequence[str]) -> list[str]:
    """Arguments of a sweep, patterns (``env=glob(formgym/*)``) replaced by names.

    They are names of documents, forms and choices of config groups, or ids of environments.

    Raises:
        ValueError: if nothing matches.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import Glob

    listed = []
    for argument in arguments:
        setting, _, value = argument.partition("=")
        if value.startswith("glob(") and (known := choices(setting)):
            pattern = OverridesParser.create().parse_override(argument).value()
            kinds = [known, list(ids())] if setting == "env" else [known]
            matches = (pattern.filter(kind) for kind in kinds) if isinstance(pattern, Glob) else ()
            names: list[str] = next(filter(None, matches), [])
            if not names:
                raise ValueError(f"no {setting} matches {value}; {suggestion('', known)}")
            argument = f"{setting}={','.join(names)}"
        listed.append(argument)
    return listed


def register_resolver() -> None:
    """Let configurations name environments: ``${environment:form,${form}}`` is an id."""
    from omegaconf import OmegaConf

    OmegaConf.register_new_resolver("environment", environment_id, replace=True)


# -- Choices without a file: ids, and agents of one's own --------------------------------------------------------------


def register_choices(arguments: Sequence[str]) -> None:
    """Let ``env=`` take ids, and ``agent=`` classes such as ``my_module.MyAgent``.

    Args:
        arguments: of the command; in sweeps a setting has several values, divided by commas.

    Raises:
        ValueError: if there is no such module, or no such class in it.
    """
    from hydra.core.config_store import ConfigStore

    store = ConfigStore.instance()
    for env_id in set(ids()).intersection(_values("env", arguments)):
        suite, _, name = env_id.partition("/")
        files = _files_of_environments()
        store.store(group=f"env/{suite}", name=name, node=files.get(env_id) or files[suite.lower()] | {"id": env_id})
    for path in _values("agent", arguments):
        if ":" in path or path.endswith(".py"):
            raise ValueError(f"agent={path}: a class of your own is written agent=MODULE.CLASS, as my_module.MyAgent")
        if "." in path and all(part.isidentifier() for part in path.split(".")):
            _check_agent(path)
            store.store(group="agent", name=path, node={"_target_": path})


def _values(setting: str, arguments: Sequence[str]) -> Iterator[str]:
    for argument in arguments:
        if argument.startswith(f"{setting}="):
            yield from (value.strip() for value in argument.removeprefix(f"{setting}=").split(","))


@lru_cache(maxsize=1)
def _files_of_environments() -> dict[str, dict[str, Any]]:
    """The settings of each file, by the id that it is for, or by the suite."""
    from omegaconf import OmegaConf

    settings: dict[str, dict[str, Any]] = {}
    for path in (CONF / "env").rglob("*.yaml"):
        # The files of suites leave the id open.
        content: Any = OmegaConf.to_container(OmegaConf.load(path))
        if path.parent == CONF / "env":
            settings[path.stem] = content["env"]
        elif "id" in content:
            settings[content["id"]] = content
    return settings


def _check_agent(path: str) -> None:
    module_name, _, class_name = path.rpartition(".")
    try:
        module = import_module(module_name)
    except SyntaxError as error:
        raise ValueError(f"agent={path} cannot be imported: {error}") from None
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise ValueError(f"agent={path} cannot be imported: {module_name} needs {error.name}") from None
        file = f"{module_name.replace('.', '/')}.py"
        raise ValueError(f"agent={path} needs {file} in {Path.cwd()}, or an installed module {module_name}") from None
    agent = getattr(module, class_name, None)
    if isinstance(agent, type) and not all(callable(getattr(agent, name, None)) for name in ("reset", "act")):
        raise ValueError(
            f"{path} is no agent: an agent has the methods reset(self, task, seed), act(self, observation)"
        )
    if not callable(agent):
        classes = [name for name, value in vars(module).items() if isinstance(value, type) and "act" in dir(value)]
        raise ValueError(f"{module_name} has no class {class_name!r}; {suggestion(class_name, classes)}")


# -- Errors of Hydra and OmegaConf as one sentence that suggests the right name ----------------------------------------


@contextmanager
def config_errors() -> Iterator[None]:
    """Turns errors of Hydra and OmegaConf into a ``ValueError`` of one sentence."""
    from hydra.errors import HydraException, MissingConfigException, OverrideParseException
    from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

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
        if isinstance(cause, ConfigKeyError | ConfigAttributeError):
            raise ValueError(_unknown_key(cause)) from error
        if what := missing_package(error):
            raise RuntimeError(what) from error
        raise ValueError(_one_line(error)) from error


def missing_package(error: BaseException | None) -> str | None:
    """What to install, if an error comes from the want of a package that an extra has."""
    while error is not None and not isinstance(error, ModuleNotFoundError):
        error = error.__cause__ or error.__context__
    return None if error is None else how_to_install(error)


def _unknown_choice(error: MissingConfigException) -> str:
    """``agent=orcale``: no choice of a group."""
    group, _, choice = (error.missing_cfg_file or "").rpartition("/")
    own = group.split("/")[0]
    if (CONF / own).is_dir():
        group, choice = own, str(error.missing_cfg_file).removeprefix(f"{own}/")
    known = {*choices(group), *(error.options or ()), *(ids() if group == "env" else ())}
    extras = "; pip install 'formgym[sweep]' or 'formgym[ray]' brings more" if group == "hydra/launcher" else ""
    return f"there is no {group} {choice!r}; {suggestion(choice, known)}{extras}"


def _unknown_key(error: ConfigKeyError | ConfigAttributeError) -> str:
    """``seeds=3``: no setting of the configuration."""
    key, path = str(error.key), str(error.full_key)
    known = {str(name) for name in error.parent_node or () if not str(name).startswith("_")}
    if path == key:
        known |= {*groups()}
    return f"there is no setting {path!r}; {suggestion(key, known)} (+{path}=VALUE adds one)"


def _one_line(error: Exception) -> str:
    from hydra.errors import InstantiationException
    from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException

    if isinstance(error, InstantiationException) and isinstance(error.__cause__, USER_ERRORS):
        return " ".join(error_message(error.__cause__).split())
    if isinstance(error, InterpolationResolutionError) and (match := _RESOLVER_ERROR.match(str(error))):
        return match[1]
    cause = f" {error.__cause__}" if isinstance(error.__cause__, OmegaConfBaseException) else ""
    return " ".join(f"{error}{cause}".split())
