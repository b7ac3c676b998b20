"""Wrappers: tools and flows around an environment, loaded when first used."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .action_batch import ActionBatch
    from .edit_feedback import EditFeedback
    from .feedback import Feedback
    from .field_finder import FieldFinder
    from .grid_overlay import GridOverlay
    from .ground_truth_coordinates import GroundTruthCoordinates
    from .ruler import Ruler
    from .sparse_reward import SparseReward

__all__ = [
    "ActionBatch",
    "EditFeedback",
    "Feedback",
    "FieldFinder",
    "GridOverlay",
    "GroundTruthCoordinates",
    "Ruler",
    "SparseReward",
]


def __getattr__(name: str) -> Any:
    """A wrapper, from the module of its name in snake case."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return getattr(import_module(f".{module}", __name__), name)
