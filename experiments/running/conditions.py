"""The conditions of a run: what may make its tasks easier, and what in it knows answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from .run_spec import RunSpec

GROUND_TRUTH = "ground truth"
"""The mark of runs in which the agent, a wrapper or the environment knows answers."""
_CONF = Path(__file__).parents[2] / "conf"
_ORACLES = ("oracle", "noisy_oracle", "noisy", "exact")
"""Locators, grounders and feedback that know answers, or know them and err."""
_KNOWING_AGENTS = ("formgym.agents.Oracle", "formgym.agents.baselines.Oracle")
_KNOWING_WRAPPERS: Mapping[str, str | None] = {
    "EditFeedback": "provider",
    "FieldFinder": "locator",
    "FieldQueue": None,
    "GroundTruthCoordinates": None,
}
"""The wrappers that know answers, and the option on which that depends."""
_OWN = "formgym."
_NOT_OPTIONS = ("_target_", "_partial_", "id", "model", "prompts")


def holds_ground_truth(spec: RunSpec) -> list[str]:
    """What in a run knows answers: the agent, wrappers, the environment's grounder or names; empty if nothing does.

    It follows from the tables of this module alone: nothing that a record names is imported. What an agent of one's own
    was given, its episodes say.
    """
    found = ["agent"] if spec.agent.get("_target_") in _KNOWING_AGENTS else []
    found += [
        name
        for name, settings in spec.wrappers.items()
        if _knows(_class_of(name, settings), {**_usual("wrappers", name), **settings})
    ]
    found += ["grounder"] if spec.env.get("grounder") in _ORACLES else []
    return found + (["names"] if spec.env.get("names") else [])


def _knows(wrapper: str, settings: Mapping[str, Any]) -> bool:
    """Whether a wrapper knows answers."""
    option = _KNOWING_WRAPPERS.get(wrapper)
    return wrapper in _KNOWING_WRAPPERS and (option is None or settings.get(option) in _ORACLES)


def _class_of(name: str, settings: Mapping[str, Any]) -> str:
    """The class of a wrapper by its path; without one, by its name, such as ``field_finder``."""
    return str(settings.get("_target_") or name.title().replace("_", "")).rpartition(".")[2]


def wrapper_titles(spec: RunSpec) -> list[str]:
    """The wrappers, the innermost first, with the options that are not the usual ones.

    A FieldFinder has its locator always.
    """
    return [_wrapper_title(name, settings) for name, settings in spec.wrappers.items()]


def _wrapper_title(name: str, settings: Mapping[str, Any]) -> str:
    usual, parts = dict(_usual("wrappers", name)), _own_class(settings)
    if "locator" in settings:
        usual["locator"] = settings["locator"]
        parts.append(str(settings["locator"]))
    if isinstance(judge := settings.get("provider"), Mapping):
        parts.append(str((judge.get("model") or {}).get("name", "model")))
    return _with(name, [*parts, *_differing(settings, usual)])


def options(spec: RunSpec) -> list[str]:
    """The options of flow and agent that are not the usual ones, and the size of pages if it is chosen.

    An agent's prompts and model are no options: they make another agent.
    """
    flow = _usual("flow", spec.flow_name)
    found = [*_own_class(spec.flow), *_differing(dict.fromkeys(flow) | spec.flow, flow)]
    found += _differing(spec.agent, _usual_of_agent(str(spec.agent.get("_target_"))))
    found += ["own prompts"] if spec.agent.get("prompts") else []
    return found + ([f"render_size={_plain(spec.env['render_size'])}"] if spec.env.get("render_size") else [])


def title_of(spec: RunSpec) -> str:
    """The agent of a run with all conditions, as tables name it."""
    known = bool(holds_ground_truth(spec))
    return _with(spec.name, [joined(spec.flow_name, wrapper_titles(spec), options(spec), known)])


def joined(flow: str, wrappers: list[str], others: list[str], knows: bool) -> str:
    """The conditions of a run in words, marked where something knows answers."""
    return ", ".join([flow, *wrappers, *others]) + (f"; {GROUND_TRUTH}" if knows else "")


def _with(name: str, parts: list[str]) -> str:
    return f"{name} ({', '.join(parts)})" if parts else name


def _own_class(settings: Mapping[str, Any]) -> list[str]:
    """The path of a class that is not formgym's, which may do anything."""
    target = str(settings.get("_target_") or _OWN)
    return [] if target.startswith(_OWN) else [target]


def _differing(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> Iterator[str]:
    """The settings that are not the usual ones, each as ``name=value``; parts that are objects are left out."""
    for name, value in settings.items():
        is_object = isinstance(value, Mapping) and "_target_" in value
        if name not in _NOT_OPTIONS and not is_object and _plain(value) != _plain(usual.get(name)):
            yield f"{name}={_plain(value)}"


def _plain(value: Any) -> Any:
    """A value as JSON has it; no options are as good as empty ones."""
    return list(value) if isinstance(value, tuple) else None if value == {} else value


@lru_cache(maxsize=256)
def _usual(group: str, name: str) -> Mapping[str, Any]:
    """The settings of a choice as formgym's configuration has them; empty if it has none of that name."""
    from omegaconf import OmegaConf

    path = _CONF / group / f"{name}.yaml"
    if not name.isidentifier() or not path.exists():
        return {}
    content = cast("dict[str, Any]", OmegaConf.to_container(OmegaConf.load(path)))
    return dict(content.get(name, {}) if group == "wrappers" else content)


@lru_cache(maxsize=256)
def _usual_of_agent(target: str) -> Mapping[str, Any]:
    """The settings of the agent of this class in formgym's configuration, of several those of its own name."""
    named = target.rpartition(".")[2].lower()
    paths = sorted((_CONF / "agent").glob("*.yaml"), key=lambda path: (path.stem.replace("_", "") != named, path))
    usual = (_usual("agent", path.stem) for path in paths)
    return next((settings for settings in usual if settings.get("_target_") == target), {})
