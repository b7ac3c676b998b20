"""Wrappers: tools and flows around an environment; each rebuilds from its spec."""

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
