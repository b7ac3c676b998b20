"""The house: light imports, packaging, versions, shipped files; ``lint-imports`` checks what may import what."""

import configparser
import json
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import gymnasium as gym
import pytest
import yaml

import formgym
from formgym.assets import broken_files
from formgym.envs.registration import ids, index

ROOT = Path(formgym.__file__).resolve().parent
OUTSIDE = {".venv", ".git", "benchmarks", "build", "docs", "examples", "tests"}
"""Folders whose files are no modules of the package."""
HEAVY = ("torch", "transformers", "playwright", "wandb", "stable_baselines3", "rapidocr", "onnxruntime", "cv2")


def _modules():
    return [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in OUTSIDE]


def _loaded(code):
    """The modules of a fresh process that imports formgym and runs code."""
    command = [sys.executable, "-c", f"import sys, formgym\n{code}\nprint(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_the_package_imports_itself_relatively():
    # Ruff cannot check it: in a checkout called formgym it takes relative imports for absolute ones.
    absolute = re.compile(r"^\s*(from|import) formgym\b(?!,)", re.MULTILINE)
    assert [path for path in _modules() if absolute.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("code", ["", "import gymnasium as gym; gym.make('FormGym/AutoLoans-Text-v0').reset(seed=0)"])
def test_importing_and_making_an_environment_are_light(code):
    assert {name.split(".")[0] for name in _loaded(code)}.isdisjoint(HEAVY)


def test_a_wrapper_loads_few_modules_of_the_package():
    more = _loaded("from formgym.wrappers import Ruler") - _loaded("")
    assert sum(name.startswith("formgym") for name in more) < 15


@pytest.mark.parametrize("module", ["agents", "wrappers"])
def test_every_name_that_is_loaded_when_first_used_is_there(module):
    names = import_module(f"formgym.{module}")
    assert all(getattr(names, name) is not None for name in names.__all__)


def test_environments_are_registered_by_the_import():
    assert ids()
    assert all(env_id in gym.registry for env_id in ids())


def test_setup_lists_every_package():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    packages = {
        ".".join(("formgym", *path.parent.relative_to(ROOT).parts)) for path in _modules() if path.stem == "__init__"
    }
    assert set(setup["options"]["packages"].split()) == packages


def test_no_module_lies_loose_at_the_root_and_none_is_hidden_in_tests():
    assert [path.name for path in ROOT.glob("*.py")] == ["__init__.py"]
    assert not any((ROOT / folder / "__init__.py").exists() for folder in ("benchmarks", "docs", "tests"))


def test_the_version_is_that_of_the_changelog_and_of_the_citation():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, date = re.search(r"^## (\S+) \((\S+)\)$", changelog, re.MULTILINE).groups()
    assert version == formgym.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert date == "unreleased" or (citation["version"], str(citation["date-released"])) == (version, date)


def test_hosted_tests_run_on_the_python_versions_that_the_package_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    versions = jobs["test"]["strategy"]["matrix"]["python"]
    assert re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"])) == versions
    assert project["requires-python"] == f">={versions[0]}"


def test_shipped_files_are_what_the_index_says():
    assert index()["files"]
    assert broken_files() == []


def test_assets_are_light():
    assert sum(path.stat().st_size for path in (ROOT / "assets").rglob("*") if path.is_file()) < 80e6


def test_json_has_no_key_twice():
    def unique(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"{file}: {[k for k in keys if keys.count(k) > 1]}"
        return dict(pairs)

    files = sorted((ROOT / "assets").rglob("*.json"))
    assert len(files) > 400
    for file in files:
        json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=unique)


def test_an_environment_of_each_suite_plays_with_the_core_alone():
    command = [sys.executable, str(Path(__file__).with_name("core_alone.py"))]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
