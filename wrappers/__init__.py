"""Wrappers: tools, flows and what learners need, loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .arrays import FlatObservation, TextAsArray
    from .control_list import ControlList
    from .edit_feedback import EditFeedback
    from .field_finder import FieldFinder
    from .field_list import FieldList
    from .flows import ActionBatch, Feedback, OneShot, SparseReward
    from .label_window import LabelWindow
    from .page_views import PadPage, Zoom
    from .pointing import FieldQueue, GridPoint, GroundTruthCoordinates
    from .ruler import GridOverlay, Ruler
    from .sb3_vec_env import SB3VecEnv

__all__ = [
    "ActionBatch",
    "ControlList",
    "EditFeedback",
    "Feedback",
    "FieldFinder",
    "FieldList",
    "FieldQueue",
    "FlatObservation",
    "GridOverlay",
    "GridPoint",
    "GroundTruthCoordinates",
    "LabelWindow",
    "OneShot",
    "PadPage",
    "Ruler",
    "SB3VecEnv",
    "SparseReward",
    "TextAsArray",
    "Zoom",
]

_MODULES = {
    "arrays": ("FlatObservation", "TextAsArray"),
    "control_list": ("ControlList",),
    "edit_feedback": ("EditFeedback",),
    "field_finder": ("FieldFinder",),
    "field_list": ("FieldList",),
    "flows": ("ActionBatch", "Feedback", "OneShot", "SparseReward"),
    "label_window": ("LabelWindow",),
    "page_views": ("PadPage", "Zoom"),
    "pointing": ("FieldQueue", "GridPoint", "GroundTruthCoordinates"),
    "ruler": ("GridOverlay", "Ruler"),
    "sb3_vec_env": ("SB3VecEnv",),
}


def __getattr__(name: str) -> Any:
    """A wrapper, from its module."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
