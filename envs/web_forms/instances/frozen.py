"""Frozen instances: those of the test split, kept in a file so that they never change.

``python -m formgym.envs.web_forms.instances.frozen NAME...`` writes them anew.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import pydantic
from pydantic import RootModel

from ...core.asset_cache import cached
from ...core.files import atomic_write, load
from ..form import form_folder, web_form
from .generate import make_instance
from .instance import Instance

NUMBER = 50
"""How many of each shipped form there are."""


class _Instances(RootModel[Annotated[tuple[Instance, ...], pydantic.Field(min_length=1)]]):
    """The instances of a form, in the order of their numbers."""


@cached
def frozen_instances(form: str) -> tuple[Instance, ...]:
    """The test instances of a form, by its name or folder, in the order of their numbers.

    Raises:
        ValueError: if there is no such form, or the file is missing or does not fit the form.
    """
    definition, path = web_form(form), _path(form)
    instances = load(_Instances, path).root
    for i, instance in enumerate(instances):
        if instance.form != definition.name or instance.number != i or instance.split != "test":
            raise ValueError(f"{path} is not valid:\n  {i}: not number {i} of the test instances of {definition.name}")
        if unlike := sorted(instance.values.keys() ^ definition.by_name.keys()):
            raise ValueError(f"{path} is not valid:\n  {i}.values: missing or unknown fields: {', '.join(unlike)}")
    return instances


def write_instances(form: str, number: int = NUMBER) -> Path:
    """Write the test instances of a form anew, by its name or folder; the file that was written.

    Raises:
        ValueError: if the form is broken.
        OSError: if the file cannot be written.
    """
    instances = [make_instance(form, "test", seed).model_dump(mode="json") for seed in range(number)]
    path = _path(form)
    atomic_write(path, (json.dumps(instances, ensure_ascii=False, indent=1) + "\n").encode())
    frozen_instances.cache_clear()
    return path


def _path(form: str) -> Path:
    return form_folder(form) / "instances.json"


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("usage: python -m formgym.envs.web_forms.instances.frozen FORM...")
    for name in sys.argv[1:]:
        print(write_instances(name))
