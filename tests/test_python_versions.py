"""Every Python that the package names can compile it without a warning."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from sizes import sample

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13")


def interpreter(version):
    """A Python of this version on this machine, or ``None``."""
    candidates = [f"python{version}", *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
    for candidate in candidates:
        try:
            subprocess.run([candidate, "-c", ""], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return candidate
    return None


def test_the_package_names_the_versions_that_are_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert tuple(re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))) == VERSIONS
    assert project["requires-python"] == f">={VERSIONS[0]}"
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    assert tuple(jobs["test"]["strategy"]["matrix"]["python"]) == VERSIONS


@pytest.mark.parametrize("version", sample(VERSIONS, 1))
def test_all_modules_compile_without_a_warning(version):
    python = interpreter(version)
    if python is None:
        pytest.skip(f"needs Python {version}")
    code = (
        "import sys, warnings, pathlib; warnings.simplefilter('error')\n"
        "for path in sys.stdin.read().split(): compile(pathlib.Path(path).read_bytes(), path, 'exec')"
    )
    tracked = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    subprocess.run([python, "-c", code], cwd=ROOT, input=tracked, text=True, check=True)
