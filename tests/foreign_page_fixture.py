"""Pages as strangers write them, in ``foreign_pages/``, with the packages from npm that they are made with."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from formgym.envs.core.files import cache_folder

PAGES = Path(__file__).parent / "foreign_pages"
NAMES = sorted(path.parent.name for path in PAGES.glob("*/answers.json"))
_REFERENCE = re.compile(r"(?:href|src)=\"(vendor/[^\"#?]+)")
_STYLE_REFERENCE = re.compile(r"url\([\"']?([^\"')#?:]+)")
_TAILWIND = '@import "tailwindcss" source("{page}");\n@plugin "@tailwindcss/forms";\n'


def write_page(name: str, target: Path) -> Path:
    """Copies a page without its answers, and of the packages the files that it refers to; returns the folder."""
    shutil.copytree(PAGES / name, target, ignore=shutil.ignore_patterns("answers.json"))
    pages = "".join(path.read_text() for path in target.glob("*.html"))
    for reference in sorted(set(_REFERENCE.findall(pages))):
        if reference == "vendor/tailwind.css":
            _build_tailwind(target / reference)
        else:
            _copy(reference.removeprefix("vendor/"), target / "vendor")
    return target


def answers(name: str) -> dict:
    """The source text and the answers, as {label as visible, value}, of a page."""
    return json.loads((PAGES / name / "answers.json").read_text())


def _copy(file: str, vendor: Path) -> None:
    if (vendor / file).exists() or not (source := _packages() / file).is_file():
        return
    (vendor / file).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, vendor / file)
    if source.suffix == ".css":
        for reference in set(_STYLE_REFERENCE.findall(source.read_text())):
            _copy(os.path.normpath(Path(file).parent / reference), vendor)


def _build_tailwind(target: Path) -> None:
    style = _packages().parent / "page.css"
    style.write_text(_TAILWIND.format(page=PAGES / "tailwind"))
    command = ["npx", "--no-install", "tailwindcss", "--minify", "-i", style, "-o", target]
    subprocess.run(command, cwd=style.parent, check=True, capture_output=True)


def _packages() -> Path:
    """The installed packages; skips the test where npm or the registry is missing."""
    listed = PAGES / "package.json"
    folder = cache_folder() / f"npm-{hashlib.sha256(listed.read_bytes()).hexdigest()[:12]}"
    if not (folder / "done").exists():
        if shutil.which("npm") is None:
            pytest.skip("needs npm, for the packages that foreign pages are made with")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(listed, folder)
        command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"]
        if subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False).returncode:
            pytest.skip("needs the npm registry, for the packages that foreign pages are made with")
        (folder / "done").touch()
    return folder / "node_modules"
