"""Data only. ``ROOT`` is the folder; ``INDEX`` lists what is registered."""

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).parent
INDEX = ROOT / "index.json"
_SUFFIXES = {".css", ".csv", ".html", ".jpeg", ".json", ".lz4", ".md", ".onnx", ".png", ".sql", ".ttf", ".webp"}


def file_digests() -> dict[str, str]:
    """The sha256 of every data file except the index, by its path below ``ROOT``."""
    files = sorted(path for path in ROOT.rglob("*.*") if path.suffix in _SUFFIXES and path != INDEX)
    return {path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def broken_files() -> list[str]:
    """Files that differ from the index, are missing, or are not in it."""
    listed, found = json.loads(INDEX.read_text(encoding="utf-8"))["files"], file_digests()
    return sorted(
        name for name in listed.keys() | found.keys() if listed.get(name, {}).get("sha256") != found.get(name)
    )
