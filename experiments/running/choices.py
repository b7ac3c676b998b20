"""Choices without a file in ``conf/``: ids of environments, own agents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

from ...envs.registration import ids
from .config_errors import suggestion

_ENVIRONMENTS = Path(__file__).resolve().parents[2] / "conf" / "env"
_PREFIX = "formgym:"


def register_choices(arguments: Sequence[str]) -> None:
    """Let ``env=`` take ids, and ``agent=`` classes such as ``my_module.MyAgent``.

    Args:
        arguments: of the command; in sweeps an option has several values, divided by commas.

    Raises:
        ValueError: if there is no such module, or no such class in it.
    """
    if chosen := set(ids()).intersection(_values("env", arguments)):
        files = _files_of_environments()
        for env_id in chosen:
            suite, _, name = env_id.partition("/")
            settings = files.get(env_id) or files[suite.lower()] | {"id": _PREFIX + env_id}
            ConfigStore.instance().store(group=f"env/{suite}", name=name, node=settings)
    for path in _values("agent", arguments):
        if ":" in path or path.endswith(".py"):
            raise ValueError(f"agent={path}: a class of your own is written agent=MODULE.CLASS, as my_module.MyAgent")
        if "." in path and all(part.isidentifier() for part in path.split(".")):
            _check_agent(path)
            ConfigStore.instance().store(group="agent", name=path, node={"_target_": path})


def _values(option: str, arguments: Sequence[str]) -> Iterator[str]:
    for argument in arguments:
        if argument.startswith(f"{option}="):
            yield from (value.strip() for value in argument.removeprefix(f"{option}=").split(","))


def _files_of_environments() -> dict[str, dict[str, Any]]:
    """The settings of each file, by the id that it is for, or by the suite."""
    found: dict[str, dict[str, Any]] = {}
    for path in _ENVIRONMENTS.rglob("*.yaml"):
        # The files of suites leave the id open.
        content: Any = OmegaConf.to_container(OmegaConf.load(path))
        if path.parent == _ENVIRONMENTS:
            found[path.stem] = content["env"]
        else:
            found[content["id"].removeprefix(_PREFIX)] = content
    return found


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
    found = getattr(module, class_name, None)
    if isinstance(found, type) and not all(callable(getattr(found, name, None)) for name in ("reset", "act")):
        raise ValueError(
            f"{path} is no agent: an agent has the methods reset(self, task, seed), act(self, observation)"
        )
    if not callable(found):
        classes = [name for name, value in vars(module).items() if isinstance(value, type) and "act" in dir(value)]
        raise ValueError(f"{module_name} has no class {class_name!r}; {suggestion(class_name, classes)}")
