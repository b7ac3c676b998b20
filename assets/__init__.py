"""Data only. ``ROOT`` is the folder; ``INDEX`` lists what is registered."""

from pathlib import Path

ROOT = Path(__file__).parent
INDEX = ROOT / "index.json"
