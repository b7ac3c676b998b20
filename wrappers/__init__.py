"""Wrappers: tools, flows and what learners need, loaded when first used."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .action_batch import ActionBatch
    from .control_list import ControlList
    from .edit_feedback import EditFeedback
    from .feedback import Feedback
    from .field_finder import FieldFinder
    from .field_queue import FieldQueue
    from .flat_observation import FlatObservation
    from .grid_overlay import GridOverlay
    from .grid_point import GridPoint
    from .ground_truth_coordinates import GroundTruthCoordinates
    from .label_window import LabelWindow
    from .one_shot import OneShot
    from .pad_page import PadPage
    from .ruler import Ruler
    from .sb3_vec_env import SB3VecEnv
    from .sparse_reward import SparseReward
    from .text_as_array import TextAsArray
    from .zoom import Zoom

__all__ = [
    "ActionBatch",
    "ControlList",
    "EditFeedback",
    "Feedback",
    "FieldFinder",
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


def __getattr__(name: str) -> Any:
    """A wrapper, from the module of its name in snake case."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return getattr(import_module(f".{module}", __name__), name)
