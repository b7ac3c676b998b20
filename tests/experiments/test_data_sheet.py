"""The data sheet has the counts of the index."""

from pathlib import Path

import pytest

import formgym
from formgym.experiments.documentation.data_sheet import with_current_counts

SHEET = Path(formgym.__file__).resolve().parent / "docs" / "data_sheet.md"


def test_the_data_sheet_has_the_counts_of_the_index():
    text = SHEET.read_text("utf-8")
    assert with_current_counts(text) == text, f"python -m formgym.experiments.documentation.data_sheet {SHEET}"


def test_every_folder_has_a_row_and_every_row_is_shipped():
    text = SHEET.read_text("utf-8")
    without = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("| `scans`"))
    with pytest.raises(ValueError, match="no row for scans"):
        with_current_counts(without)
    with pytest.raises(ValueError, match="row for ghosts"):
        with_current_counts(text + "| `ghosts` | 1 | 2 | MIT | |\n")
