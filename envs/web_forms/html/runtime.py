"""The script and style that give every page the same pickers, page turns and validation."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_HERE = Path(__file__).parent
_PARTS = ("core", "popups", "boxes", "calendar", "flow", "input")


@lru_cache(maxsize=1)
def runtime_script() -> str:
    """The JavaScript to run at the end of the body, in a scope of its own."""
    parts = "\n".join((_HERE / "runtime" / f"{name}.js").read_text(encoding="utf-8") for name in _PARTS)
    return "{\n" + parts + "}\n"


@lru_cache(maxsize=1)
def runtime_style() -> str:
    """The CSS that the script's parts need in a form of ours; it comes before a theme's."""
    return _style("variables", "page", "pickers")


@lru_cache(maxsize=1)
def own_style() -> str:
    """The CSS that the script's parts need in a page that others made, whose own controls keep their look."""
    return _style("variables", "own", "pickers")


def _style(*names: str) -> str:
    return "".join((_HERE / "style" / f"{name}.css").read_text(encoding="utf-8") for name in names)
