"""Build the docs site, ``make docs``: copied and generated pages, Zensical, and a check of all links.

``python docs/build_site.py build`` writes the site to ``build/site``; see mkdocs.yml.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml
from environment_pages import with_fenced_examples, write_environment_pages

ROOT = Path(__file__).resolve().parents[1]
_ROOT_PAGES = ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")
"""Files of the repository's root that are pages of the site."""
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")
_SOURCES = ("__init__.py", "agents", "envs", "experiments", "fieldfinder_model", "wrappers")
"""What the API reference reads."""


def write_sources(build: Path) -> None:
    """Write ``docs``, ``source`` and ``mkdocs.yml`` into a folder; what these names held before is removed."""
    docs = build / "docs"
    shutil.rmtree(docs, ignore_errors=True)
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("*.py", "__pycache__", "templates"))
    shutil.copytree(ROOT / "examples", docs / "examples", ignore=shutil.ignore_patterns("*.md", "__pycache__"))
    for name in _ROOT_PAGES:
        shutil.copy(ROOT / name, docs / name.lower())
    for page in docs.glob("*.md"):
        at_root = page.name.upper() in {name.upper() for name in _ROOT_PAGES}
        page.write_text(with_site_links(page.read_text("utf-8"), ROOT if at_root else ROOT / "docs"), "utf-8")
    write_environment_pages(docs)
    # The package without what lies beside it in a checkout, such as .venv.
    package = build / "source" / "formgym"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for name in _SOURCES:
        for file in [ROOT / name] if name.endswith(".py") else sorted((ROOT / name).rglob("*.py")):
            copy = package / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(with_fenced_examples(file.read_text("utf-8")), "utf-8")
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    config |= {"docs_dir": "docs", "site_dir": "site", "nav": _filled(config["nav"], docs)}
    (build / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")


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


class Page(HTMLParser):
    """The ids of a built page, and what it links to and loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids and addresses."""
        given = dict(attrs)
        self.ids |= {value for value in (given.get("id"), given.get("name")) if value}
        targets = [value for value in (given.get("href"), given.get("src")) if value]
        self.targets += targets
        if tag in ("script", "img", "iframe", "source") or given.get("rel") in ("stylesheet", "preconnect", "icon"):
            self.loaded += targets


def broken_links(site: Path) -> Iterator[str]:
    """Links of a site to pages, files and anchors that it does not have, and what it loads from elsewhere.

    Zensical's strict mode checks links in the text, but neither pictures nor the navigation.
    """
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    for path, page in pages.items():
        yield from (f"{path}: loads {url}" for url in page.loaded if urlsplit(url).netloc)
        for target in page.targets:
            url = urlsplit(target)
            file = (path.parent / unquote(url.path)).resolve() if url.path else path
            if url.scheme or url.netloc:
                continue
            anchors = pages[file].ids if file in pages else {url.fragment}
            if not file.exists() or (url.fragment and unquote(url.fragment) not in anchors):
                yield f"{path}: no {target}"


def main(build: Path) -> int:
    """Build the site in a folder; the exit status, which is 1 if a link leads nowhere."""
    write_sources(build)
    zensical = Path(sys.executable).with_name("zensical")
    command = [zensical, "build", "--strict", "--clean", "-f", "mkdocs.yml"]
    if subprocess.run(command, cwd=build, check=False).returncode:
        return 1
    broken = list(broken_links(build / "site"))
    print(*broken, f"{len(broken)} broken links", sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
