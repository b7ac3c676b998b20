"""Where tests find their data and their helper modules."""

from pathlib import Path

TESTS = Path(__file__).parent
DATA = TESTS / "data"
