"""Agents, the models that they ask, and sessions, loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .base import Agent, ModelError, TaskInfo
    from .baselines import Noop, Oracle, Pointing, Random, SubmitSource, TickEverything
    from .computer_use import ComputerUse
    from .edit_judge import EditJudge
    from .mark_locator import MarkLocator
    from .models.files import FilesModel
    from .models.inspect import InspectModel
    from .models.openai_compatible import OpenAICompatible
    from .models.scripted import Scripted
    from .rule_based.agent import RuleBased
    from .session import Session
    from .vlm import VLM

__all__ = [
    "VLM",
    "Agent",
    "ComputerUse",
    "EditJudge",
    "FilesModel",
    "InspectModel",
    "MarkLocator",
    "ModelError",
    "Noop",
    "OpenAICompatible",
    "Oracle",
    "Pointing",
    "Random",
    "RuleBased",
    "Scripted",
    "Session",
    "SubmitSource",
    "TaskInfo",
    "TickEverything",
]

_MODULES = {
    "base": ("Agent", "ModelError", "TaskInfo"),
    "baselines": ("Noop", "Oracle", "Pointing", "Random", "SubmitSource", "TickEverything"),
    "computer_use": ("ComputerUse",),
    "edit_judge": ("EditJudge",),
    "mark_locator": ("MarkLocator",),
    "models.files": ("FilesModel",),
    "models.inspect": ("InspectModel",),
    "models.openai_compatible": ("OpenAICompatible",),
    "models.scripted": ("Scripted",),
    "rule_based.agent": ("RuleBased",),
    "session": ("Session",),
    "vlm": ("VLM",),
}


def __getattr__(name: str) -> Any:
    """A class, from its module."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
