"""Data only: forms, profiles and the index of what is registered. ``ROOT`` is where they lie."""

from pathlib import Path

ROOT = Path(__file__).parent
