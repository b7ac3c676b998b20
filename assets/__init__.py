"""Data only: forms and profiles. ``ROOT`` is where they lie, ``INDEX`` lists them and what is registered."""

from pathlib import Path

ROOT = Path(__file__).parent
INDEX = ROOT / "index.json"
