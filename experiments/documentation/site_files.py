"""The folder that MkDocs builds: docs/, what lies beside it, generated pages."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import yaml

from .environment_pages import write_environment_pages

ROOT = Path(__file__).resolve().parents[2]
_ROOT_PAGES = ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")
"""Files of the repository's root that are pages of the site."""
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")
_SOURCES = ("__init__.py", "agents", "envs", "experiments", "fieldfinder_model", "wrappers")
"""What the API reference reads."""


def write_site_files(build: Path) -> None:
    """Write ``docs``, ``source`` and ``mkdocs.yml`` into a folder, for MkDocs.

    Args:
        build: the folder; what these names held before is removed.
    """
    docs = build / "docs"
    shutil.rmtree(docs, ignore_errors=True)
    shutil.copytree(ROOT / "docs", docs)
    shutil.copytree(ROOT / "examples", docs / "examples", ignore=shutil.ignore_patterns("*.md", "__pycache__"))
    for name in filter(lambda name: (ROOT / name).exists(), _ROOT_PAGES):
        shutil.copy(ROOT / name, docs / name.lower())
    for page in docs.glob("*.md"):
        at_root = page.name.upper() in {name.upper() for name in _ROOT_PAGES}
        page.write_text(with_site_links(page.read_text("utf-8"), ROOT if at_root else ROOT / "docs"), "utf-8")
    write_environment_pages(docs)
    _link_sources(build / "source" / "formgym")
    _write_config(build)


def with_site_links(text: str, folder: Path) -> str:
    """A page whose relative links lead to the site's pages and files.

    A link to what the site has no copy of, such as a folder, becomes its text.

    Args:
        text: the page as Markdown.
        folder: where it lies in the repository.
    """

    def relinked(match: re.Match[str]) -> str:
        target = (folder / match["target"]).resolve()
        anchor = match["anchor"] or ""
        if target.is_relative_to(ROOT / "docs"):
            return f"[{match['text']}]({target.relative_to(ROOT / 'docs')}{anchor})"
        if target.parent == ROOT and target.name in _ROOT_PAGES:
            return f"[{match['text']}]({target.name.lower()}{anchor})"
        if target.is_relative_to(ROOT / "examples") and target.is_file():
            return f"[{match['text']}]({target.relative_to(ROOT)})"
        return match["text"] if target.exists() else match[0]

    return _LINK.sub(relinked, text)


def _link_sources(package: Path) -> None:
    """The package without what lies beside it in a checkout, such as ``.venv``."""
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for name in _SOURCES:
        (package / name).symlink_to(ROOT / name)


def _write_config(build: Path) -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    config |= {"docs_dir": "docs", "site_dir": "site", "nav": _filled(config["nav"], build / "docs")}
    (build / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")


def _filled(nav: Any, docs: Path) -> Any:
    """A navigation with folders' pages in the place of the folders."""
    if isinstance(nav, list):
        return [_filled(item, docs) for item in nav]
    if isinstance(nav, dict):
        return {title: _filled(below, docs) for title, below in nav.items()}
    if not nav.endswith("/"):
        return nav
    pages = sorted((docs / nav).glob("*.md"), key=lambda page: (page.name != "index.md", page.name))
    return [str(page.relative_to(docs)) for page in pages]
