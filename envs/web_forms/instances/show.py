"""Print an instance of a form: ``python -m formgym.envs.web_forms.instances.show NAME [split] [seed]``."""

from __future__ import annotations

import sys

from ..fields import Value
from .bundle import kit
from .generate import make_instance
from .recipe import Split


def told(value: Value) -> str:
    """A value in one line."""
    if value is None:
        return "(empty)"
    if isinstance(value, bool):
        return "[x]" if value else "[ ]"
    return " | ".join(value) if isinstance(value, list) else value


def show(name: str, split: Split = "test", seed: int = 0) -> str:
    """Gold values, files and text of an instance."""
    instance, form = make_instance(name, split, seed), kit(name).form
    lines = [f"{form.title}: {split} {seed}, {instance.genre}", ""]
    for field in form.fields:
        lines.append(f"{field.page + 1} {field.control:14} {field.name:30} {told(instance.values[field.name])}")
    return "\n".join([*lines, "", f"files: {', '.join(instance.files) or 'none'}", "", "-" * 100, instance.source])


def main(arguments: list[str]) -> None:
    """Print what the arguments ask for."""
    name, split, seed, *more = [*arguments, *("", "test", "0")[len(arguments) :]]
    if more or split not in ("test", "train"):
        sys.exit("usage: python -m formgym.envs.web_forms.instances.show FORM [test|train [SEED]]")
    try:
        print(show(name, "train" if split == "train" else "test", int(seed)))
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
