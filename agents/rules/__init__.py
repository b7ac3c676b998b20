"""Rules that read requests in plain English and write the edits that they ask for."""

from .edits import Edit
from .programs import program_for
from .understanding import NotUnderstood, understand

__all__ = ["Edit", "NotUnderstood", "program_for", "understand"]
