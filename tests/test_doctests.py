"""The examples in docstrings, run as doctests; those of extras that are not installed are skipped."""

import doctest
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import formgym

ROOT = Path(formgym.__file__).resolve().parent
ROOMS = ("agents", "envs", "experiments", "fieldfinder_model", "wrappers")
MODULES = sorted(
    ".".join(("formgym", *path.relative_to(ROOT).with_suffix("").parts))
    for room in ROOMS
    for path in (ROOT / room).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    try:
        module = import_module(name)
    except ImportError as error:
        pytest.skip(str(error))
    with np.printoptions(legacy="2.1"):
        result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert result.attempted
    assert not result.failed
