"""Wrappers: tools and flows around an environment; each rebuilds from its spec."""

from .action_batch import ActionBatch
from .feedback import Feedback
from .ruler import Ruler
from .sparse_reward import SparseReward

__all__ = ["ActionBatch", "Feedback", "Ruler", "SparseReward"]
