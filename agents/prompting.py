"""Prompts of agents: Jinja templates, and the hash by which runs record them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "prompts"


class Prompts:
    """The templates of prompts, ours and those of a folder that replace them.

    Args:
        folder: of your own templates, ``NAME.jinja``, which may extend ours; ``None``: there are none.

    Attributes:
        sha256: of the names and texts of all templates.

    Raises:
        ValueError: if the folder holds no templates.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        folders = [FOLDER] if folder is None else [Path(folder), FOLDER]
        if folder is not None and not list(Path(folder).glob("*.jinja")):
            raise ValueError(f"the prompts {str(folder)!r} are no folder with templates, NAME.jinja")
        self._environment = Environment(
            loader=FileSystemLoader(folders), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        digest = hashlib.sha256()
        for name in sorted({file.name for one in folders for file in one.glob("*.jinja")}):
            source = next(one / name for one in folders if (one / name).exists())
            digest.update(name.encode() + b"\0" + source.read_bytes() + b"\0")
        self.sha256 = digest.hexdigest()

    def render(self, name: str, **variables: Any) -> str:
        """The text of a template.

        Raises:
            ValueError: if it uses a variable that there is not, or is malformed.
        """
        from jinja2 import TemplateError

        try:
            return self._environment.get_template(f"{name}.jinja").render(variables).strip()
        except TemplateError as error:
            raise ValueError(f"the prompt {name}.jinja cannot be written: {error}") from error
