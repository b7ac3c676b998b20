"""The version is said once, and what repeats it agrees."""

import re
from pathlib import Path

import yaml

import formgym

ROOT = Path(formgym.__file__).resolve().parent


def newest_section():
    """Version and date, or ``unreleased``, of the first section of the changelog."""
    return re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE).groups()


def test_the_changelog_begins_with_the_version():
    assert newest_section()[0] == formgym.__version__


def test_the_citation_names_the_newest_release():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    version, date = newest_section()
    if date != "unreleased":
        assert (citation["version"], str(citation["date-released"])) == (version, date)


def test_the_version_is_written_nowhere_else():
    for name in ("pyproject.toml", "setup.cfg", "Makefile", "mkdocs.yml"):
        assert formgym.__version__ not in (ROOT / name).read_text(), name
    badges = re.findall(r"badge/version-([\d.]+)", (ROOT / "README.md").read_text())
    assert set(badges) <= {formgym.__version__}
